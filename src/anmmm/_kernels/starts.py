"""Responsibilities to start EM from, all of one number of mechanisms in one call."""

from __future__ import annotations

from anmmm._kernels._jit import FloatArray, IndexArray, kernel


@kernel()
def residual_starts(
    values: FloatArray,
    order: IndexArray,
    tied: float,
    y: FloatArray,
    membership: FloatArray,
    curves: FloatArray,
    softness: float,
    starts: FloatArray,
) -> None:
    """Cut ordered values into C parts of equal size, and split each mechanism of a fit with C - 1.

    values, order: (n_cuts, n); membership, curves: (n, C - 1); starts: (n_cuts [+ C - 1], n, C).
    Adjacent values within `tied` times the row's largest belong equally to all parts they reach.
    """
    n_cuts, n = values.shape
    n_starts, _, C = starts.shape
    alike = softness / C
    for s in range(n_cuts):
        row, places = values[s], order[s]
        near = tied * max(row[places[n - 1]], -row[places[0]])
        first = 0
        while first < n:
            last = first + 1
            while last < n and row[places[last]] - row[places[last - 1]] <= near:
                last += 1
            for c in range(C):
                # In whole numbers, so that equal parts are equal to the last bit.
                inside = min(C * last, (c + 1) * n) - max(C * first, c * n)
                part = alike + (1.0 - softness) * (max(inside, 0) / (C * (last - first)))
                for k in range(first, last):
                    starts[s, places[k], c] = part
            first = last
    for s in range(n_cuts, n_starts):
        split = s - n_cuts
        for k in range(n):
            label = 0
            for c in range(1, membership.shape[1]):
                if membership[k, c] > membership[k, label]:
                    label = c
            if label == split and y[k] > curves[k, split]:
                label = C - 1
            for c in range(C):
                starts[s, k, c] = alike + (1.0 - softness) * (1.0 if c == label else 0.0)
