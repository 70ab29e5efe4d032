"""The low-rank evaluation in one call, against the equations with whole matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels.whole import Factors, Sums, evaluate_whole

N, NOISE, AMPLITUDE, LAM, FLOOR = 30, 0.2, 1.6, 0.7, 0.05
sizes = pytest.mark.parametrize(("q", "dx", "D"), [(1, 1, 1), (2, 1, 2), (1, 3, 1)])


def run(rng, q, dx, D, capacities=(N, N, N)):
    z, y = rng.normal(size=(q + dx, N)), rng.normal(size=(D, N))
    gamma = rng.uniform(0.3, 1.5, size=q + dx)
    factors = Factors(
        *(np.full((1, capacity, N), np.nan) for capacity in capacities),
        np.full(N, np.nan),
        1e-16,
        1e-13,
        1e-13,
    )
    rows = np.full((1, q, N), np.nan)
    arrays = np.full((3, q + dx), np.nan)
    sums = evaluate_whole(
        z[np.newaxis], y[np.newaxis], gamma, AMPLITUDE, NOISE, LAM, FLOOR, factors, rows, *arrays
    )
    return z, y, gamma, Sums(*sums), rows[0], arrays


@sizes
def test_sums_are_those_of_whole_matrices(rng, q, dx, D):
    z, y, gamma, sums, rows, (crossed, squares, moments) = run(rng, q, dx, D)
    K_theta, K_x = oracle.rbf(z[:q].T, gamma[:q]), oracle.rbf(z[q:].T, gamma[q:])
    K = K_theta * K_x
    covariance = AMPLITUDE * K + NOISE * np.eye(N)
    inverse = np.linalg.inv(covariance)
    alpha = inverse @ y.T
    H = np.eye(N) - 1.0 / N
    assert sums.definite
    assert sums.rest < 1e-10
    log_det = sums.log_det + (N - sums.joint_rank) * np.log(NOISE)
    assert_allclose(log_det, np.linalg.slogdet(covariance)[1], rtol=1e-9)
    assert_allclose([sums.fit, sums.norm], [np.sum(y.T * alpha), np.sum(alpha**2)], rtol=1e-8)
    assert_allclose(sums.squared, np.trace(K_x @ H @ K_theta @ H), rtol=1e-10)
    assert_allclose(sums.factor, LAM / (sums.squared + FLOOR), rtol=1e-12)
    # Cotangents times what they meet: of the likelihood, and of HSIC's term by either side.
    M = 0.5 * (D * inverse - alpha @ alpha.T) * AMPLITUDE * K
    of_theta, of_x = (H @ K_x @ H) * K_theta, K_x * (H @ K_theta @ H)
    for k, coordinate in enumerate(z):
        apart = coordinate[:, np.newaxis] - coordinate
        assert_allclose(crossed[k] - squares[k], np.sum(M * apart**2), rtol=1e-7, atol=1e-8)
        pulled = of_theta if k < q else of_x
        assert_allclose(2.0 * moments[k], np.sum(pulled * apart**2), rtol=1e-7, atol=1e-8)
        if k < q:
            expected = np.sum((M + sums.factor * of_theta) * apart, axis=1)
            assert_allclose(rows[k], expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("small", [0, 1, 2])
def test_too_few_rows_show_in_the_rank_of_their_factor(rng, small):
    capacities = [3 if k == small else N for k in range(3)]
    sums = run(rng, 1, 1, 1, capacities)[3]
    assert not sums.definite
    assert_array_equal(np.array(sums[:3]) < 0, np.arange(3) == small)
