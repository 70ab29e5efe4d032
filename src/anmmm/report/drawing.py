"""Rows and the source of their pairs come in; a picture, or why there is none, goes out for each.

The source is walked once, no further than needed, a pair is drawn only where no other has its id,
and only observations that are drawn are kept.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from tqdm.auto import tqdm

from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from anmmm._words import spelled
from anmmm.clustering import cluster_mechanisms
from anmmm.collection.records import PairResult
from anmmm.collection.sources.items import Items
from anmmm.datasets import Pair
from anmmm.report.pictures import pair_picture

# Points of one picture: more of them cover each other, and take longer to part.
MOST_POINTS = 1500
NOT_IN_SOURCE = "not in the source"
NOT_ALONE = "not drawn: several pairs have this id"


@dataclass(frozen=True)
class Drawing:
    """The picture of one pair: its address for an ``img``, and what it shows in words.

    Without an address `remark` says why, with one what is to be said of the picture.
    """

    address: str = ""
    alternative: str = ""
    n_drawn: int = 0
    remark: str = ""


def draw_pairs(
    rows: Sequence[PairResult],
    source: Iterable[Pair],
    *,
    repeated: Collection[str] = (),
    progress: bool = False,
) -> dict[str, Drawing]:
    """Return a drawing for each id of these rows; `repeated` are ids that other rows have, too.

    Colors are the labels of `anmmm.cluster_mechanisms` with the number of mechanisms of the row,
    in its direction; one color where that is 1 or unknown. Observations are those that decided
    (the subsample of the row), and 1500 of them, drawn with seed 0, where there are more.
    """
    counts = Counter(row.pair_id for row in rows)
    wanted = {row.pair_id: row for row in rows if counts[row.pair_id] == 1}
    for pair_id in repeated:
        wanted.pop(pair_id, None)
    drawings = {
        pair_id: Drawing(remark=NOT_IN_SOURCE if pair_id in wanted else NOT_ALONE)
        for pair_id in counts
    }
    if not wanted:
        return drawings
    ahead, pairs = set(wanted), iter(source)
    bar = tqdm(total=len(wanted), unit="plot", desc="drawing", disable=not progress, leave=False)
    try:
        for pair in pairs:
            pair_id = spelled(pair.pair_id)
            if pair_id not in wanted:
                continue
            if pair_id in ahead:
                ahead.remove(pair_id)
                with single_thread():
                    drawings[pair_id] = _draw(wanted[pair_id], pair)
                bar.update()
            else:
                drawings[pair_id] = Drawing(remark=NOT_ALONE)
            # Ids are unique in files alone: pairs in memory are walked to the end.
            if not ahead and not isinstance(source, Items):
                break
    finally:
        bar.close()
        # A file that is not read to its end is closed now.
        if isinstance(pairs, Generator):
            pairs.close()
    return drawings


def _draw(row: PairResult, pair: Pair) -> Drawing:
    try:
        shown = pair.univariate()
    except (TypeError, ValueError) as error:
        return Drawing(remark=f"not drawn: {error}")
    if row.n is not None and row.n != len(shown.x):
        sizes = f"{len(shown.x)} observations in the source, {row.n} in the row"
        return Drawing(remark=f"not drawn: {sizes}; these are other data")
    if row.subsample_seed is not None and row.n_used is not None:
        shown = shown.subsample(row.n_used, row.subsample_seed)
    shown = shown.subsample(MOST_POINTS, 0)
    x, y, names = shown.x, shown.y, ("x", "y")
    if row.direction == -1:
        x, y, names = y, x, ("y", "x")
    result, remark = _colors(x, y, row)
    role = ("cause", "effect") if row.direction else ("first", "second variable")
    alternative = (
        f"Scatter plot of {len(x)} observations: {names[0]}, the {role[0]}, to the right, "
        f"{names[1]}, the {role[1]}, upwards"
    )
    if (row.n_mechanisms or 1) > 1:
        alternative += f"; {row.n_mechanisms} mechanisms, each of a color"
    return Drawing(pair_picture(x, y, result, names), alternative, len(x), remark)


def _colors(cause: FloatArray, effect: FloatArray, row: PairResult) -> tuple[Any, str]:
    """Return what colors the points, and what is to be said of it."""
    one = np.zeros(len(cause), dtype=np.intp)
    if not row.direction or row.n_mechanisms in (None, 0, 1):
        return one, ""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            result = cluster_mechanisms(cause, effect, row.n_mechanisms, random_state=0)
        except (TypeError, ValueError, ArithmeticError) as error:
            return one, f"one color: {error}"
    remarks = [] if result.refined else [f"colors are not refined: {result.reason}"]
    if any(issubclass(warning.category, ConvergenceWarning) for warning in issued):
        remarks.append("the fit of the colors did not converge")
    return result, "; ".join(remarks)
