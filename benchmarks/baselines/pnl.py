"""Post-nonlinear models of both directions, compared by the independence of their noises."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import Bounds, minimize
from scipy.special import ndtri
from scipy.stats import rankdata

from anmmm._typing import FloatArray
from benchmarks.baselines.base import independence_score

# Components of the density of the noise, and their smallest width in standard deviations of the
# noise: ties would draw a width to zero.
N_COMPONENTS = 3
SMALLEST_WIDTH = 0.1
# What the tanh units of g add to its slope of 1 where a fit starts.
START_BEND = 0.1
# Logarithms move by no more: where noise can vanish (ties, discrete effects) J has no minimum.
FURTHEST_LOGARITHM = 8.0
# Parts of the flat vector that are logarithms; see `PostNonlinear.value_and_grad`.
LOGARITHMS = (4, 5, 6, 9, 10)
# Of the least-squares start of f.
RIDGE = 1e-2
# Tanh units of f and of g.
N_HIDDEN = 6
N_BENDS = 4
# Weight of the squared distance of the parameters from their start, in nats for all observations.
DECAY = 0.3
# L-BFGS steps of one fit.
MAX_ITER = 200


def pnl(x: FloatArray, y: FloatArray) -> float:
    """Post-nonlinear causal model (PNL), ``y = h(f(x) + e)`` with h invertible.

    The noise is recovered as ``e = g(y) - f(x)``. f is a line plus tanh units; g = h⁻¹ is a rising
    line plus rising tanh units, so that its slope is never 0. The fit minimizes the mutual
    information of x and e, ``H(e) - E log g'(y)`` up to a constant, which is the negative
    log-likelihood where the density of e is right: here a mixture of three Gaussians that is fitted
    along. The direction whose noise is more independent of the cause by HSIC wins.

    The effect enters by its normal scores: a rising transformation of the effect gives a model of
    the same class with the same noise, and from this one the fit of g starts well whatever h is.

    Notes
    -----
    The score is the forward minus the backward log p-value of the gamma HSIC test of cause and
    noise, in nats. O(N) for each of at most `MAX_ITER` steps; the test is O(N²) up to 1000
    observations.

    References
    ----------
    Zhang, Hyvärinen: On the identifiability of the post-nonlinear causal model. UAI 2009 (the
    model, eq. 1; estimation by constrained nonlinear ICA and the test of independence, section 4).
    """
    return independence_score((x, _noise(x, y)), (y, _noise(y, x)))


def _noise(cause: FloatArray, effect: FloatArray) -> FloatArray:
    model = PostNonlinear(cause, _normal_scores(effect), N_HIDDEN, N_BENDS, DECAY)
    end = minimize(
        model.value_and_grad,
        model.start,
        jac=True,
        method="L-BFGS-B",
        bounds=model.bounds,
        options={"maxiter": MAX_ITER, "maxcor": 20},
    )
    return model.noise(end.x)


class PostNonlinear:
    """Negative log-likelihood of one direction and its gradient, on one flat vector.

    ``J(z) = log s + mean_i [-log p(u_i) - log g'(y_i)] + decay |z - start|² / N`` with
    ``u = (e - mean e) / s``, s the standard deviation of e: neither scale nor place of the noise
    changes the mutual information. A fit starts with f by ridge regression on tanh units at
    quantiles of the cause, and with g nearly the identity.
    """

    def __init__(
        self, cause: FloatArray, effect: FloatArray, n_hidden: int, n_bends: int, decay: float
    ) -> None:
        self._x, self._y = cause[:, np.newaxis], effect[:, np.newaxis]
        self._decay = decay / len(cause)
        sizes = [1, *[n_hidden] * 3, 1, *[n_bends] * 3, *[N_COMPONENTS] * 3]
        self._splits = np.cumsum(sizes)[:-1]
        self.start = self._start(n_hidden, n_bends)
        reach = np.full(len(self.start), np.inf)
        parts = self._parts(reach)
        for logarithm in LOGARITHMS:
            parts[logarithm][:] = FURTHEST_LOGARITHM
        self.bounds = Bounds(self.start - reach, self.start + reach)

    def noise(self, z: FloatArray) -> FloatArray:
        """Noise e of every observation, shape (n_samples,)."""
        return self._forward(self._parts(z))[0]

    def value_and_grad(self, z: FloatArray) -> tuple[float, FloatArray]:
        """J and its gradient. O(N (n_hidden + n_bends))."""
        n = len(self._x)
        parts = self._parts(z)
        _, _, _, out_weight, log_line, log_height, log_rate, _, mean, log_width, logit = parts
        noise, hidden, bend, steep, slope = self._forward(parts)
        height, rate = np.exp(log_height), np.exp(log_rate)

        scale = noise.std()
        u = (noise - noise.mean()) / scale
        width = SMALLEST_WIDTH + np.exp(log_width)
        away = (u[:, np.newaxis] - mean) / width
        share = np.exp(logit - logit.max())
        share /= share.sum()
        joint = np.log(share / width) - 0.5 * away**2
        top = joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint - top)
        total = posterior.sum(axis=1, keepdims=True)
        posterior /= total
        log_p = (top + np.log(total))[:, 0] - 0.5 * math.log(2.0 * math.pi)
        value = math.log(scale) - float(log_p.mean() + np.log(slope).mean())

        pull = posterior * away / width / n
        d_mean = -pull.sum(axis=0)
        d_width = (posterior * (1.0 - away**2)).sum(axis=0) / n / width * (width - SMALLEST_WIDTH)
        d_logit = share - posterior.mean(axis=0)

        d_u = pull.sum(axis=1)
        d_noise = (d_u - d_u.mean() - u * (d_u @ u) / n + u / n) / scale
        d_slope = -1.0 / (n * slope)

        d_hidden = -d_noise[:, np.newaxis] * out_weight * (1.0 - hidden**2)
        d_f = [
            -d_noise @ self._x,
            (d_hidden * self._x).sum(axis=0),
            d_hidden.sum(axis=0),
            -d_noise @ hidden,
        ]
        line = np.exp(log_line)
        fall = 1.0 - bend**2
        gain = height * rate * fall
        d_g = [
            line * (d_noise @ self._y + d_slope.sum()),
            height * (d_noise @ bend) + d_slope @ gain,
            height * (d_noise @ (fall * steep)) + d_slope @ (gain * (1.0 - 2.0 * bend * steep)),
            -d_noise @ gain + 2.0 * rate * (d_slope @ (gain * bend)),
        ]
        apart = z - self.start
        value += self._decay * float(apart @ apart)
        gradient = np.concatenate([*d_f, *d_g, d_mean, d_width, d_logit])
        return value, gradient + 2.0 * self._decay * apart

    def _parts(self, z: FloatArray) -> list[FloatArray]:
        return np.split(z, self._splits)

    def _forward(self, parts: list[FloatArray]) -> tuple[FloatArray, ...]:
        """Noise, units of f, units of g with their arguments, and slope of g."""
        line_f, in_weight, in_bias, out_weight, log_line, log_height, log_rate, place = parts[:8]
        hidden = np.tanh(self._x * in_weight + in_bias)
        rate = np.exp(log_rate)
        steep = rate * (self._y - place)
        bend = np.tanh(steep)
        line, height = np.exp(log_line), np.exp(log_height)
        noise = self._y @ line + bend @ height - self._x @ line_f - hidden @ out_weight
        slope = line + (1.0 - bend**2) @ (height * rate)
        return noise, hidden, bend, steep, slope

    def _start(self, n_hidden: int, n_bends: int) -> FloatArray:
        places, rates = _units(self._x[:, 0], n_hidden)
        hidden = np.tanh(rates * (self._x - places))
        design = np.hstack([self._x, hidden])
        penalty = RIDGE * len(self._x) * np.eye(design.shape[1])
        weights = np.linalg.solve(design.T @ design + penalty, design.T @ self._y[:, 0])
        bends, bend_rates = _units(self._y[:, 0], n_bends)
        return np.concatenate(
            [
                weights[:1],
                rates,
                -rates * places,
                weights[1:],
                [0.0],
                np.log(START_BEND / bend_rates),
                np.log(bend_rates),
                bends,
                np.linspace(-1.0, 1.0, N_COMPONENTS),
                np.zeros(2 * N_COMPONENTS),
            ]
        )


def _normal_scores(values: FloatArray) -> FloatArray:
    scores = ndtri((rankdata(values) - 0.5) / len(values))
    # Means of tied ranks leave another variance than 1.
    return np.asarray((scores - scores.mean()) / scores.std())


def _units(values: FloatArray, n_units: int) -> tuple[FloatArray, FloatArray]:
    """Places and rates of tanh units that share the range of a variable by its quantiles."""
    ends = np.quantile(values, np.linspace(0.0, 1.0, n_units + 1))
    # Ties may hold several quantiles; no unit is narrower than a share of the whole range.
    narrow = 0.1 * (ends[-1] - ends[0]) / n_units
    return 0.5 * (ends[1:] + ends[:-1]), 2.0 / np.maximum(np.diff(ends), narrow)
