"""Mixtures of smooth mechanisms, location-scale models and log-densities, all in a fixed basis.

A design matrix, a prior variance for each of its columns and the effect come in; posteriors of the
curves, responsibilities and bounds on the evidence go out to `anmmm.mixture`, and log-densities on
a grid to `anmmm.evidence.density`. The equations are in docs/method/decisions.md.

Symmetric r × r matrices that meet observations are packed: entry (i, j), j <= i, stands at
``i (i + 1) / 2 + j``. The outer product of a row with itself is then one vector, and both a Gram
matrix and a predictive variance are one pass over it.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel

__all__ = ["location_scale", "log_density", "mixture_em", "mixture_posterior", "mixture_sweep"]

# Shape and scale of the weak inverse-gamma prior on a smoothing variance. Without it the variance
# of a curve that is exactly linear would creep to zero for ever.
HYPER = 0.01
# The same for the variances of intercepts and slopes about their mean over the mechanisms: broad,
# with its mass above (a tenth of the effect's standard deviation)². Costs count from its mode.
NULL_SHAPE, NULL_SCALE = 0.5, 0.01
# Observations that each mechanism is taken to hold beforehand. At N = 100 the data hardly tell
# overlapping mechanisms apart, and free weights let one of them swallow another.
WEIGHT_PRIOR = 20.0
LOG_2PI = math.log(2.0 * math.pi)


@kernel(fastmath=SUMS, inner=True)
def _outer(row: FloatArray, out: FloatArray) -> None:
    p = 0
    for i in range(row.shape[0]):
        for j in range(i + 1):
            out[p] = row[i] * row[j]
            p += 1


@kernel(fastmath=SUMS, inner=True)
def _dot(a: FloatArray, b: FloatArray) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel(fastmath=SUMS, inner=True)
def _add(factor: float, a: FloatArray, out: FloatArray) -> None:
    for i in range(a.shape[0]):
        out[i] += factor * a[i]


@kernel(inner=True)
def _clear(out: FloatArray) -> None:
    for i in range(out.shape[0]):
        out[i] = 0.0


@kernel(fastmath=SUMS, inner=True)
def _invert(A: FloatArray, inverse: FloatArray) -> float:
    """Write the inverse of a positive definite matrix; return its log determinant.

    A (r, r), lower triangle read, is overwritten by the inverse of its Cholesky factor.
    """
    r = A.shape[0]
    log_det = 0.0
    for j in range(r):
        pivot = A[j, j]
        for k in range(j):
            pivot -= A[j, k] * A[j, k]
        pivot = math.sqrt(pivot)
        log_det += 2.0 * math.log(pivot)
        A[j, j] = pivot
        for i in range(j + 1, r):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total / pivot
    for j in range(r):
        A[j, j] = 1.0 / A[j, j]
        for i in range(j + 1, r):
            total = 0.0
            for k in range(j, i):
                total -= A[i, k] * A[k, j]
            A[i, j] = total / A[i, i]
    for i in range(r):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, r):
                total += A[k, i] * A[k, j]
            inverse[i, j] = total
            inverse[j, i] = total
    return log_det


@kernel(fastmath=SUMS, inner=True)
def _curve(
    gram: FloatArray, moment: FloatArray, s2: float, centre: FloatArray, variance: FloatArray,
    mean: FloatArray, cov: FloatArray, work: FloatArray,
) -> float:  # fmt: skip
    """Posterior of one curve's coefficients; returns the log determinant of its precision.

    gram (r (r + 1) / 2,) packed and moment (r,) are the weighted sums over the observations; the
    prior is Gaussian about `centre` with independent `variance`.
    """
    r = variance.shape[0]
    p = 0
    for i in range(r):
        for j in range(i + 1):
            work[i, j] = gram[p] / s2
            p += 1
        work[i, i] += 1.0 / variance[i]
    log_det = _invert(work, cov)
    for i in range(r):
        work[0, i] = moment[i] / s2 + centre[i] / variance[i]
    for i in range(r):
        mean[i] = _dot(cov[i], work[0])
    return log_det


@kernel(fastmath=SUMS, inner=True)
def _pack_covariance(cov: FloatArray, out: FloatArray) -> None:
    """Write the vector whose product with a packed outer product is the quadratic form."""
    p = 0
    for i in range(cov.shape[0]):
        for j in range(i):
            out[p] = 2.0 * cov[i, j]
            p += 1
        out[p] = cov[i, i]
        p += 1


@kernel(fastmath=SUMS, inner=True)
def _variances(prior: FloatArray, n_null: int, scales: FloatArray, out: FloatArray) -> None:
    """Write the variances of coefficients about their mean over the mechanisms."""
    for i in range(prior.shape[0]):
        out[i] = prior[i] * (scales[3 + i] if i < n_null else scales[1])


@kernel(fastmath=SUMS, part=True)
def _quadratic(gram: FloatArray, moment: FloatArray, mean: FloatArray, cov: FloatArray) -> float:
    """Return what a curve adds to the expected sum of squares beyond ``Σ R y²``."""
    total = 0.0
    p = 0
    for i in range(mean.shape[0]):
        for j in range(i):
            total += 2.0 * gram[p] * (mean[i] * mean[j] + cov[i, j])
            p += 1
        total += gram[p] * (mean[i] * mean[i] + cov[i, i]) - 2.0 * mean[i] * moment[i]
        p += 1
    return total


@kernel(fastmath=SUMS, part=True)
def mixture_posterior(
    grams: FloatArray, moments: FloatArray, y2: float, n: float, prior: FloatArray, n_null: int,
    floor: float, n_inner: int, scales: FloatArray, centre: FloatArray, mean: FloatArray,
    packed: FloatArray,
) -> float:  # fmt: skip
    """Posteriors of all curves, of their centre and the variances, given the responsibilities.

    Parameters
    ----------
    grams : float64 (C, r (r + 1) / 2)
        ``Σ_n R_nc ψ_n ψ_nᵀ``, packed.
    moments : float64 (C, r)
        ``Σ_n R_nc y_n ψ_n``.
    y2, n : float
        ``Σ y_n²`` and the number of observations.
    prior : float64 (r,)
        Prior variances of the coefficients; beyond `n_null` in units of τ² and τ₀².
    n_null : int
        Columns that are not smoothed (constant and linear).
    floor : float
        Smallest noise variance.
    n_inner : int
        Rounds of (curves, centre, variances).
    scales : float64 (3 + n_null,)
        Noise variance σ², smoothing variances τ² of the curves about their centre and τ₀² of the
        centre, variances ω² of the constant and linear coefficients about theirs; overwritten by
        the new ones. A single curve has its centre at zero and keeps τ₀² and ω².
    centre : float64 (r,)
        Posterior mean of the centre; read, and overwritten.
    mean : float64 (C, r)
        Overwritten by the posterior means.
    packed : float64 (C, r (r + 1) / 2)
        Overwritten by the posterior covariances, off-diagonal entries doubled.

    Returns
    -------
    float
        What the bound pays for curves, centre and variances.

    Notes
    -----
    docs/method/decisions.md, eqs. 4 to 7. Every step raises the bound or leaves it. O(C r³).
    """
    C, r = moments.shape
    work, cov = np.empty((r, r)), np.empty((r, r))
    variance, spread, second, shared = np.empty(r), np.empty(r), np.empty(r), np.empty(r)
    _clear(spread)
    penalty = 0.0
    for _ in range(n_inner):
        _variances(prior, n_null, scales, variance)
        rss = y2
        log_det = 0.0
        _clear(second)
        for c in range(C):
            log_det += _curve(grams[c], moments[c], scales[0], centre, variance, mean[c], cov, work)
            _pack_covariance(cov, packed[c])
            rss += _quadratic(grams[c], moments[c], mean[c], cov)
            for i in range(r):
                second[i] += cov[i, i]

        penalty = 0.0
        if C > 1:
            rough = 0.0
            for i in range(r):
                wide = prior[i] * (1.0 if i < n_null else scales[2])
                spread[i] = 1.0 / (C / variance[i] + 1.0 / wide)
                total = 0.0
                for c in range(C):
                    total += mean[c, i]
                centre[i] = spread[i] * total / variance[i]
                shared[i] = centre[i] * centre[i] + spread[i]
                if i >= n_null:
                    rough += shared[i] / prior[i]
            if r > n_null:
                scales[2] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
                penalty += HYPER * (math.log(scales[2]) + 1.0 / scales[2] - 1.0)
            for i in range(r):
                wide = prior[i] * (1.0 if i < n_null else scales[2])
                penalty += 0.5 * (shared[i] / wide - 1.0 + math.log(wide / spread[i]))

        rough = 0.0
        for i in range(r):
            for c in range(C):
                e = mean[c, i] - centre[i]
                second[i] += e * e + spread[i]
            if i >= n_null:
                rough += second[i] / prior[i]
            elif C > 1:
                omega = (second[i] / prior[i] + 2.0 * NULL_SCALE) / (C + 2.0 * NULL_SHAPE)
                scales[3 + i] = omega
                penalty += NULL_SHAPE * math.log(omega / NULL_SCALE) + NULL_SCALE / omega
                penalty -= NULL_SHAPE * (1.0 - math.log(NULL_SHAPE))
        if r > n_null:
            scales[1] = (rough + 2.0 * HYPER) / (C * (r - n_null) + 2.0 * HYPER)
            penalty += HYPER * (math.log(scales[1]) + 1.0 / scales[1] - 1.0)
        s2 = rss / n
        scales[0] = s2 if s2 > floor else floor
        _variances(prior, n_null, scales, variance)
        penalty += 0.5 * log_det
        for i in range(r):
            penalty += 0.5 * (second[i] / variance[i] - C + C * math.log(variance[i]))
    return penalty


@kernel(fastmath=SUMS, part=True)
def mixture_sweep(
    design: FloatArray, y: FloatArray, mean: FloatArray, packed: FloatArray, weights: FloatArray,
    s2: float, R: FloatArray, grams: FloatArray, moments: FloatArray, totals: FloatArray,
) -> float:  # fmt: skip
    """Responsibilities under the curves, and the sums that the next posterior needs.

    Parameters
    ----------
    design : float64 (n, r), C order
    y : float64 (n,)
    mean, packed : float64 (C, r), (C, r (r + 1) / 2)
        As `mixture_posterior` leaves them.
    weights : float64 (C,)
    s2 : float
    R : float64 (n, C)
        Overwritten by the responsibilities.
    grams, moments, totals : float64 (C, r (r + 1) / 2), (C, r), (C,)
        Overwritten by the weighted sums.

    Returns
    -------
    float
        ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``.

    Notes
    -----
    docs/method/decisions.md, eq. 3. O(n C r²), one pass, no temporary of length n.
    """
    n, r = design.shape
    C = mean.shape[0]
    outer = np.empty(r * (r + 1) // 2)
    _clear(totals)
    for c in range(totals.shape[0]):
        _clear(grams[c])
        _clear(moments[c])
    constant = -0.5 * (LOG_2PI + math.log(s2))
    total = 0.0
    for k in range(n):
        row = design[k]
        _outer(row, outer)
        highest = -np.inf
        for c in range(C):
            e = y[k] - _dot(mean[c], row)
            value = math.log(weights[c]) - 0.5 * (e * e + _dot(packed[c], outer)) / s2
            R[k, c] = value
            highest = value if value > highest else highest
        z = 0.0
        for c in range(C):
            R[k, c] = math.exp(R[k, c] - highest)
            z += R[k, c]
        total += highest + math.log(z) + constant
        for c in range(C):
            w = R[k, c] / z
            R[k, c] = w
            totals[c] += w
            _add(w, outer, grams[c])
            _add(w * y[k], row, moments[c])
    return total


@kernel(fastmath=SUMS, part=True)
def _sums(
    design: FloatArray, y: FloatArray, R: FloatArray, grams: FloatArray, moments: FloatArray,
    totals: FloatArray,
) -> None:  # fmt: skip
    n, r = design.shape
    outer = np.empty(r * (r + 1) // 2)
    _clear(totals)
    for c in range(totals.shape[0]):
        _clear(grams[c])
        _clear(moments[c])
    for k in range(n):
        row = design[k]
        _outer(row, outer)
        for c in range(R.shape[1]):
            totals[c] += R[k, c]
            _add(R[k, c], outer, grams[c])
            _add(R[k, c] * y[k], row, moments[c])


@kernel(fastmath=SUMS)
def mixture_em(
    design: FloatArray, y: FloatArray, prior: FloatArray, n_null: int, floor: float, n_inner: int,
    tol: float, R: FloatArray, scales: FloatArray, centre: FloatArray, weights: FloatArray,
    mean: FloatArray, packed: FloatArray, history: FloatArray,
) -> int:  # fmt: skip
    """Fit C smooth curves with shared noise by variational EM, from given responsibilities.

    Parameters
    ----------
    design : float64 (n, r), C order
        Basis functions at the observations.
    y : float64 (n,)
    prior, n_null, floor, n_inner
        See `mixture_posterior`.
    tol : float
        Stop when an iteration raises the bound by less.
    R : float64 (n, C)
        Responsibilities to start from; overwritten.
    scales, centre : float64 (3 + n_null,), (r,)
        See `mixture_posterior`; where to start from, overwritten.
    weights, mean, packed : float64 (C,), (C, r), (C, r (r + 1) / 2)
        Overwritten by the fit.
    history : float64 (max_iter,)
        Overwritten by the bound after each iteration.

    Returns
    -------
    int
        Iterations done.

    Notes
    -----
    docs/method/decisions.md, eqs. 3 to 7. The bound never falls. O(n C r² + C r³) an iteration.
    """
    n, r = design.shape
    C = R.shape[1]
    grams = np.empty((C, r * (r + 1) // 2))
    moments = np.empty((C, r))
    totals = np.empty(C)
    y2 = _dot(y, y)
    _sums(design, y, R, grams, moments, totals)
    for iteration in range(history.shape[0]):
        penalty = mixture_posterior(
            grams, moments, y2, n, prior, n_null, floor, n_inner, scales, centre, mean, packed
        )
        for c in range(C):
            weights[c] = (totals[c] + WEIGHT_PRIOR) / (n + C * WEIGHT_PRIOR)
            penalty -= WEIGHT_PRIOR * math.log(C * weights[c])
        bound = mixture_sweep(
            design, y, mean, packed, weights, scales[0], R, grams, moments, totals
        )
        history[iteration] = bound - penalty
        if iteration > 0 and history[iteration] - history[iteration - 1] < tol:
            return iteration + 1
    return int(history.shape[0])


@kernel(fastmath=SUMS)
def location_scale(
    design: FloatArray, y: FloatArray, prior: FloatArray, n_null: int, floor: float, n_inner: int,
    tol: float, max_iter: int, scales: FloatArray, f: FloatArray, g: FloatArray,
) -> tuple[float, float, int]:  # fmt: skip
    """Fit ``y = f(x) + exp(g(x)) ε`` with both curves smooth, by scoring steps.

    Parameters
    ----------
    design : float64 (n, r), C order
        Columns orthogonal with mean square 1, the first one constant.
    y : float64 (n,)
    prior, n_null, n_inner
        See `mixture_posterior`.
    floor : float
        Added to every squared residual: a scale cannot fall below the data's resolution.
    tol : float
        Stop when the penalised log-likelihood changes by less.
    max_iter : int
    scales : float64 (3,)
        Start: noise variance, τ² of f, τ² of g; overwritten.
    f, g : float64 (n,)
        Overwritten by the posterior mean of f and the mode of g.

    Returns
    -------
    evidence : float
        Approximate log evidence (f integrated out, g by Laplace's method).
    complexity : float
        What the curves cost: the log-likelihood at (f, g) minus the evidence, up to the floor.
    n_iter : int

    Notes
    -----
    docs/method/decisions.md, eq. 9. The expected Hessian of g is 2n I in this basis, so a step for
    g is O(n r). O(n r² + r³) an iteration.
    """
    n, r = design.shape
    size = r * (r + 1) // 2
    outer, gram, packed = np.empty(size), np.empty(size), np.empty(size)
    moment, mean, gradient = np.empty(r), np.empty(r), np.empty(r)
    work, cov = np.empty((r, r)), np.empty((r, r))
    gamma, e2, var = np.empty(r), np.empty(n), np.empty(n)
    zero, variance = np.empty(r), np.empty(r)
    _clear(gamma)
    _clear(zero)
    for i in range(r):
        variance[i] = prior[i]
    gamma[0] = 0.5 * math.log(scales[0])
    for k in range(n):
        g[k] = gamma[0]
    evidence, complexity = -np.inf, 0.0
    for iteration in range(max_iter):
        _clear(gram)
        _clear(moment)
        for k in range(n):
            w = math.exp(-2.0 * g[k])
            _outer(design[k], outer)
            _add(w, outer, gram)
            _add(w * y[k], design[k], moment)
        penalty = 0.0
        for _ in range(n_inner):
            for i in range(n_null, r):
                variance[i] = prior[i] * scales[1]
            log_det = _curve(gram, moment, 1.0, zero, variance, mean, cov, work)
            rough = 0.0
            for i in range(n_null, r):
                rough += (mean[i] * mean[i] + cov[i, i]) / prior[i]
            if r > n_null:
                scales[1] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
            penalty = 0.5 * log_det
            for i in range(r):
                v = prior[i] * (scales[1] if i >= n_null else 1.0)
                penalty += 0.5 * ((mean[i] * mean[i] + cov[i, i]) / v - 1.0 + math.log(v))
        _pack_covariance(cov, packed)
        for k in range(n):
            _outer(design[k], outer)
            var[k] = _dot(packed, outer)
            f[k] = _dot(mean, design[k])
            e = y[k] - f[k]
            e2[k] = e * e + var[k] + floor

        for _ in range(2):
            _clear(gradient)
            for k in range(n):
                # The cap keeps one outlier from throwing the step; it is inactive at a solution
                # unless a residual exceeds five of its own standard deviations.
                pull = e2[k] * math.exp(-2.0 * g[k]) - 1.0
                _add(pull if pull < 24.0 else 24.0, design[k], gradient)
            rough = 0.0
            for i in range(r):
                v = prior[i] * scales[2] if i >= n_null else (prior[i] if i > 0 else np.inf)
                h = 2.0 * n + 1.0 / v
                gamma[i] += 0.7 * (gradient[i] - gamma[i] / v) / h
                if i >= n_null:
                    rough += (gamma[i] * gamma[i] + 1.0 / h) / prior[i]
            if r > n_null:
                scales[2] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
            for k in range(n):
                g[k] = _dot(gamma, design[k])

        for i in range(1, r):
            v = prior[i] * scales[2] if i >= n_null else prior[i]
            penalty += 0.5 * (gamma[i] * gamma[i] / v + math.log(1.0 + 2.0 * n * v))
        value, shrunk = 0.0, 0.0
        for k in range(n):
            w = math.exp(-2.0 * g[k])
            value -= 0.5 * (LOG_2PI + e2[k] * w) + g[k]
            shrunk += 0.5 * var[k] * w
        complexity = penalty + shrunk
        change = abs(value - penalty - evidence)
        evidence = value - penalty
        if iteration > 0 and change < tol:
            return evidence, complexity, iteration + 1
    return evidence, complexity, max_iter


@kernel(fastmath=SUMS)
def log_density(
    counts: FloatArray, features: FloatArray, prior: FloatArray, max_iter: int, log_p: FloatArray
) -> float:
    """Fit a penalised log-density on a grid of equal cells by Newton's method.

    Parameters
    ----------
    counts : float64 (B,)
        Observations in each cell.
    features : float64 (B, r), C order
        Basis functions of the log-density at the cells' centres.
    prior : float64 (r,)
        Prior variances of the coefficients in units of τ², which is fitted.
    max_iter : int
        Most Newton steps.
    log_p : float64 (B,)
        Overwritten by the log-probability of each cell.

    Returns
    -------
    float
        Cost of the coefficients: log-likelihood minus Laplace's approximation of the evidence.

    Notes
    -----
    docs/method/decisions.md, eq. 2. O(B r²) a step, whatever the number of observations.
    """
    B, r = features.shape
    size = r * (r + 1) // 2
    outer, second = np.empty(size), np.empty(size)
    target, first, beta, step = np.empty(r), np.empty(r), np.empty(r), np.empty(r)
    work, cov = np.empty((r, r)), np.empty((r, r))
    _clear(target)
    _clear(beta)
    n = 0.0
    for b in range(B):
        n += counts[b]
        _add(counts[b], features[b], target)
        log_p[b] = -math.log(B)
    tau2, log_det = 1.0, 0.0
    for _ in range(max_iter):
        _clear(first)
        _clear(second)
        for b in range(B):
            p = math.exp(log_p[b])
            _outer(features[b], outer)
            _add(p, outer, second)
            _add(p, features[b], first)
        q = 0
        for i in range(r):
            for j in range(i + 1):
                work[i, j] = n * (second[q] - first[i] * first[j])
                q += 1
            work[i, i] += 1.0 / (prior[i] * tau2)
        log_det = _invert(work, cov)
        largest = 0.0
        for i in range(r):
            gradient = target[i] - n * first[i] - beta[i] / (prior[i] * tau2)
            work[0, i] = gradient
        for i in range(r):
            step[i] = _dot(cov[i], work[0])
            length = abs(step[i])
            largest = length if length > largest else largest
        # The log-density is concave in the coefficients but a full step may overshoot.
        damping = 1.0 if largest < 1.0 else 1.0 / largest
        rough = 0.0
        for i in range(r):
            beta[i] += damping * step[i]
            rough += (beta[i] * beta[i] + cov[i, i]) / prior[i]
        z, highest = 0.0, -np.inf
        for b in range(B):
            log_p[b] = _dot(features[b], beta)
            highest = log_p[b] if log_p[b] > highest else highest
        for b in range(B):
            z += math.exp(log_p[b] - highest)
        shift = highest + math.log(z)
        for b in range(B):
            log_p[b] -= shift
        new = (rough + 2.0 * HYPER) / (r + 2.0 * HYPER)
        settled = largest < 1e-3 and abs(math.log(new / tau2)) < 1e-2
        tau2 = new
        if settled:
            break
    cost = 0.5 * log_det
    for i in range(r):
        cost += 0.5 * (beta[i] * beta[i] / (prior[i] * tau2) + math.log(prior[i] * tau2))
    return cost
