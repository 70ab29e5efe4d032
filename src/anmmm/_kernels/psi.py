"""Expectations of the ARD RBF kernel over Gaussian inputs, and their pull-back.

Means, variances and inducing points come in; the sums that a collapsed bound needs go out, and
cotangents on them come back as gradients. docs/method/mathematics.md, section "Θ integrated out".

An expectation of one kernel value, and of the product of two, have one form: with t = 1 about an
inducing point, with t = 2 about the middle of two,

    E exp(-t Σ_d γ_d (z_d - c_d)²) = Π_d (1 + 2 t γ_d s_d)^-1/2 exp(-Σ_d ρ_d (μ_d - c_d)²),
    ρ_d = t γ_d / (1 + 2 t γ_d s_d)

so that both run through the same functions. A coordinate that is observed has s = 0.

Layout: points are transposed, (d, n). Observations are visited in blocks that stay in cache, and
blocks are dealt out to chunks with sums of their own: no array of n M² numbers is made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from anmmm._kernels._exp import exp_nonpositive
from anmmm._kernels._fold import fold
from anmmm._kernels._jit import SUMS, FloatArray, kernel, kernel_parallel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    load,
    multiply_add,
    product,
    store,
    total_of,
)

# Observations of a block, whole vectors. What lies beyond the last observation has no weight.
BLOCK = 256


class PsiGradient(NamedTuple):
    """Where `psi_pull` writes.

    Attributes
    ----------
    mean, log_variance : float64 (q, n)
        On the means of the latent coordinates, and on the logarithms of their variances.
    inducing : float64 (d, M)
    log_gamma : float64 (d,)
    """

    mean: FloatArray
    log_variance: FloatArray
    inducing: FloatArray
    log_gamma: FloatArray


class Block(NamedTuple):
    """A block of observations and what is made of it.

    Attributes
    ----------
    points, rho : float64 (d, BLOCK)
        μ and ρ.
    norm : float64 (BLOCK,)
        ``Π_d (1 + 2 t γ_d s_d)^-1/2``; 0 beyond the last observation.
    values : float64 (BLOCK,)
        Of one center.
    center, moved : float64 (d,)
    first : float64 (d, BLOCK)
        ``Σ v (μ_d - c_d)`` over centers.
    second : float64 (d + 1, BLOCK)
        ``Σ v (μ_d - c_d)²``, and ``Σ v``.
    """

    points: FloatArray
    rho: FloatArray
    norm: FloatArray
    values: FloatArray
    center: FloatArray
    moved: FloatArray
    first: FloatArray
    second: FloatArray


@kernel(inner=True)
def new_block(d: int) -> Block:
    """Memory of a block, everything 0."""
    return Block(
        np.zeros((d, BLOCK)),
        np.zeros((d, BLOCK)),
        np.zeros(BLOCK),
        np.zeros(BLOCK),
        np.zeros(d),
        np.zeros(d),
        np.zeros((d, BLOCK)),
        np.zeros((d + 1, BLOCK)),
    )


@kernel(inner=True)
def enter(
    points: FloatArray,
    variance: FloatArray,
    gamma: FloatArray,
    t: float,
    start: int,
    block: Block,
) -> int:
    """Fill μ, ρ and norms of the block that begins at `start`; return how many there are."""
    q = variance.shape[0]
    count = min(BLOCK, points.shape[1] - start)
    norm = block.norm
    for i in range(BLOCK):
        norm[i] = 1.0 if i < count else 0.0
    for k in range(gamma.shape[0]):
        g = t * gamma[k]
        for i in range(count):
            spread = 1.0 + 2.0 * g * (variance[k, start + i] if k < q else 0.0)
            block.points[k, i] = points[k, start + i]
            block.rho[k, i] = g / spread
            norm[i] /= np.sqrt(spread)
    return int(count)


@kernel(inner=True)
def weigh(
    inducing: FloatArray, gamma: FloatArray, m: int, j: int, width: int, block: Block
) -> float:
    """Fill values about the middle of two inducing points, not normed.

    Returns ``exp(-½ Σ_d γ_d (z_d - z'_d)²)``.
    """
    exponent = 0.0
    for k in range(gamma.shape[0]):
        u = inducing[k, m] - inducing[k, j]
        exponent += gamma[k] * u * u
        block.center[k] = 0.5 * (inducing[k, m] + inducing[k, j])
    values = block.values
    for k in range(gamma.shape[0]):
        c, mu, rho = block.center[k], block.points[k], block.rho[k]
        for i in range(width):
            u = mu[i] - c
            values[i] = (values[i] if k > 0 else 0.0) - rho[i] * u * u
    exp_nonpositive(values, width)
    return float(np.exp(-0.5 * exponent))


@kernel(inner=True)
def take_moments(width: int, block: Block) -> float:
    """Add up moments of the weighted values about the center; return their sum.

    ``Σ_i v ρ_d (μ_d - c_d)`` is written to ``moved``.
    """
    d = block.points.shape[0]
    values, mass = block.values, block.second[d]
    total = everywhere(0.0)
    for i in range(0, width, LANES):
        v = load(values, i)
        total = multiply_add(v, everywhere(1.0), total)
        store(mass, i, multiply_add(v, everywhere(1.0), load(mass, i)))
    for k in range(d):
        mu, rho, first, second = block.points[k], block.rho[k], block.first[k], block.second[k]
        minus = everywhere(-block.center[k])
        moved = everywhere(0.0)
        for i in range(0, width, LANES):
            u = multiply_add(load(mu, i), everywhere(1.0), minus)
            vu = product(load(values, i), u)
            moved = multiply_add(vu, load(rho, i), moved)
            store(first, i, multiply_add(vu, everywhere(1.0), load(first, i)))
            store(second, i, multiply_add(vu, u, load(second, i)))
        block.moved[k] = total_of(moved)
    return float(total_of(total))


@kernel(fastmath=SUMS, inner=True)
def leave(
    variance: FloatArray,
    gamma: FloatArray,
    t: float,
    start: int,
    count: int,
    block: Block,
    d_mean: FloatArray,
    d_log_variance: FloatArray,
    d_log_gamma: FloatArray,
) -> None:
    """Add a block's gradients from its moments, and set those to 0."""
    d, q = gamma.shape[0], variance.shape[0]
    mass = block.second[d]
    for k in range(d):
        total = 0.0
        for i in range(count):
            rho, first, second = block.rho[k, i], block.first[k, i], block.second[k, i]
            s = variance[k, start + i] if k < q else 0.0
            total += rho * (s * mass[i] + rho / (t * gamma[k]) * second)
            if k < q:
                d_mean[k, start + i] -= 2.0 * rho * first
                change = s * rho * (2.0 * rho * second - mass[i])
                d_log_variance[k, start + i] += change
            block.first[k, i] = block.second[k, i] = 0.0
        d_log_gamma[k] -= total
    for i in range(count):
        mass[i] = 0.0


@kernel(fastmath=SUMS)
def psi_sums(
    points: FloatArray,
    variance: FloatArray,
    gamma: FloatArray,
    inducing: FloatArray,
    y: FloatArray,
    psi1_y: FloatArray,
    psi2: FloatArray,
    n_chunks: int,
) -> None:
    """Sum over observations of what the bound needs of the expectations.

    Parameters
    ----------
    points : float64 (d, n)
        Means of the q latent coordinates, then what is observed.
    variance : float64 (q, n)
        Of the latent coordinates, at least 0.
    gamma : float64 (d,)
    inducing : float64 (d, M)
    y : float64 (D, n)
    psi1_y : float64 (M, D)
        Overwritten by ``Ψ₁ᵀ Y``, of unit amplitude.
    psi2 : float64 (M, M)
        Its lower triangle is overwritten by ``Ψ₂``, of unit amplitude.
    n_chunks : int
        Chunks that blocks are dealt out to.

    Notes
    -----
    docs/method/mathematics.md, eqs. B2 and B3. O(n M² d).
    """
    d, n = points.shape
    M, D = inducing.shape[1], y.shape[0]
    n_blocks = (n + BLOCK - 1) // BLOCK
    p_y = np.zeros((n_chunks, M, D))
    p_2 = np.zeros((n_chunks, M, M))
    for chunk in prange(n_chunks):
        block = new_block(d)
        values, norm = block.values, block.norm
        for b in range(chunk, n_blocks, n_chunks):
            start = b * BLOCK
            for t in range(1, 3):
                count = enter(points, variance, gamma, float(t), start, block)
                width = (count + LANES - 1) // LANES * LANES
                for m in range(M):
                    for j in range(0 if t == 2 else m, m + 1):
                        share = weigh(inducing, gamma, m, j, width, block)
                        if t == 2:
                            total = 0.0
                            for i in range(width):
                                total += values[i] * norm[i]
                            p_2[chunk, m, j] += share * total
                        else:
                            for k in range(D):
                                total = 0.0
                                for i in range(count):
                                    total += values[i] * norm[i] * y[k, start + i]
                                p_y[chunk, m, k] += total
    for m in range(M):
        fold(p_y[:, m], 1.0, psi1_y[m])
        fold(p_2[:, m, : m + 1], 1.0, psi2[m, : m + 1])


psi_sums_parallel = kernel_parallel(psi_sums, fastmath=SUMS)


@kernel(fastmath=SUMS)
def psi_pull(
    points: FloatArray,
    variance: FloatArray,
    gamma: FloatArray,
    inducing: FloatArray,
    y: FloatArray,
    d_psi1_y: FloatArray,
    d_psi2: FloatArray,
    gradient: PsiGradient,
    n_chunks: int,
) -> None:
    """Take cotangents on the sums of `psi_sums` to its arguments.

    Parameters
    ----------
    points, variance, gamma, inducing, y
        As in `psi_sums`.
    d_psi1_y : float64 (M, D)
        Cotangent on ``Ψ₁ᵀ Y``.
    d_psi2 : float64 (M, M)
        Symmetric cotangent on ``Ψ₂``; its lower triangle is read.
    gradient : PsiGradient
        Overwritten.
    n_chunks : int
        Chunks that blocks are dealt out to.

    Notes
    -----
    docs/method/mathematics.md, eqs. B6 and B7. O(n M² d): values are made once more, which costs
    less than to hold them.
    """
    d, n = points.shape
    q, M, D = variance.shape[0], inducing.shape[1], y.shape[0]
    n_blocks = (n + BLOCK - 1) // BLOCK
    # A record is not shared with threads.
    d_mean, d_log_variance, d_inducing, d_log_gamma = gradient
    p_inducing = np.zeros((n_chunks, d, M))
    p_gamma = np.zeros((n_chunks, d))
    for chunk in prange(n_chunks):
        block = new_block(d)
        values, norm, moved = block.values, block.norm, block.moved
        d_z, d_gamma = p_inducing[chunk], p_gamma[chunk]
        for b in range(chunk, n_blocks, n_chunks):
            start = b * BLOCK
            for k in range(q):
                for i in range(start, min(n, start + BLOCK)):
                    d_mean[k, i] = d_log_variance[k, i] = 0.0
            for t in range(1, 3):
                count = enter(points, variance, gamma, float(t), start, block)
                width = (count + LANES - 1) // LANES * LANES
                for m in range(M):
                    for j in range(0 if t == 2 else m, m + 1):
                        share = weigh(inducing, gamma, m, j, width, block)
                        if t == 2:
                            share *= (2.0 if j < m else 1.0) * d_psi2[m, j]
                            for i in range(width):
                                values[i] *= share * norm[i]
                        else:
                            for i in range(width):
                                total = 0.0
                                if i < count:
                                    for k in range(D):
                                        total += y[k, start + i] * d_psi1_y[m, k]
                                values[i] *= norm[i] * total
                        mass = take_moments(width, block)
                        for k in range(d):
                            u = inducing[k, m] - inducing[k, j]
                            d_z[k, m] += moved[k] - gamma[k] * u * mass
                            d_z[k, j] += moved[k] + gamma[k] * u * mass
                            d_gamma[k] -= 0.5 * gamma[k] * u * u * mass
                leave(
                    variance, gamma, float(t), start, count, block, d_mean, d_log_variance, d_gamma
                )
    fold(p_gamma, 1.0, d_log_gamma)
    for k in range(d):
        fold(p_inducing[:, k], 1.0, d_inducing[k])


psi_pull_parallel = kernel_parallel(psi_pull, fastmath=SUMS)
