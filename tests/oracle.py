"""The truth the fast kernels are tested against.

Every quantity of the Gaussian process partially observable model (Hu, Chen, Partovi Nia, Chan and
Geng, NeurIPS 2018) and of the gamma-approximated HSIC test (Gretton et al., NeurIPS 2008), copied
from its equation loop for loop with NumPy and SciPy alone. Nothing here is fast, and nothing
here is shared with the package: each function should be checkable by eye against the formula its
docstring cites.

    k(z, z') = exp(-Σ_d γ_d (z_d - z'_d)²)
    K̃ = a (K_X ∘ K_θ) + (1/β + ν) I
    L = -(D N/2) ln 2π - (D/2) ln|K̃| - ½ tr(K̃⁻¹ Y Yᵀ)
    HSIC_b = tr(K_X H K_θ H) / N²,  H = I - 11ᵀ/N
    J = -L + λ log(HSIC_b + ε₀) + (w/2) ‖Θ‖² + (v/2) ‖log Ω‖²,  Ω = {a, β, γ_x, γ_θ}

Arrays are float64 with one sample per row: X (N, Dx), theta (N, q), Y (N, D). The attributes of
omega are amplitude, beta, gamma_x (Dx,) and gamma_theta (q,). The keywords lam, noise_floor,
hsic_floor, latent_prior and hyper_prior are λ, ν, ε₀, w and v.
"""

import numpy as np
from scipy import linalg
from scipy.special import expit
from scipy.stats import gamma as gamma_distribution

# --- The model -----------------------------------------------------------------------------------


def rbf(X, gamma):
    """K_ij = exp(-Σ_d γ_d (x_id - x_jd)²)."""
    N, n_dims = X.shape
    K = np.empty((N, N))
    for i in range(N):
        for j in range(N):
            exponent = 0.0
            for d in range(n_dims):
                exponent += gamma[d] * (X[i, d] - X[j, d]) ** 2
            K[i, j] = np.exp(-exponent)
    return K


def linear(X, gamma, constant=0.0):
    """K_ij = constant + Σ_d γ_d x_id x_jd."""
    N, n_dims = X.shape
    K = np.empty((N, N))
    for i in range(N):
        for j in range(N):
            K[i, j] = constant
            for d in range(n_dims):
                K[i, j] += gamma[d] * X[i, d] * X[j, d]
    return K


def kernel_matrix(kernel, X, gamma):
    """Gram matrix of one of the three kernels."""
    if kernel == "rbf":
        return rbf(X, gamma)
    return linear(X, gamma, constant=1.0 if kernel == "affine" else 0.0)


# Of X, of Θ, and how they are combined.
RBF = ("rbf", "rbf", "product")


def covariance(K_x, K_theta, amplitude, noise, combine="product"):
    """K̃ = a (K_X ∘ K_θ) + noise I, or a (K_X + K_θ) + noise I."""
    N = len(K_theta)
    K_tilde = np.empty((N, N))
    for i in range(N):
        for j in range(N):
            if combine == "sum":
                K_tilde[i, j] = amplitude * (K_x[i, j] + K_theta[i, j])
            else:
                K_tilde[i, j] = amplitude * K_x[i, j] * K_theta[i, j]
        K_tilde[i, i] += noise
    return K_tilde


def log_likelihood(K_tilde, Y):
    """L = -(D N/2) ln 2π - (D/2) ln|K̃| - ½ tr(K̃⁻¹ Y Yᵀ)."""
    N, D = Y.shape
    _, log_determinant = np.linalg.slogdet(K_tilde)
    fit = np.trace(np.linalg.solve(K_tilde, Y @ Y.T))
    return -0.5 * D * N * np.log(2 * np.pi) - 0.5 * D * log_determinant - 0.5 * fit


def centered(K):
    """H K H with H = I - 11ᵀ/N."""
    H = np.eye(len(K)) - np.ones((len(K), len(K))) / len(K)
    return H @ K @ H


def hsic_b(K, L):
    """HSIC_b = tr(K H L H) / N² with H = I - 11ᵀ/N."""
    return np.trace(K @ centered(L)) / len(K) ** 2


def terms(X, theta, Y, omega, noise_floor, form=RBF):
    """Return the pair (L, HSIC_b) of J, HSIC_b under the model's own kernels."""
    kernel_x, kernel_theta, combine = form
    K_theta = kernel_matrix(kernel_theta, theta, omega.gamma_theta)
    K_x = kernel_matrix(kernel_x, X, omega.gamma_x)
    K_tilde = covariance(K_x, K_theta, omega.amplitude, 1 / omega.beta + noise_floor, combine)
    return log_likelihood(K_tilde, Y), hsic_b(K_x, K_theta)


