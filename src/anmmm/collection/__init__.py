"""Many pairs: sources, a parallel runner, summaries, and files for the results."""

from anmmm.collection.runner import PairResults, infer_directions
from anmmm.collection.sources import PairSource, SourceError, as_pairs
from anmmm.collection.summary import CollectionSummary, summarize

__all__ = [
    "CollectionSummary",
    "PairResults",
    "PairSource",
    "SourceError",
    "as_pairs",
    "infer_directions",
    "summarize",
]
