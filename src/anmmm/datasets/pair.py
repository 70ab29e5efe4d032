"""The record of one pair of variables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import Column, as_column, as_variables, complete_columns
from anmmm._record import Record
from anmmm._tables.table import missing_text
from anmmm._typing import RandomState
from anmmm._validation import check_aligned, check_count, check_nonnegative, check_rng, check_truth


class Pair(Record):
    """Two variables in the column order of their source, with their metadata.

    Attributes
    ----------
    pair_id : str
        Identifier in the source.
    x : ndarray of shape (n,) or (n, n_features_x)
        Earlier column of the source; two-dimensional if the variable has several columns, of text
        if its values are categories.
    y : ndarray of shape (n,) or (n, n_features_y)
        Later column.
    truth : int or None
        1 if x causes y, -1 if y causes x, 0 if neither, None if unknown.
    weight : float
        Weight of the pair in the collection's accuracy.
    group : str or None
        Data set of the pair, if the source has it.
    problem : str
        Why the pair could not be read; empty if it could. `x` and `y` are then empty.
    n_dropped : int
        Rows of the source that were dropped because a value of x or y is missing.
    missing : str
        Which values of these rows are missing, for messages.
    names : tuple of str
        Names of both variables; ``("x", "y")`` if the source has none.

    Raises
    ------
    TypeError, ValueError
        If `truth`, `weight`, or a text is wrong. The data are checked when they are analyzed.

    Examples
    --------
    >>> from anmmm.datasets import Pair
    >>> pair = Pair("heat", [0.0, 1.0, 2.0], [1.0, 3.0, 4.0], truth=1)
    >>> pair.pair_id, pair.names, pair.truth
    ('heat', ('x', 'y'), 1)
    """

    pair_id: str
    x: NDArray[Any]
    y: NDArray[Any]
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None
    problem: str = ""
    n_dropped: int = 0
    missing: str = ""
    names: tuple[str, str] = ("x", "y")

    def __post_init__(self) -> None:
        # These values are written to files.
        for name in ("pair_id", "group", "problem"):
            text = getattr(self, name)
            if not isinstance(text, str) and not (name == "group" and text is None):
                raise TypeError(f"{name} must be text, found {text!r} ({type(text).__name__})")
        if isinstance(self.truth, str):
            raise TypeError(f"truth must be a number or None, found {self.truth!r} (str)")
        object.__setattr__(self, "truth", check_truth(self.truth))
        object.__setattr__(self, "weight", check_nonnegative(self.weight, "weight"))

    @classmethod
    def unreadable(cls, pair_id: str, problem: str, **known: Any) -> Pair:
        """Return a pair without data, which has a problem; `known` are other attributes."""
        return cls(pair_id, np.empty(0), np.empty(0), problem=problem, **known)

    def complete(self) -> Pair:
        """Return the pair without its incomplete rows."""
        if self.problem:
            return self
        check_aligned(self.x, self.y)
        x, y, dropped = complete_columns(as_column(self.x, "x"), as_column(self.y, "y"), "drop")
        n_dropped = self.n_dropped + len(dropped)
        return replace(self, x=x.to_array(), y=y.to_array(), n_dropped=n_dropped)

    def checked(self) -> Pair:
        """Return the pair with checked variables.

        x and y are then finite float64 arrays of shape (n,), or (n, n_features) for several
        columns; arrays of text for three categories or more. Raise TypeError or ValueError if the
        pair could not be read or cannot be analyzed.
        """
        if self.problem:
            raise ValueError(self.problem)
        check_aligned(self.x, self.y)
        columns = as_column(self.x, "x"), as_column(self.y, "y")
        variables = as_variables(*columns)
        arrays = []
        for column, matrix in zip(columns, variables[:2], strict=True):
            values = column.to_array() if column.is_categorical else matrix
            is_single = values.ndim == 2 and values.shape[1] == 1
            arrays.append(values[:, 0] if is_single else values)
        return replace(self, x=arrays[0], y=arrays[1])

    def univariate(self) -> Pair:
        """Return the pair with checked variables of one column of numbers each.

        Raise TypeError or ValueError as `checked`, and for several columns or categories.
        """
        widths = [np.shape(values)[1] if np.ndim(values) == 2 else 1 for values in (self.x, self.y)]
        if max(widths) > 1:
            x, y = ("1 column" if width == 1 else f"{width} columns" for width in widths)
            raise ValueError(
                f"multivariate: x has {x}, y has {y}; only the direction can be inferred"
            )
        checked = self.checked()
        if "U" in (checked.x.dtype.kind, checked.y.dtype.kind):
            name = "x" if checked.x.dtype.kind == "U" else "y"
            raise ValueError(f"{name} holds categories; only the direction can be inferred")
        return checked

    def subsample(self, n_samples: int, random_state: RandomState = None) -> Pair:
        """Return the pair with at most `n_samples` random observations, in their order."""
        rng = check_rng(random_state)
        if len(self.x) <= check_count(n_samples, "n_samples"):
            return self
        rows = np.sort(rng.choice(len(self.x), n_samples, replace=False))
        return replace(self, x=self.x[rows], y=self.y[rows])


def make_pair(pair_id: str, x: Column, y: Column, **known: Any) -> Pair:
    """Return a pair of columns without its incomplete rows; `known` are attributes of `Pair`."""
    if len(x.values) != len(y.values):
        sizes = f"x has {len(x.values)} values and y has {len(y.values)}"
        raise ValueError(f"{sizes}; they must come in pairs")
    is_incomplete = x.missing | y.missing
    if is_incomplete.any():
        first, second = known.get("names", ("x", "y"))
        known["n_dropped"] = int(np.count_nonzero(is_incomplete))
        known["missing"] = missing_text({first: x, second: y})
        x = x.take(~is_incomplete)
        y = y.take(~is_incomplete)
    return Pair(pair_id, x.to_array(), y.to_array(), **known)
