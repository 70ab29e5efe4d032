"""The low-rank engine: value and gradient from factors in blocks (see ``pivoted``), in O(N r²).

docs/method/mathematics.md, section "Low rank", derives every formula.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from anmmm._kernels._jit import SUMS, FloatArray, kernel, kernel_parallel
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


@kernel(inner=True)
def _times(rows: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """Write rows (r, c), each times the weights (c,)."""
    for j in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            out[j, i] = rows[j, i] * weights[i]


@kernel(fastmath=SUMS, inner=True)
def likelihood_sums(
    factors: Factors, z: FloatArray, y: FloatArray, S: FloatArray, Ly: FloatArray, n_chunks: int
) -> None:
    """Write ``L diag(w) Lᵀ`` and ``(L diag(w) Y)ᵀ`` for w 1 and each coordinate.

    docs/method/mathematics.md, eq. 16. z: (n_blocks, d, c), coordinates of [θ, x]; y: (n_blocks, D,
    c); S: (1 + d, r, r); Ly: (1 + d, D, r).
    """
    n_blocks, d, c = z.shape
    L, r, D = factors.L, factors.r, y.shape[1]
    p_S = np.zeros((n_chunks, (1 + d) * r, r))
    p_y = np.zeros((n_chunks, (1 + d) * D, r))
    for chunk in prange(n_chunks):
        ones = np.ones(c)
        W = np.empty(((1 + d) * r, c))
        V = np.empty(((1 + d) * D, c))
        for b in range(chunk, n_blocks, n_chunks):
            block = L[b, :r]
            for k in range(1 + d):
                weights = z[b, k - 1] if k > 0 else ones
                _times(block, weights, W[k * r : (k + 1) * r])
                _times(y[b], weights, V[k * D : (k + 1) * D])
            # One product each: three of a third the size take half as long again.
            gemm(W, False, block, True, 1.0, p_S[chunk])
            gemm(V, False, block, True, 1.0, p_y[chunk])
    for k in range(1 + d):
        for i in range(r):
            reduce_chunks(p_S[:, k * r + i], 1.0, S[k, i])
        for t in range(D):
            reduce_chunks(p_y[:, k * D + t], 1.0, Ly[k, t])


likelihood_sums_parallel = kernel_parallel(likelihood_sums, fastmath=SUMS)


@kernel(fastmath=SUMS, inner=True)
def posterior(
    S: FloatArray,
    Ly: FloatArray,
    amplitude: float,
    noise: float,
    n_latent: int,
    maps: FloatArray,
    crossed: FloatArray,
) -> tuple[bool, float, float, float]:
    """Write the matrices of the likelihood and its gradient in the factor's own coordinates.

    docs/method/mathematics.md, eq. 16 and 18. maps ((1 + q) (r + D), r) multiply each ``l_i``, one
    below the other: ``B⁻¹ = (s² I + a S)⁻¹``; ``S_θ B⁻¹`` of each latent coordinate, made
    symmetric; ``bᵀ``, ``b = B⁻¹ L Y``; ``τ_θᵀ``, ``τ_θ = L diag(θ_k) α``, of each latent
    coordinate. crossed (d,) is ``(D/s²) a² tr(S_z B⁻¹ S_z) + a Σ_d ‖τ_zd‖²``. Returns whether B has
    a Cholesky factor, ``ln|B|``, ``tr B⁻¹`` and ``Σ_d ‖b_d‖²``.
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


