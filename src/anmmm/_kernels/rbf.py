"""The ARD RBF kernel by rows, and the vector-Jacobian product for points and scales.

Points are transposed, (d, n). Only the lower triangle of symmetric matrices is read and written.
Row i belongs to chunk i mod n_chunks; each chunk has its own sums, which are added in order at the
end: results depend, by rounding, on the number of chunks, and never on the number of threads.
"""

from __future__ import annotations

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import exp_nonpositive


@kernel(inner=True)
def gram_row(
    points: FloatArray, gamma: FloatArray, point: FloatArray, n: int, row: FloatArray
) -> None:
    """Write the kernel between a point and the first `n` points (d, ≥ n); mathematics.md, eq. 1."""
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


@kernel(fastmath=SUMS, inner=True)
def vjp_row(
    m: FloatArray, points: FloatArray, i: int, d_points: FloatArray, d_scale: FloatArray
) -> None:
    """Add the unscaled gradients of one row, ``m_j = (∂J/∂K ∘ K)_ij`` for j < i.

    d_points: (d, n), ``Σ_j M_ij (z_i - z_j)``; d_scale: (d,), ``Σ_{j<i} M_ij (z_i - z_j)²``.
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


@kernel(fastmath=SUMS, inner=True)
def vjp_scale_row(m: FloatArray, points: FloatArray, i: int, d_scale: FloatArray) -> None:
    """Add one row's gradient by the scales only, as `vjp_row`, for fixed points."""
    for k in range(points.shape[0]):
        t = points[k, i]
        second = 0.0
        for j in range(i):
            u = t - points[k, j]
            second += m[j] * u * u
        d_scale[k] += second
