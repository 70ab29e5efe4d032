"""Where a fit of many observations starts: at the fit of a few of them.

Standardized data come in; the rows of the few go out to ``model``, and then the latents of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray


def spread_rows(X: FloatArray, Y: FloatArray, size: int) -> NDArray[np.intp]:
    """Return `size` rows, equally far apart in the order of the first column of X, then the others.

    Nothing is drawn, and data in another order give the same observations. Without X those of Y
    are the columns.
    """
    order = np.lexsort(np.hstack([X, Y]).T[::-1])
    places = ((np.arange(size) + 0.5) * (len(X) / size)).astype(np.intp)
    return np.asarray(order[places])


def nearest_rows(X: FloatArray, Y: FloatArray, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each observation which of `rows` is nearest to it in [X, Y], its place in them."""
    # Here, as fits of few observations do without it, and it takes a while to load.
    from scipy.spatial import cKDTree

    points = np.hstack([X, Y])
    return np.asarray(cKDTree(points[rows]).query(points)[1], dtype=np.intp)
