"""A GPPOM in each direction, and the dependence of Θ on the hypothetical cause.

Algorithm 1 of Hu et al. (2018), the criteria ``"hsic"`` and ``"hsic_ratio"``.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.gppom import FitOptions, FitResult
from anmmm.independence import HSICTest, hsic_test
from anmmm.preprocessing import standardize

LATENT_CRITERIA = ("hsic", "hsic_ratio")


class LatentFits(Record):
    """A GPPOM fitted in each direction, with the dependence of its Θ on the cause.

    Attributes
    ----------
    forward, backward : FitResult
        Forward is the hypothesis that x causes y.
    forward_test, backward_test : HSICTest
        Gamma-approximated HSIC test of (Θ, cause). Θ was fitted to be independent of this very
        cause: the p-values rank, they do not test.
    criterion : {"hsic", "hsic_ratio"}
        Of `forward_score` and `backward_score`; see `anmmm.infer_direction`.
    options : FitOptions
        Options of both fits.
    """

    forward: FitResult
    backward: FitResult
    forward_test: HSICTest
    backward_test: HSICTest
    criterion: str
    options: FitOptions

    @property
    def forward_score(self) -> float:
        """Dependence of Θ on x, taken as the cause; lower is better."""
        return self.scores(self.criterion)[0]

    @property
    def backward_score(self) -> float:
        """Dependence of Θ on y, taken as the cause; lower is better."""
        return self.scores(self.criterion)[1]

    @property
    def score(self) -> float:
        """``backward_score - forward_score``; positive means x causes y."""
        return self.backward_score - self.forward_score

    def scores(self, criterion: str) -> tuple[float, float]:
        """Dependence of Θ on the hypothetical cause in both directions, by a criterion."""
        floor = self.options.hsic_floor
        return (
            _score(criterion, self.forward, self.forward_test, floor),
            _score(criterion, self.backward, self.backward_test, floor),
        )


def fit_both(
    x: FloatArray, y: FloatArray, *, criterion: str, fit_options: FitOptions, seed: int
) -> LatentFits:
    """Fit and test both directions of a checked pair, both from the same seed."""
    # Imported here because a decision by evidence must start without the engines.
    from anmmm.gppom.model import fit_gppom

    x = standardize(x)[0]
    y = standardize(y)[0]
    forward, backward = (
        fit_gppom(cause, effect, fit_options=fit_options, random_state=seed)
        for cause, effect in ((x, y), (y, x))
    )
    return LatentFits(
        forward=forward,
        backward=backward,
        forward_test=latent_test(forward.latent, x),
        backward_test=latent_test(backward.latent, y),
        criterion=criterion,
        options=fit_options,
    )


def latent_test(latent: FloatArray, cause: FloatArray) -> HSICTest:
    """Test a fitted Θ (n_samples, n_latent) and its cause; constant columns are left out."""
    varying = latent[:, np.ptp(latent, axis=0) > 1e-12]
    if varying.shape[1] == 0:
        # A latent that collapsed to a constant is independent of everything.
        return HSICTest(0.0, 1.0, 1.0, 0.0, "gamma")
    return hsic_test(varying, cause, null="gamma")


def _score(criterion: str, fit: FitResult, test: HSICTest, hsic_floor: float) -> float:
    if criterion == "hsic":
        # Rounding can make an HSIC of zero negative, and both may be zero if λ is.
        return math.log(max(fit.hsic + hsic_floor, sys.float_info.min))
    return test.statistic / test.threshold
