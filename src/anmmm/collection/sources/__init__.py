"""Sources of pairs: one reader per format, which yields `Pair` records one at a time."""

from anmmm.collection.sources.opening import PairSource, as_pairs
from anmmm.datasets import SourceError

__all__ = ["PairSource", "SourceError", "as_pairs"]
