"""Standardization of variables, and their cells."""

from __future__ import annotations

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray

# Units in the last place of the largest value that arithmetic on the data may have cost.
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)


class Standardization(Record):
    """The affine map ``z = (x / unit - center) / std`` of each column."""

    # largest absolute value; divided out first, so that no square overflows or underflows
    unit: FloatArray
    center: FloatArray  # mean of x / unit
    std: FloatArray  # standard deviation (ddof 0) of x / unit

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardize points of shape (n, n_features)."""
        return (X / self.unit - self.center) / self.std

    @property
    def log_unit(self) -> float:
        """Logarithm of the volume that a unit cube of standardized points has."""
        return float(np.log(self.std).sum() + np.log(self.unit).sum())

    def undo(self, Z: FloatArray) -> FloatArray:
        """Take standardized points of shape (n, n_features) back to the original scale."""
        return (Z * self.std + self.center) * self.unit


def standardize(X: FloatArray) -> tuple[FloatArray, Standardization]:
    """Return X (n_samples, n_features) at mean 0 and deviation 1, and the transformation."""
    if np.ndim(X) != 2:
        raise ValueError(
            f"X must have two dimensions (n_samples, n_features), found shape {np.shape(X)}; "
            "reshape one variable by X.reshape(-1, 1)"
        )
    # Reductions, because methods and functions of means take three times as long at N = 100.
    n = len(X)
    unit = np.maximum.reduce(np.abs(X))
    scaled = X / unit
    center = np.add.reduce(scaled) / n
    centered = scaled - center
    std = np.sqrt(np.add.reduce(centered**2) / n)
    Z = np.ascontiguousarray(centered / std)
    # Whether 0.1 + 0.2 and 0.3 are tied must not depend on the unit.
    for column, deviation in zip(Z.T, std, strict=True):
        _merge_rounded(column, ROUNDING / deviation)
    return Z, Standardization(unit, center, std)


def indicators(values: FloatArray) -> FloatArray:
    """Return a column of zeros and ones for each distinct value of (n_samples,)."""
    distinct = np.unique(values)
    return np.asarray(values[:, np.newaxis] == distinct, dtype=np.float64)


def order_by(x: FloatArray, y: FloatArray, order: IntArray | None = None) -> IntArray:
    """Return the order of rows by x (n_samples,), of equal ones by y; `order`: by x, if known."""
    order = np.argsort(x) if order is None else order
    ordered = x[order]
    # Faster than a sort by both.
    return np.lexsort((y, x)) if np.any(ordered[1:] == ordered[:-1]) else order


def mean_ranks(values: FloatArray) -> FloatArray:
    """Return ranks (n_samples,) minus a half, of equal values their mean."""
    # SciPy's `rankdata` loads slowly.
    _, places = np.unique(values, return_inverse=True)
    return ranks_of_places(places)


def ranks_of_places(places: IntArray) -> FloatArray:
    """Return `mean_ranks` of values whose places among the distinct ones are known."""
    counts = np.bincount(places)
    return np.asarray((np.cumsum(counts) - 0.5 * counts)[places])


def tied(ordered: FloatArray, near: float) -> tuple[IntArray, IntArray]:
    """Split increasing values at gaps above `near`; return begins and ends (n_groups,)."""
    first = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > near]))
    return first, np.concatenate([first[1:], [len(ordered)]])


def median(values: FloatArray) -> float:
    """Return the median of values (n,)."""
    # As np.median, whose checks take longer than all else at N = 100.
    half = len(values) // 2
    ordered = np.partition(values, (len(values) - 1 - half, half))
    return 0.5 * float(ordered[-1 - half] + ordered[half])


def _merge_rounded(z: FloatArray, near: float) -> None:
    ordered = np.sort(z)
    gaps = ordered[1:] - ordered[:-1]
    if not ((gaps > 0.0) & (gaps <= near)).any():
        return
    first, last = tied(ordered, near)
    low = ordered[first]
    high = ordered[last - 1]
    # A chain of such gaps is a variable at its resolution, not rounding.
    if np.all(high - low <= 2.0 * near):
        z[np.argsort(z)] = np.repeat(0.5 * (low + high), last - first)


class Cells(Record):
    """A variable at its own resolution: one interval for each distinct value."""

    values: FloatArray  # (n_samples,)
    index: IntArray  # (n_samples,), cell of each observation
    lower: FloatArray  # (n_samples,), its ends
    upper: FloatArray
    edges: FloatArray  # (n_distinct + 1,), ends of all cells, increasing

    @classmethod
    def of(cls, values: FloatArray) -> Cells:
        """Cut a finite, non-constant variable into cells. O(N log N)."""
        order = np.argsort(values)
        distinct = values[order]
        differs = distinct[1:] > distinct[:-1]
        rank = np.zeros(len(values), dtype=np.intp)
        np.cumsum(differs, out=rank[1:])
        if rank[-1] < len(values) - 1:
            distinct = distinct[np.concatenate([[True], differs])]
        if len(distinct) < 2:
            raise ValueError(
                f"values must have at least two distinct numbers, found {len(distinct)}; a "
                "constant has no resolution"
            )
        index = np.empty_like(rank)
        index[order] = rank
        edges = np.empty(len(distinct) + 1)
        middle = edges[1:-1]
        np.subtract(distinct[1:], distinct[:-1], out=middle)
        middle *= 0.5
        middle += distinct[:-1]
        edges[0] = 2.0 * distinct[0] - middle[0]
        edges[-1] = 2.0 * distinct[-1] - middle[-1]
        return cls(values, index, edges[index], edges[index + 1], edges)

    @property
    def n_distinct(self) -> int:
        """Number of cells."""
        return len(self.edges) - 1

    @property
    def distinct(self) -> FloatArray:
        """Value of each cell, (n_distinct,), increasing."""
        # A part of the rows has empty cells.
        distinct = 0.5 * (self.edges[:-1] + self.edges[1:])
        distinct[self.index] = self.values
        return distinct

    @computed
    def variance(self) -> float:
        """Variance of the uniform distribution on a typical cell, the smallest noise variance."""
        return median(self.upper - self.lower) ** 2 / 12.0
