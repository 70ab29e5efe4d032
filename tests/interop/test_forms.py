"""What adapters take and give where no neighbour is needed."""

import numpy as np
import pandas as pd
import pytest
from pairs import CHAIN, chain

from anmmm import hsic_test, orient
from anmmm.interop import cdt, dowhy, gcastle, hsic_score, lingam


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(chain())


def test_hsic_score_is_lower_for_independence():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 200)
    score = hsic_score(x[:, None], rng.normal(size=200))
    assert isinstance(score, float)
    assert score < 1.0 < hsic_score(x, x**2)
    with pytest.raises(ValueError, match="residual must be one variable, found shape"):
        hsic_score(x, np.ones((200, 2)))


def test_conditional_independence_by_residuals(table):
    test = dowhy.independence_test
    assert test(table["a"], table["c"]) < 0.001
    # c is independent of a given b.
    assert test(table[["a"]], table[["c"]], table[["b"]]) > 0.01
    assert test(table["a"], table["b"], table["d"], method="kernel") < 0.001
    noise = np.random.default_rng(2).normal(size=len(table))
    against = hsic_test(table["a"], noise, null="permutation").pvalue
    assert test(table["a"], noise) == against != hsic_test(table["a"], noise).pvalue


def test_related_pairs_are_found_without_a_graph(table):
    rng = np.random.default_rng(1)
    wide = table[["a", "b"]].assign(e=rng.normal(size=len(table)))
    learner = gcastle.ANMMM()
    learner.learn(wide)
    assert learner.causal_matrix.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    model = dowhy.PairGraph()
    assert set(model.predict(wide).edges) == {("a", "b")}
    assert model.adjacency_matrix_.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_a_given_graph_is_oriented(table):
    graph = sorted(CHAIN)
    learner = gcastle.ANMMM(graph)
    learner.learn(table)
    assert {("abcd"[i], "abcd"[j]) for i, j in np.argwhere(learner.causal_matrix)} == CHAIN


def test_cdt_takes_what_cdt_takes(table):
    model = cdt.ANMMM()
    a, b = table["a"].to_numpy(), table["b"].to_numpy()
    score = model.predict(a, b)
    assert score > 0.0
    pairs = pd.DataFrame({"SampleID": ["one", "two"], "A": [a, b], "B": [b, a]})
    kept = pairs.copy()
    # The order of the columns reverses the score to the last digit.
    assert model.predict(pairs) == [score, -score]
    pd.testing.assert_frame_equal(pairs, kept)
    assert model.predict(pairs[["A", "B"]].iloc[1]) == -score


def test_cdt_keeps_given_directions(table, tmp_path):
    import networkx

    graph = networkx.DiGraph([("b", "a"), ("b", "c"), ("c", "b")])
    found = cdt.ANMMM().orient_graph(table, graph, printout=tmp_path / "rows.csv")
    assert set(found.edges) == {("b", "a"), ("b", "c")}
    assert set(found.nodes) == set(table.columns)
    assert "weight" not in found.edges["b", "a"]
    assert found.edges["b", "c"]["weight"] > 0.0
    assert (tmp_path / "rows.csv").read_text().startswith("pair_id,")


def test_lingam_matrices_are_read_back(table):
    oriented = orient(sorted(CHAIN), table)
    matrix = lingam.adjacency(oriented)
    assert set(lingam.edges(matrix, oriented.nodes)) == {(u, "->", v) for u, v in CHAIN}
    matrix[1, 0] = matrix[0, 1] = np.nan
    assert lingam.edges(matrix, oriented.nodes)[0] == ("a", "--", "b")
    with pytest.raises(ValueError, match="must be square, found shape"):
        lingam.edges(np.ones((2, 3)))
    with pytest.raises(ValueError, match="names has 1 entries for 4 nodes"):
        lingam.edges(matrix, ["a"])
    with pytest.raises(ValueError, match="names lacks the node 'd'"):
        lingam.prior_knowledge(oriented, ["a", "b", "c"])


def test_an_unknown_neighbor_is_no_attribute():
    import anmmm.interop

    with pytest.raises(AttributeError, match="no attribute 'tetrad'"):
        anmmm.interop.tetrad  # noqa: B018
    assert "pgmpy" in dir(anmmm.interop)
