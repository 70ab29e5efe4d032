"""Low-rank factors of Gram matrices: storage in blocks, choice of pivots, control of the error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anmmm._kernels import pivoted
from anmmm._kernels.chunks import run_in_chunks
from anmmm._typing import FloatArray, IntArray

# Points up to which a factor is one block, with pivots among all of them.
WHOLE = 2048
# Points of a block, above: its factor rows stay in the second-level cache.
BLOCK = 512
# Points among which pivots are first chosen, and points of large residuals that are added.
SUBSAMPLE = 2048
ADDED = 256
# A factor that fills less than this fraction of the rows ever written takes new memory: a step of a
# line search may have a rank of hundreds, which is gigabytes for a million points.
WORTH_FREEING = 0.5
# Residuals of a unit diagonal that are rounding.
ROUNDING = 1e-15


class RankTooLargeError(Exception):
    """A factor would need a larger rank than it may have."""


class Factor:
    """Pivoted Cholesky factor ``K ≈ LᵀL`` of a Gram matrix; L: (n_blocks, capacity, c)."""

    def __init__(
        self, n: int, capacity: int, n_chunks: int | None, max_rank: int | None = None
    ) -> None:
        self._n = n
        self._max_rank = n if max_rank is None else min(max_rank, n)
        self._n_chunks = n_chunks
        self._width = n if n <= WHOLE else BLOCK
        self._n_blocks = -(-n // self._width)
        self.rest = np.empty((self._n_blocks, self._width))
        self._allocate(min(capacity, self._max_rank))
        self.rank = 0
        self.residual = 0.0

    def _allocate(self, capacity: int) -> None:
        self.L = np.empty((self._n_blocks, capacity, self._width))
        # Pages never written take no memory: the rows written count, not the capacity.
        self._written = 0

    def blocks(self, rows: FloatArray) -> FloatArray:
        """Cut (d, n) into (n_blocks, d, c), the last block padded with zeros."""
        d = len(rows)
        if self._n_blocks == 1:
            return np.ascontiguousarray(rows)[np.newaxis]
        padded = np.zeros((d, self._n_blocks * self._width))
        padded[:, : self._n] = rows
        cut = padded.reshape(d, self._n_blocks, self._width)
        return np.ascontiguousarray(cut.transpose(1, 0, 2))

    def unblock(self, blocks: FloatArray) -> FloatArray:
        """Undo `blocks`: (n_blocks, d, c) to (d, n)."""
        return blocks.transpose(1, 0, 2).reshape(blocks.shape[1], -1)[:, : self._n]

    def fill(
        self,
        points: FloatArray,
        blocks: FloatArray,
        gamma: FloatArray,
        total: float,
        others: IntArray | None = None,
    ) -> None:
        """Factor the Gram matrix of points (d, n) until the residual's trace is at most `total`."""
        if self._n_blocks == 1:
            self._fill_whole(blocks[0], gamma, total)
            return
        if self.rank < WORTH_FREEING * self._written:
            self._allocate(self.L.shape[1])
        count = min(self._n, SUBSAMPLE)
        candidates = np.linspace(0, self._n - 1, count).astype(np.intp)
        if others is not None:
            candidates = np.concatenate([candidates, others])
        while True:
            some = np.ascontiguousarray(points[:, candidates])
            # Half of their part of the total, because residuals of the other points are larger.
            part = 0.5 * total * len(candidates) / self._n
            triangle, pivots = self._pivots(some, gamma, part)
            self._extend(blocks, gamma, np.ascontiguousarray(some[:, pivots]), triangle)
            rest = self.rest.ravel()
            if self.residual <= total or rest.max() <= ROUNDING:
                return
            others_rest = rest.copy()
            others_rest[candidates] = 0.0
            count = min(ADDED, len(rest))
            worst = np.argpartition(others_rest, -count)[-count:]
            worst = worst[others_rest[worst] > ROUNDING]
            if len(worst) == 0:
                # The residual is rounding: adding points would take N / ADDED rounds.
                return
            candidates = np.union1d(candidates, worst)

    def center(self) -> FloatArray:
        """Subtract from every row of L its mean over the points; return the means."""
        rows = self.L[:, : self.rank]
        means = rows.sum(axis=(0, 2)) / self._n
        rows -= means[:, np.newaxis]
        # Padding stays zero.
        n_padding = self._n_blocks * self._width - self._n
        if n_padding > 0:
            rows[-1, :, -n_padding:] = 0.0
        return np.asarray(means)

    def _fill_whole(self, points: FloatArray, gamma: FloatArray, total: float) -> None:
        while True:
            pivots = np.empty(self.L.shape[1], dtype=np.int64)
            self.rank, self.residual = pivoted.pivoted_cholesky(
                points, gamma, ROUNDING, total, self.L[0], pivots, self.rest[0]
            )
            if self.rank >= 0:
                return
            self._allocate(self._larger(self.L.shape[1]))

    def _pivots(
        self, points: FloatArray, gamma: FloatArray, total: float
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Choose pivots among some points; return the factor of their own Gram matrix too."""
        n = points.shape[1]
        rest = np.empty(n)
        capacity = self.L.shape[1]
        while True:
            L = np.empty((capacity, n))
            pivots = np.empty(capacity, dtype=np.int64)
            rank, _ = pivoted.pivoted_cholesky(points, gamma, ROUNDING, total, L, pivots, rest)
            if rank >= 0:
                break
            capacity = self._larger(capacity)
        if capacity > self.L.shape[1]:
            self._allocate(capacity)
        pivots = pivots[:rank]
        return np.ascontiguousarray(L[:rank, pivots].T), pivots

    def _extend(
        self, blocks: FloatArray, gamma: FloatArray, pivot_points: FloatArray, triangle: FloatArray
    ) -> None:
        rank = len(triangle)
        self._written = max(self._written, rank)
        run_in_chunks(
            pivoted.extend,
            self._n_chunks,
            blocks,
            self._n,
            gamma,
            pivot_points,
            triangle,
            self.L,
            self.rest,
        )
        self.rank = rank
        self.residual = float(self.rest.sum())

    def _larger(self, capacity: int) -> int:
        if capacity == self._max_rank:
            raise RankTooLargeError
        return min(2 * capacity, self._max_rank)
