import numpy as np
import pandas as pd

import anmmm
from anmmm._text import table_lines, valid_utf8


def test_what_is_no_unicode_has_backslashes():
    assert valid_utf8("a\udcffé") == "a\\udcffé"


def test_a_table_widens_its_columns_where_cells_need_it():
    heads = {"name": "<6", "n": ">3"}
    lines = ["name             n", "a                1", "longer name  10000"]
    assert table_lines(heads, [("a", "1"), ("longer name", "10000")]) == lines
    assert table_lines(heads, []) == ["name      n"]


def test_long_phases_are_logged(caplog, rng):
    x = rng.normal(size=60)
    frame = pd.DataFrame({"a": x, "b": np.tanh(2 * x) + 0.2 * rng.normal(size=60)})
    with caplog.at_level("INFO", logger="anmmm"):
        anmmm.infer_graph(frame)
        list(anmmm.infer_directions(frame, pairs="all"))
    said = [record.getMessage() for record in caplog.records]
    assert "graph: 2 columns of 60 rows" in said
    assert "graph: 1 edges found; testing the residuals" in said
    assert "1 pairs from pandas.DataFrame" in said
