"""The GPPOM with Θ integrated out: a collapsed variational bound, and directions by it.

Standardized data become a `CollapsedBound`, a function of one flat vector; `fit_bound` maximizes it
from several `starts`; `latent_bounds` compares both directions of a pair. docs/method/latent.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.collapsed.result import BoundFit, BoundParameters, BoundResult, DirectionBounds

if TYPE_CHECKING:
    from anmmm.collapsed.bound import CollapsedBound
    from anmmm.collapsed.compare import compare_bounds, latent_bounds
    from anmmm.collapsed.fit import BoundOptions, fit_bound

__all__ = [
    "BoundFit",
    "BoundOptions",
    "BoundParameters",
    "BoundResult",
    "CollapsedBound",
    "DirectionBounds",
    "compare_bounds",
    "fit_bound",
    "latent_bounds",
]

# A decision by another criterion meets the records alone: it is to start without the kernels.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "BoundOptions": "anmmm.collapsed.fit",
        "CollapsedBound": "anmmm.collapsed.bound",
        "compare_bounds": "anmmm.collapsed.compare",
        "fit_bound": "anmmm.collapsed.fit",
        "latent_bounds": "anmmm.collapsed.compare",
    },
)
