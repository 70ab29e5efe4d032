"""Measure decisions row by row, without keeping the rows."""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy as np

from anmmm._typing import FloatArray
from anmmm.collection.summary import Summarizer, is_right
from anmmm.evaluation.rates import DecisionRates, accuracy_errors, decision_rates, flipped_auc


class Tally(Summarizer):
    """Counts rows, with some 50 bytes for each pair of known direction."""

    def __init__(self) -> None:
        super().__init__()
        self.n_groups = 0
        self._seconds = array("d")
        # Right or not, log-odds or score, truth, weight and confidence of each pair, one after
        # another.
        self._scored_values = array("d")
        # Data sets, numbered by first appearance; a pair without a group is its own.
        self._codes, self._group_codes = array("q"), dict[str, int]()

    def add(self, row: Any) -> None:
        """Take one row of directions."""
        super().add(row)
        if row.status != "ok":
            return
        # Zero and None are times that were not recorded.
        if row.seconds:
            self._seconds.append(row.seconds)
        right = is_right(row)
        if right is None:
            return
        confidence = math.nan if row.confidence is None else row.confidence
        score = row.score if row.log_odds is None else row.log_odds
        self._scored_values.extend((right, score or 0.0, row.truth, row.weight, confidence))
        code = self.n_groups
        if row.group is not None:
            code = self._group_codes.setdefault(row.group, code)
        self.n_groups += code == self.n_groups
        self._codes.append(code)

    @property
    def median_seconds(self) -> float | None:
        """Median wall time of the analyzed pairs whose time is recorded."""
        return float(np.median(self._seconds)) if self._seconds else None

    def accuracy_errors(self, seed: int = 0) -> tuple[float | None, float | None]:
        """Return the standard errors of the accuracy and of the weighted accuracy."""
        right, _, _, weights, _ = self._columns()
        return accuracy_errors(right, weights, self._codes, seed=seed)

    def auc(self, seed: int) -> float | None:
        """Return `flipped_auc`; None for fewer than two pairs of known direction."""
        _, scores, truths, _, _ = self._columns()
        return flipped_auc(scores, truths, random_state=seed) if len(scores) > 1 else None

    def rates(self) -> tuple[str, DecisionRates | None]:
        """Return the measure of certainty and the decision rates, None without known directions."""
        _, scores, truths, weights, confidences = self._columns()
        # Criteria that come without a confidence are ordered by their score.
        sure = len(scores) > 0 and not np.isnan(confidences).any()
        decisions = None
        if weights.sum() > 0.0:
            right = np.sign(scores) == truths
            certainty = confidences if sure else scores
            decisions = decision_rates(certainty, right, weights, groups=self._codes)
        return "confidence" if sure else "|score|", decisions

    def _columns(self) -> FloatArray:
        return np.reshape(self._scored_values, (-1, 5)).T.copy()
