"""The collapsed bound from its sums, with its cotangents.

What `psi` sums over observations comes in; the bound without its Kullback-Leibler term goes out,
and cotangents on the sums and on the inducing points' own Gram matrix.
docs/method/mathematics.md, section "Θ integrated out".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._lapack import gemm, potrf, trsm
from anmmm._kernels.rbf import gram_row, pull_row


class BoundCotangents(NamedTuple):
    """Where `collapsed_bound` writes.

    Attributes
    ----------
    psi1_y : float64 (M, D)
        On ``Ψ₁ᵀ Y`` of unit amplitude.
    psi2 : float64 (M, M)
        On ``Ψ₂`` of unit amplitude, symmetric.
    inducing : float64 (d, M)
        On the inducing points, through their own Gram matrix alone.
    log_gamma : float64 (d,)
        Likewise.
    log_scales : float64 (2,)
        On the logarithms of the amplitude and of the noise variance.
    """

    psi1_y: FloatArray
    psi2: FloatArray
    inducing: FloatArray
    log_gamma: FloatArray
    log_scales: FloatArray


@kernel()
def factor(K: FloatArray, diagonal: float) -> bool:
    """Overwrite K by its Cholesky factor; tell whether no pivot counts as zero."""
    if potrf(K) != 0:
        return False
    smallest = 4.0 * K.shape[0] * 2.220446049250313e-16 * diagonal
    regular = True
    for m in range(K.shape[0]):
        # Not the other way around: a pivot may be NaN.
        regular &= K[m, m] * K[m, m] > smallest
    return regular


@kernel(fastmath=SUMS)
def collapsed_bound(
    inducing: FloatArray,
    gamma: FloatArray,
    psi1_y: FloatArray,
    psi2: FloatArray,
    square: float,
    n: int,
    scales: FloatArray,
    out: BoundCotangents,
) -> float:
    """Bound without its Kullback-Leibler term, and its cotangents.

    Parameters
    ----------
    inducing : float64 (d, M)
    gamma : float64 (d,)
    psi1_y, psi2
        As `psi.psi_sums` leaves them.
    square : float
        ``tr(Y Yᵀ)``.
    n : int
        Observations.
    scales : float64 (3,)
        Amplitude a, noise variance σ², nugget ε of the inducing points.
    out : BoundCotangents
        Overwritten.

    Returns
    -------
    float
        The bound, or -inf where the inducing points' Gram matrix counts as singular: a pivot of
        its Cholesky factorization is at most ``4 M eps`` times its diagonal.

    Notes
    -----
    docs/method/mathematics.md, eqs. B4 and B5. O(M³).
    """
    M, D = psi1_y.shape
    noise, r = scales[1], scales[0] / scales[1]
    K, A, W = np.empty((M, M)), np.empty((M, M)), np.zeros((M, M))
    B, T = np.empty((M, M)), np.empty((M, M))
    w, e = np.empty((M, D)), np.empty((M, D))
    for m in range(M):
        gram_row(inducing, gamma, inducing[:, m], m + 1, K[m])
        K[m, m] += scales[2]
        W[m, m] = 1.0
        for j in range(m + 1):
            B[m, j] = B[j, m] = psi2[m, j]
    if not factor(K, 1.0 + scales[2]):
        return -math.inf
    trsm(K, W)
    gemm(W, False, B, False, 0.0, T)
    gemm(T, False, W, True, 0.0, A)
    gemm(W, False, psi1_y, False, 0.0, w)
    # A = r L⁻¹ Ψ₂ L⁻ᵀ and B = I + A, whose inverse goes to T.
    trace = 0.0
    for m in range(M):
        for j in range(M):
            A[m, j] *= r
            B[m, j] = A[m, j]
            T[m, j] = 0.0
        B[m, m] += 1.0
        T[m, m] = 1.0
        trace += A[m, m]
    if potrf(B) != 0:
        return -math.inf
    log_det = 0.0
    for m in range(M):
        log_det += 2.0 * np.log(B[m, m])
    trsm(B, T)
    gemm(T, True, T, False, 0.0, B)
    gemm(B, False, w, False, 0.0, e)
    fit, curved = 0.0, 0.0
    gemm(A, False, e, False, 0.0, out.psi1_y)
    for m in range(M):
        for k in range(D):
            fit += w[m, k] * e[m, k]
            curved += e[m, k] * out.psi1_y[m, k]
    scale = r / noise
    bound = -0.5 * D * (n * math.log(2.0 * math.pi * noise) + log_det + n * r - trace)
    bound += 0.5 * (scale * fit - square / noise)
    # tr(A B⁻¹) = M - tr(B⁻¹)
    unused = 0.0
    for m in range(M):
        unused += B[m, m]
    d_r = 0.5 * (D * (trace - n * r - M + unused) + scale * (fit - curved))
    out.log_scales[0] = d_r
    out.log_scales[1] = 0.5 * (square / noise - scale * fit - n * D) - d_r
    pull_whitened(W, A, B, T, e, r, scale, out)
    pull_gram(inducing, gamma, T, out)
    return float(bound)


@kernel(fastmath=SUMS, inner=True)
def pull_whitened(
    W: FloatArray,
    A: FloatArray,
    B: FloatArray,
    T: FloatArray,
    e: FloatArray,
    r: float,
    scale: float,
    out: BoundCotangents,
) -> None:
    """Take whitened cotangents to the sums, and that on the Gram matrix to T.

    W is L⁻¹ and B is B⁻¹; A and B are used up.
    """
    M, D = e.shape
    gemm(W, True, e, False, 0.0, out.psi1_y)
    for m in range(M):
        for j in range(M):
            total = 0.0
            for k in range(D):
                total += e[m, k] * e[j, k]
            kept = (1.0 if m == j else 0.0) - B[m, j]
            T[m, j] = 0.5 * r * (D * kept - scale * total)
            A[m, j] = 0.5 * (D * (kept - A[m, j]) - scale * total)
    for m in range(M):
        for k in range(D):
            out.psi1_y[m, k] *= scale
    gemm(W, True, T, False, 0.0, B)
    gemm(B, False, W, False, 0.0, out.psi2)
    gemm(W, True, A, False, 0.0, B)
    gemm(B, False, W, False, 0.0, T)


@kernel(inner=True)
def pull_gram(inducing: FloatArray, gamma: FloatArray, T: FloatArray, out: BoundCotangents) -> None:
    """Take a symmetric cotangent on the inducing points' Gram matrix to them and to γ."""
    row = np.empty(T.shape[0])
    for k in range(gamma.shape[0]):
        out.log_gamma[k] = 0.0
        for m in range(T.shape[0]):
            out.inducing[k, m] = 0.0
    for m in range(T.shape[0]):
        gram_row(inducing, gamma, inducing[:, m], m, row)
        for j in range(m):
            row[j] *= T[m, j]
        pull_row(row, inducing, m, out.inducing, out.log_gamma)
    for k in range(gamma.shape[0]):
        out.log_gamma[k] *= -2.0 * gamma[k]
        for m in range(T.shape[0]):
            out.inducing[k, m] *= -4.0 * gamma[k]
