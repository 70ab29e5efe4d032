"""The physical lower bound of an exact evaluation: one ``potrf`` and one ``potri``.

The log-determinant needs a factorization of the N × N covariance and the gradient needs its
inverse: N³ flops in LAPACK (N³/3 and 2N³/3) that no exact implementation can avoid. Everything
else, the kernels among it, is O(N²). A low-rank evaluation is not exact and may be faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._kernels._lapack import potrf, potri
from benchmarks.peers.protocol import Evaluate, FloatArray, Peer

__all__ = ["PEERS", "build"]


def build(X: FloatArray, Y: FloatArray, **constants: Any) -> Evaluate:
    """Factorize and invert a positive definite matrix of the order of the covariance."""
    n = len(X)
    root = np.random.default_rng(0).standard_normal((n, n))
    # `potri` leaves the inverse where the matrix was, so the next call inverts that, and no copy
    # is timed. All eigenvalues lie between 1 and 5: rounding does not add up over many calls.
    matrix = root @ root.T / n + np.eye(n)
    nothing = np.zeros(0)

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        if potrf(matrix) or potri(matrix):
            raise np.linalg.LinAlgError("the bound's matrix is no longer positive definite")
        return 0.0, nothing

    return evaluate


PEERS = (Peer("potrf + potri (bound)", build, bound=True),)