def log_of(omega):
    """log Ω."""
    return np.log([omega.amplitude, omega.beta, *omega.gamma_x, *omega.gamma_theta])


def objective(
    X, theta, Y, omega, form=RBF, *, lam, noise_floor, hsic_floor, latent_prior, hyper_prior
):
    """J = -L + λ log(HSIC_b + ε₀) + (w/2) ‖Θ‖² + (v/2) ‖log Ω‖²."""
    likelihood, hsic = terms(X, theta, Y, omega, noise_floor, form)
    J = -likelihood + lam * np.log(hsic + hsic_floor)
    priors = latent_prior * np.sum(theta**2) + hyper_prior * np.sum(log_of(omega) ** 2)
    return float(J + 0.5 * priors)


def paper_objective(X, theta, Y, omega, lam):
    """J = -L + λ log HSIC_b as the paper states it: K̃ = K_X ∘ K_θ + I/β and no further term."""
    N, D = Y.shape
    K_x = rbf(X, omega.gamma_x)
    K_theta = rbf(theta, omega.gamma_theta)
    K_tilde = K_x * K_theta + np.eye(N) / omega.beta
    H = np.eye(N) - np.ones((N, N)) / N
    negative_log_likelihood = (
        D * N / 2 * np.log(2 * np.pi)
        + D / 2 * np.linalg.slogdet(K_tilde)[1]
        + 1 / 2 * np.trace(np.linalg.inv(K_tilde) @ Y @ Y.T)
    )
    log_hsic = np.log(np.trace(K_x @ H @ K_theta @ H) / N**2)
    return float(negative_log_likelihood + lam * log_hsic)


# --- Differences --------------------------------------------------------------------------------


def _moved(z, index, amount):
    """Return a copy of z with one coordinate shifted."""
    result = z.copy()
    result[index] += amount
    return result


def central_difference(f, z, step=1e-3, least=1.0):
    """∂f/∂z_i ≈ (8 [f(z_i + h) - f(z_i - h)] - [f(z_i + 2h) - f(z_i - 2h)]) / 12h, error O(h⁴).

    h is `step` times the larger of `least` and |z_i|; `step` itself where `least` is None.
    """
    z = np.array(z, dtype=float)
    result = np.empty(z.shape)
    for i in np.ndindex(z.shape):
        h = step if least is None else step * max(least, abs(z[i]))
        inner = f(_moved(z, i, h)) - f(_moved(z, i, -h))
        outer = f(_moved(z, i, 2 * h)) - f(_moved(z, i, -2 * h))
        result[i] = (8 * inner - outer) / (12 * h)
    return result


def hessian(f, z, step=1e-3):
    """∂²f/∂z_i∂z_j, by differences of `central_difference`."""

    def gradient(point):
        return central_difference(f, point, step=1e-3)

    steps = step * np.eye(len(z))
    return np.array(
        [(gradient(z + step_row) - gradient(z - step_row)) / (2 * step) for step_row in steps]
    )


# --- The back-constraint -------------------------------------------------------------------------


def mlp(XY, W1, b1, W2, b2):
    """Θ = σ(XY W1 + b1) W2 + b2, with σ the logistic function; W1 (n_in, n_hidden)."""
    n_in, n_hidden = W1.shape
    N, q = len(XY), W2.shape[1]
    theta = np.empty((N, q))
    for n in range(N):
        hidden = np.empty(n_hidden)
        for h in range(n_hidden):
            activation = b1[h]
            for i in range(n_in):
                activation += XY[n, i] * W1[i, h]
            hidden[h] = expit(activation)
        for d in range(q):
            theta[n, d] = b2[d]
            for h in range(n_hidden):
                theta[n, d] += hidden[h] * W2[h, d]
    return theta


# --- The independence test -----------------------------------------------------------------------


def median_width(x):
    """Width √(½ median of the positive ‖x_i - x_j‖² over all pairs i < j); x is (N, d)."""
    N, n_dims = x.shape
    squared_distances = []
    for i in range(N):
        for j in range(i + 1, N):
            squared_distance = 0.0
            for d in range(n_dims):
                squared_distance += (x[i, d] - x[j, d]) ** 2
            if squared_distance > 0:
                squared_distances.append(squared_distance)
    return float(np.sqrt(0.5 * np.median(squared_distances)))


