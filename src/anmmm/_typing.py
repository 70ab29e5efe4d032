"""Names of the types that signatures share."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["FloatArray", "IntArray", "RandomState"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
# What scikit-learn's `check_random_state` takes, and NumPy's Generator.
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
