"""The GPPOM with Θ integrated out: a collapsed variational bound, and directions by it.

Standardized data become a `CollapsedBound`, a function of one flat vector; `fit_bound` maximizes it
from several `starts`; `latent_bounds` compares both directions of a pair. docs/method/latent.md.
"""

from anmmm.collapsed.bound import BoundParameters, CollapsedBound
from anmmm.collapsed.compare import BoundResult, DirectionBounds, compare_bounds, latent_bounds
from anmmm.collapsed.fit import BoundFit, BoundOptions, fit_bound

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