def hsic_gamma_test(x, y, width_x, width_y, alpha=0.05):
    """Gamma-approximated HSIC test (Gretton et al. 2008): (statistic, threshold, p-value).

    The kernels are exp(-‖x - x'‖² / (2 width²)); the statistic N HSIC_b = tr(Kc Lc) / N is
    compared with a gamma law whose moments are those of HSIC_b under independence, scaled by N.
    x is (N, d) and y is (N, d').
    """
    n = len(x)
    K = rbf(x, np.full(x.shape[1], 1 / (2 * width_x**2)))
    L = rbf(y, np.full(y.shape[1], 1 / (2 * width_y**2)))
    Kc, Lc = centered(K), centered(L)
    statistic = np.trace(Kc @ Lc) / n

    # The sums run over the pairs i != j alone, and the means divide by their number.
    sum_of_squares = 0.0
    sum_x = 0.0
    sum_y = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                sum_of_squares += (Kc[i, j] * Lc[i, j] / 6) ** 2
                sum_x += K[i, j]
                sum_y += L[i, j]
    n_pairs = n * (n - 1)
    mu_x = sum_x / n_pairs
    mu_y = sum_y / n_pairs
    mean = (1 + mu_x * mu_y - mu_x - mu_y) / n
    variance = sum_of_squares / n_pairs
    variance *= 72 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))

    null = gamma_distribution(mean**2 / variance, scale=n * variance / mean)
    return float(statistic), float(null.ppf(1 - alpha)), float(null.sf(statistic))


# --- Mixtures of smooth mechanisms ----------------------------------------------------------------

HYPER = 0.01
NULL_SHAPE, NULL_SCALE = 0.5, 0.01
WEIGHT_PRIOR = 20.0


def gaussian_divergence(mean, cov, prior_mean, prior_var):
    """KL(N(mean, cov) ‖ N(prior_mean, diag(prior_var))), the prior's mean uncertain by its own."""
    _, log_det = np.linalg.slogdet(cov)
    squared = (mean - prior_mean) ** 2 + np.diag(cov)
    return 0.5 * (np.sum(squared / prior_var + np.log(prior_var)) - len(mean) - log_det)


def mixture_step(design, y, prior, n_null, floor, R, scales, center):
    """One iteration of variational EM from responsibilities R (docs/method/decisions.md, eqs. 3 to
    7).

    scales is [σ², τ², τ₀², ω²…]. Returns (bound, responsibilities, weights, scales, center, means,
    covariances).
    """
    N, r = design.shape
    C = R.shape[1]
    sigma2, tau2, tau2_center, *omega2 = scales
    variance = np.array([omega2[i] if i < n_null else tau2 for i in range(r)]) * prior
    means, covs = np.empty((C, r)), np.empty((C, r, r))
    for c in range(C):
        precision, target = np.diag(1.0 / variance), center / variance
        for n in range(N):
            precision = precision + R[n, c] * np.outer(design[n], design[n]) / sigma2
            target = target + R[n, c] * y[n] * design[n] / sigma2
        covs[c] = np.linalg.inv(precision)
        means[c] = covs[c] @ target

    spread = np.zeros(r)
    cost = 0.0
    new_center = np.zeros(r)
    if C > 1:
        wide = np.array([1.0 if i < n_null else tau2_center for i in range(r)]) * prior
        spread = 1.0 / (C / variance + 1.0 / wide)
        new_center = spread * means.sum(axis=0) / variance
        if r > n_null:
            rough = sum((new_center[i] ** 2 + spread[i]) / prior[i] for i in range(n_null, r))
            tau2_center = (rough + 2 * HYPER) / (r - n_null + 2 * HYPER)
            cost += HYPER * (np.log(tau2_center) + 1 / tau2_center - 1)
        wide = np.array([1.0 if i < n_null else tau2_center for i in range(r)]) * prior
        cost += gaussian_divergence(new_center, np.diag(spread), np.zeros(r), wide)

    second = np.zeros(r)
    for c in range(C):
        second += (means[c] - new_center) ** 2 + np.diag(covs[c]) + spread
    if r > n_null:
        rough = sum(second[i] / prior[i] for i in range(n_null, r))
        tau2 = (rough + 2 * HYPER) / (C * (r - n_null) + 2 * HYPER)
        cost += HYPER * (np.log(tau2) + 1 / tau2 - 1)
    if C > 1:
        mode = NULL_SCALE / NULL_SHAPE
        for i in range(n_null):
            omega2[i] = (second[i] / prior[i] + 2 * NULL_SCALE) / (C + 2 * NULL_SHAPE)
            cost += NULL_SHAPE * np.log(omega2[i]) + NULL_SCALE / omega2[i]
            cost -= NULL_SHAPE * np.log(mode) + NULL_SCALE / mode
    squares = np.empty((N, C))
    for n in range(N):
        for c in range(C):
            squares[n, c] = (y[n] - means[c] @ design[n]) ** 2 + design[n] @ covs[c] @ design[n]
    sigma2 = max((R * squares).sum() / N, floor)
    variance = np.array([omega2[i] if i < n_null else tau2 for i in range(r)]) * prior
    for c in range(C):
        cost += gaussian_divergence(means[c], covs[c], new_center, variance)
        cost += 0.5 * np.sum(spread / variance)

    weights = (R.sum(axis=0) + WEIGHT_PRIOR) / (N + C * WEIGHT_PRIOR)
    cost -= WEIGHT_PRIOR * np.log(C * weights).sum()
    bound, new_R = -cost, np.empty((N, C))
    for n in range(N):
        p = weights * np.exp(-0.5 * squares[n] / sigma2) / np.sqrt(2 * np.pi * sigma2)
        bound += np.log(p.sum())
        new_R[n] = p / p.sum()
    new_scales = np.array([sigma2, tau2, tau2_center, *omega2])
    return bound, new_R, weights, new_scales, new_center, means, covs


