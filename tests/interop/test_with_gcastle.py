"""gCastle: our matrix has the arrows as the data that it simulates."""

import numpy as np
import pytest

pytest.importorskip("castle")

from castle.datasets import IIDSimulation

from anmmm.interop.gcastle import ANMMM


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
