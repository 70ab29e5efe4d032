"""The commands on one pair: which column is the cause, and which rows share a mechanism."""

from __future__ import annotations

import io
from typing import Any

import click

from anmmm._text import printable
from anmmm.cli.messages import InputError, say, show, shown_on_terminal, terminal_text
from anmmm.cli.options import (
    categories_option,
    column_options,
    common_options,
    decision_options,
    force_option,
    given,
    mechanisms_option,
    plot_option,
    with_options,
)

# Digits of a probability in a file.
DIGITS = 6


@click.command("direction")
@click.argument("file")
@with_options(*column_options, categories_option, *decision_options, plot_option, force_option)
@with_options(*common_options)
def direction_command(
    file: str,
    pair: tuple[str, ...],
    header: bool | None,
    missing: str,
    categories: list[str] | None,
    plot: str | None,
    force: bool,
    random_state: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Decide which of two columns of FILE, X and Y, is the cause.

    X and Y are names in the header, or numbers from 1; a FILE of two columns needs none. FILE is a
    Parquet file, or a text table, separated by commas, semicolons, tabs or blanks, with or without
    a line of column names; "-" reads such a table from standard input.
    """
    from dataclasses import replace

    from anmmm._files import to_json_document
    from anmmm._threads import single_thread
    from anmmm._warning import suppress_convergence_warnings
    from anmmm.cli.input import load_columns
    from anmmm.cli.output import check_plot, write_plot
    from anmmm.direction import infer_direction
    from anmmm.direction.text import direction_text

    check_plot(plot, file, force=force)
    columns = load_columns(file, pair, missing=missing, header=header, categories=categories)
    # One thread, as in a collection: results do not depend on the number of cores.
    # The printed text reports convergence.
    x: Any = columns.x
    y: Any = columns.y
    with single_thread(), suppress_convergence_warnings(), shown_on_terminal("comparing models"):
        result = infer_direction(x, y, random_state=random_state, **given(options))
    result = replace(result, names=columns.names, n_dropped=columns.n_dropped)
    write_plot(plot, lambda: result.plot()[0])
    n = len(columns.lines)
    if as_json:
        facts = {"n": n, "random_state": random_state}
        click.echo(to_json_document(result.to_dict() | facts))
    else:
        show(direction_text(result, terminal_text, n))


@click.command("cluster")
@click.argument("file")
@mechanisms_option
@click.option("-o", "--output", metavar="FILE.csv", help="Write the labels to this file.")
@with_options(*column_options, plot_option, force_option, *common_options)
def cluster_command(
    file: str,
    pair: tuple[str, ...],
    header: bool | None,
    missing: str,
    output: str | None,
    plot: str | None,
    force: bool,
    random_state: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Label each row of FILE with its mechanism.

    Column X, or the first one, is the cause; column Y, or the second one, the effect. The labels
    are CSV: line of the row in FILE, both columns by their names, label (from 0), the latent, and,
    if labels are refined, the probability of each mechanism. FILE is as in "anmmm direction".
    """
    from dataclasses import replace

    from anmmm._files import dump_csv, to_json_document, write_csv
    from anmmm._warning import suppress_convergence_warnings
    from anmmm.cli.input import load_columns
    from anmmm.cli.output import check_file, check_plot, write_plot
    from anmmm.clustering import cluster_mechanisms

    check_file(output, [".csv"], file, force=force)
    check_plot(plot, file, force=force)
    columns = load_columns(file, pair, missing=missing, header=header)
    for name, column in zip(columns.names, (columns.x, columns.y), strict=True):
        if column.is_categorical:
            raise InputError(
                f"{file}: column {name} holds text, but mechanisms are curves of numbers; name "
                "columns of numbers"
            )
    # The printed text reports convergence.
    with suppress_convergence_warnings(), shown_on_terminal("fitting the latent"):
        result = cluster_mechanisms(
            columns.x.to_array(),
            columns.y.to_array(),
            random_state=random_state,
            **given(options),
        )
    result = replace(result, names=columns.names, n_dropped=columns.n_dropped)
    rows = _labels(result, columns)
    if output is not None:
        write_csv(output, list(rows[0]), rows)
    if as_json:
        document = result.to_dict()
        del document["labels"], document["probabilities"]
        click.echo(to_json_document(document | {"random_state": random_state, "rows": rows}))
    elif output is None:
        text = io.StringIO()
        dump_csv(text, list(rows[0]), rows)
        show(text.getvalue().removesuffix("\n"))
    say(result.summary())
    if output is not None:
        say(f"labels written to {output}")
    write_plot(plot, result.plot)


def _labels(result: Any, columns: Any) -> list[dict[str, Any]]:
    """Return the rows of the table of labels."""
    from anmmm._files import records_of

    labels = {"label": result.labels}
    for index, latent in enumerate(result.latent.T, start=1):
        labels[f"latent_{index}"] = latent
    if result.probabilities is not None:
        for index, probability in enumerate(result.probabilities.T.round(DIGITS)):
            labels[f"probability_{index}"] = probability
    x, y = map(printable, columns.names)
    if {x, y} & {"line", *labels}:
        x = "x"
        y = "y"
    table = {"line": columns.lines, x: columns.x.values, y: columns.y.values, **labels}
    return records_of(table)
