"""Lengths of a pair in both directions where both ends are told the causes that they share.

Two variables and their common causes come in. In each direction the cause is described given the
common causes, and the effect given those and the cause, by the models of single effects. An
`EvidenceResult` goes out, whose sides are `GivenEvidence`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from anmmm._record import computed
from anmmm._typing import FloatArray
from anmmm.evidence import ConditionalModel, EvidenceResult, SideEvidence, Variable
from anmmm.evidence.check import check_models
from anmmm.evidence.models import Additive, Fits, Given, fit_models, shortest
from anmmm.evidence.variable import TIED
from anmmm.independence import HSICTest, TestedVariable
from anmmm.mixture import SplineBasis
from anmmm.preprocessing import standardize

# Knots of curves over several columns, altogether and for each, and smooth columns for each of at
# most so many columns: the time of a fit grows with the square of their number.
MOST_KNOTS, KNOTS_PER_COLUMN, SMOOTH_PER_COLUMN, MOST_BENT = 60, 20, 12, 2
# Mechanisms of a variable.
MOST_MECHANISMS = 2


@dataclass(frozen=True, eq=False, repr=False)
class GivenEvidence(SideEvidence):
    """Description length of a pair in one direction, given the causes that both share, in nats.

    Attributes
    ----------
    cause_model : anmmm.evidence.ConditionalModel
        Shortest model of the cause given the common causes.
    chosen : anmmm.evidence.ConditionalModel
        Shortest model of the effect given these and the cause, or these alone.
    alone : anmmm.evidence.ConditionalModel
        Shortest model of the effect given the common causes alone.
    causes : ndarray of shape (n_samples, 1 + n_common)
        The cause and the common causes, standardized.
    """

    cause_model: ConditionalModel
    chosen: ConditionalModel
    alone: ConditionalModel
    causes: FloatArray

    @computed
    def check(self) -> HSICTest:
        """Test of all causes and what the model of the effect leaves unexplained."""
        return check_models([self.chosen], TestedVariable(self.causes))

    @property
    def cause(self) -> float:
        """Description length of the cause given the common causes."""
        return self.cause_model.length

    @property
    def effect(self) -> float:
        """Description length of the effect given the cause and the common causes."""
        return self.chosen.length

    @property
    def independent(self) -> float:
        """Total under the model that the cause says nothing beyond the common causes."""
        return self.cause + self.alone.length

    @property
    def is_independent(self) -> bool:
        """Whether no model of the effect is shorter with the cause."""
        return self.chosen is self.alone

    @computed
    def nats(self) -> FloatArray:
        """Description length of each observation, without what the fitted numbers cost."""
        return np.asarray(self.cause_model.nats + self.chosen.nats)

    @property
    def model(self) -> str:
        """Name of the shortest model of the effect."""
        return self.chosen.name

    @property
    def text(self) -> str:
        """Describe the shortest model of the effect in words."""
        return self.chosen.text

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms of the shortest model of the effect."""
        return self.chosen.n_mechanisms

    @property
    def converged(self) -> bool:
        """Whether the curves of both models settled before the most iterations."""
        return self.cause_model.converged and self.chosen.converged

    @property
    def n_iter(self) -> int:
        """Largest number of iterations of the mixtures."""
        models = (self.cause_model, self.chosen)
        return max((each.fit.n_iter for each in models if isinstance(each, Additive)), default=0)


def compare_given(x: FloatArray, y: FloatArray, common: FloatArray) -> EvidenceResult:
    """Compare the lengths of both directions, given common causes.

    Parameters
    ----------
    x, y : ndarray of shape (n_samples,)
    common : ndarray of shape (n_samples, n_common)
        None of them constant.

    Returns
    -------
    EvidenceResult
        Its sides are `GivenEvidence`; exchanging x and y exactly negates the score.

    Notes
    -----
    docs/method/decisions.md, "Given common causes".
    """
    columns = standardize(np.column_stack([x, y, common]))[0]
    shared = columns[:, 2:]
    told = [Variable.of(np.ascontiguousarray(columns[:, at]), raw) for at, raw in enumerate((x, y))]
    tied = any(each.is_tied for each in told) or any(map(_is_tied, shared.T))
    alone = [_shortest(each, [_basis(shared, shared.shape[1])], tied) for each in told]
    sides = []
    for cause, effect in ((0, 1), (1, 0)):
        causes = np.hstack([columns[:, [cause]], shared])
        # Common causes may act along straight lines, or not at all.
        bases = [_basis(causes, n_bent) for n_bent in (causes.shape[1], 1)]
        by_cause = _shortest(told[effect], [*bases, told[cause].basis], tied)
        chosen = min(alone[effect], by_cause, key=lambda model: model.length)
        sides.append(GivenEvidence(alone[cause], chosen, alone[effect], causes))
    return EvidenceResult.of(*sides)


def _shortest(effect: Variable, bases: Iterable[SplineBasis], tied: bool) -> ConditionalModel:
    """Return the shortest model of an effect over any of these columns."""
    found = (
        shortest(fit_models(Fits(Given(basis, tied), effect, max_mechanisms=MOST_MECHANISMS)))
        for basis in bases
    )
    return min(found, key=lambda model: model.length)


def _basis(causes: FloatArray, n_bent: int) -> SplineBasis:
    """Return columns for curves that bend along the first causes and are straight along others."""
    return SplineBasis.of(
        causes,
        n_bent=n_bent,
        n_knots=min(KNOTS_PER_COLUMN, MOST_KNOTS // n_bent),
        n_smooth=SMOOTH_PER_COLUMN * min(n_bent, MOST_BENT),
    )


def _is_tied(values: FloatArray) -> bool:
    return len(np.unique(values)) < TIED * len(values)
