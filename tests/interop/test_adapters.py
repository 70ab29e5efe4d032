"""What adapters take and give where no neighbour is needed."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from known_pairs import CHAIN, chain

from anmmm import hsic_test, infer_graph
from anmmm.interop import cdt, dowhy, gcastle, lingam


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(chain())


def test_conditional_independence_by_residuals(table):
    test = dowhy.independence_test
    assert test(table["a"], table["c"]) < 0.001
    # c is independent of a given b.
    assert test(table[["a"]], table[["c"]], table[["b"]]) > 0.01
    assert test(table["a"], table["b"], table["d"], method="kernel") < 0.001
    noise = np.random.default_rng(2).normal(size=len(table))
    against = hsic_test(table["a"], noise).pvalue
    assert test(table["a"], noise) == against


def test_related_pairs_are_found_without_a_graph(table, rng):
    wide = table[["a", "b"]].assign(e=rng.normal(size=len(table)))
    learner = gcastle.ANMMM()
    learner.learn(wide)
    assert learner.causal_matrix.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    model = dowhy.PairGraph()
    assert set(model.predict(wide).edges) == {("a", "b")}
    assert model.adjacency_matrix_.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_dowhy_gets_no_edge_without_a_direction():
    a, noise = np.random.default_rng(4).normal(size=(2, 300))
    linear = pd.DataFrame({"a": a, "b": a + noise})
    with pytest.raises(ValueError, match="no DAG: a -- b have no direction"):
        dowhy.PairGraph().predict(linear)


def test_cdt_takes_arrays_frames_and_rows(table):
    model = cdt.ANMMM()
    a, b = table["a"].to_numpy(), table["b"].to_numpy()
    score = model.predict_proba((a, b))
    assert score > 0.0
    pairs = pd.DataFrame({"SampleID": ["one", "two"], "A": [a, b], "B": [b, a]})
    kept = pairs.copy()
    # The order of the columns reverses the score to the last digit.
    assert model.predict(pairs) == [score, -score]
    pd.testing.assert_frame_equal(pairs, kept)
    assert model.predict(pairs[["A", "B"]].iloc[1]) == -score


def test_cdt_keeps_given_directions(table):
    import networkx

    graph = networkx.DiGraph([("b", "a"), ("b", "c"), ("c", "b")])
    assert set(cdt.ANMMM().orient_graph(table, graph).edges) == {("b", "a"), ("b", "c")}


def test_lingam_matrices_go_back_transposed(table):
    graph = infer_graph(table, within=sorted(CHAIN))
    matrix = lingam.adjacency(graph)
    again = infer_graph(table, within=matrix.T)
    assert set(again.directed) == CHAIN
    with pytest.raises(ValueError, match="names lacks the node 'd'"):
        lingam.prior_knowledge(graph, ["a", "b", "c"])


@pytest.mark.parametrize("form", ["polars", "numbers", "array"])
def test_tables_of_all_kinds_are_learned_from(table, form):
    data = {
        "polars": pl.from_pandas(table),
        # Names that are places, but of other columns.
        "numbers": table.set_axis([3, 2, 1, 0], axis=1),
        "array": table.to_numpy(),
    }[form]
    names = {"numbers": (3, 2), "array": (0, 1)}.get(form, ("a", "b"))
    expected = np.zeros((4, 4))
    expected[0, 1] = 1.0
    learner = gcastle.ANMMM(graph=[names])
    learner.learn(data)
    assert learner.causal_matrix.tolist() == expected.tolist()
    model = dowhy.PairGraph().fit(data)
    assert model.adjacency_matrix_[1, 0] == 1.0
