"""Names of the types that signatures share."""

from __future__ import annotations

import os
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
StrPath: TypeAlias = str | os.PathLike[str]
# How missing values are treated.
Missing: TypeAlias = Literal["raise", "drop"]
# The argument of `check_rng`.
RandomState: TypeAlias = (
    int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None
)
