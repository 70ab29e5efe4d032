"""Tables of pictures that a page shows beside them."""

from anmmm import infer_graph
from benchmarks.gallery import graph_table
from benchmarks.stored import ROOT


def test_the_readme_shows_the_edges_of_its_graph():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    edges = infer_graph(graph_table()).edges
    assert edges
    for edge in edges:
        row = f"| {edge.cause} → {edge.effect} | >0.99 | {edge.loss_without:.1f} |"
        assert edge.is_sure
        assert row in readme
