"""What a decision is made of, stage by stage.

Stages are inner functions of the package, so that this module runs on commits that have them alone;
`directions.Decision` is the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from anmmm import warm_up
from anmmm.datasets import make_anm_mixture
from anmmm.evidence import ConditionalModel
from anmmm.evidence.check import check_models
from anmmm.evidence.density import fit_density
from anmmm.evidence.models.base import MAX_ITER, TOLERANCE, FitCache
from anmmm.evidence.models.gaussian import Additive
from anmmm.evidence.models.postnonlinear import PostNonlinear
from anmmm.evidence.variable import Variable
from anmmm.independence import HSICVariable
from anmmm.mixture.em import fit_mixture, smallest_noise
from anmmm.mixture.fits import MixtureFit, fit_location_scale
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import ordered_residuals, residual_starts
from anmmm.preprocessing import standardize

from .compiled import Compiled, ignore_warnings

SIZES = (100, 300, 1000, 10_000)
MOST = 4


@dataclass(frozen=True, eq=False)
class Prepared:
    """An f3 mixture in its true direction, with what the stages take from those before them."""

    raw: np.ndarray
    effect_raw: np.ndarray
    cause: Variable
    effect: Variable
    fits: FitCache
    # With 1, 2, … mechanisms, each from starts that the one before it gave.
    mixtures: tuple[MixtureFit, ...]
    starts: tuple[list[np.ndarray], ...]
    model: ConditionalModel

    def fit_mixture(self, n_mechanisms: int) -> MixtureFit:
        """Fit one number of mechanisms as a decision does."""
        return _fit(self.fits, self.starts[n_mechanisms - 1], n_mechanisms)


# asv sets up anew before every call that it times.
@cache
def prepared(n_samples: int) -> Prepared:
    """Go through the stages once."""
    ignore_warnings()
    x, y, _ = make_anm_mixture("f3", n_samples, random_state=0)
    cause, effect = (Variable.of(standardize(v[:, np.newaxis])[0][:, 0], v) for v in (x, y))
    fits = FitCache(cause, effect)
    values = effect.cells.values
    starts = [[np.ones((n_samples, 1))]]
    mixtures = [_fit(fits, starts[0], 1)]
    residuals = ordered_residuals(cause.basis, values, fits.one_curve)
    for n in range(2, MOST + 1):
        starts.append(residual_starts(values, n, mixtures[-1], residuals))
        mixtures.append(_fit(fits, starts[-1], n))
    *_, model = Additive.encode(fits)
    return Prepared(x, y, cause, effect, fits, tuple(mixtures), tuple(starts), model)


def _fit(fits: FitCache, starts: list[np.ndarray], n_mechanisms: int) -> MixtureFit:
    noise = 0.5 if n_mechanisms == 1 else fits.one_curve.noise_variance / n_mechanisms**2
    return fit_mixture(
        fits.cause.basis,
        fits.effect.cells.values,
        starts=starts,
        noise_variance=noise,
        floor=fits.floor,
        tol=TOLERANCE,
        max_iter=MAX_ITER,
    )


class Stage(Compiled):
    """Each stage of one direction against N, in the order of a decision.

    The variable is described as a cause; splines, location-scale, post-nonlinear functions and the
    density of the noise are for the effect; a check is made of one direction.
    """

    param_names = ("n_samples",)
    params = (SIZES,)
    repeat = (5, 30, 1.0)

    def setup(self, n_samples: int) -> None:
        """Take the data as the stages before leave them, and load the kernels."""
        warm_up()
        self.at = prepared(n_samples)
        self.single = self.at.fits.one_curve
        self.values = self.at.effect.cells.values
        scale = np.sqrt(self.single.noise_variance)
        self.residual, self.lower, self.upper = (
            (ends - self.single.curves[:, 0]) / scale
            for ends in (self.values, self.at.effect.cells.lower, self.at.effect.cells.upper)
        )

    def time_variable(self, n_samples: int) -> None:
        Variable.of(self.at.cause.cells.values, self.at.raw)

    def time_spline_basis(self, n_samples: int) -> None:
        SplineBasis.of(self.at.cause.cells.values[:, np.newaxis])

    def time_location_scale(self, n_samples: int) -> None:
        fit_location_scale(
            self.at.cause.basis,
            self.values,
            self.single,
            floor=smallest_noise(self.at.effect.cells),
        )

    def time_post_nonlinear(self, n_samples: int) -> None:
        next(PostNonlinear.encode(FitCache(self.at.cause, self.at.effect)))

    def time_noise_density(self, n_samples: int) -> None:
        fit_density(self.residual, self.lower, self.upper, self.at.effect.cells.n_distinct)

    def time_check(self, n_samples: int) -> None:
        check_models([self.at.model], HSICVariable(self.at.cause.points))


class Mixtures(Compiled):
    """EM from all starts of one number of mechanisms against N."""

    param_names = ("n_mechanisms", "n_samples")
    params = (tuple(range(1, MOST + 1)), SIZES)
    repeat = (5, 30, 1.0)

    def setup(self, n_mechanisms: int, n_samples: int) -> None:
        """Take the starts that the fits before leave, and load the kernels."""
        warm_up()
        self.at = prepared(n_samples)

    def time_mixture(self, n_mechanisms: int, n_samples: int) -> None:
        self.at.fit_mixture(n_mechanisms)

    def track_iterations(self, n_mechanisms: int, n_samples: int) -> int:
        return self.at.mixtures[n_mechanisms - 1].n_iter
