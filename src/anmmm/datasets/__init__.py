"""Data: variable pairs from folders, the embedded sample, and synthetic ones."""

from anmmm._tables.errors import SourceError
from anmmm.datasets.families import FAMILIES, make_single_mechanism
from anmmm.datasets.pair import Pair
from anmmm.datasets.sample import load_bafu_air, load_sample
from anmmm.datasets.settings import SETTINGS, SETTINGS_TEXT, Setting
from anmmm.datasets.synthetic import ANMMixtureSample, draw_anm_mixture, make_anm_mixture
from anmmm.datasets.tuebingen import PairFolder, load_pairs, load_tuebingen

__all__ = [
    "FAMILIES",
    "SETTINGS",
    "SETTINGS_TEXT",
    "ANMMixtureSample",
    "Pair",
    "PairFolder",
    "Setting",
    "SourceError",
    "draw_anm_mixture",
    "load_bafu_air",
    "load_pairs",
    "load_sample",
    "load_tuebingen",
    "make_anm_mixture",
    "make_single_mechanism",
]
