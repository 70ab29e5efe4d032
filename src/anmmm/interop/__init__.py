"""Other causal libraries with the decisions of this one: a module a neighbour.

None of them is required, and none is imported before its module here needs it: ``cdt``, ``dowhy``,
``gcastle`` and ``lingam`` know theirs by what their objects look like alone, ``pgmpy`` derives from
its base class, ``causal_learn`` imports what it registers and makes.

Whatever sign the neighbour has, that x causes y stays that; docs/guide/interop.md lists them.
"""

from anmmm._lazy import lazily
from anmmm.interop._pairs import hsic_score

__all__ = ["causal_learn", "cdt", "dowhy", "gcastle", "hsic_score", "lingam", "pgmpy"]

__getattr__, __dir__ = lazily(
    __name__, {name: f"anmmm.interop.{name}" for name in __all__ if name != "hsic_score"}
)
