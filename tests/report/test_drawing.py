import base64
import warnings

import numpy as np
import pytest

from anmmm.collection import as_pairs
from anmmm.collection.records import PairResult
from anmmm.datasets import Pair, make_anm_mixture
from anmmm.report import drawing as drawing_module
from anmmm.report.drawing import NOT_IN_SOURCE, REPEATED_ID, draw_pairs

pytest.importorskip("matplotlib")

X, Y, _ = make_anm_mixture("f3", 60, random_state=1)


@pytest.fixture
def drawn(monkeypatch):
    """Calls of the function that draws; nothing is drawn."""
    calls = []

    def draw(cause, effect, result, names, levels):
        calls.append((np.array(cause), np.array(effect), result, names))
        return "data:,"

    monkeypatch.setattr(drawing_module, "pair_picture", draw)
    return calls


def row_of(pair_id, direction=1, **values):
    return PairResult(pair_id, "ok", direction=direction, score=0.1, **values)


def test_only_pairs_that_are_asked_for_are_drawn_and_the_walk_stops_there(drawn):
    walked = []

    def pairs():
        try:
            for name in "abcdefgh":
                walked.append(name)
                yield Pair(name, X, Y)
        finally:
            walked.append("closed")

    walk = pairs()
    assert draw_pairs([], walk) == {}
    assert walked == []
    found = draw_pairs([row_of("d"), row_of("b")], walk)
    assert walked == [*"abcd", "closed"]
    assert set(found) == {"b", "d"}
    assert len(drawn) == 2


def test_the_cause_is_drawn_to_the_right(drawn):
    rows = [row_of("a", 1), row_of("b", -1), row_of("c", 0)]
    found = draw_pairs(rows, as_pairs({"a": (X, Y), "b": (X, Y), "c": (X, Y)}))
    assert [names for *_, names in drawn] == [("x", "y"), ("y", "x"), ("x", "y")]
    assert [cause[0] for cause, *_ in drawn] == [X[0], Y[0], X[0]]
    assert "y, the cause, to the right, x, the effect, upwards" in found["b"].alternative
    assert "cause" not in found["c"].alternative


def test_colors_are_the_labels_of_the_decided_direction(drawn):
    from anmmm import cluster_mechanisms

    draw_pairs([row_of("a", -1, n_mechanisms=2)], as_pairs({"a": (Y, X)}))
    expected = cluster_mechanisms(X, Y, 2, random_state=0)
    np.testing.assert_array_equal(drawn[0][2].labels, expected.labels)


def test_without_several_mechanisms_there_is_one_color(drawn):
    # One mechanism, their number unknown, undecided.
    for row in (row_of("a", n_mechanisms=1), row_of("a"), row_of("a", 0, n_mechanisms=2)):
        draw_pairs([row], as_pairs({"a": (X, Y)}))
        assert not drawn[-1][2].any()


def test_labels_that_cannot_be_found_or_refined_leave_a_remark(drawn):
    found = draw_pairs([row_of("a", n_mechanisms=999)], as_pairs({"a": (X, Y)}))
    assert found["a"].address
    assert found["a"].remark.startswith("one color: n_mechanisms must be at most")
    x = np.linspace(-1, 1, 200)
    y = x + 0.3 * np.random.default_rng(0).normal(size=200)
    remark = draw_pairs([row_of("a", n_mechanisms=2)], as_pairs({"a": (x, y)}))["a"].remark
    assert remark.startswith("colors are not refined: one mechanism is more probable than 2, by ")


def test_observations_are_those_that_decided_and_of_many_some_are_drawn(drawn, monkeypatch):
    row = row_of("a", n=60, n_used=20, subsample_seed=7)
    assert draw_pairs([row], as_pairs({"a": (X, Y)}))["a"].n_drawn == 20
    np.testing.assert_array_equal(drawn[0][0], Pair("", X, Y).subsample(20, 7).x)
    monkeypatch.setattr(drawing_module, "MOST_POINTS", 25)
    found = draw_pairs([row_of("a", n=60)], as_pairs({"a": (X, Y)}))
    assert found["a"].n_drawn == len(drawn[1][0]) == 25
    assert "25 observations" in found["a"].alternative


def test_pairs_that_the_source_lacks_or_cannot_give_are_told(drawn):
    source = [Pair("b", X[:30], Y[:30]), Pair.unreadable("c", "line 3 is broken")]
    found = draw_pairs([row_of("a"), row_of("b", n=60), row_of("c")], source)
    assert found["a"].remark == NOT_IN_SOURCE
    assert found["b"].remark.startswith("not drawn: 30 observations in the source, 60 in the row")
    assert found["c"].remark == "not drawn: line 3 is broken"
    assert not any(drawing.address for drawing in found.values())
    assert not drawn


def test_a_pair_whose_id_is_not_its_own_is_not_drawn(drawn):
    twice = [("a", X, Y), ("b", X, Y), ("a", Y, X)]
    found = draw_pairs([row_of("a"), row_of("b")], as_pairs(twice))
    assert (found["a"].remark, found["a"].address) == (REPEATED_ID, "")
    assert found["b"].address
    rows = [row_of("a"), row_of("b"), row_of("a")]
    found = draw_pairs(rows, as_pairs(twice[:2]), repeated={"a"})
    assert (found["a"].remark, bool(found["b"].address)) == (REPEATED_ID, True)


def test_ids_that_are_no_unicode_are_found_as_files_spell_them(drawn):
    found = draw_pairs([row_of("a\\udcff")], [Pair("a\udcff", X, Y)])
    assert found["a\\udcff"].address


@pytest.mark.parametrize("n", [12, 1500])
def test_a_picture_is_small_and_the_same_every_time(n):
    x, y, _ = make_anm_mixture("f3", n, random_state=1)
    with warnings.catch_warnings(action="error"):
        first, second = (
            draw_pairs([row_of("a")], as_pairs({"a": (x, y)}))["a"].address for _ in "ab"
        )
    assert first == second
    head, content = first.split(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(content).startswith(b"\x89PNG")
    assert len(content) < 40_000
