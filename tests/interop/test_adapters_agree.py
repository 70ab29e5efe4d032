"""The same ten pairs through every adapter, in both orders: one direction, whatever its sign."""

import networkx
import numpy as np
import pandas as pd
import pytest
from known_pairs import ten_pairs

from anmmm import infer_direction, infer_graph
from anmmm.interop import causal_learn, cdt, dowhy, gcastle, lingam

# Each as the neighbour reads it: 1 where the first causes the second, -1 where the second does.


def by_library(x, y):
    return infer_direction(x, y, random_state=0).direction


def by_causal_learn(x, y):
    forward, backward = causal_learn.ANMMM().cause_or_effect(x[:, None], y[:, None])
    return int(np.sign(forward - backward))


def by_cdt(x, y):
    return int(np.sign(cdt.ANMMM().predict_proba((x[:, None], y[:, None]))))


def by_gcastle(x, y):
    learner = gcastle.ANMMM()
    learner.learn(np.column_stack([x, y]))
    return int(learner.causal_matrix[0, 1] - learner.causal_matrix[1, 0])


def by_dowhy(x, y):
    matrix = dowhy.PairGraph().fit(pd.DataFrame({"x": x, "y": y})).adjacency_matrix_
    return int(matrix[1, 0] - matrix[0, 1])


def by_lingam(x, y):
    graph = infer_graph(np.column_stack([x, y]))
    matrix = lingam.adjacency(graph)
    known = lingam.prior_knowledge(graph)
    assert (known == 1).tolist() == (matrix == 1).tolist()
    assert (known == 0).tolist() == (matrix.T == 1).tolist()
    return int(matrix[1, 0] - matrix[0, 1])


def by_pgmpy(x, y):
    pytest.importorskip("pgmpy")
    from anmmm.interop import pgmpy

    model = pgmpy.ANMMM().fit(pd.DataFrame({"x": x, "y": y}))
    ((cause, _),) = model.causal_graph_.edges()
    assert (model.forward_score_ < model.backward_score_) == (cause == "x")
    assert model.adjacency_matrix_.loc["x", "y"] == (cause == "x")
    return 1 if cause == "x" else -1


ADAPTERS = [value for name, value in list(globals().items()) if name.startswith("by_")]
PAIRS = list(ten_pairs())


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.__name__)
def test_every_adapter_gives_the_known_direction(adapter):
    assert len(PAIRS) == 10
    told = {name: (adapter(x, y), adapter(y, x)) for name, x, y in PAIRS}
    assert told == {name: (1, -1) for name, _, _ in PAIRS}


def test_no_adapter_decides_an_undecided_pair(rng):
    x = np.linspace(-1.0, 1.0, 100)
    first, second = rng.normal(size=(2, 300))
    assert by_library(x, 2 * x) == 0
    assert causal_learn.ANMMM().cause_or_effect(x, 2 * x) == (0.5, 0.5)
    assert cdt.ANMMM().predict_proba((x, 2 * x)) == 0.0
    learner = gcastle.ANMMM()
    linear = pd.DataFrame({"x": first, "y": first + second})
    learner.learn(linear)
    assert not learner.causal_matrix.any()
    graph = networkx.Graph([("x", "y")])
    assert set(cdt.ANMMM().orient_graph(linear, graph).edges) == {("x", "y"), ("y", "x")}
