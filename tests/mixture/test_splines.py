"""Columns of splines in blocks against loops over points and knots."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.mixture import SplineBasis, splines
from anmmm.mixture.splines import LARGEST, N_KNOTS, Splines

BLOCK = LARGEST // 6


@pytest.mark.parametrize("n", [1, BLOCK, BLOCK + 1])
@pytest.mark.parametrize(("d", "n_bent"), [(1, 1), (3, 2)])
def test_columns(rng, n, d, n_bent):
    X, knots = rng.normal(size=(n, d)), rng.normal(size=(6, n_bent))
    combine = rng.normal(size=(1 + d + 6, 4))
    cubes = [[np.linalg.norm(x[:n_bent] - knot) ** 3 / 12 for knot in knots] for x in X]
    expected = np.hstack([np.ones((n, 1)), X, cubes]) @ combine
    assert_allclose(Splines(knots, combine).evaluate(X), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kept", [0, 10**9], ids=["evaluated twice", "kept"])
@pytest.mark.parametrize("d", [1, 3])
def test_columns_are_orthogonal_over_all_blocks(rng, d, kept, monkeypatch):
    monkeypatch.setattr(splines, "MOST_KEPT", kept)
    X = rng.normal(size=(2 * LARGEST // N_KNOTS + 5, d))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    basis = SplineBasis.of(X)
    gram = basis.design.T @ basis.design / len(X)
    assert_allclose(gram, np.eye(len(gram)), atol=1e-8)
