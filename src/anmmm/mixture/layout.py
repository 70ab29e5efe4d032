"""How observations lie on the pieces of a spline in one cause, and room for fits to them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._kernels._vectors import LANES
from anmmm._kernels.mixture import Rounds
from anmmm._kernels.pieces import CUBIC, N_SUMS, Pieces, Strips, find_pieces, lay_out
from anmmm._kernels.spline_mixture import SHORT_RUN, Run, State, Tools
from anmmm._kernels.strips import CHUNK, Room
from anmmm._kernels.systems import System
from anmmm._record import Record
from anmmm._typing import FloatArray

# Where a column is read on each piece: a cubic is known by its values at four places.
PLACES = np.cos(np.pi * (np.arange(CUBIC) + 0.5) / CUBIC)
TO_POWERS = np.linalg.inv(np.vander(PLACES, CUBIC, increasing=True))
# Rooms that a thread keeps, and numbers beyond which one is not worth keeping. To make each anew
# took 3 % of a decision on 100 observations, and 10 % on 1000.
MOST_ROOMS, LARGE_ROOM = 16, 200_000


class _Rooms(threading.local):
    """Rooms of one thread, by size."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, ...], tuple[FloatArray, State, Tools, Run]] = {}


ROOMS = _Rooms()


@dataclass(frozen=True, eq=False, repr=False)
class Layout(Record):
    """A cause x (n_samples,) on the pieces of a basis between increasing knots (n_knots,)."""

    pieces: Pieces
    strips: Strips
    x: FloatArray
    knots: FloatArray

    @classmethod
    def of(
        cls, x: FloatArray, knots: FloatArray, columns: Callable[[FloatArray], FloatArray]
    ) -> Layout:
        """Lay the values of a cause out; `columns` of points (n, 1) are cubic between knots."""
        return cls(_pieces(knots, columns), _strips(x, knots), x, knots)

    def of_rows(self, rows: NDArray[np.intp]) -> Layout:
        """Lay some of the observations out."""
        x = self.x[rows]
        return replace(self, x=x, strips=_strips(x, self.knots))


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


def _strips(x: FloatArray, knots: FloatArray) -> Strips:
    n, n_pieces = len(x), max(len(knots) - 1, 1)
    piece, first = np.empty(n, np.int64), np.empty(n_pieces + 1, np.int64)
    length = find_pieces(x, knots, piece, first)
    n_strips = padded(int(first[-1]))
    slots = n_strips * length
    u, present, observation = np.zeros(slots), np.zeros(slots), np.full(slots, -1)
    strips = Strips(u, present, observation, np.zeros(n_strips, np.int64), length, n)
    lay_out(x, knots, piece, first, np.zeros(n_pieces, np.int64), strips)
    return strips


def padded(size: int) -> int:
    """Length in whole vectors."""
    return -(-size // LANES) * LANES


def room_for(
    S: int, C: int, scales: FloatArray, layout: Layout, sample: Layout
) -> tuple[State, Tools, Run]:
    """Make room for S starts of C curves from the same scales, or clear the thread's last such."""
    K = padded(max(len(layout.knots) - 1, 1))
    r, n_slots = len(layout.pieces.planes) // (CUBIC * K), len(layout.strips.u)
    shares = C * max(S * len(sample.strips.u), n_slots)
    n_strips = max(len(layout.strips.piece), len(sample.strips.piece))
    # Up to powers of two, so that sizes that are nearly the same are one.
    rounded = (1 << (size - 1).bit_length() for size in (n_strips, n_slots, shares))
    key = (S, C, r, K, len(layout.pieces.rows), len(scales), *rounded)
    rooms = ROOMS.made
    if key not in rooms:
        if len(rooms) >= MOST_ROOMS:
            rooms.clear()
        rooms[key] = _make_room(*key)
    room, state, tools, run = rooms[key]
    if len(room) > LARGE_ROOM:
        del rooms[key]
    room.fill(0.0)
    run.running.fill(True)
    run.settled.fill(0)
    state.scales[:] = scales
    run.bounds.fill(-np.inf)
    return state, tools, run


def _make_room(
    S: int,
    C: int,
    r: int,
    K: int,
    n_rows: int,
    n_scales: int,
    n_strips: int,
    n_slots: int,
    shares: int,
) -> tuple[FloatArray, State, Tools, Run]:
    width, at = padded(r), padded(r + 1)
    row, gram = at + width, width * width
    curves, totals = (S, C, width), (S, C)
    state = (S, n_scales), (S, width), totals, totals, curves, curves, (*totals, gram), totals
    systems = (S * C * r * row,), (S * C * width,)
    sums, strips = C * N_SUMS * K, C * N_SUMS * n_strips
    passes = (sums,), (strips,), (strips,), (C * CHUNK * LANES,), (LANES,)
    of_all = (N_SUMS * K,), (n_rows,), (gram,), (width,), (1,)
    slots = (shares,), (max(n_slots, shares // (S * C)),)
    bounds = (S,), (S, SHORT_RUN)
    shapes = (*state, *systems, (C, width), *((width,),) * 3, *passes, *of_all, *slots, *bounds)
    room, arrays = _aligned(*shapes)
    made = iter(arrays)

    def take(count: int) -> list[Any]:
        return list(islice(made, count))

    of_starts: list[Any] = take(len(state))
    rows, inverse = take(2)
    of_starts.append(System(rows, inverse, row, at))
    tools = [*take(1), Rounds(*take(3)), Room(*take(len(passes))), *take(7)]
    run = Run(np.ones(S, np.bool_), np.zeros(S, np.int64), *take(2))
    return room, State(*of_starts), Tools(*tools), run


def _aligned(*shapes: tuple[int, ...]) -> tuple[FloatArray, list[FloatArray]]:
    """Zeros that begin where lines of the cache do: vectors that lie across two cost twice."""
    sizes = [padded(math.prod(shape)) for shape in shapes]
    room = np.zeros(sum(sizes) + LANES)
    at, made = -(room.ctypes.data // room.itemsize) % LANES, []
    for shape, size in zip(shapes, sizes, strict=True):
        made.append(room[at : at + math.prod(shape)].reshape(shape))
        at += size
    return room, made
