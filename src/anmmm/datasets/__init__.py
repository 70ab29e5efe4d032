"""Data: variable pairs from folders, the embedded sample, and synthetic ones."""

from anmmm._tables import SourceError
from anmmm.datasets.families import make_single_mechanism
from anmmm.datasets.pair import Pair
from anmmm.datasets.sample import load_bafu_air, load_sample
from anmmm.datasets.synthetic import make_anm_mixture
from anmmm.datasets.tuebingen import load_pairs

__all__ = [
    "Pair",
    "SourceError",
    "load_bafu_air",
    "load_pairs",
    "load_sample",
    "make_anm_mixture",
    "make_single_mechanism",
]
