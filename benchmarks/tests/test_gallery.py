"""Tables of pictures that a page shows beside them."""

from benchmarks.gallery import graph_table
from benchmarks.stored import ROOT, markdown


def test_the_readme_shows_the_first_rows_of_the_table_of_its_graph():
    table = graph_table()
    rows = [[f"{value:.2f}" for value in row] for row in table.head(3).to_numpy()]
    assert markdown(list(table), rows) in (ROOT / "README.md").read_text(encoding="utf-8")
