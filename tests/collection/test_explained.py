"""Pairs of a table that other columns explain."""

import numpy as np
import pandas as pd
import pytest

from anmmm import infer_directions
from anmmm.collection import read_rows, summarize
from anmmm.evidence.explain import explaining
from anmmm.report.digest import Digest

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
    rows = infer_directions(frame, columns="all", random_state=0, **options)
    return {row.pair_id: row for row in rows}


def test_two_effects_of_a_cause_are_explained_by_it(frame):
    rows = decided(frame)
    assert list(rows) == ["cause,first", "cause,second", "first,second"]
    assert [row.explained_by for row in rows.values()] == [None, None, "cause"]
    assert [repr(row).endswith(" was found given cause>") for row in rows.values()] == [0, 0, 1]
    assert rows["first,second"].reason == "no further dependence was found given cause"


def test_an_indirect_arrow_keeps_its_relation_and_is_not_sure(chain):
    before, after = (decided(chain, explain=each)["cause,end"] for each in (False, True))
    assert (before.explained_by, after.explained_by) == (None, "middle")
    assert (after.confidence, before.confidence > 0.9) == (0.5, True)
    assert (after.relation, after.direction, after.score) == ("x→y", 1, before.score)


def test_a_pair_of_two_common_causes_is_explained_by_both(rng):
    one, other = rng.uniform(-2, 2, N), rng.uniform(-2, 2, N)
    x = one + other**2 / 2 + 0.3 * noise(rng)
    y = np.tanh(2 * one) + other + 0.3 * noise(rng)
    rows = decided(pd.DataFrame({"one": one, "other": other, "x": x, "y": y}))
    assert sorted(rows["x,y"].explained_by.split(",")) == ["one", "other"]
    assert rows["x,y"].reason.endswith(f"found given {rows['x,y'].explained_by}")


def test_an_edge_that_its_effect_explains_is_no_claim_that_it_is_absent():
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, N)
    y = np.tanh(x) + x**2 / 3 + 0.5 * rng.normal(size=N)
    z = y + y**3 / 6 + 0.15 * rng.normal(size=N)
    rows = infer_directions(pd.DataFrame({"x": x, "y": y, "z": z}), columns="all", random_state=0)
    rows = list(rows)
    assert [row.explained_by for row in rows] == ["z", "y", None]
    assert [row.certainty for row in rows[:2]] == ["no preference"] * 2
    texts = [rows[0].reason, repr(rows[0]), str(summarize(rows))]
    assert all("no further dependence was found given" in text for text in texts)
    assert not any("independent given" in text or "direct arrow" in text for text in texts)


def test_an_edge_beside_the_common_cause_is_not_explained(frame):
    edge = frame.assign(second=frame["second"] + 1.5 * np.sin(2 * frame["first"]))
    assert not any(row.explained_by for row in decided(edge).values())


def test_an_indirect_arrow_below_the_least_confidence_is_undecided(chain):
    row = decided(chain, min_confidence=0.6)["cause,end"]
    assert (row.explained_by, row.direction, row.relation) == ("middle", 0, "undecided")


def test_chosen_pairs_are_not_explained(frame):
    chosen = [("first", "second"), ("first", "cause")]
    assert not any(row.explained_by for row in infer_directions(frame, columns=chosen))


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


def test_parallel_and_resumed_rows_are_those_of_a_single_run(frame, tmp_path):
    serial = infer_directions(frame, columns="all", random_state=0)
    serial.write(tmp_path / "serial.csv")
    path = tmp_path / "run.checkpoint"
    options = {"columns": "all", "random_state": 0, "checkpoint": path}
    with infer_directions(frame, **options) as rows:
        assert rows[0].status == "ok"
    rows = infer_directions(frame, n_jobs=2, **options)
    assert rows.n_resumed >= 1
    rows.write(tmp_path / "resumed.csv")
    assert (tmp_path / "serial.csv").read_bytes() == (tmp_path / "resumed.csv").read_bytes()
    with pytest.raises(ValueError, match="explain"):
        infer_directions(frame, explain=False, **options)
    (marked,) = [row for row in read_rows(tmp_path / "resumed.csv") if row.explained_by]
    assert marked.explained_by == "cause"


def test_summary_and_digest_count_them(frame):
    rows = list(decided(frame).values())
    assert summarize(rows).n_explained == 1
    digest = Digest(1)
    for row in rows:
        digest.add(row)
    (group,) = [g for g in digest.remarks.groups() if "dependence" in g.pattern]
    assert group.pattern.endswith("found given other columns")


def test_too_few_common_rows_explain_nothing(frame):
    values = frame[["first", "second", "cause"]].to_numpy().copy()
    assert explaining(values, (False,) * 3) == (2,)
    values[15:, 2] = np.nan
    assert explaining(values, (False,) * 3) == ()
