"""The truth about the model with Θ integrated out, loop for loop from its equations.

    k(z, z') = a exp(-Σ_d γ_d (z_d - z'_d)²),      z = [θ, x],     θ_n ~ N(μ_n, diag s_n)
    Ψ₁_nm = E k(z_n, Z_m),     Ψ₂ = Σ_n E k(z_n, Z_m) k(z_n, Z_m')
    F = log N(Y; 0, Q) with the collapsed bound of Titsias and Lawrence (AISTATS 2010)
    KL = ½ Σ_nd (s_nd + μ_nd² - 1 - log s_nd)

Nothing here is fast, and nothing is shared with the package. Arrays hold one sample a row: mean and
variance (N, q), X (N, p), inducing (M, q + p), Y (N, D).
"""

import numpy as np
from scipy.stats import multivariate_normal


def kernel(a, b, amplitude, gamma):
    """k(z, z') of two points."""
    exponent = 0.0
    for d in range(len(gamma)):
        exponent += gamma[d] * (a[d] - b[d]) ** 2
    return amplitude * np.exp(-exponent)


def gram(points, amplitude, gamma, nugget=0.0):
    """K of a set of points; the nugget is a share of the amplitude on the diagonal."""
    n = len(points)
    K = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            K[i, j] = kernel(points[i], points[j], amplitude, gamma)
        K[i, i] += nugget * amplitude
    return K


def expected(mu, s, gamma, one, other=None):
    """E exp(-γ (z - one)²), or of the product of two such, over z ~ N(mu, s): one coordinate."""
    if other is None:
        return np.exp(-gamma * (mu - one) ** 2 / (1 + 2 * gamma * s)) / np.sqrt(1 + 2 * gamma * s)
    between = np.exp(-gamma * (one - other) ** 2 / 2)
    center = (one + other) / 2
    spread = 1 + 4 * gamma * s
    return between * np.exp(-2 * gamma * (mu - center) ** 2 / spread) / np.sqrt(spread)


def psi1(mean, variance, X, inducing, amplitude, gamma):
    """Ψ₁ (N, M)."""
    q = mean.shape[1]
    out = np.empty((len(mean), len(inducing)))
    for n in range(len(mean)):
        for m in range(len(inducing)):
            value = amplitude
            for d in range(len(gamma)):
                mu, s = (mean[n, d], variance[n, d]) if d < q else (X[n, d - q], 0.0)
                value *= expected(mu, s, gamma[d], inducing[m, d])
            out[n, m] = value
    return out


def psi2(mean, variance, X, inducing, amplitude, gamma):
    """Ψ₂ (M, M)."""
    q, M = mean.shape[1], len(inducing)
    out = np.zeros((M, M))
    for n in range(len(mean)):
        for m in range(M):
            for j in range(M):
                value = amplitude**2
                for d in range(len(gamma)):
                    mu, s = (mean[n, d], variance[n, d]) if d < q else (X[n, d - q], 0.0)
                    value *= expected(mu, s, gamma[d], inducing[m, d], inducing[j, d])
                out[m, j] += value
    return out


def bound(mean, variance, X, Y, inducing, amplitude, gamma, noise, nugget=0.0):
    """F - KL."""
    return collapsed(mean, variance, X, Y, inducing, amplitude, gamma, noise, nugget) - divergence(
        mean, variance
    )


def collapsed(mean, variance, X, Y, inducing, amplitude, gamma, noise, nugget=0.0):
    """F = Σ_d log N(y_d; 0, ...) as the equations have it, by matrices of N and of M."""
    N, D = Y.shape
    K = gram(inducing, amplitude, gamma, nugget)
    P1 = psi1(mean, variance, X, inducing, amplitude, gamma)
    P2 = psi2(mean, variance, X, inducing, amplitude, gamma)
    beta = 1 / noise
    inner = K + beta * P2
    W = beta * np.eye(N) - beta**2 * P1 @ np.linalg.solve(inner, P1.T)
    total = 0.0
    for d in range(D):
        y = Y[:, d]
        total += 0.5 * N * np.log(beta) - 0.5 * N * np.log(2 * np.pi)
        total += 0.5 * np.linalg.slogdet(K)[1] - 0.5 * np.linalg.slogdet(inner)[1]
        total -= 0.5 * y @ W @ y
        total -= 0.5 * beta * N * amplitude - 0.5 * beta * np.trace(np.linalg.solve(K, P2))
    return total


def divergence(mean, variance):
    """KL(Π N(μ, s) ‖ N(0, 1))."""
    total = 0.0
    for mu, s in zip(mean.ravel(), variance.ravel(), strict=True):
        total += 0.5 * (s + mu**2 - 1 - np.log(s))
    return total


def sparse_bound(points, Y, inducing, amplitude, gamma, noise, nugget=0.0):
    """Titsias' bound (AISTATS 2009) of a sparse GP: no latent is left."""
    K_uu = gram(inducing, amplitude, gamma, nugget)
    K_fu = np.empty((len(points), len(inducing)))
    for n in range(len(points)):
        for m in range(len(inducing)):
            K_fu[n, m] = kernel(points[n], inducing[m], amplitude, gamma)
    Q = K_fu @ np.linalg.solve(K_uu, K_fu.T)
    total = 0.0
    for d in range(Y.shape[1]):
        total += multivariate_normal.logpdf(Y[:, d], cov=Q + noise * np.eye(len(Q)))
        total -= 0.5 / noise * (amplitude * len(Q) - np.trace(Q))
    return total


def log_marginal(points, Y, amplitude, gamma, noise):
    """Log-likelihood of a GP with all its points."""
    K = gram(points, amplitude, gamma) + noise * np.eye(len(points))
    return sum(multivariate_normal.logpdf(Y[:, d], cov=K) for d in range(Y.shape[1]))
