"""Tables of pictures that a page shows beside them."""

from benchmarks.gallery import graph_table
from benchmarks.stored import ROOT, markdown


def test_the_readme_shows_the_first_rows_of_the_table_of_its_graph():
    shown = graph_table().head(3).map("{:.2f}".format)
    assert markdown(shown) in (ROOT / "README.md").read_text(encoding="utf-8")
