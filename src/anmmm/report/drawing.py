"""Rows and the source of their pairs come in; a picture, or why there is none, goes out for each.

The source is walked once, no further than needed, a pair is drawn only where no other has its id,
and only observations that are drawn are kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from anmmm._words import spelled
from anmmm.clustering import cluster_mechanisms
from anmmm.collection.sources.items import Items
from anmmm.collection.task import subsample, univariate
from anmmm.datasets import Pair
from anmmm.report.pictures import pair_picture
from anmmm.results import PairResult

__all__ = ["MOST_POINTS", "NOT_ALONE", "NOT_IN_SOURCE", "Drawing", "draw_pairs"]

# Points of one picture: more of them cover each other, and take longer to part.
MOST_POINTS = 1500
NOT_IN_SOURCE = "not in the source"
NOT_ALONE = "not drawn: several pairs have this id"


@dataclass(frozen=True)
class Drawing:
    """The picture of one pair.

    Attributes
    ----------
    address : str
        For an ``img``; empty where there is no picture.
    alternative : str
        What the picture shows, in words.
    n_drawn : int
        Observations in it.
    remark : str
        Why there is no picture, or what is to be said of it.
    """

    address: str = ""
    alternative: str = ""
    n_drawn: int = 0
    remark: str = ""


def draw_pairs(
    rows: Iterable[PairResult],
    source: Iterable[Pair],
    *,
    repeated: Collection[str] = (),
    progress: bool = False,
) -> dict[str, Drawing]:
    """Draw pairs, each as its row tells it.

    Parameters
    ----------
    rows : iterable of PairResult
        Analysed pairs, some dozens.
    source : PairSource
        Where their observations are. Pairs held in memory are walked to the end, since ids are
        unique in files alone.
    repeated : collection of str
        Ids that several rows have; nobody knows which of the pairs is theirs.
    progress : bool
        Whether to show a bar on standard error.

    Returns
    -------
    dict of str to Drawing
        By id, one for each row.

    Raises
    ------
    OSError, SourceError
        What the source raises in mid-walk.

    Notes
    -----
    Colours are the labels of `anmmm.cluster_mechanisms` with the number of mechanisms of the row,
    in its direction; one colour where that is 1 or unknown. Observations are those that decided
    (the subsample of the row), and 1500 of them, drawn with seed 0, where there are more.
    """
    asked: dict[str, PairResult] = {}
    drawings: dict[str, Drawing] = {}
    for row in rows:
        if row.pair_id in asked or row.pair_id in repeated:
            drawings[row.pair_id] = Drawing(remark=NOT_ALONE)
        asked.setdefault(row.pair_id, row)
    wanted = asked.keys() - drawings.keys()
    with tqdm(
        total=len(wanted), unit="plot", desc="drawing", disable=not progress, leave=False
    ) as bar:
        for pair_id, pair in _found(source, wanted):
            if pair_id in drawings:
                drawings[pair_id] = Drawing(remark=NOT_ALONE)
                continue
            with single_thread():
                drawings[pair_id] = _draw(asked[pair_id], pair)
            bar.update()
    missing = Drawing(remark=NOT_IN_SOURCE)
    return {pair_id: drawings.get(pair_id, missing) for pair_id in asked}


def _found(source: Iterable[Pair], wanted: Set[str]) -> Iterator[tuple[str, Pair]]:
    """Yield the pairs of these ids, also a second one, as far as it is met."""
    if not wanted:
        return
    pairs, ahead = iter(source), set(wanted)
    try:
        for pair in pairs:
            pair_id = spelled(pair.pair_id)
            if pair_id in wanted:
                ahead.discard(pair_id)
                yield pair_id, pair
            if not ahead and not isinstance(source, Items):
                return
    finally:
        # A file that is not read to its end is closed now.
        close = getattr(pairs, "close", None)
        if close is not None:
            close()


def _draw(row: PairResult, pair: Pair) -> Drawing:
    try:
        x, y = univariate(pair)
    except (TypeError, ValueError) as error:
        return Drawing(remark=f"not drawn: {error}")
    if row.n is not None and row.n != len(x):
        return Drawing(
            remark=f"not drawn: {len(x)} observations in the source, {row.n} in the row; these "
            f"are other data"
        )
    if row.subsample_seed is not None and row.n_used is not None and row.n_used < len(x):
        x, y = subsample(x, y, row.n_used, row.subsample_seed)
    if len(x) > MOST_POINTS:
        x, y = subsample(x, y, MOST_POINTS, 0)
    names = ("x", "y")
    if row.direction == -1:
        x, y, names = y, x, ("y", "x")
    result, drawing = _labels(x, y, row)
    count = row.n_mechanisms or 1
    role = ("cause", "effect") if row.direction else ("first", "second variable")
    return replace(
        drawing,
        address=pair_picture(x, y, result, names),
        alternative=f"Scatter plot of {len(x)} observations: {names[0]}, the {role[0]}, to the "
        f"right, {names[1]}, the {role[1]}, upwards"
        + (f"; {count} mechanisms, each of a colour" if count > 1 else ""),
        n_drawn=len(x),
    )


def _labels(cause: FloatArray, effect: FloatArray, row: PairResult) -> tuple[Any, Drawing]:
    """Return what colours the points, and a drawing with what is to be said of it."""
    one = np.zeros(len(cause), dtype=np.intp)
    count = row.n_mechanisms or 1
    if not row.direction or count == 1:
        return one, Drawing()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            result = cluster_mechanisms(cause, effect, count, random_state=0)
        except (TypeError, ValueError, ArithmeticError) as error:
            return one, Drawing(remark=f"one colour: {error}")
    remarks = [] if result.refined else [f"colours are not refined: {result.reason}"]
    if any(issubclass(warning.category, ConvergenceWarning) for warning in told):
        remarks.append("the fit of the colours did not converge")
    return result, Drawing(remark="; ".join(remarks))
