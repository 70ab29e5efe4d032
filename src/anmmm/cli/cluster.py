"""The command that labels the mechanisms of one pair."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from anmmm._text import printable
from anmmm.cli.messages import plain, say
from anmmm.cli.options import (
    column_options,
    common_options,
    force_option,
    given,
    mechanisms_option,
    plot_option,
    refine_option,
    with_options,
)

if TYPE_CHECKING:
    from anmmm.cli.input import Columns
    from anmmm.clustering import ClusteringResult

# Digits of a probability in a file.
DIGITS = 6


@click.command("cluster")
@click.argument("file")
@mechanisms_option
@refine_option
@click.option("-o", "--output", metavar="FILE.csv", help="Write the labels to this file.")
@with_options(*column_options, plot_option(), force_option, *common_options)
def cluster_command(
    file: str,
    n_mechanisms: int | str,
    refine: bool | None,
    output: str | None,
    plot: str | None,
    force: bool,
    fit_options: dict[str, float] | None,
    random_state: int,
    as_json: bool,
    **table: Any,
) -> None:
    """Label each row of FILE with its mechanism.

    Column X, or the first one, is the cause; column Y, or the second one, the effect. The labels
    are CSV: line of the row in FILE, both columns by their names, label (from 0), the latent, and,
    if labels are refined, the probability of each mechanism. FILE is as in "anmmm direction".
    """
    from dataclasses import replace

    from anmmm._files import dump_csv, to_json_document, write_csv
    from anmmm._warning import suppress_convergence_warnings
    from anmmm.cli.input import input_errors, load_columns
    from anmmm.cli.output import check_file, check_plot
    from anmmm.clustering import cluster_mechanisms

    if output is not None:
        check_file(output, [".csv"], file, force=force)
    check_plot(plot, file, force=force)
    columns = load_columns(file, **table)
    # The printed text reports convergence.
    with input_errors(), suppress_convergence_warnings():
        result = cluster_mechanisms(
            columns.x,
            columns.y,
            n_mechanisms,
            random_state=random_state,
            **given(refine=refine, fit_options=fit_options),
        )
    result = replace(result, names=columns.names, n_dropped=columns.n_dropped)
    titles, rows = _labels(result, columns)
    names = [printable(name) for name in columns.names]
    if output is not None:
        with input_errors(output):
            write_csv(output, *_named(titles, rows, names))
    if as_json:
        document = {
            k: v for k, v in result.to_dict().items() if k not in ("labels", "probabilities")
        }
        extra = {"seed": random_state, "rows": rows}
        click.echo(to_json_document(document | extra))
    elif output is None:
        dump_csv(sys.stdout, *_named(titles, rows, [plain(name) for name in names]))
        # Raise the error of a closed pipe here, where click handles it.
        sys.stdout.flush()
    say(result.summary())
    if output is not None:
        say(f"labels written to {output}")
    if plot is not None:
        from anmmm.cli.plots import draw_mechanisms

        draw_mechanisms(plot, result, columns)


def _labels(result: ClusteringResult, columns: Columns) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the table of labels: its titles, and a dict per row."""
    latents = [f"latent_{index + 1}" for index in range(result.latent.shape[1])]
    titles = ["line", "x", "y", "label", *latents]
    cells = [columns.lines, columns.x, columns.y, result.labels, *result.latent.T]
    if result.probabilities is not None:
        titles += [f"probability_{label}" for label in range(result.n_mechanisms)]
        cells += [*result.probabilities.T.round(DIGITS)]
    rows = [dict(zip(titles, row, strict=True)) for row in zip(*cells, strict=True)]
    return titles, rows


def _named(
    titles: list[str], rows: list[dict[str, Any]], names: list[str]
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the table with the names of the columns for x and y, unless one is a title itself."""
    if len({*names}) < 2 or {titles[0], *titles[3:]} & {*names}:
        return titles, rows
    heads = [titles[0], *names, *titles[3:]]
    return heads, [dict(zip(heads, row.values(), strict=True)) for row in rows]
