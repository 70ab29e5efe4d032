"""Edges of real tables against the known order of their columns."""

from types import SimpleNamespace

import pandas as pd
import pytest

from benchmarks.real_graphs import LIST, counts, tier_numbers
from benchmarks.rebuild import SourceError, build_table

TIERS = tier_numbers("age sex | weight | pressure")


def test_tiers_are_numbered_in_time():
    assert TIERS == {"age": 0, "sex": 0, "weight": 1, "pressure": 2}


def test_edges_between_tiers_are_counted_by_their_direction():
    edges = [
        ("age", "->", "weight", 0.95),
        ("pressure", "->", "sex", 0.6),
        ("weight", "--", "pressure", 0.8),
        ("age", "->", "sex", 0.99),
    ]
    found = counts(TIERS, edges)
    assert found == {"with": 1, "against": 1, "open": 1, "sure with": 1, "sure against": 0}


def test_each_listed_table_has_two_tiers_and_no_column_twice():
    for tiers in pd.read_csv(LIST)["tiers"]:
        names = [name for name in tiers.split() if name != "|"]
        assert len(names) == len(set(names))
        assert max(tier_numbers(tiers).values()) >= 1


def test_a_table_keeps_complete_rows_and_marks_categories():
    row = SimpleNamespace(tiers="kind | size", rows="use == 1", categories="")
    table = pd.DataFrame(
        {"kind": ["a", "b", "a", "b"], "size": [1.0, 2.0, None, 4.0], "use": [1, 1, 1, 0]}
    )
    built = build_table(table, row)
    assert built["size"].tolist() == [1.0, 2.0]
    assert isinstance(built["kind"].dtype, pd.CategoricalDtype)


def test_a_column_that_a_version_lacks_is_named():
    row = SimpleNamespace(tiers="kind | size", rows="", categories="")
    with pytest.raises(SourceError, match="size"):
        build_table(pd.DataFrame({"kind": [1.0]}), row)
