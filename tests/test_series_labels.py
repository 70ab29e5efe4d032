"""Two series with a label at different positions are refused wherever pairs come in."""

import numpy as np
import pandas as pd
import pytest

import anmmm
from anmmm import (
    ANMMixture,
    cluster_mechanisms,
    description_lengths,
    infer_direction,
    infer_directions,
)
from anmmm.datasets import Pair
from anmmm.interop.causal_learn import ANMMM
from anmmm.interop.dowhy import independence_test

X = pd.Series(np.random.default_rng(0).normal(size=40), name="x")
Z = X**2
Y = Z.sample(frac=1.0, random_state=0)
# With a gap, which is dropped.
GAP = Y.where(Y.index != 5)
CALLS = {
    "infer_direction": infer_direction,
    "infer_direction drop": lambda x, y: infer_direction(x, GAP, missing="drop"),
    "description_lengths": description_lengths,
    "cluster_mechanisms": cluster_mechanisms,
    "cluster_mechanisms drop": lambda x, y: cluster_mechanisms(x, GAP, missing="drop"),
    "cluster_mechanisms later": lambda x, y: cluster_mechanisms(X, Z).predict(x, y),
    "hsic": anmmm.hsic,
    "hsic_test": anmmm.hsic_test,
    "CausalDirection": lambda x, y: anmmm.CausalDirection().fit(x.to_frame(), y),
    "MechanismClustering": lambda x, y: anmmm.MechanismClustering().fit(x.to_frame(), y),
    "ANMMixture": lambda x, y: ANMMixture().fit(x.to_frame(), y),
    "ANMMixture later": lambda x, y: ANMMixture().fit(X.to_frame(), Z).predict(x.to_frame(), y),
    "GPPOM": lambda x, y: anmmm.GPPOM().fit(x.to_frame(), y),
    "causal-learn": lambda x, y: ANMMM().cause_or_effect(x, y),
    "DoWhy": independence_test,
    "DoWhy given": lambda x, y: independence_test(x, X.iloc[::-1].to_numpy(), y),
    "DoWhy y and given": lambda x, y: independence_test(X.to_numpy(), x, y),
}


@pytest.mark.parametrize("name", CALLS)
def test_series_in_other_orders_are_refused(name):
    with pytest.raises(ValueError, match=r"same index labels at different positions; align them"):
        CALLS[name](X, Y)


def test_series_with_some_labels_at_other_positions_are_refused():
    for x, y in (
        (X.drop(3), Z.drop(30)),
        (X[:-10], Z[10:]),
        (X.drop(3), Z),
        (X, Y.rename({0: "other"})),
    ):
        with pytest.raises(ValueError, match=r"x, y = x\.align\(y, 'inner', axis=0\)"):
            infer_direction(x, y)
    x, y = x.align(y, "inner", axis=0)
    assert infer_direction(x, y).score == infer_direction(x.to_numpy(), X.loc[x.index] ** 2).score


def test_a_pair_of_a_collection_says_so():
    for row in infer_directions([(X, Y), ("p", X, Y), Pair("p", X, Y)], n_jobs=1):
        assert row.status == "unusable"
        assert "different positions" in row.notes


def test_others_are_paired_by_position():
    for other in (
        Y.sort_index(),
        Y.to_numpy(),
        # No pairing of theirs is known.
        Y.set_axis(range(100, 140)),
        Y.set_axis(pd.period_range("2020", periods=40)),
        pd.Series(Y.to_numpy(), pd.MultiIndex.from_product([range(4), range(10)])),
    ):
        expected = infer_direction(X.to_numpy(), np.array(other)).score
        assert infer_direction(X, other).score == expected
