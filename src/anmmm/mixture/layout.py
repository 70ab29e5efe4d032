"""How observations are laid out for fits, on pieces of a spline or as rows of columns, and room."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._kernels._vectors import LANES
from anmmm._kernels.columns import BLOCK, ColumnRoom, ColumnRows
from anmmm._kernels.mixture import SHORT_RUN, Starts
from anmmm._kernels.pieces import (
    CUBIC,
    N_SUMS,
    Pieces,
    Strips,
    deal_out,
    find_pieces,
    lay_out,
)
from anmmm._kernels.posterior import Fits, Work
from anmmm._kernels.strips import CHUNK, PieceRoom, PieceRows
from anmmm._record import Record, frozen
from anmmm._typing import FloatArray, IntArray

# Where a column is read on each piece: a cubic is known by its values at four places.
PLACES = np.cos(np.pi * (np.arange(CUBIC) + 0.5) / CUBIC)
TO_POWERS = np.linalg.inv(np.vander(PLACES, CUBIC, increasing=True))
# Rooms that a thread keeps, and numbers beyond which one is not worth keeping. To make each anew
# took 3 % of a decision on 100 observations, and 10 % on 1000.
MOST_ROOMS, LARGE_ROOM = 16, 200_000


class _Rooms(threading.local):
    """Arrays of one thread, zero between fits, by their shapes."""

    def __init__(self) -> None:
        self.made: dict[tuple[Any, ...], tuple[FloatArray, Made]] = {}


ROOMS = _Rooms()


@frozen
class Layout(Record):
    """A cause x (n_samples,) on the pieces of a basis between increasing knots (n_knots,).

    `slots` (n_samples,) are the observations' places in the strips.
    """

    pieces: Pieces
    strips: Strips
    slots: NDArray[np.int64]
    x: FloatArray
    knots: FloatArray

    @classmethod
    def of(
        cls, x: FloatArray, knots: FloatArray, columns: Callable[[FloatArray], FloatArray]
    ) -> Layout:
        """Lay the values of a cause out; `columns` of points (n, 1) are cubic between knots."""
        return cls(_pieces(knots, columns), *_strips(x, knots), x, knots)

    def of_rows(self, rows: IntArray) -> Layout:
        """Lay some of the observations out."""
        x = self.x[rows]
        strips, slots = _strips(x, self.knots)
        return replace(self, x=x, strips=strips, slots=slots)


def _pieces(knots: FloatArray, columns: Callable[[FloatArray], FloatArray]) -> Pieces:
    # Columns that do not depend on the cause are one piece, wherever it is.
    edges = knots if len(knots) > 1 else np.array([-1.0, 1.0])
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    points = middle[:, np.newaxis] + half[:, np.newaxis] * PLACES
    values = columns(points.reshape(-1, 1))
    n, r = len(middle), values.shape[1]
    powers = TO_POWERS @ values.reshape(n, CUBIC, r)
    planes, rows = np.zeros((r, CUBIC, padded(n))), np.zeros((n, CUBIC, padded(r)))
    planes[:, :, :n] = powers.transpose(2, 1, 0)
    rows[:, :, :r] = powers
    return Pieces(planes.ravel(), rows.ravel())


def _strips(x: FloatArray, knots: FloatArray) -> tuple[Strips, NDArray[np.int64]]:
    n, n_pieces = len(x), max(len(knots) - 1, 1)
    piece, first = np.empty(n, np.int64), np.empty(n_pieces + 1, np.int64)
    length = find_pieces(x, knots, piece, first)
    n_strips = padded(int(first[-1]))
    u, present = np.zeros((2, n_strips * length))
    strips, slots = Strips(u, present, np.zeros(n_strips, np.int64), length), np.empty(n, np.int64)
    lay_out(x, knots, piece, first, np.zeros(n_pieces, np.int64), strips, slots)
    return strips, slots


def padded(size: int) -> int:
    """Length in whole vectors."""
    return -(-size // LANES) * LANES


def _rounded(size: int) -> int:
    """Up to a power of two, so that sizes that are nearly the same share a room."""
    return 1 << (size - 1).bit_length()


class Job(NamedTuple):
    """What the compiled fit takes beside the problem, and what it leaves there."""

    sample: PieceRows | ColumnRows
    whole: PieceRows | ColumnRows
    room: Any  # PieceRoom or ColumnRoom
    work: Work
    fits: Fits
    starts: Starts

    @classmethod
    def on_pieces(
        cls,
        layouts: tuple[Layout, Layout],
        effects: tuple[FloatArray, FloatArray],
        given: FloatArray,
        r: int,
        n_scales: int,
        max_iter: int,
    ) -> Job:
        """Lay out a sample and the whole, effects (n,), and responsibilities (S, n_sample, C)."""
        S, _, C = given.shape
        sample, whole = layouts
        K = padded(max(len(whole.knots) - 1, 1))
        few, slots = _rounded(len(sample.strips.u)), _rounded(len(whole.strips.u))
        n_strips = _rounded(max(len(sample.strips.piece), len(whole.strips.piece)))
        sums, strips = C * N_SUMS * K, C * N_SUMS * n_strips
        room = (sums,), (strips,), (strips,), (C * CHUNK * LANES,), (LANES,), (N_SUMS * K,)
        shared = (C * max(S * few, slots),), (few,), (slots,)
        shapes = *shared, *room, (len(whole.pieces.rows),)
        (shares, *slotted), passes, job = _make(S, C, r, n_scales, max_iter, 3, *shapes)

        def lay(layout: Layout, effect: FloatArray, given: FloatArray, y: FloatArray) -> PieceRows:
            y = y[: len(layout.strips.u)]
            deal_out(effect, given, layout.slots, y, shares)
            return PieceRows(layout.pieces, layout.strips, y, shares, len(effect))

        rows = lay(sample, effects[0], given, slotted[0])
        rest = rows if whole is sample else lay(whole, effects[1], given[:0], slotted[1])
        return cls(rows, rest, PieceRoom(*passes), *job)

    @classmethod
    def on_columns(
        cls,
        columns: tuple[FloatArray, FloatArray],
        effects: tuple[FloatArray, FloatArray],
        given: FloatArray,
        r: int,
        n_scales: int,
        max_iter: int,
        reading: FloatArray,
    ) -> Job:
        """Do the same on columns (r, padded(n)); reading: log-odds (n, C) of labels, or (0, C)."""
        (S, _, C), n = given.shape, len(effects[1])
        room = (C, padded(r), padded(r)), (C, BLOCK), *((BLOCK,),) * 4
        (shares,), passes, job = _make(S, C, r, n_scales, max_iter, 1, (S * C * n,), *room)
        sample, whole = (
            ColumnRows(part, reading, effect, shares, len(effect))
            for part, effect in zip(columns, effects, strict=True)
        )
        shares[: given.size].reshape(S, C, -1)[:] = given.transpose(0, 2, 1)
        return cls(sample, whole, ColumnRoom(*passes), *job)


Made = tuple[list[FloatArray], list[FloatArray], tuple[Work, Fits, Starts]]


def _make(*key: Any) -> Made:
    """Return what `_make_room` makes of the same arguments, or the thread's last such, cleared."""
    rooms = ROOMS.made
    if key not in rooms:
        if len(rooms) >= MOST_ROOMS:
            rooms.clear()
        rooms[key] = _make_room(*key)
    room, made = rooms[key]
    if len(room) > LARGE_ROOM:
        del rooms[key]
    room.fill(0.0)
    starts = made[2][2]
    starts.running.fill(True)
    starts.settled.fill(0)
    starts.bounds.fill(-np.inf)
    return made


