"""Mixtures in which the cause tells how probable each mechanism is: a mixture of experts.

docs/method/decisions.md, "Mechanisms that depend on the cause", eq. 22.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit, log_expit

from anmmm._typing import FloatArray
from anmmm.evidence.code import code_lengths, mixture_levels
from anmmm.evidence.marginal import Normals
from anmmm.evidence.models.base import MAX_ITER, TOLERANCE, ConditionalModel, FitCache
from anmmm.evidence.models.gaussian import Additive, Weighted
from anmmm.evidence.models.rescaled import SMOOTH
from anmmm.mixture.em import fit_mixture
from anmmm.mixture.fits import MixtureFit

# Rounds of curves and gate, and Newton steps of the gate in each.
ROUNDS, STEPS = 4, 4
# Most halvings of a step.
HALVINGS = 10
# Prior precision of the log-odds a standard deviation of the cause.
PRECISION = 0.1
# Times the nats that a score test promises that a gate may save as curves move with it.
MOVED = 4.0


class Gated(Weighted):
    """Two mechanisms whose weights are a logistic function of the cause."""

    NAME = "anm-{n}+gate"
    TEXT = "{mechanisms}, more or less probable by the cause, additive Gaussian noise"
    # So high that mechanisms independent of the cause keep their direction.
    PRIOR = 12.0

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect if the mechanisms of the mixture follow the cause."""
        basis, effect = fits.cause.basis, fits.effect
        if basis.n_null < 2 or fits.cause.is_categorical or len(fits.mixtures) < 2:
            return
        linear, mixture = basis.design[:, : basis.n_null], fits.encoded(Additive)[1]
        starts = [(mixture.fit, mixture.length)]
        # Mechanisms that the cause tells apart well may be clusters of the effect.
        if isinstance(own := effect.marginal, Normals) and own.fit.n_mechanisms == 2:
            starts.append((own.fit, own.length))
        promised = [MOVED * _promised(linear, fit) - length for fit, length in starts]
        if max(promised) < cls.PRIOR - fits.shortest_of(SMOOTH).length:
            return
        fit = starts[int(np.argmax(promised))][0]
        share, n = fit.weights[1], len(linear)
        gate = np.zeros(basis.n_null)
        gate[0] = math.log(share / (1.0 - share))
        for _ in range(ROUNDS):
            precision = _follow(gate, linear, fit.probabilities[:, 1])
            odds = linear @ gate
            log_weights = np.stack([log_expit(-odds), log_expit(odds)], axis=1)
            # Clusters of the effect have no curves over the cause to go on from.
            state: dict[str, Any] = {"noise_variance": fit.noise_variance}
            if fit.splines is basis.splines:
                state = {"scales": fit.scales, "center": fit.center}
            fit = fit_mixture(
                basis,
                effect.cells.values,
                starts=[fit.probabilities],
                label_likelihood=log_weights - np.log(fit.weights),
                floor=effect.floor,
                tol=TOLERANCE,
                max_iter=MAX_ITER,
                **state,
            )
        weights = np.exp(log_weights)
        below, above = mixture_levels(effect.cells, fit, weights)
        nats = code_lengths(above - below, effect.cells.n_distinct)
        # Laplace's approximation for the gate; either mechanism may be the first.
        prior = PRECISION * float(gate[1:] @ gate[1:]) - (len(gate) - 1) * math.log(PRECISION)
        of_gate = 0.5 * (float(np.linalg.slogdet(precision)[1]) + prior) - math.log(2.0)
        cost = fit.curve_cost + 0.5 * math.log(n) + of_gate
        yield cls(nats, cost, effect.cells, fit, weights)


def _promised(linear: FloatArray, fit: MixtureFit) -> float:
    """Return the nats that weights by linear columns (n_samples, k) save, by a score test."""
    share = fit.weights[1]
    slope = linear[:, 1:].T @ (fit.probabilities[:, 1] - share)
    return float(slope @ slope / (2.0 * len(linear) * share * (1.0 - share)))


def _follow(gate: FloatArray, linear: FloatArray, labels: FloatArray) -> FloatArray:
    """Move coefficients of log-odds (k,) to labels (n_samples,); return their precision (k, k)."""
    prior = np.full(len(gate), PRECISION)
    prior[0] = 0.0

    def loss(gate: FloatArray) -> float:
        odds = linear @ gate
        return float(0.5 * prior @ gate**2 - labels @ odds - log_expit(-odds).sum())

    for _ in range(STEPS):
        chosen = expit(linear @ gate)
        precision = (linear.T * (chosen * (1.0 - chosen))) @ linear + np.diag(prior)
        step = np.linalg.solve(precision, linear.T @ (labels - chosen) - prior * gate)
        before = loss(gate)
        # A whole step diverges where one mechanism is rare.
        for _ in range(HALVINGS):
            if loss(gate + step) <= before:
                break
            step *= 0.5
        gate += step
    return precision
