"""All pairs of a table tested for dependence before any is analyzed."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, rankdata

from anmmm import infer_directions
from anmmm.collection.sources.screen import dependence_pvalues, left_out


def oracle(x, y):
    """P-value of the smooth test, by regression on raw powers of the ranks."""
    both = ~(np.isnan(x) | np.isnan(y))

    def functions(values):
        known = values[~np.isnan(values)]
        degree = min(4, len(set(known)) - 1)
        powers = rankdata(known)[:, np.newaxis] ** np.arange(degree + 1)
        rows = np.zeros((len(values), degree))
        rows[~np.isnan(values)] = np.linalg.qr(powers / powers.max(axis=0))[0][:, 1:] * np.sqrt(
            len(known)
        )
        return rows[both]

    one, other = functions(x), functions(y)
    n = both.sum()
    least = 1.0
    for most in (1, 2, 4):
        parts = one[:, :most], other[:, :most]
        statistic = (n - 1) * ((parts[0].T @ parts[1] / n) ** 2).sum()
        least = min(least, 3 * chi2.sf(statistic, parts[0].shape[1] * parts[1].shape[1]))
    return least


def test_pvalues_are_those_of_the_equation(rng):
    x = rng.normal(size=(80, 70))
    x[:, 1] = x[:, 0] ** 2 + 0.3 * rng.normal(size=80)
    x[:, 2] = np.round(x[:, 3])
    x[:, 4] = x[:, 5] > 0
    x[rng.random(x.shape) < 0.1] = np.nan
    found = dependence_pvalues(list(x.T), [False] * 70)
    wanted = [oracle(x[:, i], x[:, j]) for i, j in combinations(range(70), 2)]
    np.testing.assert_allclose(found, wanted, rtol=1e-7)


def test_pvalues_of_independent_columns_are_not_too_small(rng):
    columns = [*rng.normal(size=(60, 200)), *rng.integers(0, 6, size=(60, 200)).astype(float)]
    pvalues = dependence_pvalues(columns, [False] * 60 + [True] * 60)
    assert len(pvalues) == 7140
    # The smallest of three tests that overlap is conservative; six standard deviations, as the
    # pairs of a column are not independent of each other.
    assert 0.02 < (pvalues < 0.05).mean() < 0.05 + 6 * np.sqrt(0.05 * 0.95 / 7140)
    assert (pvalues < 1e-6).sum() == 0


def test_functions_of_categories_span_the_most_frequent_ones(rng):
    codes = rng.integers(0, 3, 300).astype(float)
    effect = np.array([0.0, 2.0, 0.1])[codes.astype(int)] + rng.normal(size=300)
    relabeled = np.array([2.0, 0.0, 1.0])[codes.astype(int)]
    one, other = (
        dependence_pvalues([each, effect], [True, False])[0] for each in (codes, relabeled)
    )
    assert one < 1e-10
    assert one == pytest.approx(other, rel=1e-6)


def test_pairs_that_cannot_be_tested_are_never_left_out():
    pvalues = np.array([np.nan, 0.9, 1e-9, np.nan, 0.5])
    assert left_out(pvalues, 0.05).tolist() == [False, True, False, False, True]
    assert not left_out(np.full(3, np.nan), 0.05).any()
    constant_and_short = dependence_pvalues(
        [np.ones(9), np.arange(9.0), np.array([1.0, 2.0] + [np.nan] * 7), None], [False] * 4
    )
    assert np.isnan(constant_and_short).all()


@pytest.fixture
def frame(rng):
    """A chain of two arrows, a category, and columns that nothing relates."""
    table = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
    table["b"] = np.tanh(2 * table["a"]) + 0.3 * table["b"]
    table["k"] = np.where(table["b"] + 0.3 * table["c"] > 0, "yes", "no")
    return table


def test_pairs_that_pass_are_analyzed_and_others_are_independent(frame, tmp_path):
    every = {row.pair_id: row for row in infer_directions(frame, pairs="all", random_state=0)}
    options = {"pairs": "all", "random_state": 0, "screen": 0.05}
    rows = infer_directions(frame, **options)
    assert [row.pair_id for row in rows] == list(every)
    passed = {row.pair_id for row in rows if "screen" not in row.notes}
    assert passed == {"a,b", "a,k", "b,k"}
    for row in rows:
        if row.pair_id in passed:
            assert row == every[row.pair_id]
        else:
            assert (row.status, row.relation, row.direction) == ("ok", "independent", 0)
            assert row.independence_pvalue > 0.01
            assert row.n == 200
            assert row.score is None
    assert rows.summary().n_independent == 18
    checkpoint = tmp_path / "rows.checkpoint"
    for n_jobs in (2, 1):
        again = infer_directions(frame, **options, n_jobs=n_jobs, checkpoint=checkpoint)
        assert list(again) == list(rows)
    assert again.n_resumed == 3


def test_missing_values_follow_their_rule(frame):
    frame.loc[3, "f"] = np.nan
    rows = infer_directions(frame, pairs="all", screen=0.05)
    assert {row.status for row in rows if "f" in row.pair_id} == {"unusable"}
    rows = infer_directions(frame, pairs="all", screen=0.05, missing="drop")
    row = {row.pair_id: row for row in rows}["e,f"]
    assert row.n == 199
    assert row.notes.startswith("1 incomplete row dropped; not analyzed")


def test_a_screen_needs_all_pairs_of_a_table(frame):
    for source, columns in ((frame, [("a", "b")]), ("sample", None)):
        with pytest.raises(ValueError, match="screen tests all pairs of a table"):
            infer_directions(source, pairs=columns, screen=0.05)
    with pytest.raises(ValueError, match="screen must lie between 0 and 1"):
        infer_directions(frame, pairs="all", screen=5)
