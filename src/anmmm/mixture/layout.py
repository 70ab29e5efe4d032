"""Arrays of a fit: observations on pieces of a spline or as columns, and workspaces."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple, cast

import numpy as np

from anmmm._kernels import packed
from anmmm._kernels._vectors import LANES
from anmmm._kernels.columns import ColumnRows, ColumnWorkspace
from anmmm._kernels.e_step import CHUNK
from anmmm._kernels.mixture import SHORT_RUN, Starts
from anmmm._kernels.pieces import CUBIC, N_SUMS, PieceRows, Pieces, PieceWorkspace
from anmmm._kernels.posterior import Fits, Work
from anmmm._record import Record
from anmmm._typing import FloatArray, IntArray

# Places on a piece at which a column is evaluated: four values determine a cubic.
PLACES = np.cos(np.pi * (np.arange(CUBIC) + 0.5) / CUBIC)
TO_POWERS = np.linalg.inv(np.vander(PLACES, CUBIC, increasing=True))
# Workspaces that a thread keeps, and the size beyond which one is not kept. Making each anew took
# 3 % of a decision on 100 observations, and 10 % on 1000.
MAX_WORKSPACES = 16
LARGE_WORKSPACE = 200_000

POOL = threading.local()
# Length in whole vectors.
padded: Callable[[int], int] = cast(Any, packed.padded).py_func


class Layout(Record, ABC):
    """Where observations (n_samples,) lie in a pass over them."""

    rows: Any  # PieceRows or ColumnRows, without effects and responsibilities
    places: IntArray  # the observations' slots

    @abstractmethod
    def of_rows(self, rows: IntArray) -> Layout:
        """Lay some of the observations out."""

    @abstractmethod
    def workspace(self, C: int) -> tuple[Any, ...]:
        """Return the type of the arrays of a pass, and their shapes for C curves."""


class PieceLayout(Layout):
    """Observations of one cause on the pieces of a basis between increasing knots (n_knots,)."""

    x: FloatArray
    knots: FloatArray

    @classmethod
    def of(
        cls, x: FloatArray, knots: FloatArray, columns: Callable[[FloatArray], FloatArray]
    ) -> PieceLayout:
        """Lay the values of a cause out; `columns` of points (n, 1) are cubic between knots."""
        return cls(*_slots(x, knots, _pieces(knots, columns)), x, knots)

    def of_rows(self, rows: IntArray) -> PieceLayout:
        x = self.x[rows]
        return PieceLayout(*_slots(x, self.knots, self.rows.pieces), x, self.knots)

    def workspace(self, C: int) -> tuple[Any, ...]:
        curves = (C * N_SUMS * padded(len(self.rows.ends) - 1),)
        return PieceWorkspace, (C * CHUNK,), curves, curves, self.rows.pieces.rows.shape


class ColumnLayout(Layout):
    """Observations in their order, of columns (r, padded(n_samples))."""

    @classmethod
    def of(cls, columns: FloatArray, n: int, labels: FloatArray | None = None) -> ColumnLayout:
        """Lay columns out; labels: their log-likelihood, (n, C)."""
        present = np.zeros(columns.shape[1])
        present[:n] = 1.0
        likelihood = np.empty((0, 0)) if labels is None else columns_of(labels)
        rows = ColumnRows(columns, likelihood, present, n, present, present)
        return cls(rows, np.arange(n))

    def of_rows(self, rows: IntArray) -> ColumnLayout:
        return ColumnLayout.of(columns_of(self.rows.columns.T[rows]), len(rows))

    def workspace(self, C: int) -> tuple[Any, ...]:
        width = padded(len(self.rows.columns))
        return ColumnWorkspace, (C * CHUNK,), (C, width, width), (CHUNK,), (LANES,)


def columns_of(design: FloatArray) -> FloatArray:
    """Return the columns of an array (n, r), (r, padded(n)), padded with zeros."""
    n, r = design.shape
    columns = np.zeros((r, padded(n)))
    columns[:, :n] = design.T
    return columns


def _pieces(knots: FloatArray, columns: Callable[[FloatArray], FloatArray]) -> Pieces:
    # Columns that do not depend on the cause have one piece, anywhere.
    edges = knots if len(knots) > 1 else np.array([-1.0, 1.0])
    middle = 0.5 * (edges[1:] + edges[:-1])
    half = 0.5 * np.diff(edges)
    points = middle[:, np.newaxis] + half[:, np.newaxis] * PLACES
    values = columns(points.reshape(-1, 1))
    n = len(middle)
    r = values.shape[1]
    powers = TO_POWERS @ values.reshape(n, CUBIC, r)
    planes = np.zeros((r, CUBIC, padded(n)))
    rows = np.zeros((n, CUBIC, padded(r)))
    planes[:, :, :n] = powers.transpose(2, 1, 0)
    rows[:, :, :r] = powers
    return Pieces(planes.ravel(), rows.ravel())


def _slots(x: FloatArray, knots: FloatArray, pieces: Pieces) -> tuple[PieceRows, IntArray]:
    n = len(x)
    n_pieces = max(len(knots) - 1, 1)
    # Columns that do not depend on the cause have one piece.
    piece = knots[1:-1].searchsorted(x, side="right")
    counts = np.bincount(piece, minlength=n_pieces)
    ends = np.zeros(n_pieces + 1, np.int64)
    np.cumsum(-(-counts // LANES) * LANES, out=ends[1:])
    places = np.empty(n, np.int64)
    places[piece.astype(np.int16).argsort(kind="stable")] = np.arange(n)
    places += (ends[:-1] - counts.cumsum() + counts)[piece]
    u, present = np.zeros((2, ends[-1]))
    present[places] = 1.0
    if len(knots) > 1:
        left = knots[piece]
        right = knots[piece + 1]
        u[places] = (2.0 * x - left - right) / (right - left)
    return PieceRows(pieces, u, present, ends, n, u, u), places


def _rounded(size: int) -> int:
    """Round up to a power of two, so that similar sizes use the same workspace."""
    return 1 << (size - 1).bit_length()


class Job(NamedTuple):
    """Arguments of the compiled fit after the problem, and its results."""

    sample: Any
    whole: Any
    workspace: Any
    work: Work
    fits: Fits
    starts: Starts

    @classmethod
    def of(
        cls,
        layouts: tuple[Layout, Layout],
        effects: tuple[FloatArray, FloatArray],
        given: FloatArray,
        sizes: tuple[int, int, int],
    ) -> Job:
        """Lay out effects (n,) of a sample and the whole, and responsibilities (S, n_sample, C).

        sizes: columns, scales, and most iterations.
        """
        S, _, C = given.shape
        sample, whole = layouts
        few, slots = (len(layout.rows.present) for layout in layouts)
        shared = (_rounded(few),), (_rounded(slots),), (C * _rounded(max(S * few, slots)),)
        kind, *shapes = whole.workspace(C)
        (*effects_in, responsibilities), made = _get_workspace(
            kind, (S, C), sizes, *shared, *shapes
        )
        starts = responsibilities[: S * C * few].reshape(S, C, few)
        starts[:, :, sample.places] = given.transpose(0, 2, 1)
        rows = []
        for layout, effect, y in zip(layouts, effects, effects_in, strict=True):
            y = y[: len(layout.rows.present)]
            y[layout.places] = effect
            rows.append(layout.rows._replace(y=y, responsibilities=responsibilities))
        return cls(*rows, *made)


def _get_workspace(
    kind: Any, counts: tuple[int, int], sizes: tuple[int, int, int], *shapes: tuple[int, ...]
) -> tuple[list[FloatArray], list[Any]]:
    """Return zeros of the first shapes, and named tuples of zeros: `kind` and those of a fit."""
    # A thread's next call with the same arguments gets the same arrays.
    kept: dict[Any, Any] = POOL.__dict__
    key = kind, counts, sizes, shapes
    if key not in kept:
        if len(kept) >= MAX_WORKSPACES:
            kept.clear()
        S, C = counts
        r, n_scales, max_iter = sizes
        width = padded(r)
        vectors = (S, C, width)
        totals = (S, C)
        sums = (width + 1, width)
        work = (C, width), *((width,),) * 3
        fits = (S, n_scales), (S, width), totals, totals, vectors, (S, C, r, padded(r + 1) + width)
        systems = vectors, (S, C, *sums)
        starts = *((S,),) * 3, (S, max(SHORT_RUN, max_iter)), sums
        workspace, arrays = aligned(*shapes, *work, *fits, *systems, *starts)
        kinds = (kind, Work, Fits, Starts)
        made = iter(arrays)
        shared = list(islice(made, len(shapes) - len(kind._fields)))
        named = [kind(*islice(made, len(kind._fields))) for kind in kinds]
        kept[key] = workspace, shared, named
    workspace, shared, named = kept[key]
    if len(workspace) > LARGE_WORKSPACE:
        del kept[key]
    workspace.fill(0.0)
    return shared, named


def aligned(*shapes: tuple[int, ...]) -> tuple[FloatArray, list[FloatArray]]:
    """Make zeros that begin at cache lines: vectors across two of them cost twice."""
    sizes = [padded(math.prod(shape)) for shape in shapes]
    workspace = np.zeros(sum(sizes) + LANES)
    first = -(workspace.ctypes.data // workspace.itemsize) % LANES
    made = []
    for shape, size in zip(shapes, sizes, strict=True):
        made.append(workspace[first : first + math.prod(shape)].reshape(shape))
        first += size
    return workspace, made
