"""A monotone function of the effect and a curve of the cause: ``h(y) = f(x) + ε``.

Two variables come in; the best of the fits on several base scales goes out to the post-nonlinear
models. docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from anmmm._kernels.monotone import N_SLOPES, monotone_link
from anmmm._kernels.packed import Design
from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.density import BASES, Density, code_lengths, normal_mass, plain_density
from anmmm.mixture import SplineBasis, Splines
from anmmm.preprocessing import Cells

__all__ = ["MonotoneLink", "PostNonlinearFit", "fit_post_nonlinear"]

TOLERANCE, MAX_ITER = 1e-3, 60
# What a base distribution's own numbers cost beyond those of h: its ends, where it is uniform.
EXTRA = {"uniform": 1.0}


@dataclass(frozen=True, eq=False, repr=False)
class MonotoneLink(Record):
    """An increasing function h of a standardized effect, whose noise has unit variance.

    The effect is first taken to Gaussian quantiles of a base distribution, so that h is nearly
    linear in its tails; there h' is a sum of quadratic B-splines with positive coefficients, and
    constant outside of the knots.

    Attributes
    ----------
    base : Density
        Without correction.
    low, step : float
        First inner knot, distance of knots.
    slopes : ndarray of shape (n_slopes,)
        Coefficients of h'.
    center : float
        Taken out of h, so that its mean over the observations is 0.
    """

    base: Density
    low: float
    step: float
    slopes: FloatArray
    center: float

    def apply(self, y: FloatArray) -> FloatArray:
        """Return h at standardized values of the effect; infinite outside of the base's range."""
        return self.from_quantiles(gaussian_quantiles(self.base, y))

    def from_quantiles(self, z: FloatArray) -> FloatArray:
        """Return h at Gaussian quantiles of the base."""
        finite = np.isfinite(z)
        if not finite.all():
            values = z.copy()
            values[finite] = self.from_quantiles(z[finite])
            return values
        u = (z - self.low) / self.step
        j = np.clip(np.floor(u), 0.0, N_SLOPES - 3).astype(np.intp)
        t = u - j
        s = np.clip(t, 0.0, 1.0)
        beyond, rest = t - s, 1.0 - s
        a, b, c = self.slopes[j], self.slopes[j + 1], self.slopes[j + 2]
        before = np.concatenate([[0.0], np.cumsum(self.slopes)])[j]
        h = before + a * (1.0 - rest**3 / 6.0 + beyond * 0.5 * rest * rest)
        h += b * (1.0 / 6.0 + s * (0.5 + s * (0.5 - s / 3.0)) + beyond * (0.5 + s * rest))
        h += c * (s**3 / 6.0 + beyond * 0.5 * s * s)
        return np.asarray(self.step * h - self.center)


def gaussian_quantiles(base: Density, y: FloatArray) -> FloatArray:
    """Gaussian quantiles of a base distribution at points, exact in both tails."""
    if base.base == "normal":
        return np.asarray((y - base.location) / base.scale)
    below, above = base.quantile(y), base.mirrored().quantile(-y)
    with np.errstate(divide="ignore"):
        return np.where(below <= above, ndtri(below), -ndtri(above))


@dataclass(frozen=True, eq=False, repr=False)
class PostNonlinearFit(Record):
    """A fitted ``h(y) = f(x) + ε``, on the scale of the standardized variables.

    Attributes
    ----------
    link : MonotoneLink
    curve : ndarray of shape (n_samples,)
        f at the observations.
    lower, upper : ndarray of shape (n_samples,)
        h at both ends of each observation's cell.
    mean : ndarray of shape (n_columns,)
        Coefficients of f.
    splines : anmmm.mixture.Splines
        Their columns anywhere.
    nats : ndarray of shape (n_samples,)
        Description length of each observation of the effect, the noise being Gaussian.
    cost : float
        Nats that both functions cost.
    n_iter : int
    converged : bool
    """

    link: MonotoneLink
    curve: FloatArray
    lower: FloatArray
    upper: FloatArray
    mean: FloatArray
    splines: Splines
    nats: FloatArray
    cost: float
    n_iter: int
    converged: bool


def fit_post_nonlinear(basis: SplineBasis, cells: Cells) -> PostNonlinearFit:
    """Fit h to an effect and f by the columns of its cause, or by a constant alone.

    Of the base scales the one that makes the effect shortest wins.

    Notes
    -----
    docs/method/decisions.md, eqs. 14 and 15. O(N) for each base.
    """
    fits = (_fit(basis, cells, base) for base in BASES)
    return min((fit for fit in fits if fit), key=lambda fit: float(fit.nats.sum()) + fit.cost)


def _fit(basis: SplineBasis, cells: Cells, base: str) -> PostNonlinearFit | None:
    density = plain_density(base, cells.values, cells.lower, cells.upper)
    z = gaussian_quantiles(density, cells.values)
    low, high = float(z.min()), float(z.max())
    if not math.isfinite(high - low):
        # Beside an outlier that dwarfs them the others touch the end of a bounded base.
        return None
    step = (high - low) / (N_SLOPES - 2)
    mean, log_slopes = np.empty_like(basis.prior), np.empty(N_SLOPES)
    # At the start half of the variance is noise.
    log_slopes[:] = math.log(math.sqrt(2.0) / float(z.std()))
    cost, center, n_iter = monotone_link(
        Design(basis.design, basis.prior, basis.n_null), z, low, step, TOLERANCE, MAX_ITER,
        log_slopes, mean,
    )  # fmt: skip
    link = MonotoneLink(density, low, step, np.exp(log_slopes), center)
    curve = basis.design @ mean
    edges = link.apply(cells.edges)
    lower, upper = edges[cells.index], edges[cells.index + 1]
    return PostNonlinearFit(
        link=link,
        curve=curve,
        lower=lower,
        upper=upper,
        mean=mean,
        splines=basis.splines,
        nats=code_lengths(normal_mass(lower - curve, upper - curve), cells.n_distinct),
        cost=cost + EXTRA.get(base, 0.0) * math.log(len(z)),
        n_iter=n_iter,
        converged=n_iter < MAX_ITER,
    )
