from hypothesis import given
from hypothesis import strategies as st

from anmmm.report import reasons as reasons_module
from anmmm.report.reasons import Reasons, pattern_of


def test_numbers_ids_and_folders_are_taken_from_a_reason():
    for reason, pair_id, pattern in (
        ("not done after 2.5 seconds", "a", "not done after # seconds"),
        ("x has 1 column, y has 3 columns", "", "x has # columns, y has # columns"),
        ("1 incomplete row dropped", "", "# incomplete rows dropped"),
        ("value -1e-300 in line 3", "", "value # in line #"),
        ("the id a is no word of banana", "a", "the id ‹id› is no word of banana"),
        ("pair 7 of 9", "7", "pair ‹id› of #"),
        ("x.y (1+1)", "(1+1)", "x.y ‹id›"),
        ("C:\\data\\me\\p.txt is empty", "p", "‹id›.txt is empty"),
        ("FileNotFoundError: /srv/a b", "", "FileNotFoundError: a b"),
        ("x/y is constant, n/a", "", "x/y is constant, n/a"),
        ("model anm-2+noise of x → y", "", "model anm-2+noise of x → y"),
        ("", "a", "no reason given"),
    ):
        assert pattern_of(reason, pair_id) == pattern


@given(st.text(max_size=60), st.text(max_size=10))
def test_every_reason_has_a_pattern(reason, pair_id):
    assert pattern_of(reason, pair_id)


def test_reasons_that_differ_by_numbers_and_ids_are_one_group_the_largest_first():
    reasons = Reasons()
    reasons.add("error", "disk", "z")
    reasons.add("lost", "disk", "y")
    for number in range(9):
        reasons.add("unusable", f"p{number} has {number} rows", f"p{number}")
    first, second, third = reasons.groups()
    assert (first.status, first.pattern, first.count) == ("unusable", "‹id› has # rows", 9)
    assert first.first_ids == ["p0", "p1", "p2", "p3", "p4"]
    assert (second.status, second.pattern, second.first_ids) == ("error", "disk", ["z"])
    assert (third.status, third.pattern, third.first_ids) == ("lost", "disk", ["y"])


def test_reasons_without_end_are_counted_together(monkeypatch):
    monkeypatch.setattr(reasons_module, "MOST_GROUPS", 3)
    reasons = Reasons()
    for word in "abcdefgh":
        reasons.add("error", f"word {word}{word}", "id")
    assert [(group.pattern, group.count) for group in reasons.groups()] == [
        ("other reasons", 5),
        ("word aa", 1),
        ("word bb", 1),
        ("word cc", 1),
    ]
