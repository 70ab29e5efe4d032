"""From whatever the caller names or holds to the source that reads it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from anmmm.collection.sources.items import Items
from anmmm.collection.sources.protocol import PairSource
from anmmm.datasets import load_pairs, load_sample

__all__ = ["as_pairs"]


def as_pairs(source: Any) -> PairSource:
    """Return the pairs of a source without reading them yet.

    Parameters
    ----------
    source : str, path-like, mapping, iterable or PairSource
        ``"sample"`` for the embedded sample; a folder in Tübingen layout (``"./sample"`` for one of
        that name); a mapping of id to ``(x, y)``; or any iterable, generators included, whose items
        are `Pair`, ``(x, y)`` or ``(id, x, y)``. Pairs without an id get their position, from "0".

    Returns
    -------
    PairSource
        In the order of the source; `operator.length_hint` tells how many, where that is known. An
        item of another form becomes a pair with a `problem`.

    Raises
    ------
    OSError, ValueError
        If the folder cannot be opened, see `anmmm.datasets.load_pairs`.
    TypeError
        If the source is nothing of the above.
    """
    if isinstance(source, str) and source == "sample":
        return load_sample()
    if isinstance(source, (str, os.PathLike)):
        return load_pairs(source)
    if isinstance(source, PairSource):
        return source
    # A table iterates, but over rows or column names.
    if isinstance(source, np.ndarray) or hasattr(source, "columns"):
        raise TypeError(
            f"source is a single table ({type(source).__name__}); pass its column pairs, e.g. "
            f"{{'a, b': (table['a'], table['b'])}}, or use infer_direction for one pair"
        )
    if isinstance(source, Iterable):
        return Items(source, type(source).__name__)
    raise TypeError(
        f"source must be 'sample', a folder, a mapping of id to (x, y), or an iterable of pairs; "
        f"found {type(source).__name__}"
    )
