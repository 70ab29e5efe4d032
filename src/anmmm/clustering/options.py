"""What can be chosen about a clustering by mechanism."""

from __future__ import annotations

from typing import Any

from anmmm._record import Record, frozen
from anmmm._validation import check_choice, check_count, check_n_mechanisms, check_nonnegative
from anmmm.gppom import FitOptions
from anmmm.mixture import MAX_MECHANISMS, is_auto

REFINEMENTS = ("auto", "em")


@frozen
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

    @property
    def automatic(self) -> bool:
        """Whether the mixture's criterion chooses the number."""
        return self.n_mechanisms == 0

    def check_pair(self, n_samples: int, n_outputs: int) -> None:
        """Refuse more mechanisms than observations, and what needs an effect of one column."""
        if not self.automatic:
            check_n_mechanisms(self.n_mechanisms, n_samples)
        if n_outputs == 1:
            return
        if self.refine == "em":
            raise ValueError(
                f"refine='em' needs an effect of one column, found {n_outputs}; pass refine=None "
                "for the clusters of Θ"
            )
        if self.automatic:
            raise ValueError(
                f"n_mechanisms='auto' needs an effect of one column, found {n_outputs}; give the "
                "number of mechanisms"
            )
