"""The columns of a spline basis at many points, or their products summed over the points.

docs/method/decisions.md, "Mixtures".
"""

from __future__ import annotations

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._lapack import gemm

# Points of a block, whose raw functions stay in the first-level cache.
ROWS = 64


@kernel(fastmath=SUMS)
def spline_columns(
    X: FloatArray, centers: FloatArray, combine: FloatArray, columns: FloatArray, gram: FloatArray
) -> None:
    """Combine the raw functions ``1, x_1, …, x_d, |x - knot|³ / 12`` of points X (n, d).

    centers: (n_bent, n_knots), along the first coordinates; combine: (1 + d + n_knots, r). Writes
    columns (n, r) and adds their products to gram (r, r), unless these have no rows. BLAS 3.
    """
    n, d = X.shape
    n_bent, m = centers.shape
    r = combine.shape[1]
    raw = np.empty((ROWS, 1 + d + m))
    spare = np.empty((ROWS, r))
    for first in range(0, n, ROWS):
        rows = min(ROWS, n - first)
        for i in range(rows):
            row = raw[i]
            row[0] = 1.0
            for j in range(d):
                row[1 + j] = X[first + i, j]
            cubes = row[1 + d :]
            for k in range(m):
                cubes[k] = 0.0
            for j in range(n_bent):
                for k in range(m):
                    away = X[first + i, j] - centers[j, k]
                    cubes[k] += away * away
            for k in range(m):
                cubes[k] *= np.sqrt(cubes[k]) * (1.0 / 12.0)
        out = columns[first : first + rows] if columns.shape[0] > 0 else spare[:rows]
        gemm(raw[:rows], False, combine, False, 0.0, out)
        if gram.shape[0] > 0:
            gemm(out, True, out, False, 1.0, gram)
