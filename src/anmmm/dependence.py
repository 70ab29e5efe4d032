"""A GPPOM in each direction, and how much Θ depends on its hypothetical cause.

Algorithm 1 of Hu et al. (2018) compares the two; `anmmm.infer_direction` decides by them under the
criteria ``"hsic"``, ``"hsic_ratio"`` and ``"pvalue"``.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from anmmm._record import Record, frozen
from anmmm._typing import FloatArray
from anmmm.gppom import FitOptions, FitResult
from anmmm.independence import HSICTest, hsic_test


@frozen
class LatentFits(Record):
    """A GPPOM fitted in each direction, with the HSIC test of its Θ and the cause.

    Attributes
    ----------
    forward, backward : FitResult
        Forward is the hypothesis that x causes y.
    forward_test, backward_test : HSICTest
        Gamma-approximated HSIC test of (Θ, cause).
    """

    forward: FitResult
    backward: FitResult
    forward_test: HSICTest
    backward_test: HSICTest


def fit_both(
    x: FloatArray, y: FloatArray, *, lam: float, options: FitOptions, seed: int
) -> LatentFits:
    """Fit and test both directions of a standardized pair, both from the same seed."""
    # Here, as a decision by evidence makes no fit and is to start without the engines.
    from anmmm.gppom import fit_gppom

    forward, backward = (
        fit_gppom(cause, effect, lam=lam, options=options, random_state=seed)
        for cause, effect in ((x, y), (y, x))
    )
    return LatentFits(
        forward=forward,
        backward=backward,
        forward_test=latent_test(forward.latent, x),
        backward_test=latent_test(backward.latent, y),
    )


def dependence_scores(
    fits: LatentFits, criterion: str, hsic_floor: float = FitOptions.hsic_floor
) -> tuple[float, float]:
    """Score both directions by the dependence of Θ on its hypothetical cause; lower is less."""
    return (
        _score(criterion, fits.forward, fits.forward_test, hsic_floor),
        _score(criterion, fits.backward, fits.backward_test, hsic_floor),
    )


def latent_test(latent: FloatArray, cause: FloatArray) -> HSICTest:
    """Test a fitted Θ (n_samples, n_latent) and its cause; constant columns are left out."""
    varying = latent[:, np.ptp(latent, axis=0) > 1e-12]
    if varying.shape[1] == 0:
        # A latent that collapsed to a constant is independent of everything.
        return HSICTest(statistic=0.0, threshold=1.0, pvalue=1.0, log_pvalue=0.0)
    return hsic_test(varying, cause)


def _score(criterion: str, fit: FitResult, test: HSICTest, hsic_floor: float) -> float:
    if criterion == "hsic":
        # Rounding can leave an HSIC of zero a little below it, and both may be zero where λ is.
        return math.log(max(fit.hsic + hsic_floor, sys.float_info.min))
    if criterion == "hsic_ratio":
        return test.statistic / test.threshold
    return -test.log_pvalue
