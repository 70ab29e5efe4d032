"""Adapters for other causal-discovery libraries, one module each.

None of them is required, and none is imported before its module here needs it: ``cdt``, ``dowhy``,
``gcastle`` and ``lingam`` recognize objects only by their attributes, ``pgmpy`` derives from
its base class, ``causal_learn`` imports the classes that it registers and makes.

Signs of scores are translated to those of the other library; docs/guide/interop.md lists them.
"""

from anmmm._lazy import lazily

__all__ = ["causal_learn", "cdt", "dowhy", "gcastle", "lingam", "pgmpy"]

__getattr__, __dir__ = lazily(__name__, {name: f"anmmm.interop.{name}" for name in __all__})
