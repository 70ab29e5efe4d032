"""gCastle: our learner beside its own, judged by its own metrics on data that it simulates."""

import numpy as np
import pytest
from known_pairs import CHAIN, chain

pytest.importorskip("castle")

from castle.common import Tensor
from castle.datasets import DAG, IIDSimulation
from castle.metrics import MetricsDAG

from anmmm.interop.gcastle import ANMMM

TRUTH = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])


def test_its_matrices_are_cause_effect():
    # Some of its draws are near a straight line; this one is decided with a confidence of 0.998.
    np.random.seed(5)  # noqa: NPY002 - theirs is the global one
    simulated = IIDSimulation(
        W=np.array([[0.0, 1.5], [0.0, 0.0]]), n=300, method="nonlinear", sem_type="gp-add"
    )
    assert simulated.B.tolist() == [[0, 1], [0, 0]]
    learner = ANMMM()
    learner.learn(simulated.X)
    assert learner.causal_matrix.tolist() == [[0, 1], [0, 0]]


def test_story_a_chain_by_its_metrics():
    data = np.column_stack([chain()[name] for name in "abcd"])
    learner = ANMMM(sorted(("abcd".index(u), "abcd".index(v)) for u, v in CHAIN))
    learner.learn(Tensor(data))
    assert MetricsDAG(learner.causal_matrix, TRUTH).metrics["shd"] == 0


def test_story_a_graph_that_it_simulates():
    np.random.seed(4)  # noqa: NPY002 - theirs is the global one
    weights = DAG.erdos_renyi(n_nodes=6, n_edges=6, weight_range=(0.5, 2.0), seed=4)
    simulated = IIDSimulation(W=weights, n=400, method="nonlinear", sem_type="gp-add")
    skeleton = [(int(i), int(j)) for i, j in np.argwhere(np.triu(simulated.B + simulated.B.T))]
    learner = ANMMM(skeleton)
    learner.learn(simulated.X)
    # Many of its curves are near straight lines; those that are sure are right.
    assert (learner.causal_matrix * simulated.B).sum() >= 1
    assert not (learner.causal_matrix * simulated.B.T).any()
