"""HSIC: the centered trace and its cotangent by rows, and the moments of the gamma test.

docs/method/mathematics.md, eqs. 4 and 13, and "Rounding" on ``K - 1``.
"""

from __future__ import annotations

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.chunks import sum_serial
from anmmm._kernels.rbf import gram_row


@kernel(fastmath=SUMS, inner=True)
def add_deviations(
    k: FloatArray,
    l: FloatArray,  # noqa: E741
    i: int,
    k_sums: FloatArray,
    l_sums: FloatArray,
) -> float:
    """Add row i of ``E = K - 1``, ``F = L - 1`` to row sums; return its part of ``⟨E, F⟩``."""
    k_total = 0.0
    l_total = 0.0
    product = 0.0
    for j in range(i):
        e = k[j] - 1.0
        f = l[j] - 1.0
        k_total += e
        l_total += f
        product += e * f
        k_sums[j] += e
        l_sums[j] += f
    k_sums[i] += k_total
    l_sums[i] += l_total
    return 2.0 * product


@kernel(fastmath=SUMS, inner=True)
def trace_of_deviations(product: float, k_means: FloatArray, l_means: FloatArray) -> float:
    """Return ``N² HSIC_b``, eq. 4, from product sum and row means of ``K - 1`` and ``L - 1``."""
    n = k_means.shape[0]
    cross = 0.0
    k_sum = 0.0
    l_sum = 0.0
    for i in range(n):
        cross += k_means[i] * l_means[i]
        k_sum += k_means[i]
        l_sum += l_means[i]
    return float(product - 2.0 * n * cross + k_sum * l_sum)


@kernel(inner=True)
def center_row(
    row: FloatArray, means: FloatArray, mean: float, i: int, n: int, out: FloatArray
) -> None:
    """Write the first `n` entries of row i of ``H K H``, by ``K_ij - k̄_i - k̄_j + k̄``."""
    shift = means[i] - mean
    for j in range(n):
        out[j] = row[j] - shift - means[j]


@kernel(fastmath=SUMS, allocates=True)
def gamma_moments(
    x: FloatArray, gamma_x: FloatArray, y: FloatArray, gamma_y: FloatArray
) -> tuple[float, float, float, float]:
    """Return ``tr(K H L H)``, ``Σ_{i≠j} (K_c ∘ L_c)²_ij``, and the means off both diagonals.

    Eq. 13. x: (dx, n); y: (dy, n). O(n²) time, O(n) memory: Gram rows are computed twice.
    """
    n = x.shape[1]
    x_means = np.zeros(n)
    y_means = np.zeros(n)
    k = np.empty(n)
    l = np.empty(n)  # noqa: E741
    product = 0.0
    squares = 0.0
    for i in range(n):
        gram_row(x, gamma_x, x[:, i], i, k)
        gram_row(y, gamma_y, y[:, i], i, l)
        product += add_deviations(k, l, i, x_means, y_means)
    for i in range(n):
        x_means[i] /= n
        y_means[i] /= n
    trace = trace_of_deviations(product, x_means, y_means)
    x_mean = sum_serial(x_means) / n
    y_mean = sum_serial(y_means) / n
    for i in range(n):
        gram_row(x, gamma_x, x[:, i], i, k)
        gram_row(y, gamma_y, y[:, i], i, l)
        center_row(k, x_means, x_mean - 1.0, i, i, k)
        center_row(l, y_means, y_mean - 1.0, i, i, l)
        for j in range(i):
            squares += (k[j] * l[j]) ** 2
    # The diagonals of the deviations are zero.
    unbiased = n / (n - 1.0)
    return trace, 2.0 * squares, 1.0 + unbiased * x_mean, 1.0 + unbiased * y_mean