@kernel(fastmath=SUMS, inner=True)
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
    """Write the gradient rows of ``-L`` on Θ, and sums for the gradient of its scales.

    docs/method/mathematics.md, eq. 17 and 18. rows (n_blocks, q, c) are ``Σ_j M_ij (θ_ik -
    θ_jk)``; squares (d,) ``Σ_i z_ik² m_i``, ``m_i = (D/s²) q_i + a Σ_d α_id l_iᵀ b_d``. Returns
    ``Σ_d y_dᵀ α_d`` and ``Σ_d ‖α_d‖²``. One product a block.
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


likelihood_rows_parallel = kernel_parallel(likelihood_rows, fastmath=SUMS)


@kernel(fastmath=SUMS, inner=True)
def hsic_sums(
    factors: Factors,
    z: FloatArray,
    sums: FloatArray,
    u_sums: FloatArray,
    v_sums: FloatArray,
    n_chunks: int,
) -> None:
    """Write ``U w``, ``V w`` and ``V diag(w) Uᵀ`` for w 1, each coordinate and its square; eq. 19.

    docs/method/mathematics.md. sums: (1 + 2 d, v_rank, u_rank); u_sums, v_sums: (1 + 2 d, rank).
    """
    U, u_rank, V, v_rank = factors.U, factors.u_rank, factors.V, factors.v_rank
    n_blocks, d, c = z.shape
    n_weights = 1 + 2 * d
    p_sums = np.zeros((n_chunks, n_weights * v_rank, u_rank))
    p_u = np.zeros((n_chunks, n_weights, u_rank))
    p_v = np.zeros((n_chunks, n_weights, v_rank))
    for chunk in prange(n_chunks):
        weights = np.empty((n_weights, c))
        W = np.empty((n_weights * v_rank, c))
        for b in range(chunk, n_blocks, n_chunks):
            for i in range(c):
                weights[0, i] = 1.0
            for k in range(d):
                for i in range(c):
                    weights[1 + k, i] = z[b, k, i]
                    weights[1 + d + k, i] = z[b, k, i] * z[b, k, i]
            left, right = U[b, :u_rank], V[b, :v_rank]
            for k in range(n_weights):
                _times(right, weights[k], W[k * v_rank : (k + 1) * v_rank])
            gemm(W, False, left, True, 1.0, p_sums[chunk])
            gemm(weights, False, left, True, 1.0, p_u[chunk])
            gemm(weights, False, right, True, 1.0, p_v[chunk])
    for k in range(n_weights):
        reduce_chunks(p_u[:, k], 1.0, u_sums[k])
        reduce_chunks(p_v[:, k], 1.0, v_sums[k])
        for j in range(v_rank):
            reduce_chunks(p_sums[:, k * v_rank + j], 1.0, sums[k, j])


hsic_sums_parallel = kernel_parallel(hsic_sums, fastmath=SUMS)


@kernel(fastmath=SUMS, inner=True)
def hsic_moments(
    sums: FloatArray,
    u_sums: FloatArray,
    v_sums: FloatArray,
    factors: Factors,
    n_latent: int,
    lam: float,
    floor: float,
    moments: FloatArray,
) -> tuple[float, float]:
    """Return ``‖A‖² = tr(K_X H K_θ H)`` and ``λ / (‖A‖² + floor)``; write the scales' moments.

    docs/method/mathematics.md, eq. 19. A centered cotangent is multiplied by a Gram matrix that is
    not centered: the means of that matrix's factor are added to `sums`, from the second matrix on.
    These are then ``E_z`` of each coordinate and of its square. moments (d,) are ``⟨A, E_{z²}⟩ -
    ‖E_z‖²``.
    """
    d, A, u_means, v_means = (sums.shape[0] - 1) // 2, sums[0], factors.u_means, factors.v_means
    v_rank, u_rank = A.shape
    for k in range(1, 1 + 2 * d):
        of_theta = (k - 1) % d < n_latent
        for j in range(v_rank):
            for i in range(u_rank):
                if of_theta:
                    sums[k, j, i] += u_sums[k, i] * v_means[j]
                else:
                    sums[k, j, i] += u_means[i] * v_sums[k, j]
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


@kernel(fastmath=SUMS, inner=True)
def hsic_rows(
    factors: Factors,
    theta: FloatArray,
    maps: FloatArray,
    factor: float,
    rows: FloatArray,
    n_chunks: int,
) -> None:
    """Add ``factor Σ_j (H K_X H ∘ K_θ)_ij (θ_ik - θ_jk)`` to the gradient rows on Θ.

    docs/method/mathematics.md, eq. 19. maps ((1 + q) v_rank, u_rank): ``Aᵀ`` and ``E_θᵀ = (V + v̄
    1ᵀ) diag(θ_k) Uᵀ`` of each latent coordinate, one below the other.
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


hsic_rows_parallel = kernel_parallel(hsic_rows, fastmath=SUMS)


@kernel(fastmath=SUMS)
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
    n_chunks: int | None,
) -> tuple[bool, float, float, float, float, float, float, float]:
    """Evaluate both data terms of J from factors; docs/method/mathematics.md, eq. 15 to 19.

    z: (n_blocks, d, c), coordinates of [θ, x]; y: (n_blocks, D, c); floor: ``N² ε₀``. Writes rows
    (n_blocks, q, c), and crossed, squares and moments, `arrays` (3, d). Returns the results of
    `posterior`, `likelihood_rows` and `hsic_moments`. n_chunks: None runs serial loops.
    """
    r, v_rank, u_rank = factors.r, factors.v_rank, factors.u_rank
    d, q, D = z.shape[1], rows.shape[1], y.shape[1]
    crossed, squares, moments = arrays[0], arrays[1], arrays[2]
    S, Ly = np.empty((1 + d, r, r)), np.empty((1 + d, D, r))
    if n_chunks is None:
        likelihood_sums(factors, z, y, S, Ly, 1)
    else:
        likelihood_sums_parallel(factors, z, y, S, Ly, n_chunks)
    maps = np.empty(((1 + q) * (r + D), r))
    definite, log_det, trace, norm_b = posterior(S, Ly, amplitude, noise, q, maps, crossed)
    if not definite:
        return False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    sums = np.empty((1 + 2 * d, v_rank, u_rank))
    u_sums, v_sums = np.empty((1 + 2 * d, u_rank)), np.empty((1 + 2 * d, v_rank))
    if n_chunks is None:
        fit, norm = likelihood_rows(factors, z, y, amplitude, noise, maps, rows, squares, 1)
        hsic_sums(factors, z, sums, u_sums, v_sums, 1)
    else:
        fit, norm = likelihood_rows_parallel(
            factors, z, y, amplitude, noise, maps, rows, squares, n_chunks
        )
        hsic_sums_parallel(factors, z, sums, u_sums, v_sums, n_chunks)
    squared, factor = hsic_moments(sums, u_sums, v_sums, factors, q, lam, floor, moments)
    of_theta = sums[: 1 + q].reshape(((1 + q) * v_rank, u_rank))
    if n_chunks is None:
        hsic_rows(factors, z, of_theta, factor, rows, 1)
    else:
        hsic_rows_parallel(factors, z, of_theta, factor, rows, n_chunks)
    return True, log_det, trace, norm_b, fit, norm, squared, factor
