"""Real pairs, read from a folder that is given, each as a family of one pair.

The number of rows of a run is the largest one: longer pairs are cut to it by the pair's number. A
pair has one seed, its number, and is not exchanged, for its truth is of either sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from anmmm.datasets import load_pairs
from benchmarks.families.base import Family


@dataclass(frozen=True)
class RealPair(Family):
    """A pair of a folder, with its weight and its data set."""

    folder: str = ""
    number: int = 0
    weight: float = 1.0
    data_set: str = ""

    def pair(self, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Return at most n rows."""
        if self.name.startswith("real/"):
            x, y = _arrays(self.folder)[self.title].T
        else:
            read = load_pairs(self.folder)[self.title].complete()
            x = np.asarray(read.x)
            y = np.asarray(read.y)
        if len(x) > n:
            rows = np.random.default_rng(self.number).choice(len(x), n, replace=False)
            x = x[rows]
            y = y[rows]
        return x, y, self.truth


def _not_drawn(rng: object) -> tuple[np.ndarray, np.ndarray]:
    raise TypeError("a real pair is read, not drawn")


def _stream(seed: int, n: int) -> tuple[int]:
    return (seed,)


@cache
def _arrays(folder: str) -> dict[str, np.ndarray]:
    with np.load(Path(folder) / "pairs.npz") as arrays:
        return dict(arrays)


def read_folder(group: str, folder: str) -> list[Family]:
    """Return the pairs of known truth of a folder in the layout of Tübingen."""
    families: list[Family] = []
    for pair in load_pairs(folder):
        if pair.problem or not pair.truth:
            continue
        number = int("".join(filter(str.isdigit, pair.pair_id)))
        name = f"{group}/{pair.pair_id}"
        facts = (folder, number, pair.weight, pair.group or name)
        families.append(RealPair(name, _not_drawn, pair.truth, _stream, *facts))
    return families


def read_table(folder: str) -> list[Family]:
    """Return the pairs of ``pairs.csv`` and ``pairs.npz``."""
    import pandas as pd

    families: list[Family] = []
    for number, row in enumerate(pd.read_csv(Path(folder) / "pairs.csv").itertuples()):
        truth = 1 if row.direction == "x->y" else -1
        facts = (folder, number, float(row.weight), str(row.source))
        families.append(RealPair(f"real/{row.id}", _not_drawn, truth, _stream, *facts))
    return families


READERS: dict[str, Callable[[str], list[Family]]] = {
    "tuebingen": lambda folder: read_folder("tuebingen", folder),
    "sim": lambda folder: read_folder("sim", folder),
    "real": read_table,
}
