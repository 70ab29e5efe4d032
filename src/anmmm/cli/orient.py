"""The command on a graph: its undirected edges, directed by pairs of columns."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from anmmm.cli.messages import plain, say, shown
from anmmm.cli.options import (
    criterion_option,
    given,
    max_samples_option,
    output_options,
    plot_option,
    resamples_option,
    seed_and_json,
    with_options,
)

if TYPE_CHECKING:
    from anmmm.orientation import OrientedGraph


@click.command("orient")
@click.argument("file")
@with_options(
    click.option(
        "--graph",
        "graph_file",
        metavar="FILE",
        required=True,
        help="Edges: a CSV file with the columns source, target and perhaps edge: ->, -- "
        "(undirected, the default) or <->. What -o writes is one.",
    ),
    *output_options,
    click.option(
        "--min-confidence",
        type=float,
        help="Between 0.5 and 1: a pair of less confidence directs no edge.  [default: 0.9]",
    ),
    resamples_option,
    criterion_option,
    max_samples_option,
    plot_option,
    *seed_and_json,
)
def orient_command(
    file: str,
    graph_file: str,
    output: str | None,
    resume: bool,
    plot: str | None,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Direct the undirected edges of a graph by the columns of FILE.

    FILE is a table with a column for each node: CSV, TSV or Parquet. Each undirected edge is
    decided as a pair, and directed if that closes no directed cycle, the surest pair first
    (docs/guide/graphs.md).

    With -o, finished pairs are kept in FILE.checkpoint until the file is complete; --resume goes on
    with them.
    """
    from anmmm._files import to_json_document
    from anmmm.cli.input import refusing
    from anmmm.cli.output import check_output, keeping, refuse_input_as_output
    from anmmm.orientation import orient

    if plot is not None:
        from anmmm.cli.plots import check_plot

        check_plot(plot, file)
        refuse_input_as_output(plot, graph_file)
    checkpoint, complete = check_output(output, file, graph_file, "table", resume)
    if complete:
        say(f"{output}: complete, nothing to do")
        return
    with keeping(checkpoint), refusing():
        result = orient(
            graph_file,
            file,
            random_state=seed,
            checkpoint=checkpoint,
            progress=sys.stderr.isatty(),
            **given(**options),
        )
        if output is not None:
            result.write(output)
    if plot is not None:
        from anmmm.cli.plots import draw_graph

        draw_graph(plot, result)
    if as_json:
        rows = [row.to_row() | {"seconds": None} for row in result.decisions]
        click.echo(to_json_document({"rows": rows, "nodes": list(result.nodes)}))
    else:
        click.echo(plain(_text(result)))
    if output is not None:
        say(f"{len(result.decisions)} edges written to {output}")


def _text(result: OrientedGraph) -> str:
    """Return a line for each edge, and how many there are of each kind."""
    from anmmm._words import Table, counted

    marks = {"->": "→", "--": "—", "<->": "↔"}
    rows = [
        (
            f"{shown(row.source)} {marks[row.edge]} {shown(row.target)}",
            row.by,
            "" if row.score is None else f"{row.score:+.3f}",
            "" if row.confidence is None else f"{row.confidence:.3f}",
            shown(row.reason),
        )
        for row in result.decisions
    ]
    columns = {"edge": "<4", "by": "<6", "score": ">6", "confidence": ">10", "reason": "<1"}
    count = Counter(row.by for row in result.decisions)
    closing = (
        f"{counted(len(rows), 'edge')}: {count['given']} given, {count['data']} directed by data, "
        f"{count['open']} undirected"
    )
    return "\n".join([*Table(columns).lines(rows), "", closing])
