"""Pairs of a source come in; chunks of some tenths of a second of work go out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from threading import Lock
from typing import Any

import numpy as np

from anmmm.collection.checkpoint import Checkpoint
from anmmm.datasets import Pair

__all__ = ["MAX_PAIRS", "WINDOW", "Chunk", "Feed"]

# Handing out a chunk takes some milliseconds, a few percent of this.
SECONDS = 0.25
MAX_PAIRS = 200
# Rows that may wait for an earlier one, some ten megabytes.
WINDOW = 10_000
# Observations of the pairs in a chunk, and of all that wait where rows grow with them.
CHUNK_OBSERVATIONS = 500_000
WINDOW_OBSERVATIONS = 1_000_000

Chunk = list[tuple[int, Pair]]


class Feed:
    """Iterator over chunks that stops, to go on later, where too much waits for an earlier pair.

    Safe to be read by several threads, of which one at a time reads the source.

    Parameters
    ----------
    pairs : iterator of (int, Pair)
        Positions and pairs, in order.
    size : int or "auto"
        Pairs of a chunk; ``"auto"`` estimates from the numbers of observations, and from the
        times of finished pairs, what makes a quarter of a second. A pair that takes longer is a
        chunk of its own.
    window : int
        Number of pairs that may be on their way at a time.
    growing : bool
        Whether a row holds something for each observation, so that they are counted, too.
    checkpoint : Checkpoint or None
        Its rows are taken and not computed again.

    Attributes
    ----------
    order : deque of int
        Positions that were read and not yet given out.
    done : dict of int to record
        Finished rows of these positions.
    ended : bool
        Whether the source was read to its end, or to where it failed.
    error : Exception or None
        What the source raised.
    """

    def __init__(
        self,
        pairs: Iterator[tuple[int, Pair]],
        size: int | str,
        *,
        window: int = WINDOW,
        growing: bool = False,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self._pairs, self._size, self._window = pairs, size, window
        self._growing, self._checkpoint = growing, checkpoint
        self._lock = Lock()
        self._held: tuple[int, Pair] | None = None
        self._cost = _Cost()
        self._observations: dict[int, int] = {}
        self._waiting = 0
        self.order: deque[int] = deque()
        self.done: dict[int, Any] = {}
        self.ended = False
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[Chunk]:
        return self

    def __next__(self) -> Chunk:
        with self._lock:
            chunk = self._cut()
        if not chunk:
            raise StopIteration
        return chunk

    def finished(self, chunk: Chunk, rows: list[Any]) -> None:
        """Take the rows of a chunk."""
        self._cost.learn([pair for _, pair in chunk], [row.seconds for row in rows])
        for (index, _), row in zip(chunk, rows, strict=True):
            self.done[index] = row

    def ready(self) -> Iterator[Any]:
        """Give out the rows that are next."""
        while self.order and self.order[0] in self.done:
            with self._lock:
                index = self.order.popleft()
                self._waiting -= self._observations.pop(index, 0)
            yield self.done.pop(index)

    def _cut(self) -> Chunk:
        chunk: Chunk = []
        start, seconds, observations = time.monotonic(), 0.0, 0
        while not self._full(chunk, seconds, observations, start):
            item = self._take()
            if item is None:
                break
            cost = self._cost.estimate(item[1])
            if self._size == "auto" and chunk and cost >= SECONDS:
                # Short pairs are not to wait for a long one.
                self._held = item
                break
            chunk.append(item)
            seconds += cost
            observations += _length(item[1])
        return chunk

    def _full(self, chunk: Chunk, seconds: float, observations: int, start: float) -> bool:
        if self._size != "auto":
            return len(chunk) >= int(self._size)
        return bool(chunk) and (
            seconds >= SECONDS
            or observations >= CHUNK_OBSERVATIONS
            or len(chunk) >= MAX_PAIRS
            # A source that is slow, such as a measurement that goes on, fills no chunks.
            or time.monotonic() - start >= SECONDS
        )

    def _take(self) -> tuple[int, Pair] | None:
        """Return the next pair that is to be computed, where there is one and room for its row."""
        if self._held is not None:
            held, self._held = self._held, None
            return held
        while not self.ended and self._has_room():
            try:
                index, pair = next(self._pairs)
                row = None if self._checkpoint is None else self._checkpoint.find(index, pair)
            except StopIteration:
                self.ended = True
                return None
            except Exception as error:
                # Raised when all rows before it were given out.
                self.ended, self.error = True, error
                return None
            if self._growing:
                self._observations[index] = _length(pair)
                self._waiting += _length(pair)
            if row is not None:
                # Before it is in order: others look there first.
                self.done[index] = row
            self.order.append(index)
            if row is None:
                return index, pair
        return None

    def _has_room(self) -> bool:
        return len(self.order) < self._window and self._waiting < WINDOW_OBSERVATIONS


class _Cost:
    """Seconds of a pair: a constant and a share for each observation, learned as rows come."""

    # Observations that take as long as a pair does at least.
    BASE = 50

    def __init__(self) -> None:
        self._rate: float | None = None

    def estimate(self, pair: Pair) -> float:
        # The first pairs go one by one, to be measured.
        return SECONDS if self._rate is None else self._rate * self._units(pair)

    def learn(self, pairs: list[Pair], seconds: list[float]) -> None:
        rate = sum(seconds) / sum(map(self._units, pairs))
        self._rate = rate if self._rate is None else 0.8 * self._rate + 0.2 * rate

    def _units(self, pair: Pair) -> int:
        return self.BASE + _length(pair)


def _length(pair: Pair) -> int:
    return len(pair.x) if np.ndim(pair.x) else 0
