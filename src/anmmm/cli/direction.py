"""The command on one pair: which column is the cause."""

from __future__ import annotations

from typing import Any

import click

from anmmm.cli.messages import plain, say
from anmmm.cli.options import (
    categories_option,
    column_options,
    common_options,
    decision_options,
    force_option,
    given,
    plot_option,
    with_options,
)


@click.command("direction")
@click.argument("file")
@with_options(
    *column_options,
    categories_option,
    *decision_options,
    plot_option(),
    force_option,
    *common_options,
)
def direction_command(
    file: str,
    pair: tuple[str, ...],
    x: str | None,
    y: str | None,
    header: bool | None,
    drop_missing: bool,
    categories: list[str] | None,
    max_samples: int | None,
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

    from anmmm._categories import as_column
    from anmmm._files import to_json_document
    from anmmm._threads import single_thread
    from anmmm._warning import suppress_convergence_warnings
    from anmmm.cli.input import echo_warnings, input_errors, load_columns
    from anmmm.cli.output import check_plot
    from anmmm.direction import infer_direction
    from anmmm.direction.text import direction_text

    check_plot(plot, file, force=force)
    columns = load_columns(
        file, x, y, pair=pair, drop_missing=drop_missing, header=header, categories=categories or ()
    )
    used_x, used_y, cut_seed = columns.x, columns.y, None
    if max_samples is not None and len(used_x) > max_samples:
        cut_seed = random_state
        from anmmm.datasets import Pair

        used = Pair("", used_x, used_y).subsample(max_samples, cut_seed)
        used_x, used_y = used.x, used.y
        say(f"{max_samples} of {len(columns.x)} rows drawn with seed {random_state}")
    # Text is categories here, also if it spells numbers.
    variables: list[Any] = [as_column(used_x, "x"), as_column(used_y, "y")]
    # One thread, as in a collection: results do not depend on the number of cores.
    # The printed text reports convergence.
    with input_errors(), echo_warnings(), single_thread(), suppress_convergence_warnings():
        result = infer_direction(*variables, random_state=random_state, **given(**options))
    result = replace(result, names=columns.names, n_dropped=columns.n_dropped)
    if plot is not None:
        from anmmm.cli.plots import draw_direction

        draw_direction(plot, variables[0], variables[1], result)
    if not as_json:
        click.echo(plain(direction_text(result, plain, len(columns.x))))
        return
    document = result.to_dict() | {
        "n": len(columns.x),
        "seed": random_state,
        "n_used": len(used_x),
        "subsample_seed": cut_seed,
    }
    click.echo(to_json_document(document))
