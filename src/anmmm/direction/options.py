"""Options of a decision, checked before there is a pair."""

from __future__ import annotations

from typing import Any

from anmmm._record import Record, frozen
from anmmm._validation import check_between, check_choice, check_count, check_nonnegative
from anmmm.gppom import FitOptions

CRITERIA = ("evidence", "hsic", "hsic_ratio", "pvalue")

# With the growth that suits clusters the criterion errs on f2 and f4 between 200 and 3000
# observations, and with none on f1 from 500 on (docs/results/quality.md). Where a descent starts
# moves HSIC, which the criterion compares, by as much as directions differ: never at a subsample.
FIT_DEFAULTS: dict[str, Any] = {"weight_growth": 0.25, "subsample": None}


@frozen
class DirectionOptions(Record):
    """Options of `infer_direction`, checked, which hold for any pair."""

    lam: float
    criterion: str
    n_resamples: int
    min_confidence: float
    fit: FitOptions

    @classmethod
    def check(
        cls,
        *,
        lam: float = 1.0,
        criterion: str = "auto",
        n_resamples: int = 0,
        min_confidence: float | None = None,
        **fit_options: Any,
    ) -> DirectionOptions:
        """Refuse what no decision can use."""
        count = check_count(n_resamples, "n_resamples", minimum=0)
        if count == 1:
            raise ValueError("n_resamples must be 0 or at least 2: one half has no spread; found 1")
        if min_confidence is not None:
            check_between(min_confidence, "min_confidence", 0.5, 1.0)
        return cls(
            lam=check_nonnegative(lam, "lam"),
            criterion=check_choice(criterion, "criterion", ("auto", *CRITERIA)),
            n_resamples=count,
            min_confidence=0.0 if min_confidence is None else float(min_confidence),
            fit=FitOptions.from_keywords({**FIT_DEFAULTS, **fit_options}),
        )
