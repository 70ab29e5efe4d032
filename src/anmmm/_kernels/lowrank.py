"""Passes of the low-rank engine over observations in blocks (see ``pivoted``), in O(N r²).

Each chunk of blocks has its own sums and memory; the caller adds the sums in order.
docs/method/mathematics.md, section "Low rank", derives every formula.
"""

from __future__ import annotations

from numba import prange

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._lapack import gemm


@kernel(fastmath=SUMS)
def weighted_products(
    A: FloatArray,
    B: FloatArray,
    weights: FloatArray,
    m: int,
    r: int,
    scratch: FloatArray,
    sums: FloatArray,
    n_chunks: int,
) -> None:
    """Add ``A diag(w) Bᵀ`` for the first k weights w; eqs. 16 and 19.

    A, B: (n_blocks, capacity, c), first m and r rows; weights: (n_blocks, ≥ k, c); scratch:
    (n_chunks, k m, c); sums: (n_chunks, k m, r).
    """
    n_blocks, _, c = weights.shape
    n_weights = sums.shape[1] // m
    for chunk in prange(n_chunks):
        W = scratch[chunk]
        for b in range(chunk, n_blocks, n_chunks):
            for k in range(n_weights):
                for j in range(m):
                    for i in range(c):
                        W[k * m + j, i] = A[b, j, i] * weights[b, k, i]
            # One product: three of a third the size take half as long again.
            gemm(W, False, B[b, :r], True, 1.0, sums[chunk])


@kernel(fastmath=SUMS)
def likelihood_rows(
    L: FloatArray,
    r: int,
    z: FloatArray,
    y: FloatArray,
    amplitude: float,
    noise: float,
    maps: FloatArray,
    rows: FloatArray,
    scratch: FloatArray,
    sums: FloatArray,
    n_chunks: int,
) -> None:
    """Write the gradient rows of ``-L`` on Θ, and sums for the gradient of its scales; eqs. 17, 18.

    L: (n_blocks, ≥ r, c), the factor of K_X ∘ K_θ; z: (n_blocks, d, c), coordinates of [θ, x]; y:
    (n_blocks, D, c); maps ((1 + q) (r + D), r): of `posterior`; rows: (n_blocks, q, c), eq. 17.
    Adds to sums (n_chunks, 2 + d) tr(Yᵀ α), ‖α‖², and ``Σ_i z_ik² m_i``. scratch: (n_chunks,
    (1 + q) (r + D) + D + 2, c).
    """
    n_blocks, d, c = z.shape
    q = rows.shape[1]
    D = y.shape[1]
    n_maps = maps.shape[0]
    first_y_map = (1 + q) * r
    scale = D / noise * amplitude
    for chunk in prange(n_chunks):
        W = scratch[chunk, :n_maps]
        alpha = scratch[chunk, n_maps : n_maps + D]
        mass = scratch[chunk, n_maps + D]
        shift = scratch[chunk, n_maps + D + 1]
        for k in range(chunk, n_blocks, n_chunks):
            block = L[k, :r]
            gemm(maps, False, block, False, 0.0, W)
            for i in range(c):
                mass[i] = 0.0
            for j in range(r):
                for i in range(c):
                    mass[i] += block[j, i] * (block[j, i] - noise * W[j, i])
            for i in range(c):
                mass[i] *= scale
            for t in range(D):
                fit = 0.0
                norm = 0.0
                for i in range(c):
                    fitted = W[first_y_map + t, i]
                    value = (y[k, t, i] - amplitude * fitted) / noise
                    alpha[t, i] = value
                    fit += value * y[k, t, i]
                    norm += value * value
                    mass[i] += amplitude * value * fitted
                sums[chunk, 0] += fit
                sums[chunk, 1] += norm
            for m in range(d):
                total = 0.0
                for i in range(c):
                    total += mass[i] * z[k, m, i] * z[k, m, i]
                sums[chunk, 2 + m] += total
            for m in range(q):
                for i in range(c):
                    shift[i] = 0.0
                for j in range(r):
                    for i in range(c):
                        shift[i] += block[j, i] * W[(1 + m) * r + j, i]
                for i in range(c):
                    shift[i] *= scale * amplitude
                for t in range(D):
                    map_row = first_y_map + (1 + m) * D + t
                    for i in range(c):
                        shift[i] += amplitude * alpha[t, i] * W[map_row, i]
                for i in range(c):
                    rows[k, m, i] = -0.5 * (z[k, m, i] * mass[i] - shift[i])


@kernel(fastmath=SUMS)
def hsic_rows(
    U: FloatArray,
    V: FloatArray,
    v_means: FloatArray,
    theta: FloatArray,
    maps: FloatArray,
    factor: float,
    rows: FloatArray,
    scratch: FloatArray,
    n_chunks: int,
) -> None:
    """Add ``factor Σ_j (H K_X H ∘ K_θ)_ij (θ_ik - θ_jk)`` to the gradient rows on Θ; eq. 19.

    U, V: (n_blocks, capacity, c), centered factors of K_X and K_θ; maps ((1 + q) v_rank, u_rank):
    ``Aᵀ`` and each latent's ``E_θᵀ``, one below the other; scratch: (n_chunks, rows of maps, c).
    """
    n_blocks, q, c = rows.shape
    u_rank = maps.shape[1]
    v_rank = v_means.shape[0]
    for chunk in prange(n_chunks):
        W = scratch[chunk]
        for b in range(chunk, n_blocks, n_chunks):
            gemm(maps, False, U[b, :u_rank], False, 0.0, W)
            for j in range(v_rank):
                mean = v_means[j]
                for k in range(q):
                    map_row = (1 + k) * v_rank + j
                    for i in range(c):
                        difference = theta[b, k, i] * W[j, i] - W[map_row, i]
                        rows[b, k, i] += factor * difference * (V[b, j, i] + mean)
