"""The command that asks all three questions of a table whose answers are known."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import click

from anmmm.cli.messages import say, show, shown_on_terminal
from anmmm.cli.options import force_option, with_options


@click.command("demo")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    default="anmmm-demo",
    show_default=True,
    help="Write the table, a picture and a page to this folder.",
)
@with_options(force_option)
def demo_command(output: str, force: bool) -> None:
    """Ask all three questions of a small table whose answers are known.

    Which of two columns is the cause, which rows share a mechanism, and which column causes which:
    each answer is printed beside the truth.
    """
    from anmmm import cluster_mechanisms, infer_direction, infer_graph
    from anmmm._files import check_output, records_of, write_csv
    from anmmm.cli.output import REMEDY
    from anmmm.datasets.plants import EDGES, N_PLANTS, cluster_sizes, count_right, draw_plants
    from anmmm.direction.outcome import format_confidence, format_with_confidence
    from anmmm.graph.forms import ARROW
    from anmmm.graph.text import edge_text

    path = os.path.join(output, "plants.csv")
    table, soil = draw_plants()
    os.makedirs(output, exist_ok=True)
    check_output(path, force=force, remedy=REMEDY)
    write_csv(path, list(table), records_of(table))
    show(f"{path}: {N_PLANTS} plants with hours of lamp light, water, height, leaf area, fruit")
    show("How light makes a plant grow depends on its soil, which the table lacks.")
    lamp = table["lamp"]
    height = table["height"]

    show("\n1. Which of lamp and height is the cause?")
    with shown_on_terminal("comparing models"):
        decision = infer_direction(lamp, height)
    answer = format_with_confidence(decision, ("lamp → height", "height → lamp"))
    show(f"   answer   {answer}")
    show("   truth    lamp → height")

    show("\n2. Which plants share a mechanism of growth?")
    with shown_on_terminal("comparing mixtures"):
        clusters = cluster_mechanisms(lamp, height, "auto")
    show(
        f"   answer   {clusters.n_mechanisms} mechanisms of {cluster_sizes(clusters.labels)} plants"
    )
    show(f"   truth    2 soils of {cluster_sizes(soil)} plants")
    show(f"   right    {count_right(clusters.labels, soil)} of {N_PLANTS} plants")

    show("\n3. Which column causes which?")
    with shown_on_terminal("searching a graph"):
        graph = infer_graph(path)
    for edge in graph.edges:
        confidence = format_confidence(edge.confidence).rjust(5)
        mark = "✓" if (edge.cause, edge.effect) in EDGES and edge.kind == ARROW else "✗"
        show(f"   answer   {edge_text(edge):<16} {confidence}   {mark}")
    truth = ", ".join(f"{cause} → {effect}" for cause, effect in EDGES)
    show(f"   truth    {truth}\n")
    _draw(output, clusters, graph)


def _draw(folder: str, clusters: Any, graph: Any) -> None:
    """Draw the mechanisms, and write a page about the graph, if the libraries are installed."""
    from anmmm.cli.output import write_plot
    from anmmm.report import write_graph_report

    page = os.path.join(folder, "graph.html")
    try:
        draw = partial(clusters.plot, x_label="hours of lamp light", y_label="height")
        write_plot(os.path.join(folder, "mechanisms.png"), draw)
        write_graph_report(graph, page, name="plants.csv", force=True)
    except ImportError as error:
        say(f"no picture and no page: {error}")
    else:
        say(f"report written to {page}")
