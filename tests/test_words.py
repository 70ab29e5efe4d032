import math

import pytest

from anmmm._words import Table, chosen, counted, hypotheses, spelled, with_error


@pytest.mark.parametrize(
    ("direction", "words"),
    [(1, "a → b"), (-1, "b → a"), (0, "undecided"), (None, "undecided")],
)
def test_a_decision_is_the_hypothesis_that_was_chosen(direction, words):
    assert chosen(direction, hypotheses("a", "b")) == words


def test_counts_have_their_noun():
    assert [counted(n, "pair") for n in (0, 1, 2)] == ["0 pairs", "1 pair", "2 pairs"]


@pytest.mark.parametrize("unknown", [None, math.nan])
def test_an_unknown_error_is_left_out(unknown):
    assert with_error(0.5, 0.25) == "0.500 ± 0.250"
    assert with_error(0.5, unknown) == "0.500"


def test_what_is_no_unicode_has_backslashes():
    assert spelled("a\udcffé") == "a\\udcffé"


def test_a_table_widens_its_columns_where_cells_need_it():
    table = Table({"name": "<6", "n": ">3"})
    assert table.lines([("a", "1"), ("longer name", "10000")]) == [
        "name             n",
        "a                1",
        "longer name  10000",
    ]
    assert [table.header(), table.line("a", "1")] == ["name      n", "a         1"]
    assert table.lines([]) == ["name      n"]
