import math

import pytest

from anmmm._words import Table, spelled, with_error


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
