"""The record of one variable pair, as every loader hands it on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record
from anmmm._validation import check_nonnegative, check_truth

__all__ = ["Pair"]


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Record):
    """Two variables in the column order of their source, with what the source says of them.

    Attributes
    ----------
    pair_id : str
        Identifier in the source.
    x : ndarray of shape (n,) or (n, n_features_x)
        Earlier column of the source; two-dimensional if the variable has several columns.
    y : ndarray of shape (n,) or (n, n_features_y)
        Later column.
    truth : int or None
        1 if x causes y, -1 if y causes x, 0 if neither, None where unknown.
    weight : float
        Weight of the pair in the collection's accuracy.
    group : str or None
        Name of the data set that the pair was taken from, where the source names it.
    problem : str
        Why the pair could not be read; empty if it could. `x` and `y` are then empty.
    n_dropped : int
        Rows of the source that were dropped because a value of x or y is missing.

    Raises
    ------
    TypeError, ValueError
        If `truth`, `weight`, or a text is none. The data are looked at when they are analysed.
    """

    pair_id: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None
    problem: str = ""
    n_dropped: int = 0

    def __post_init__(self) -> None:
        # Files hold what stands here, and whoever reads them refuses what is none of these.
        for name in ("pair_id", "group", "problem"):
            text = getattr(self, name)
            if not isinstance(text, str) and not (name == "group" and text is None):
                raise TypeError(f"{name} must be text, found {text!r} ({type(text).__name__})")
        if isinstance(self.truth, str):
            raise TypeError(f"truth must be a number or None, found {self.truth!r} (str)")
        object.__setattr__(self, "truth", check_truth(self.truth))
        object.__setattr__(self, "weight", check_nonnegative(self.weight, "weight"))

    @classmethod
    def unreadable(
        cls,
        pair_id: str,
        problem: str,
        *,
        truth: int | None = None,
        weight: float = 1.0,
        group: str | None = None,
    ) -> Pair:
        """Return a pair without data that carries the reason.

        Parameters
        ----------
        pair_id : str
        problem : str
            What is wrong with the source of this pair.
        truth, weight, group
            See the attributes of `Pair`.

        Returns
        -------
        Pair
        """
        return cls(pair_id, np.empty(0), np.empty(0), truth, weight, group, problem)
