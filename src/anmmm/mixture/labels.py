"""Mechanism labels: refined by fitted curves, and put in a fixed order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.em import (
    MAX_MECHANISMS,
    choose_mixture,
    fit_mixture,
    fit_single,
    smallest_noise,
)
from anmmm.mixture.fits import VARIANCE_FLOOR, MixtureFit
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import soften
from anmmm.preprocessing import Cells

# Log-odds of a given label. Where curves are well separated, likelihoods differ by much more; where
# they overlap, it keeps EM near the labels.
LABEL_EVIDENCE = 0.2
# Nats by which the bound of a fit without labels must exceed that of a fit from the labels so that
# the labels are rejected.
OTHER_OPTIMUM = 1.0
# `MixtureFit.start` of a fit that rejects the labels.
LABELS_REJECTED = 2


def refine_labels(
    basis: SplineBasis,
    y: FloatArray,
    labels: IntArray,
    n_mechanisms: int,
    *,
    fits: Sequence[MixtureFit],
    floor: float = VARIANCE_FLOOR,
) -> MixtureFit:
    """Fit C mechanisms to the effect and to labels of log-odds `LABEL_EVIDENCE`, 0 to C - 1.

    `fits` are those of the effect without labels with 1, 2, … mechanisms. The first is the start of
    the noise variance; the one with C mechanisms, if there is one, is a second start.

    Returns the fit of the start with the higher bound, 0 the labels and 1 the fit. Its
    probabilities and bound use the labels, which new observations lack. If the fit without labels
    is likelier, by more than a nat, than EM from the labels without their likelihood, the labels
    belong to a worse optimum (do curves cross?): that fit is returned, with start 2.
    docs/method/decisions.md, eq. 10. O(N C r²) an iteration.
    """
    given = soften(np.eye(n_mechanisms)[labels])
    noise = fits[0].noise_variance / n_mechanisms**2
    refit = partial(fit_mixture, basis, y, floor=floor)
    fit: MixtureFit | None = None
    if 1 < n_mechanisms <= len(fits):
        # Imported here because decisions have no labels and scipy.optimize loads slowly.
        from scipy.optimize import linear_sum_assignment

        fit = fits[n_mechanisms - 1]
        # Number the mechanisms so that they agree best with the labels.
        agreement = np.stack(
            [fit.probabilities[labels == c].sum(axis=0) for c in range(n_mechanisms)]
        )
        fit = fit.reordered(linear_sum_assignment(-agreement)[1])
        led = refit(starts=[given], noise_variance=noise)
        if fit.bound - led.bound > OTHER_OPTIMUM:
            return replace(fit, start=LABELS_REJECTED)
    likelihood = np.zeros((len(y), n_mechanisms))
    likelihood[np.arange(len(y)), labels] = LABEL_EVIDENCE
    likelihood -= math.log(math.exp(LABEL_EVIDENCE) + n_mechanisms - 1.0)
    refined = refit(starts=[given], label_likelihood=likelihood, noise_variance=noise)
    if fit is not None:
        other = refit(
            starts=[fit.probabilities],
            scales=fit.scales,
            center=fit.center,
            label_likelihood=likelihood,
        )
        if other.bound > refined.bound:
            return replace(other, start=1)
    return refined


def by_first_appearance(labels: IntArray, n: int) -> IntArray:
    """Return the mechanisms 0 to n - 1 in order of first appearance, absent ones last."""
    seen, first = np.unique(labels, return_index=True)
    rest = np.setdiff1d(np.arange(n), seen)
    return np.concatenate([seen[np.argsort(first)], rest])


class EffectMixtures:
    """Mixtures of the effect without labels: to choose from (`number` 0), or as further starts.

    With many mechanisms only the first is fitted, because each number is built on all before it.
    """

    def __init__(self, X: FloatArray, y: FloatArray, number: int, most: int) -> None:
        self.basis, self.y = SplineBasis.of(X), y
        self.floor = smallest_noise(Cells.of(y))
        if number > MAX_MECHANISMS:
            self.fits = [fit_single(self.basis, y, floor=self.floor)]
        else:
            self.fits = choose_mixture(
                self.basis, y, n_mechanisms=number or None, max_mechanisms=most, floor=self.floor
            )

    def refined(self, labels: IntArray, number: int) -> MixtureFit:
        """Refine labels by curves."""
        return refine_labels(self.basis, self.y, labels, number, fits=self.fits, floor=self.floor)
