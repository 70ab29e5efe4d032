"""Pairs of a table that other columns explain."""

import numpy as np
import pandas as pd
import pytest

from anmmm import infer_directions
from anmmm.evidence.explain import explaining

N = 300


def noise(rng):
    return rng.uniform(-1, 1, N)


@pytest.fixture
def frame(rng):
    """One cause and its two effects."""
    cause = rng.uniform(-2, 2, N)
    first = np.tanh(2 * cause) + 0.3 * noise(rng)
    second = cause**2 / 2 + cause + 0.3 * noise(rng)
    return pd.DataFrame({"cause": cause, "first": first, "second": second})


@pytest.fixture
def chain(rng):
    """A cause that acts on the end through the middle."""
    cause = rng.uniform(-2, 2, N)
    middle = cause + cause**3 / 4 + 0.6 * noise(rng)
    end = middle**2 / 4 + middle + 0.5 * noise(rng)
    return pd.DataFrame({"cause": cause, "middle": middle, "end": end})


def decided(frame, **options):
    rows = infer_directions(frame, pairs="all", random_state=0, **options)
    return {row.pair_id: row for row in rows}


def test_two_effects_of_a_cause_are_explained_by_it(frame):
    rows = decided(frame)
    assert list(rows) == ["cause,first", "cause,second", "first,second"]
    assert [row.explained_by for row in rows.values()] == [None, None, "cause"]
    assert [repr(row).endswith(" was found given cause>") for row in rows.values()] == [0, 0, 1]
    assert rows["first,second"].notes == "no further dependence was found given cause"


def test_an_indirect_arrow_keeps_its_relation_and_is_not_sure(chain):
    before, after = (decided(chain, explain=each)["cause,end"] for each in (False, True))
    assert (before.explained_by, after.explained_by) == (None, "middle")
    assert (after.confidence, before.confidence > 0.9) == (0.5, True)
    assert (after.relation, after.direction, after.score) == ("x->y", 1, before.score)
    assert (after.plausible, before.plausible) == ("x->y; y->x", "x->y")


def test_a_pair_of_two_common_causes_is_explained_by_both(rng):
    one, other = rng.uniform(-2, 2, N), rng.uniform(-2, 2, N)
    x = one + other**2 / 2 + 0.3 * noise(rng)
    y = np.tanh(2 * one) + other + 0.3 * noise(rng)
    rows = decided(pd.DataFrame({"one": one, "other": other, "x": x, "y": y}))
    assert sorted(rows["x,y"].explained_by.split(",")) == ["one", "other"]
    assert rows["x,y"].notes.endswith(f"found given {rows['x,y'].explained_by}")


def test_an_edge_with_a_common_cause_is_not_explained(frame):
    edge = frame.assign(second=frame["second"] + 1.5 * np.sin(2 * frame["first"]))
    assert not any(row.explained_by for row in decided(edge).values())


def test_the_order_of_columns_does_not_matter(frame):
    (mirrored,) = [row for row in decided(frame[frame.columns[::-1]]).values() if row.explained_by]
    row = decided(frame)["first,second"]
    assert (mirrored.pair_id, mirrored.explained_by) == ("second,first", "cause")
    assert (mirrored.score, mirrored.confidence) == (-row.score, row.confidence)


def test_categories_explain_and_gaps_are_left_out(rng):
    group = rng.integers(0, 4, N)
    x = np.array([0.0, 2.0, 1.0, -2.0])[group] + 0.4 * noise(rng)
    y = np.array([1.0, -1.0, 0.5, 2.0])[group] + 0.4 * noise(rng)
    text = pd.Categorical(np.array(list("abcd"))[group])
    frame = pd.DataFrame({"x": x, "y": y, "group": text})
    frame.loc[:20, "group"] = None
    rows = decided(frame)
    assert rows["x,y"].explained_by == "group"
    assert rows["x,y"].n == N


def test_a_copy_of_a_variable_explains_nothing(rng):
    x = rng.uniform(-2, 2, N)
    frame = pd.DataFrame({"x": x, "y": np.tanh(2 * x) + 0.3 * noise(rng), "in feet": 3.28 * x})
    assert not any(row.explained_by for row in decided(frame).values())


def test_too_few_common_rows_explain_nothing(frame):
    values = frame[["first", "second", "cause"]].to_numpy().copy()
    assert explaining(values, (False,) * 3) == (2,)
    values[15:, 2] = np.nan
    assert explaining(values, (False,) * 3) == ()
