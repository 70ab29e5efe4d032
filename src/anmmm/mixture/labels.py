"""Mechanism labels: refined by the curves they speak for, and put in a fixed order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm.mixture.em import (
    MAX_MECHANISMS,
    EMRun,
    Limits,
    choose_mixture,
    finish,
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
# Nats per observation by which the last iteration raises the bound, and most iterations.
TOLERANCE, MAX_ITER = 1e-6, 500


def refine_labels(
    basis: SplineBasis,
    y: FloatArray,
    labels: NDArray[np.intp],
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

    Returns the fit of the start with the higher bound, 0 the labels and 1 the fit. Its membership
    and bound count the labels; `MixtureFit.assign` knows none of new observations. Where the effect
    alone is likelier, by more than a nat, than from the labels on without a word of theirs, these
    belong to another and worse optimum, as where curves cross: the fit is then returned, start 2.

    Notes
    -----
    docs/method/decisions.md, eq. 10. O(N C r²) an iteration.
    """
    given = soften(np.eye(n_mechanisms)[labels])
    noise = fits[0].noise_variance / n_mechanisms**2
    starts: list[tuple[FloatArray, MixtureFit | None]] = [(given, None)]
    if 1 < n_mechanisms <= len(fits):
        # Here, as decisions have no labels, and scipy.optimize takes a while to load.
        from scipy.optimize import linear_sum_assignment

        fit = fits[n_mechanisms - 1]
        # Mechanisms are numbered at will: take the numbering that agrees with the labels best.
        agreement = np.stack([fit.membership[labels == c].sum(axis=0) for c in range(n_mechanisms)])
        fit = fit.reordered(linear_sum_assignment(-agreement)[1])
        led = fit_mixture(basis, y, starts=[given], noise_variance=noise, floor=floor)
        if fit.bound - led.bound > OTHER_OPTIMUM:
            return replace(fit, start=LEFT)
        starts.append((fit.membership, fit))
    reading = np.ones((len(y), n_mechanisms))
    reading[np.arange(len(y)), labels] = math.exp(LABEL_EVIDENCE)
    reading /= math.exp(LABEL_EVIDENCE) + n_mechanisms - 1.0

    runs, once = [], Limits(floor, TOLERANCE, 1)
    for membership, start in starts:
        scales, center = np.ones(3 + basis.n_null), np.zeros(len(basis.prior))
        scales[0] = noise
        if start is not None:
            scales, center = start.scales, start.center
        history: list[float] = []
        converged = False
        while not converged and len(history) < MAX_ITER:
            run = run_em(basis, y, membership, scales, center, once)
            joint = run.membership * reading
            totals = joint.sum(axis=1)
            membership = joint / totals[:, np.newaxis]
            scales, center = run.curves.scales, run.curves.center
            history.append(run.bound + float(np.log(totals).sum()))
            converged = len(history) > 1 and history[-1] - history[-2] < TOLERANCE * len(y)
        runs.append(EMRun(run.curves, membership, np.array(history), converged))
    winner = int(np.argmax([run.bound for run in runs]))
    return finish(basis, y, runs[winner], winner, reading)


def by_first_appearance(labels: NDArray[np.intp], n: int) -> NDArray[np.intp]:
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

    def refined(self, labels: NDArray[np.intp], number: int) -> MixtureFit:
        """Refine labels by curves."""
        return refine_labels(self.basis, self.y, labels, number, fits=self.fits, floor=self.floor)
