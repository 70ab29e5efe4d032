"""The site has no number that is not the stored one."""

import pandas as pd

from benchmarks import numbers
from benchmarks.stored import Stored, store, stored


def test_numbers_of_the_pages_are_the_stored_ones():
    assert numbers.problems() == []


def test_an_edited_number_is_found():
    text = "<!-- table: view-nothing -->\n\n| | f1 |\n|---|---|\n| x | 0.99 |\n\n<!-- end -->\n"
    assert "| x |" not in numbers.filled(text)
    assert numbers.filled(numbers.filled(text)) == numbers.filled(text)


def test_a_sentence_with_another_number_is_found(monkeypatch):
    claim = ("README.md", "right in {} of 52 rows", lambda: (49,))
    monkeypatch.setattr(numbers, "CLAIMS", [claim])
    assert numbers.problems() == ["README.md does not say: right in 49 of 52 rows"]


def test_a_stored_result_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.stored.FOLDER", tmp_path)
    facts = {"title": "t", "command": "c: d", "seeds": "0", "date": "2020-01-01"}
    table = pd.DataFrame({"": ["b, c"], "a": ["1.50"]})
    try:
        store("result", Stored(facts, table))
        assert stored("result").facts == facts
        pd.testing.assert_frame_equal(stored("result").table, table)
    finally:
        stored.cache_clear()
