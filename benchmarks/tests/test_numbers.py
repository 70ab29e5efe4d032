"""The site has no number that is not the stored one; times of asv become tables and pictures."""

import pytest

from benchmarks import asv_table, numbers
from benchmarks.stored import Stored, markdown, number, store, stored


def test_numbers_of_the_pages_are_the_stored_ones():
    assert numbers.problems() == []


def test_an_edited_number_is_found():
    text = "<!-- table: view-quality -->\n\n| | f1 |\n|---|---|\n| x | 0.99 |\n\n<!-- end -->\n"
    assert "| x |" not in numbers.filled(text)
    assert numbers.filled(numbers.filled(text)) == numbers.filled(text)


def test_a_sentence_with_another_number_is_found(monkeypatch):
    claim = ("README.md", "right in {} of 52 rows", lambda: (49,))
    monkeypatch.setattr(numbers, "CLAIMS", [claim])
    assert numbers.problems() == ["README.md does not say: right in 49 of 52 rows"]


def test_a_stored_result_knows_where_it_is_from():
    result = stored("quality-clustering")
    assert set(result.facts) >= {"title", "command", "seeds", "date"}
    assert number(result.row("paper, Table 1")[1]) == pytest.approx(0.393)
    with pytest.raises(KeyError, match="no row begins"):
        result.row("nothing")
    with pytest.raises(ValueError, match="no number"):
        number("not run")


def test_a_table_of_a_page_becomes_the_stored_one(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.stored.FOLDER", tmp_path)
    facts = {"title": "t", "command": "c: d", "seeds": "0", "date": "2020-01-01"}
    store("result", Stored(facts, ["", "a"], [["b, c", "1"]]))
    page = "<!-- table: result -->\n| | a |\n|---|---|\n| b, c | 2 |\n\n*x*\n\n<!-- end -->"
    try:
        store("result", numbers.edited(page)["result"])
        assert stored("result").rows == [["b, c", "2"]]
        assert stored("result").facts == facts | {"date": stored("result").facts["date"]}
        assert stored("result").facts["date"] > "2026"
        assert numbers.edited(numbers.filled(page)) == {}
    finally:
        stored.cache_clear()


def test_cells_may_be_empty():
    assert markdown(["", "a"], [["b", ""]]) == "| | a |\n|---|---|\n| b | |\n"


def test_times_of_asv_become_a_table():
    results = {
        "result_columns": ["result", "params", "version", "stats_q_25", "stats_q_75"],
        "results": {
            "fits.Fit.time_fit": [[0.015, None], [["100", "200"]], "v", [0.01, None], [1.5, None]],
            "fits.Fit.track_evaluations": [[70], [["100"]], "v"],
            "dense.Gone.time_it": [None, [], "v"],
        },
    }
    assert asv_table.lines(results) == [
        ["`fits.Fit.time_fit`", "100", "15 ms", "10 ms to 1.5 s"],
        ["`fits.Fit.time_fit`", "200", "–", ""],
    ]
    assert asv_table.spelled(3e-7) == "0.3 µs"


def test_the_picture_of_growth_reads_the_table_that_asv_made():
    rows = [
        ["`fits.Fit.time_fit`", "1000", "1.5 s", ""],
        ["`fits.Fit.time_fit`", "100", "15 ms", ""],
        ["`fits.Fit.time_fit`", "200", "–", ""],
        ["`directions.Direction.time_direction`", "'evidence', 100", "9 ms", ""],
        ["`directions.Direction.time_direction`", "'hsic', 100", "30 ms", ""],
    ]
    assert list(asv_table.curves(rows)) == [
        ("a GPPOM fit; clusters\nof a pair take as long", [100.0, 1000.0], [0.015, 1.5]),
        ("a direction by HSIC", [100.0], [0.03]),
    ]
