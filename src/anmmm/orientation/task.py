"""The work on one edge: its pair by itself, or given the causes that the graph gives to both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anmmm._typing import FloatArray
from anmmm._validation import check_rng
from anmmm.collection.task import DirectionTask
from anmmm.confidence import confidence_of
from anmmm.datasets import Pair
from anmmm.dependence import LatentFitting
from anmmm.direction import DirectionOptions, DirectionResult, infer_direction
from anmmm.direction.far import without_far
from anmmm.direction.infer import decide
from anmmm.evidence import EvidenceResult, beyond_limits
from anmmm.orientation.adjust import residual
from anmmm.orientation.given import compare_given
from anmmm.preprocessing import standardize


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTask(DirectionTask):
    """Direction of one edge, whose first variable brings common parents as further columns."""

    def decide(self, pair: Pair, seed: int) -> DirectionResult:
        """Decide a checked pair, by what is left of both ends where no lengths are compared."""
        if pair.x.ndim == 1:
            return super().decide(pair, seed)
        options = self.checked
        by_lengths = options.criterion in ("auto", "evidence")
        if by_lengths and not beyond_limits(pair.x, pair.y[:, np.newaxis]):
            return _decide_given(pair.x, pair.y, options, seed)
        x, common = pair.x[:, 0], pair.x[:, 1:]
        left = residual(x, common), residual(pair.y, common)
        return infer_direction(*left, random_state=seed, **self.options)


def _decide_given(
    first: FloatArray, y: FloatArray, options: DirectionOptions, seed: int
) -> DirectionResult:
    """Decide by `compare_given`; `first` is x and its common causes with y."""
    x, common = first[:, 0], first[:, 1:]
    rng = check_rng(seed)
    fit_seed, resample_seed = (int(number) for number in rng.integers(2**63, size=2))

    def compared(first: FloatArray, second: FloatArray) -> EvidenceResult:
        return compare_given(first[:, 0], second[:, 0], first[:, 1:])

    def score(first: FloatArray, second: FloatArray) -> float:
        return compared(first, second).score

    column = y[:, np.newaxis]
    lengths, beside = compared(first, column), without_far(first, column, compared)
    direction, confidence, resamples = decide(
        first, y, lengths.score, confidence_of(lengths), score, options, resample_seed, beside
    )
    # What is left of both is what a fit of Θ, and a test of both ends by themselves, can take.
    left_x, left_y = (standardize(residual(end, common)[:, np.newaxis])[0] for end in (x, y))
    return DirectionResult(
        direction=direction,
        score=lengths.score,
        forward_score=lengths.forward_score,
        backward_score=lengths.backward_score,
        criterion="evidence",
        lam=options.lam,
        confidence=confidence,
        evidence=lengths,
        resamples=resamples,
        without_far=beside,
        _fitting=LatentFitting(left_x, left_y, options.lam, options.fit, fit_seed),
    )
