"""Mechanism labels: refined by the curves they speak for, and put in a fixed order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.em import (
    MAX_MECHANISMS,
    choose_mixture,
    fit_mixture,
    fit_single,
    run_em,
    smallest_noise,
)
from anmmm.mixture.fits import VARIANCE_FLOOR, MixtureFit
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import soften
from anmmm.preprocessing import Cells

# Nats by which a given label speaks for an observation's mechanism. Where curves are well apart,
# likelihoods differ by far more; where they overlap, it keeps EM from leaving the labels.
LABEL_EVIDENCE = 0.2
# Nats by which a fit to the effect alone must be likelier than the one that the labels lead to for
# these to be left.
OTHER_OPTIMUM = 1.0
# What `MixtureFit.start` then is.
LEFT = 2


def refine_labels(
    basis: SplineBasis,
    y: FloatArray,
    labels: IntArray,
    n_mechanisms: int,
    *,
    fits: Sequence[MixtureFit],
    floor: float = VARIANCE_FLOOR,
) -> MixtureFit:
    """Fit C mechanisms to the effect and to labels that say a little of each observation.

    `labels`, from 0 to ``n_mechanisms - 1``, speak for their own mechanism with log-odds of
    `LABEL_EVIDENCE`. `fits` are those of the effect alone with 1, 2, … mechanisms: the first says
    where the noise starts, and the one with `n_mechanisms`, if there is one, is a start beside the
    labels.

    Returns the fit of the start with the higher bound, 0 the labels and 1 the fit. Its
    probabilities and bound count the labels, which new observations lack. Where the effect
    alone is likelier, by more than a nat, than from the labels on without a word of theirs, these
    belong to another and worse optimum, as where curves cross: the fit is then returned, start 2.

    Notes
    -----
    docs/method/decisions.md, eq. 10. O(N C r²) an iteration.
    """
    given = soften(np.eye(n_mechanisms)[labels])
    noise = fits[0].noise_variance / n_mechanisms**2
    fit: MixtureFit | None = None
    if 1 < n_mechanisms <= len(fits):
        # Here, as decisions have no labels, and scipy.optimize takes a while to load.
        from scipy.optimize import linear_sum_assignment

        fit = fits[n_mechanisms - 1]
        # Mechanisms are numbered at will: take the numbering that agrees with the labels best.
        agreement = np.stack(
            [fit.probabilities[labels == c].sum(axis=0) for c in range(n_mechanisms)]
        )
        fit = fit.reordered(linear_sum_assignment(-agreement)[1])
        led = fit_mixture(basis, y, starts=[given], noise_variance=noise, floor=floor)
        if fit.bound - led.bound > OTHER_OPTIMUM:
            return replace(fit, start=LEFT)
    reading = np.zeros((len(y), n_mechanisms))
    reading[np.arange(len(y)), labels] = LABEL_EVIDENCE
    reading -= math.log(math.exp(LABEL_EVIDENCE) + n_mechanisms - 1.0)
    scales = np.ones(3 + basis.n_null)
    scales[0] = noise
    refined = run_em(basis, y, given[np.newaxis], scales, reading=reading, floor=floor)
    if fit is not None:
        start, scales = fit.probabilities[np.newaxis], fit.scales
        other = run_em(basis, y, start, scales, center=fit.center, reading=reading, floor=floor)
        if other.bound > refined.bound:
            return replace(other, start=1)
    return refined


def by_first_appearance(labels: IntArray, n: int) -> IntArray:
    """Order of the mechanisms 0 to n - 1 in which they appear; those that do not come last."""
    seen, first = np.unique(labels, return_index=True)
    rest = np.setdiff1d(np.arange(n), seen)
    return np.concatenate([seen[np.argsort(first)], rest])


class EffectMixtures:
    """Mixtures of the effect alone: to choose from (`number` 0), or to start beside Θ's clusters.

    With many mechanisms only the first is fitted, because each number is built on all before it.
    """

    def __init__(self, X: FloatArray, y: FloatArray, number: int, most: int) -> None:
        self.basis, self.y = SplineBasis.of(X), y
        self.floor = smallest_noise(Cells.of(y))
        if number > MAX_MECHANISMS:
            self.fits = [fit_single(self.basis, y, floor=self.floor)[0]]
        else:
            self.fits = choose_mixture(
                self.basis, y, n_mechanisms=number or None, max_mechanisms=most, floor=self.floor
            )

    def refined(self, labels: IntArray, number: int) -> MixtureFit:
        """Refine labels by curves."""
        return refine_labels(self.basis, self.y, labels, number, fits=self.fits, floor=self.floor)
