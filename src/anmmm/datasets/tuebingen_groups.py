"""Data sets of the pairs of the Tübingen collection.

The collection gives each pair the weight 1 / (number of pairs from its data set), so the pairs of
one data set count as one observation; standard errors are clustered by data set. The partition
follows the weights and the appendix of J. M. Mooij, J. Peters, D. Janzing, J. Zscheischler, B.
Schölkopf, JMLR 17(32), 2016. The multivariate pairs 52, 53, 55 and 71, of weight 0, are groups of
their own.
"""

from __future__ import annotations

from collections import Counter

_GROUPS: dict[str, tuple[int, ...]] = {
    "DWD weather stations": (1, 2, 3, 4, 20, 21),
    "abalone": (5, 6, 7, 8, 9, 10, 11),
    "census income": (12, 17),
    "auto-mpg": (13, 14, 15, 16, 54),
    "arrhythmia": (22, 23, 24),
    "concrete": (25, 26, 27, 28, 29, 30, 31, 32),
    "liver disorders": (33, 34, 35, 36, 37),
    "Pima Indians diabetes": (38, 39, 40, 41),
    "Furtwangen weather": (42, 77),
    "weather reanalysis": (43, 44, 45, 46),
    "BAFU ozone": (49, 50, 51),
    "UN data": (56, 57, 58, 59, 60, 61, 62, 63, 64, 73, 74, 75),
    "stock returns": (65, 66, 67),
    "light and ecosystem exchange": (78, 79, 80),
    "temperature and soil respiration": (81, 82, 83),
    "data set of pair0089": (89, 90, 91, 92),
    "electricity load": (94, 95, 96),
    "ball tracks": (97, 98, 102, 103, 104),
    "data set of pair0101": (101, 105),
}
_GROUP_OF: dict[int | None, str] = {n: f"data set of pair{n:04d}" for n in range(1, 109)}
_GROUP_OF |= {number: name for name, numbers in _GROUPS.items() for number in numbers}
_NO_WEIGHT = frozenset({52, 53, 54, 55, 71})
# Pairs of each data set that have a weight.
_SIZES = Counter(name for number, name in _GROUP_OF.items() if number not in _NO_WEIGHT)


def group_of(number: int | None) -> str | None:
    """Return the data set of a pair of the collection, None for other numbers."""
    return _GROUP_OF.get(number)


def weight_of(number: int | None) -> float | None:
    """Return the weight of a pair of the collection, None for other numbers."""
    if number in _NO_WEIGHT:
        return 0.0
    group = _GROUP_OF.get(number)
    return None if group is None else 1.0 / _SIZES[group]
