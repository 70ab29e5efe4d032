"""What can be chosen about a clustering by mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anmmm._record import Record
from anmmm._validation import check_choice, check_count, check_nonnegative
from anmmm.gppom import FitOptions
from anmmm.mixture import MAX_MECHANISMS, is_auto

REFINEMENTS = ("auto", "em")


@dataclass(frozen=True, eq=False, repr=False)
class ClusteringOptions(Record):
    """Options of `cluster_mechanisms`, checked, which hold for any pair."""

    # 0 for "auto".
    n_mechanisms: int
    refine: str | None
    max_mechanisms: int
    lam: float
    fit: FitOptions

    @classmethod
    def check(
        cls,
        *,
        n_mechanisms: int | str = 2,
        refine: str | None = "auto",
        max_mechanisms: int = MAX_MECHANISMS,
        lam: float = 1.0,
        **fit_options: Any,
    ) -> ClusteringOptions:
        """Refuse what no clustering can use."""
        automatic = is_auto(n_mechanisms)
        return cls(
            n_mechanisms=0 if automatic else check_count(n_mechanisms, "n_mechanisms"),
            refine=None if refine is None else check_choice(refine, "refine", REFINEMENTS),
            max_mechanisms=check_count(max_mechanisms, "max_mechanisms"),
            lam=check_nonnegative(lam, "lam"),
            fit=FitOptions.from_keywords(fit_options),
        )
