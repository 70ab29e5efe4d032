"""Names of the types that signatures share."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
# What `check_rng` takes.
RandomState: TypeAlias = (
    int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None
)