def mixture_steps(count, design, y, prior, n_null, R, scales, label_likelihood=None):
    """Return the last of some iterations from a center of zero; labels, if given, count in each."""
    center = np.zeros(design.shape[1])
    for _ in range(count):
        bound, R, weights, scales, center, means, covs = mixture_step(
            design, y, prior, n_null, 1e-6, R, scales, center
        )
        if label_likelihood is not None:
            joint = R * np.exp(label_likelihood)
            bound += np.log(joint.sum(axis=1)).sum()
            R = joint / joint.sum(axis=1, keepdims=True)
    return bound, R, weights, scales, center, means, covs


def bin_shares(points, edge_tolerance, B):
    """How many points each bin of length 1 holds; one on the edge of two belongs half to each."""
    counts = np.zeros(B)
    for point in points:
        edge = round(point)
        bins = [edge - 1, edge] if abs(point - edge) < edge_tolerance else [int(point)]
        for index in bins:
            counts[min(max(index, 0), B - 1)] += 1.0 / len(bins)
    return counts


def student_place(values, lower, upper):
    """Location and scale of Student's t with three degrees of freedom, by EM from the median."""
    smallest = np.median(upper - lower) ** 2 / 12
    location = np.median(values)
    variance = max(np.median((values - location) ** 2), smallest)
    for _ in range(15):
        weights = 4 / (3 + (values - location) ** 2 / variance)
        location, previous = np.average(values, weights=weights), variance
        variance = max(np.mean(weights * (values - location) ** 2), smallest)
        if abs(variance - previous) < 1e-3 * variance:
            break
    return location, np.sqrt(variance)


def piecewise_mass(low, high, p):
    """Probability of an interval under a density that is constant on bins of length 1."""
    return sum(p[b] * max(min(high, b + 1) - max(low, b), 0.0) for b in range(len(p)))


def polynomials(x, r):
    """Orthogonal columns of the first r powers of x, of mean square 1, the first one constant."""
    design = np.linalg.qr(np.vander(x, r, increasing=True))[0] * np.sqrt(len(x))
    return design * np.sign(design[0, 0])


def halving_prior(design, n_null):
    """Prior variances of columns: 1, and half of the one before from column n_null on."""
    r = design.shape[1]
    return np.where(np.arange(r) < n_null, 1.0, 0.5 ** np.arange(r))


def spline_basis(X, knots, n_smooth):
    """Columns at centered points (n, d) and the mean squares of the smooth ones, of penalty 1.

    Combinations of |x - knot|³ that annihilate linear functions, less what is linear in them on the
    points, by the generalized eigenvalues of their products on the points and their penalty.
    """

    def cubes(points):
        return np.array([[np.linalg.norm(p - k) ** 3 / 12 for k in knots] for p in points])

    values, vectors = np.linalg.eigh(X.T @ X / len(X))
    null = np.hstack([np.ones((len(X), 1)), X @ vectors / np.sqrt(values)])
    free = linalg.null_space(np.hstack([np.ones((len(knots), 1)), knots]).T)
    penalty = free.T @ cubes(knots) @ free
    raw = cubes(X) @ free
    raw -= null @ np.linalg.lstsq(null, raw, rcond=None)[0]
    squares, combined = linalg.eigh(raw.T @ raw / len(X), penalty)
    order = np.argsort(squares)[::-1][:n_smooth]
    smooth = raw @ combined[:, order] / np.sqrt(squares[order])
    return np.hstack([null, smooth]), squares[order]
