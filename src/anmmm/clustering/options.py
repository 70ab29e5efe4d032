"""Options of a clustering, the same for all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from anmmm._record import Record
from anmmm._validation import check_count
from anmmm.gppom import FitOptions
from anmmm.mixture.em import is_auto
from anmmm.mixture.search import MAX_NUMBER, MAX_SEARCHED


class ClusteringOptions(Record):
    """Options of `cluster_mechanisms`, checked, the same for all pairs."""

    # 0 for "auto".
    n_mechanisms: int
    refine: bool
    max_mechanisms: int
    fit: FitOptions

    @classmethod
    def check(
        cls,
        *,
        n_mechanisms: int | str,
        refine: bool = True,
        max_mechanisms: int = MAX_NUMBER,
        fit_options: FitOptions | Mapping[str, Any] | None = None,
    ) -> ClusteringOptions:
        """Raise if an option is invalid for any pair."""
        automatic = is_auto(n_mechanisms)
        if not isinstance(refine, (bool, np.bool_)):
            raise ValueError(f"refine must be True or False, found {refine!r}")
        return cls(
            n_mechanisms=0 if automatic else check_count(n_mechanisms, "n_mechanisms"),
            refine=bool(refine),
            max_mechanisms=check_count(max_mechanisms, "max_mechanisms", maximum=MAX_SEARCHED),
            fit=FitOptions.of(fit_options).filled(),
        )

    @property
    def automatic(self) -> bool:
        """Whether the mixture's criterion chooses the number."""
        return self.n_mechanisms == 0

    def check_pair(self, n_samples: int, n_outputs: int) -> None:
        """Raise if an option does not fit the size of a pair."""
        if self.n_mechanisms > n_samples:
            raise ValueError(
                f"n_mechanisms must be at most n_samples, found {self.n_mechanisms} mechanisms for "
                f"{n_samples} observations"
            )
        if self.automatic and n_outputs > 1:
            raise ValueError(
                f"n_mechanisms='auto' needs an effect of one column, found {n_outputs}; give the "
                "number of mechanisms"
            )
