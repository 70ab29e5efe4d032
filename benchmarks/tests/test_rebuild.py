"""The list of real pairs, and how they are rebuilt."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.rebuild import REAL, SourceError, build_pair, column_numbers, read_source

PAIRS = pd.read_csv(REAL / "pairs.csv", keep_default_na=False)


def test_the_list_has_a_direction_for_each_pair_and_one_vote_for_each_data_set_of_a_set():
    forward = PAIRS["direction"] == "x->y"
    weights = PAIRS.groupby([PAIRS["id"].str[0], "source"])["weight"].sum()
    assert PAIRS["id"].is_unique
    assert set(PAIRS["direction"]) == {"x->y", "y->x"}
    assert (PAIRS["cause"] == PAIRS["x"].where(forward, PAIRS["y"])).all()
    assert (PAIRS["effect"] == PAIRS["y"].where(forward, PAIRS["x"])).all()
    assert np.allclose(weights, 1, atol=1e-3)


def test_a_pair_of_scikit_learn_is_rebuilt():
    row = PAIRS.set_index("id", drop=False).loc["A0261"]
    pair = build_pair(read_source(row["source"], {}), row)
    assert pair.shape == (row["n"], 2)
    assert pair[:2].tolist() == [[151.0, 32.1], [75.0, 21.6]]


def test_text_is_numbered_in_the_order_of_the_list_or_of_the_alphabet():
    table = pd.DataFrame({"run": ["VF", "L", None, "F"]})
    nan = np.nan
    assert np.array_equal(column_numbers(table, "run", ""), [2, 1, nan, 0], equal_nan=True)
    assert np.array_equal(column_numbers(table, "run", "VF, F, L"), [0, 2, nan, 1], equal_nan=True)
    assert np.array_equal(column_numbers(table, "run==F", ""), [0, 0, nan, 1], equal_nan=True)


def test_a_missing_source_says_what_to_get():
    with pytest.raises(SourceError, match=r"vincentarelbundock/Rdatasets.*--folder rds=PATH"):
        read_source("rds:DAAG::biomass", {})
