"""pgmpy: its checks of estimators, its search with our answers, its graphs oriented."""

import inspect

import numpy as np
import pandas as pd
import pytest
from known_pairs import CHAIN, chain

pytest.importorskip("pgmpy")

from pgmpy.base import DAG, PDAG
from pgmpy.causal_discovery import ExpertInLoop
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from anmmm import orient
from anmmm.interop.pgmpy import ANMMM, Orientation

TABLE = pd.DataFrame(chain())


class OfTwo(ANMMM):
    """Takes the first two columns of whatever a check brings; one column is still refused."""

    def _fit(self, X, **fit_params):
        return super()._fit(X.iloc[:, :2], **fit_params)


def expected_failed_checks(estimator):
    # pgmpy's tests expect the same two of its own estimators: ``score`` is its base class's.
    return {
        "check_fit_score_takes_y": "score takes a graph",
        "check_n_features_in_after_fitting": "score does not look at the columns",
    }


@parametrize_with_checks(
    [OfTwo(on_undecided="abstain")], expected_failed_checks=expected_failed_checks
)
def test_conforms(estimator, check):
    check(estimator)


def test_attributes_of_a_pairwise_estimator():
    model = ANMMM().fit(TABLE[["b", "a"]])
    assert isinstance(model.causal_graph_, DAG)
    assert list(model.causal_graph_.edges()) == [("a", "b")]
    assert model.adjacency_matrix_.loc["a", "b"] == 1
    assert model.adjacency_matrix_.to_numpy().sum() == 1
    assert list(model.adjacency_matrix_.columns) == ["b", "a"]
    assert model.backward_score_ < model.forward_score_
    assert list(model.feature_names_in_) == ["b", "a"]
    assert model.n_features_in_ == 2
    assert clone(model).get_params() == model.get_params()


def test_an_undecided_pair_is_refused_or_abstained():
    line = pd.DataFrame({"x": np.arange(50.0), "y": 2 * np.arange(50.0)})
    with pytest.raises(ValueError, match="no direction is decided between x and y"):
        ANMMM().fit(line)
    model = ANMMM(on_undecided="abstain").fit(line)
    assert set(model.causal_graph_.nodes()) == {"x", "y"}
    assert not model.causal_graph_.edges()
    assert Orientation(line)("x", "y") is None
    with pytest.raises(ValueError, match="on_undecided must be one of 'raise', 'abstain'"):
        ANMMM(on_undecided="guess").fit(line)
    with pytest.raises(ValueError, match="2 columns of a pair, found n_features=4"):
        ANMMM().fit(TABLE)


def test_story_an_expert_in_the_loop():
    # What this release takes: a function of names; later ones take an estimator.
    if "orientation_fn" in inspect.signature(ExpertInLoop).parameters:
        expert = {"orientation_fn": Orientation(TABLE)}
    else:
        expert = {"pairwise_estimator": ANMMM(on_undecided="abstain")}
    model = ExpertInLoop(show_progress=False, **expert).fit(TABLE)
    found = set(model.causal_graph_.edges())
    # Its test sees straight lines only, so that of c and d, say, it does not ask.
    assert found
    assert found <= CHAIN | {("a", "c")}


def test_a_pdag_stays_one():
    table = pd.DataFrame(chain())
    given = PDAG(directed_ebunch=[], undirected_ebunch=[("a", "b")])
    given.add_node("alone")
    oriented = orient(given, table.assign(alone=np.random.default_rng(0).normal(size=len(table))))
    assert type(oriented) is PDAG
    assert (set(oriented.directed_edges), set(oriented.undirected_edges)) == ({("a", "b")}, set())
    assert set(oriented.nodes) == {"a", "b", "alone"}