def _make_room(
    S: int,
    C: int,
    r: int,
    n_scales: int,
    max_iter: int,
    n_shared: int,
    *shapes: tuple[int, ...],
) -> tuple[FloatArray, Made]:
    """Make arrays of the given shapes, the first ones for all passes, and those of a fit."""
    width = padded(r)
    vectors, totals, gram = (S, C, width), (S, C), (width, width)
    work = (C, width), *((width,),) * 3
    fits = (S, n_scales), (S, width), totals, totals, vectors, (S, C, r, padded(r + 1) + width)
    sums = vectors, (S, C, *gram), vectors, totals
    starts = (S,), (S, max(SHORT_RUN, max_iter)), gram, (width,), (1,)
    room, arrays = _aligned(*shapes, *work, *fits, *sums, *starts)
    made = iter(arrays)

    def take(count: int) -> list[Any]:
        return list(islice(made, count))

    shared, passes = take(n_shared), take(len(shapes) - n_shared)
    job = Work(*take(4)), Fits(*take(10))
    running, settled = np.ones(S, np.bool_), np.zeros(S, np.int64)
    return room, (shared, passes, (*job, Starts(running, settled, *made)))


def _aligned(*shapes: tuple[int, ...]) -> tuple[FloatArray, list[FloatArray]]:
    """Zeros that begin where lines of the cache do: vectors that lie across two cost twice."""
    sizes = [padded(math.prod(shape)) for shape in shapes]
    room = np.zeros(sum(sizes) + LANES)
    at, made = -(room.ctypes.data // room.itemsize) % LANES, []
    for shape, size in zip(shapes, sizes, strict=True):
        made.append(room[at : at + math.prod(shape)].reshape(shape))
        at += size
    return room, made
