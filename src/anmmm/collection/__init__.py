"""Many pairs: sources, a parallel runner, summaries, and files for the results."""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.collection.checkpoint import CheckpointError
from anmmm.collection.directions import infer_directions
from anmmm.collection.files import read_rows
from anmmm.collection.pair_source import PairSource
from anmmm.collection.results import PairResults
from anmmm.collection.run import LostWorkerError
from anmmm.collection.sources import as_pairs
from anmmm.collection.summary import CollectionSummary, summarize
from anmmm.datasets import SourceError

if TYPE_CHECKING:
    from anmmm.collection.clusters import cluster_pairs

__all__ = [
    "CheckpointError",
    "CollectionSummary",
    "LostWorkerError",
    "PairResults",
    "PairSource",
    "SourceError",
    "as_pairs",
    "cluster_pairs",
    "infer_directions",
    "read_rows",
    "summarize",
]

# Directions do not need scikit-learn.
__getattr__, __dir__ = lazily(__name__, {"cluster_pairs": "anmmm.collection.clusters"})
