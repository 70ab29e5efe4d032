"""The command on a table: its causal graph."""

from __future__ import annotations

import os
from typing import Any

import click

from anmmm._text import counted
from anmmm.cli.messages import has_terminal, say, show
from anmmm.cli.options import (
    as_names,
    as_two_names,
    categories_option,
    common_cause_option,
    force_option,
    given,
    header_option,
    jobs_option,
    json_option,
    missing_option,
    plot_option,
    prior_option,
    with_options,
)


def as_tiers(text: str) -> list[list[str]]:
    """Return the names of each tier."""
    return [as_names(tier) for tier in text.split(";") if tier]


@click.command("graph")
@click.argument("table")
@with_options(
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the edges to this file: .csv, .json or .graphml.",
    ),
    plot_option,
    click.option(
        "--report",
        metavar="FILE",
        help="Write a page with the graph, its edges and each fitted effect to this file, .html.",
    ),
    force_option,
    click.option(
        "--within",
        metavar="FILE",
        help="Edges that the graph may have: a CSV file with the columns cause, effect and perhaps "
        "kind (->, -- or <->), as -o writes.",
    ),
    click.option(
        "--columns",
        type=as_names,
        metavar="A,B,...",
        help="Columns to use.  [default: all]",
    ),
    categories_option,
    click.option(
        "--tiers",
        type=as_tiers,
        metavar="A,B;C;...",
        help="Groups of columns in the order of time: no edge leads back.",
    ),
    click.option(
        "--required",
        multiple=True,
        type=as_two_names,
        metavar="A,B",
        help="An edge A → B that the graph must have, repeatable.",
    ),
    click.option(
        "--forbidden",
        multiple=True,
        type=as_two_names,
        metavar="A,B",
        help="An edge A → B that the graph must not have, repeatable.",
    ),
    click.option(
        "--hidden-groups/--no-hidden-groups",
        default=None,
        help="Whether to search hidden variables that switch several columns.  [default: search]",
    ),
    common_cause_option,
    prior_option,
    jobs_option,
    header_option,
    missing_option,
    click.option(
        "--checkpoint", metavar="FILE", help="Store fits in this file; a killed run continues."
    ),
    json_option,
)
def graph_command(
    table: str,
    output: str | None,
    plot: str | None,
    report: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Print the causal graph of the columns of TABLE, a CSV, TSV or Parquet file.

    "a → b" means that a causes b; "a – b" that the data do not determine the direction; "a ↔ b"
    that both are effects of a hidden common cause. The loss without an edge is the nats by which
    the best graph without it is longer (docs/guide/graphs.md).
    """
    from anmmm._files import to_json_document
    from anmmm._optional import require
    from anmmm.cli.output import PAGES, check_file, check_plot, write_plot
    from anmmm.graph import infer_graph
    from anmmm.graph.write import SUFFIXES

    sources = table, options["within"], options["checkpoint"]
    check_plot(plot, *sources, force=force)
    check_file(report, PAGES, *sources, force=force)
    check_file(output, SUFFIXES, *sources, force=force)
    # Missing libraries are found before the work.
    if plot is not None or report is not None:
        require("networkx", "graph", "the picture of a graph needs networkx")
    if report is not None:
        require("jinja2", "report", "a page needs Jinja")
    graph = infer_graph(table, progress=has_terminal(), **given(options))
    if output is not None:
        graph.write(output, force=force)
    write_plot(plot, graph.plot)
    if report is not None:
        from anmmm.report import write_graph_report

        write_graph_report(graph, report, name=os.path.basename(table), force=force)
        say(f"report written to {report}")
    if as_json:
        click.echo(to_json_document(graph.to_dict()))
    else:
        show(graph.summary())
    if output is not None:
        say(f"{counted(len(graph.edges), 'edge')} written to {output}")
