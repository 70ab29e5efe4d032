"""The low-rank engine: value and gradient from factors in blocks (see ``pivoted``), in O(N r²).

docs/method/mathematics.md, section "Low rank", derives every formula.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._lapack import gemm, potrf, potri
from anmmm._kernels.chunks import reduce_chunks, sum_serial


class Factors(NamedTuple):
    """Factors (n_blocks, capacity, c) of three Gram matrices, their ranks, and means."""

    L: FloatArray  # of K_X ∘ K_θ
    r: int
    V: FloatArray  # of K_θ, centered
    v_rank: int
    v_means: FloatArray  # (v_rank,), subtracted from V
    U: FloatArray  # of K_X, centered
    u_rank: int
    u_means: FloatArray


@kernel(fastmath=SUMS, inner=True, allocates=True)
def weighted_products(
    A: FloatArray, B: FloatArray, weights: FloatArray, out: FloatArray, n_chunks: int
) -> None:
    """Write ``A diag(w) Bᵀ`` for the first k weights w; eqs. 16 and 19.

    A, B: (n_blocks, capacity, c); weights: (n_blocks, ≥ k, c); out: (k, m, r), of the first rows.
    """
    n_blocks, _, c = weights.shape
    n_weights, m, r = out.shape
    partial = np.zeros((n_chunks, n_weights * m, r))
    for chunk in prange(n_chunks):
        W = np.empty((n_weights * m, c))
        for b in range(chunk, n_blocks, n_chunks):
            for k in range(n_weights):
                for j in range(m):
                    for i in range(c):
                        W[k * m + j, i] = A[b, j, i] * weights[b, k, i]
            # One product: three of a third the size take half as long again.
            gemm(W, False, B[b, :r], True, 1.0, partial[chunk])
    for k in range(n_weights):
        for j in range(m):
            reduce_chunks(partial[:, k * m + j], 1.0, out[k, j])


@kernel(fastmath=SUMS, inner=True, allocates=True)
def posterior(
    S: FloatArray,
    Ly: FloatArray,
    amplitude: float,
    noise: float,
    n_latent: int,
    maps: FloatArray,
    crossed: FloatArray,
) -> tuple[bool, float, float, float]:
    """Write the matrices of eqs. 16, 18; return if B is definite, ``ln|B|``, ``tr B⁻¹``, ``‖b‖²``.

    maps ((1 + q) (r + D), r), one below the other: B⁻¹, each latent's symmetrized ``S_θ B⁻¹``, bᵀ,
    each latent's ``τ_θᵀ``; they multiply each ``l_i``. crossed (d,): first two terms of eq. 18.
    """
    d, r = S.shape[0] - 1, S.shape[1]
    D = Ly.shape[1]
    of_theta = (1 + n_latent) * r
    B_inverse = maps[:r]
    b = maps[of_theta : of_theta + D]
    for i in range(r):
        for j in range(r):
            B_inverse[i, j] = amplitude * S[0, i, j]
        B_inverse[i, i] += noise
    if potrf(B_inverse) != 0:
        return False, 0.0, 0.0, 0.0
    log_det = 0.0
    for i in range(r):
        log_det += 2.0 * np.log(B_inverse[i, i])
    potri(B_inverse)
    trace = 0.0
    for i in range(r):
        trace += B_inverse[i, i]
        for j in range(i):
            B_inverse[j, i] = B_inverse[i, j]
    gemm(Ly[0], False, B_inverse, False, 0.0, b)
    norm = 0.0
    for t in range(D):
        for i in range(r):
            norm += b[t, i] * b[t, i]
    SB, tau = np.empty((r, r)), np.empty((D, r))
    for k in range(d):
        gemm(S[1 + k], False, B_inverse, False, 0.0, SB)
        gemm(b, False, S[1 + k], False, 0.0, tau)
        of_factor, of_noise = 0.0, 0.0
        for i in range(r):
            for j in range(r):
                of_factor += SB[i, j] * S[1 + k, i, j]
        for t in range(D):
            for i in range(r):
                tau[t, i] = (Ly[1 + k, t, i] - amplitude * tau[t, i]) / noise
                of_noise += tau[t, i] * tau[t, i]
        crossed[k] = D / noise * amplitude * amplitude * of_factor + amplitude * of_noise
        if k < n_latent:
            for i in range(r):
                for j in range(r):
                    maps[(1 + k) * r + i, j] = 0.5 * (SB[i, j] + SB[j, i])
            for t in range(D):
                for i in range(r):
                    maps[of_theta + (1 + k) * D + t, i] = tau[t, i]
    return True, log_det, trace, norm


@kernel(fastmath=SUMS, inner=True, allocates=True)
def likelihood_rows(
    factors: Factors,
    z: FloatArray,
    y: FloatArray,
    amplitude: float,
    noise: float,
    maps: FloatArray,
    rows: FloatArray,
    squares: FloatArray,
    n_chunks: int,
) -> tuple[float, float]:
    """Write the gradient rows of ``-L`` on Θ, and sums for the gradient of its scales; eqs. 17, 18.

    rows: (n_blocks, q, c), eq. 17; squares: (d,), ``Σ_i z_ik² m_i``. Returns tr(Yᵀ α), ‖α‖².
    """
    n_blocks, d, c = z.shape
    L, r, q, D = factors.L, factors.r, rows.shape[1], y.shape[1]
    of_theta = (1 + q) * r
    p_fit = np.zeros(n_chunks)
    p_norm = np.zeros(n_chunks)
    p_squares = np.zeros((n_chunks, d))
    for chunk in prange(n_chunks):
        W = np.empty((maps.shape[0], c))
        alpha = np.empty((D, c))
        mass = np.empty(c)
        shift = np.empty(c)
        for k in range(chunk, n_blocks, n_chunks):
            block = L[k, :r]
            gemm(maps, False, block, False, 0.0, W)
            for i in range(c):
                mass[i] = 0.0
            for j in range(r):
                for i in range(c):
                    mass[i] += block[j, i] * (block[j, i] - noise * W[j, i])
            scale = D / noise * amplitude
            for i in range(c):
                mass[i] *= scale
            for t in range(D):
                fitted = W[of_theta + t]
                for i in range(c):
                    value = (y[k, t, i] - amplitude * fitted[i]) / noise
                    alpha[t, i] = value
                    p_fit[chunk] += value * y[k, t, i]
                    p_norm[chunk] += value * value
                    mass[i] += amplitude * value * fitted[i]
            for m in range(d):
                total = 0.0
                for i in range(c):
                    total += mass[i] * z[k, m, i] * z[k, m, i]
                p_squares[chunk, m] += total
            for m in range(q):
                for i in range(c):
                    shift[i] = 0.0
                for j in range(r):
                    moved = W[(1 + m) * r + j]
                    for i in range(c):
                        shift[i] += block[j, i] * moved[i]
                for i in range(c):
                    shift[i] *= scale * amplitude
                for t in range(D):
                    moved = W[of_theta + (1 + m) * D + t]
                    for i in range(c):
                        shift[i] += amplitude * alpha[t, i] * moved[i]
                for i in range(c):
                    rows[k, m, i] = -0.5 * (z[k, m, i] * mass[i] - shift[i])
    for m in range(d):
        squares[m] = sum_serial(p_squares[:, m])
    return sum_serial(p_fit), sum_serial(p_norm)


@kernel(fastmath=SUMS, inner=True)
def hsic_moments(
    sums: FloatArray,
    u_sums: FloatArray,  # (1 + 2 d, 1, u_rank), U w
    v_sums: FloatArray,
    factors: Factors,
    n_latent: int,
    lam: float,
    floor: float,
    moments: FloatArray,
) -> tuple[float, float]:
    """Return ``‖A‖²`` and ``λ / (‖A‖² + floor)``; write the scales' moments (d,); eq. 19.

    sums (1 + 2 d, v_rank, u_rank): A, and ``V diag(w) Uᵀ`` for w each z and z², become ``E_w``.
    """
    d, A, u_means, v_means = (sums.shape[0] - 1) // 2, sums[0], factors.u_means, factors.v_means
    v_rank, u_rank = A.shape
    # One factor of E_z is not centered.
    for k in range(1, 1 + 2 * d):
        of_theta = (k - 1) % d < n_latent
        for j in range(v_rank):
            for i in range(u_rank):
                if of_theta:
                    sums[k, j, i] += u_sums[k, 0, i] * v_means[j]
                else:
                    sums[k, j, i] += u_means[i] * v_sums[k, 0, j]
    trace = 0.0
    for j in range(v_rank):
        for i in range(u_rank):
            trace += A[j, i] * A[j, i]
    for k in range(d):
        total = 0.0
        for j in range(v_rank):
            for i in range(u_rank):
                first = sums[1 + k, j, i]
                total += A[j, i] * sums[1 + d + k, j, i] - first * first
        moments[k] = total
    return trace, lam / (trace + floor) if trace + floor > 0.0 else 0.0


@kernel(fastmath=SUMS, inner=True, allocates=True)
def hsic_rows(
    factors: Factors,
    theta: FloatArray,
    maps: FloatArray,
    factor: float,
    rows: FloatArray,
    n_chunks: int,
) -> None:
    """Add ``factor Σ_j (H K_X H ∘ K_θ)_ij (θ_ik - θ_jk)`` to the gradient rows on Θ; eq. 19.

    maps ((1 + q) v_rank, u_rank): ``Aᵀ`` and each latent's ``E_θᵀ``, one below the other.
    """
    U, V, v_means = factors.U, factors.V, factors.v_means
    n_blocks, q, c = rows.shape
    u_rank, v_rank = maps.shape[1], v_means.shape[0]
    for chunk in prange(n_chunks):
        W = np.empty((maps.shape[0], c))
        for b in range(chunk, n_blocks, n_chunks):
            gemm(maps, False, U[b, :u_rank], False, 0.0, W)
            for j in range(v_rank):
                for k in range(q):
                    moved = W[(1 + k) * v_rank + j]
                    for i in range(c):
                        difference = theta[b, k, i] * W[j, i] - moved[i]
                        rows[b, k, i] += factor * difference * (V[b, j, i] + v_means[j])


@kernel(fastmath=SUMS, allocates=True)
def evaluate(
    factors: Factors,
    z: FloatArray,
    y: FloatArray,
    amplitude: float,
    noise: float,
    lam: float,
    floor: float,
    rows: FloatArray,
    arrays: FloatArray,
    n_chunks: int,
) -> tuple[bool, float, float, float, float, float, float, float]:
    """Evaluate both data terms of J from factors; docs/method/mathematics.md, eq. 15 to 19.

    z: (n_blocks, d, c), coordinates of [θ, x]; y: (n_blocks, D, c); floor: ``N² ε₀``. Writes rows
    (n_blocks, q, c), and crossed, squares and moments, `arrays` (3, d). Returns the results of
    `posterior`, `likelihood_rows` and `hsic_moments`.
    """
    L, r, V, v_rank, _, U, u_rank, _ = factors
    (n_blocks, d, c), q, D = z.shape, rows.shape[1], y.shape[1]
    crossed, squares, moments = arrays[0], arrays[1], arrays[2]
    # 1, the coordinates, and their squares.
    weights = np.ones((n_blocks, 1 + 2 * d, c))
    for b in range(n_blocks):
        for k in range(d):
            for i in range(c):
                weights[b, 1 + k, i] = z[b, k, i]
                weights[b, 1 + d + k, i] = z[b, k, i] * z[b, k, i]
    S, Ly = np.empty((1 + d, r, r)), np.empty((1 + d, D, r))
    weighted_products(L, L, weights, S, n_chunks)
    weighted_products(y, L, weights, Ly, n_chunks)
    maps = np.empty(((1 + q) * (r + D), r))
    definite, log_det, trace, norm_b = posterior(S, Ly, amplitude, noise, q, maps, crossed)
    if not definite:
        return False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fit, norm = likelihood_rows(factors, z, y, amplitude, noise, maps, rows, squares, n_chunks)
    sums = np.empty((1 + 2 * d, v_rank, u_rank))
    u_sums, v_sums = np.empty((1 + 2 * d, 1, u_rank)), np.empty((1 + 2 * d, 1, v_rank))
    weighted_products(V, U, weights, sums, n_chunks)
    # The first weight is 1.
    weighted_products(weights, U, weights, u_sums, n_chunks)
    weighted_products(weights, V, weights, v_sums, n_chunks)
    squared, factor = hsic_moments(sums, u_sums, v_sums, factors, q, lam, floor, moments)
    of_theta = sums[: 1 + q].reshape(((1 + q) * v_rank, u_rank))
    hsic_rows(factors, z, of_theta, factor, rows, n_chunks)
    return True, log_det, trace, norm_b, fit, norm, squared, factor
