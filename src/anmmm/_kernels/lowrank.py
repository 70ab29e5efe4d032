"""The low-rank engine's kernels: pivoted Cholesky, and value and gradient in O(N r²).

Points come in blocks; factors, small matrices and gradients go out to ``engines``, which chooses
pivots and ranks. docs/method/mathematics.md, section "Low rank", derives every formula.

Layout: an array over observations is cut into blocks of c, (n_blocks, rows, c), so that a block's
rows are contiguous and stay in cache while everything that needs them is done. The last block is
padded: factors are zero there, so padding adds nothing to any sum. Factors have unit amplitude,
``K ≈ LᵀL``. Blocks are dealt out to chunks as rows are in ``rbf``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from anmmm._kernels._fold import add_up, fold
from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel, kernel_parallel
from anmmm._kernels._lapack import gemm, trsm
from anmmm._kernels.rbf import gram_row

__all__ = [
    "Posterior",
    "extend",
    "extend_parallel",
    "hsic_rows",
    "hsic_rows_parallel",
    "hsic_sums",
    "hsic_sums_parallel",
    "likelihood_rows",
    "likelihood_rows_parallel",
    "likelihood_sums",
    "likelihood_sums_parallel",
    "pivoted_cholesky",
]


@kernel(fastmath=SUMS)
def pivoted_cholesky(
    points: FloatArray,
    gamma: FloatArray,
    largest: float,
    total: float,
    L: FloatArray,
    pivots: IndexArray,
    residual: FloatArray,
) -> int:
    """Factor an ARD RBF Gram matrix, ``K ≈ LᵀL``, largest residual first.

    Parameters
    ----------
    points : float64 (d, n), C order
    gamma : float64 (d,)
    largest, total : float
        Stop when no residual is larger than `largest`, or their sum not larger than `total`.
    L : float64 (capacity, n), C order
        The first `rank` rows are overwritten.
    pivots : int64 (capacity,)
        Overwritten by the indices of the pivots.
    residual : float64 (n,)
        Overwritten by the diagonal of ``K - LᵀL``.

    Returns
    -------
    int
        Rank. If it equals the capacity, look at `residual`: the tolerance may not be reached.

    Notes
    -----
    docs/method/mathematics.md, eq. 15. n r (r + d) flops; one kernel row a step.
    """
    n = points.shape[1]
    for i in range(n):
        residual[i] = 1.0
    for k in range(L.shape[0]):
        p = 0
        rest = 0.0
        for i in range(n):
            rest += residual[i]
        for i in range(n):
            if residual[i] > residual[p]:
                p = i
        if rest <= total or residual[p] <= largest:
            return int(k)
        pivots[k] = p
        row = L[k]
        gram_row(points, gamma, points[:, p], n, row)
        for j in range(k):
            factor = L[j, p]
            other = L[j]
            for i in range(n):
                row[i] -= factor * other[i]
        scale = 1.0 / np.sqrt(residual[p])
        for i in range(n):
            row[i] *= scale
            residual[i] = max(residual[i] - row[i] * row[i], 0.0)
        # Its residual is zero but for rounding; exactly zero, it cannot be chosen again.
        residual[p] = 0.0
    return int(L.shape[0])


@kernel(fastmath=SUMS)
def extend(
    points: FloatArray,
    n: int,
    gamma: FloatArray,
    pivot_points: FloatArray,
    triangle: FloatArray,
    L: FloatArray,
    residual: FloatArray,
    n_chunks: int,
) -> None:
    """Factor columns of all points from given pivots, one triangular solve a block.

    Parameters
    ----------
    points : float64 (n_blocks, d, c)
    n : int
        Points that are not padding.
    gamma : float64 (d,)
    pivot_points : float64 (d, r)
    triangle : float64 (r, r), C order
        Cholesky factor of the pivots' own Gram matrix, lower.
    L : float64 (n_blocks, capacity, c)
        The first r rows of each block are overwritten.
    residual : float64 (n_blocks, c)
        Overwritten by ``1 - ‖l_i‖²``, at least 0; 0 for padding.
    n_chunks : int
        Chunks that blocks are dealt out to.

    Notes
    -----
    docs/method/mathematics.md, eq. 15. n r (r + d) flops in BLAS 3.
    """
    n_blocks, _, c = points.shape
    r = triangle.shape[0]
    for chunk in prange(n_chunks):
        for b in range(chunk, n_blocks, n_chunks):
            valid = min(c, n - b * c)
            for k in range(r):
                gram_row(points[b], gamma, pivot_points[:, k], c, L[b, k])
                for i in range(valid, c):
                    L[b, k, i] = 0.0
            trsm(triangle, L[b, :r])
            rest = residual[b]
            for i in range(c):
                rest[i] = 1.0 if i < valid else 0.0
            for k in range(r):
                row = L[b, k]
                for i in range(c):
                    rest[i] -= row[i] * row[i]
            for i in range(c):
                rest[i] = max(rest[i], 0.0)


extend_parallel = kernel_parallel(extend, fastmath=SUMS)


@kernel(fastmath=SUMS)
def likelihood_sums(
    L: FloatArray,
    r: int,
    z: FloatArray,
    y: FloatArray,
    S: FloatArray,
    S_z: FloatArray,
    Ly: FloatArray,
    Lzy: FloatArray,
    n_chunks: int,
) -> None:
    """Sum over observations of what the likelihood needs of the factor.

    Parameters
    ----------
    L : float64 (n_blocks, capacity, c)
    r : int
        Rank.
    z : float64 (n_blocks, d, c)
        Coordinates of [θ, x].
    y : float64 (n_blocks, D, c)
    S : float64 (r, r)
        Overwritten by ``L Lᵀ``.
    S_z : float64 (d, r, r)
        Overwritten by ``L diag(z_k) Lᵀ``.
    Ly : float64 (r, D)
        Overwritten by ``L Y``.
    Lzy : float64 (d, r, D)
        Overwritten by ``L diag(z_k) Y``.
    n_chunks : int
        Chunks that blocks are dealt out to.

    Notes
    -----
    docs/method/mathematics.md, eq. 16. 2 n r² (1 + d) flops in BLAS 3.
    """
    n_blocks, d, c = z.shape
    D = y.shape[1]
    p_S = np.zeros((n_chunks, 1 + d, r, r))
    p_y = np.zeros((n_chunks, 1 + d, r, D))
    for chunk in prange(n_chunks):
        W = np.empty((r, c))
        for b in range(chunk, n_blocks, n_chunks):
            block = L[b, :r]
            gemm(block, False, block, True, 1.0, p_S[chunk, 0])
            gemm(block, False, y[b], True, 1.0, p_y[chunk, 0])
            for k in range(d):
                for j in range(r):
                    for i in range(c):
                        W[j, i] = block[j, i] * z[b, k, i]
                gemm(W, False, block, True, 1.0, p_S[chunk, 1 + k])
                gemm(W, False, y[b], True, 1.0, p_y[chunk, 1 + k])
    for i in range(r):
        fold(p_S[:, 0, i], 1.0, S[i])
        fold(p_y[:, 0, i], 1.0, Ly[i])
        for k in range(d):
            fold(p_S[:, 1 + k, i], 1.0, S_z[k, i])
            fold(p_y[:, 1 + k, i], 1.0, Lzy[k, i])


likelihood_sums_parallel = kernel_parallel(likelihood_sums, fastmath=SUMS)


class Posterior(NamedTuple):
    """What the likelihood's gradient needs in the factor's own coordinates.

    Attributes
    ----------
    B_inverse : float64 (r, r)
        ``(s² I + a S)⁻¹``.
    P : float64 (q, r, r)
        ``S_θ B⁻¹`` of each latent coordinate, made symmetric.
    b : float64 (r, D)
        ``B⁻¹ L Y``.
    tau : float64 (q, r, D)
        ``L diag(θ_k) α`` of each latent coordinate.
    """

    B_inverse: FloatArray
    P: FloatArray
    b: FloatArray
    tau: FloatArray


@kernel(fastmath=SUMS)
def likelihood_rows(
    L: FloatArray, r: int, z: FloatArray, y: FloatArray, amplitude: float, noise: float,
    posterior: Posterior, rows: FloatArray, squares: FloatArray, n_chunks: int,
) -> tuple[float, float]:  # fmt: skip
    """Gradient rows of ``-L`` on Θ, and the sums that its scales need.

    Parameters
    ----------
    L, r, z, y
        As in `likelihood_sums`.
    amplitude, noise : float
        ``a`` and ``s²``.
    posterior : Posterior
    rows : float64 (n_blocks, q, c)
        Overwritten by ``Σ_j M_ij (θ_ik - θ_jk)``.
    squares : float64 (d,)
        Overwritten by ``Σ_i z_ik² m_i``, where ``m_i = (D/s²) q_i + a Σ_d α_id l_iᵀ b_d``.
    n_chunks : int
        Chunks that blocks are dealt out to.

    Returns
    -------
    fit, norm : float
        ``Σ_d y_dᵀ α_d`` and ``Σ_d ‖α_d‖²``.

    Notes
    -----
    docs/method/mathematics.md, eq. 17 and 18. 2 n r² (1 + q) flops in BLAS 3.
    """
    n_blocks, d, c = z.shape
    D = y.shape[1]
    B_inverse, P, b, tau = posterior
    q = P.shape[0]
    p_fit = np.zeros(n_chunks)
    p_norm = np.zeros(n_chunks)
    p_squares = np.zeros((n_chunks, d))
    for chunk in prange(n_chunks):
        W = np.empty((r, c))
        alpha = np.empty((D, c))
        fitted = np.empty((D, c))
        moved = np.empty((D, c))
        mass = np.empty(c)
        share = np.empty(c)
        for k in range(chunk, n_blocks, n_chunks):
            block = L[k, :r]
            gemm(b, True, block, False, 0.0, fitted)
            gemm(B_inverse, False, block, False, 0.0, W)
            for i in range(c):
                mass[i] = 0.0
            for j in range(r):
                for i in range(c):
                    mass[i] += block[j, i] * (block[j, i] - noise * W[j, i])
            scale = D / noise * amplitude
            for i in range(c):
                mass[i] *= scale
            for t in range(D):
                for i in range(c):
                    value = (y[k, t, i] - amplitude * fitted[t, i]) / noise
                    alpha[t, i] = value
                    p_fit[chunk] += value * y[k, t, i]
                    p_norm[chunk] += value * value
                    mass[i] += amplitude * value * fitted[t, i]
            for m in range(d):
                total = 0.0
                for i in range(c):
                    total += mass[i] * z[k, m, i] * z[k, m, i]
                p_squares[chunk, m] += total
            for m in range(q):
                gemm(P[m], False, block, False, 0.0, W)
                gemm(tau[m], True, block, False, 0.0, moved)
                for i in range(c):
                    share[i] = 0.0
                for j in range(r):
                    for i in range(c):
                        share[i] += block[j, i] * W[j, i]
                for i in range(c):
                    share[i] *= scale * amplitude
                for t in range(D):
                    for i in range(c):
                        share[i] += amplitude * alpha[t, i] * moved[t, i]
                for i in range(c):
                    rows[k, m, i] = -0.5 * (z[k, m, i] * mass[i] - share[i])
    for m in range(d):
        squares[m] = add_up(p_squares[:, m])
    return add_up(p_fit), add_up(p_norm)


likelihood_rows_parallel = kernel_parallel(likelihood_rows, fastmath=SUMS)


@kernel(fastmath=SUMS)
def hsic_sums(
    U: FloatArray,
    u_rank: int,
    V: FloatArray,
    v_rank: int,
    weights: FloatArray,
    sums: FloatArray,
    n_chunks: int,
) -> None:
    """Weighted products of two factors, ``U diag(w_k) Vᵀ``.

    Parameters
    ----------
    U, V : float64 (n_blocks, capacity, c)
    u_rank, v_rank : int
    weights : float64 (n_blocks, d, c)
    sums : float64 (d, u_rank, v_rank)
        Overwritten.
    n_chunks : int
        Chunks that blocks are dealt out to.

    Notes
    -----
    docs/method/mathematics.md, eq. 19. 2 n d u_rank v_rank flops in BLAS 3.
    """
    n_blocks, d, c = weights.shape
    partial = np.zeros((n_chunks, d, u_rank, v_rank))
    for chunk in prange(n_chunks):
        W = np.empty((u_rank, c))
        for b in range(chunk, n_blocks, n_chunks):
            left = U[b, :u_rank]
            for k in range(d):
                for j in range(u_rank):
                    for i in range(c):
                        W[j, i] = left[j, i] * weights[b, k, i]
                gemm(W, False, V[b, :v_rank], True, 1.0, partial[chunk, k])
    for k in range(d):
        for j in range(u_rank):
            fold(partial[:, k, j], 1.0, sums[k, j])


hsic_sums_parallel = kernel_parallel(hsic_sums, fastmath=SUMS)


@kernel(fastmath=SUMS)
def hsic_rows(
    U: FloatArray,
    V: FloatArray,
    v_means: FloatArray,
    theta: FloatArray,
    A: FloatArray,
    E: FloatArray,
    factor: float,
    rows: FloatArray,
    n_chunks: int,
) -> None:
    """Add the HSIC term's share to the gradient rows on Θ.

    Parameters
    ----------
    U, V : float64 (n_blocks, capacity, c)
        Centered factors of K_X and K_θ.
    v_means : float64 (v_rank,)
        What was subtracted from V's rows.
    theta : float64 (n_blocks, d, c)
        The first q coordinates are Θ.
    A : float64 (u_rank, v_rank)
        ``U Vᵀ``.
    E : float64 (q, u_rank, v_rank)
        ``U diag(θ_k) (V + v̄ 1ᵀ)ᵀ``.
    factor : float
        ``λ / (tr(K_X H K_θ H) + N² ε₀)``.
    rows : float64 (n_blocks, q, c)
        ``factor Σ_j (H K_X H ∘ K_θ)_ij (θ_ik - θ_jk)`` is added.
    n_chunks : int
        Chunks that blocks are dealt out to.

    Notes
    -----
    docs/method/mathematics.md, eq. 19. 2 n (1 + q) u_rank v_rank flops in BLAS 3.
    """
    n_blocks, _, c = theta.shape
    q = E.shape[0]
    u_rank, v_rank = A.shape
    for chunk in prange(n_chunks):
        plain = np.empty((v_rank, c))
        moved = np.empty((v_rank, c))
        for b in range(chunk, n_blocks, n_chunks):
            left = U[b, :u_rank]
            gemm(A, True, left, False, 0.0, plain)
            for k in range(q):
                gemm(E[k], True, left, False, 0.0, moved)
                for j in range(v_rank):
                    for i in range(c):
                        difference = theta[b, k, i] * plain[j, i] - moved[j, i]
                        rows[b, k, i] += factor * difference * (V[b, j, i] + v_means[j])


hsic_rows_parallel = kernel_parallel(hsic_rows, fastmath=SUMS)
