"""The ARD RBF kernel by rows, and the one pull-back of a cotangent to points and scales.

Points come in transposed, (d, n), so that each coordinate is contiguous. Symmetric matrices hold
their lower triangle only; what stands above the diagonal is neither read nor written. The row
functions are the only place where the kernel and its derivative are written down: whatever needs
a Gram matrix or its pull-back runs them over its rows.

Callers deal rows out to `n_chunks` chunks in turn (row i to chunk i mod n_chunks), each with sums
of its own that are added in order at the end: results depend on the number of chunks, by rounding,
and never on the number of threads.
"""

from __future__ import annotations

from anmmm._kernels._exp import exp_nonpositive
from anmmm._kernels._jit import SUMS, FloatArray, kernel


@kernel()
def gram_row(
    points: FloatArray, gamma: FloatArray, point: FloatArray, n: int, row: FloatArray
) -> None:
    """Kernel values between one point and the first `n` points.

    Parameters
    ----------
    points : float64 (d, >= n)
    gamma : float64 (d,)
        Inverse squared length scales.
    point : float64 (d,)
    n : int
    row : float64 (>= n,), C order
        The first `n` values are overwritten.

    Notes
    -----
    docs/method/mathematics.md, eq. 1: ``k(z, z') = exp(-Σ_d γ_d (z_d - z'_d)²)``; O(n d).
    """
    t = point[0]
    g = gamma[0]
    for j in range(n):
        u = t - points[0, j]
        row[j] = -g * u * u
    for k in range(1, points.shape[0]):
        t = point[k]
        g = gamma[k]
        for j in range(n):
            u = t - points[k, j]
            row[j] -= g * u * u
    exp_nonpositive(row, n)


@kernel()
def cross_gram(points: FloatArray, gamma: FloatArray, others: FloatArray, K: FloatArray) -> None:
    """ARD RBF kernel between two sets of points.

    Parameters
    ----------
    points : float64 (d, n)
    gamma : float64 (d,)
    others : float64 (d, m)
    K : float64 (m, n), C order
        Overwritten; row j holds the kernel of ``others[:, j]`` with all points.
    """
    for j in range(others.shape[1]):
        gram_row(points, gamma, others[:, j], points.shape[1], K[j])


@kernel(fastmath=SUMS)
def pull_row(
    m: FloatArray, points: FloatArray, i: int, d_points: FloatArray, d_scale: FloatArray
) -> None:
    """Add one row's share of the gradients to points and scales, both still unscaled.

    Parameters
    ----------
    m : float64 (>= i,)
        ``m_j = (∂J/∂K ∘ K)_ij`` for j < i, where ``∂J/∂K`` is symmetric.
    points : float64 (d, n)
    i : int
        Row.
    d_points : float64 (d, n)
        ``Σ_j M_ij (z_i - z_j)`` grows here.
    d_scale : float64 (d,)
        ``Σ_{j<i} M_ij (z_i - z_j)²`` grows here.

    Notes
    -----
    M is symmetric, so visiting j < i alone halves the work: what row i gives to z_i it takes
    from z_j. O(i d).
    """
    for k in range(points.shape[0]):
        t = points[k, i]
        first = 0.0
        second = 0.0
        for j in range(i):
            u = t - points[k, j]
            w = m[j] * u
            first += w
            second += w * u
            d_points[k, j] -= w
        d_points[k, i] += first
        d_scale[k] += second


@kernel(fastmath=SUMS)
def pull_scale_row(m: FloatArray, points: FloatArray, i: int, d_scale: FloatArray) -> None:
    """Add one row's share of the gradient to the scales alone, for points that are not moved.

    Parameters
    ----------
    m, points, i, d_scale
        As for `pull_row`.
    """
    for k in range(points.shape[0]):
        t = points[k, i]
        second = 0.0
        for j in range(i):
            u = t - points[k, j]
            second += m[j] * u * u
        d_scale[k] += second
