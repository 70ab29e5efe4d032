"""Description lengths of variables of several columns, and of effects of several variables.

Columns are encoded by the chain rule: each column of the cause is conditioned on the columns before
it, each of the effect on the cause and the effect's columns before it. docs/method/decisions.md,
"Several columns".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.base import BaseEvidence, ColumnEvidence
from anmmm.evidence.code import shortest
from anmmm.evidence.models import (
    Additive,
    AdditiveFreeNoise,
    ConditionalModel,
    FitCache,
    Independent,
    Regressors,
    Rescaled,
    fit_models,
)
from anmmm.evidence.variable import Variable
from anmmm.mixture import SplineBasis
from anmmm.mixture.splines import gaussian_basis

# Columns of both variables together, and observations for each of them.
MAX_COLUMNS, ROWS_PER_COLUMN = 16, 10
# Most knots in all, and knots and smooth columns for each of at most so many columns along which
# curves bend: the time of a fit grows with the square of their number.
MOST_KNOTS, KNOTS_PER_COLUMN, SMOOTH_PER_COLUMN, MOST_BENT = 60, 20, 12, 2
# Most knots of a Gaussian process over all causes, its length scale in their standard deviations,
# and fewest causes for which it is tried.
PROCESS_KNOTS, LENGTH_SCALE, FEWEST_CAUSES = 120, 1.5, 3
# The same for a sum of a curve over each of several columns.
MOST_SMOOTH, LEAST_SMOOTH = 24, 4
# Most mechanisms of a column: more took twice the time and changed no decision.
MOST_MECHANISMS = 2
# Largest difference, in any row, of standardized columns that are duplicates.
SAME = 1e-9


def column_limit_error(x: FloatArray, y: FloatArray) -> str:
    """Return an error message if a checked pair has too many columns for evidence, or ""."""
    counts = x.shape[1], y.shape[1]
    if counts == (1, 1):
        return ""
    most = min(MAX_COLUMNS, len(x) // ROWS_PER_COLUMN)
    if sum(counts) <= most:
        return ""
    return (
        f"evidence takes at most {MAX_COLUMNS} columns of x and y together, and needs "
        f"{ROWS_PER_COLUMN} observations for each; found {counts[0]} of x and {counts[1]} of y "
        f"with {len(x)} observations; pass fewer columns, or criterion='hsic'"
    )


class VectorEvidence(BaseEvidence, Record):
    """Description length of a pair in one direction by several columns, in nats.

    Attributes
    ----------
    cause_parts, effect_parts : tuple of ColumnEvidence
        Columns of both variables in the order in which they were described, without duplicates,
        which cost nothing.
    marginal_parts : tuple of ColumnEvidence
        Columns of the effect, described without the cause.
    causes : ndarray of shape (n_samples, n_causes)
        Standardized columns of the cause.
    n_effects : int
        Columns of the effect, including duplicates.
    total, cause, effect : float
        ``cause + effect``, and sums over the parts.
    model : str
        Names of the shortest models, joined by commas in the order of the effect's columns:
        ``"independent"`` for a column that is independent of the cause given the columns before it,
        ``"repeated"`` for a duplicate.
    n_mechanisms : int
        Largest number of mechanisms of a column.
    nats : ndarray of shape (n_samples,)
        Description length of each observation, without the cost of parameters.
    converged : bool
        Whether all fits converged.
    check : HSICTest
        Test of the columns of the cause and the residuals of the effect's, computed lazily; see
        `anmmm.DirectionEvidence`.
    """

    cause_parts: tuple[ColumnEvidence, ...]
    effect_parts: tuple[ColumnEvidence, ...]
    marginal_parts: tuple[ColumnEvidence, ...]
    causes: FloatArray
    n_effects: int


def describe_vectors(
    x: FloatArray, y: FloatArray, max_mechanisms: int
) -> tuple[VectorEvidence, VectorEvidence]:
    """Describe standardized vectors (n_samples, n_columns) in both directions: x → y, y → x.

    d columns take d²/2 + d lists of models, O(N r²) an iteration, r at most 25 + n_columns.
    """
    first, second = _ColumnSet(x), _ColumnSet(y)
    most = min(max_mechanisms, MOST_MECHANISMS)
    one, other = (_ChainEncoding(each, most) for each in (first, second))
    forward = _ChainEncoding(second, most, first, other)
    backward = _ChainEncoding(first, most, second, one)
    return _evidence_of(one, forward), _evidence_of(other, backward)


def _evidence_of(cause: _ChainEncoding, effect: _ChainEncoding) -> VectorEvidence:
    assert effect.marginal is not None
    points, count = cause.target.points, effect.target.n_given
    return VectorEvidence(cause.parts, effect.parts, effect.marginal.parts, points, count)


class _ColumnSet:
    """Columns of a variable without duplicates, in an order that does not depend on the user's."""

    def __init__(self, values: FloatArray) -> None:
        self.n_given = values.shape[1]
        described = [Variable.of(np.ascontiguousarray(column)) for column in values.T]
        order = sorted(
            range(self.n_given), key=lambda j: (described[j].length, values[:, j].tolist())
        )
        self.places: list[int] = []
        for place in order:
            column, kept = values[:, place, np.newaxis], values[:, self.places]
            apart = np.minimum(np.abs(column - kept).max(axis=0), np.abs(column + kept).max(axis=0))
            if not np.any(apart <= SAME):
                self.places.append(place)
        self.variables = [described[place] for place in self.places]
        self.points = np.ascontiguousarray(values[:, self.places])


@dataclass(eq=False, repr=False)
class _ChainEncoding:
    """Encodings of columns, each conditioned on others of its variable, and on a cause if any."""

    target: _ColumnSet
    max_mechanisms: int
    cause: _ColumnSet | None = None
    marginal: _ChainEncoding | None = None  # without the cause; a column takes the shorter one
    # `functools.cache` of methods would make a cycle that keeps large arrays.
    _made: dict[tuple[int, frozenset[int]], ColumnEvidence] = field(default_factory=dict)
    _bases: dict[frozenset[int], list[SplineBasis]] = field(default_factory=dict)

    @computed
    def parts(self) -> tuple[ColumnEvidence, ...]:
        """All columns, greedily ordered by length; effects in the order without a cause."""
        left = list(range(len(self.target.variables)))
        parts: list[ColumnEvidence] = []
        before: frozenset[int] = frozenset()
        while left:
            if self.marginal is not None:
                column = self.target.places.index(self.marginal.parts[len(parts)].column)
            else:
                column = min(left, key=lambda each: self.part(each, before).length)
            parts.append(self.part(column, before))
            left.remove(column)
            before |= {column}
        return tuple(parts)

    def part(self, column: int, before: frozenset[int]) -> ColumnEvidence:
        """Describe a column given others of its variable, and the cause if that is shorter."""
        key = column, before
        if key not in self._made:
            self._made[key] = self._describe(*key)
        return self._made[key]

    def _describe(self, column: int, before: frozenset[int]) -> ColumnEvidence:
        variable, places = self.target.variables[column], self.target.places
        if self.cause is None and not before:
            models: dict[str, ConditionalModel]
            models = {Independent.NAME: Independent.of(variable.marginal)}
        else:
            if before not in self._bases:
                self._bases[before] = self._curves(before)
            bases = self._bases[before]
            models = fit_over(variable, bases, self.max_mechanisms)
        others = tuple(sorted(places[each] for each in before))
        part = ColumnEvidence(places[column], others, self.cause is not None, models)
        return (
            part if self.marginal is None else shortest([self.marginal.part(column, before), part])
        )

    def _curves(self, before: frozenset[int]) -> list[SplineBasis]:
        """Return columns for curves over the cause and the columns before."""
        points = self.target.points[:, sorted(before)]
        bent = {len(before)}
        if self.cause is not None:
            points = np.hstack([self.cause.points, points])
            # With additive Gaussian noise, also correlated, an effect's column is a curve over the
            # cause plus a line over the columns before.
            bent = {self.cause.points.shape[1], points.shape[1]}
        return [curves_over(points, each) for each in sorted(bent)]


def curves_over(points: FloatArray, n_bent: int | None = None) -> SplineBasis:
    """Return columns for curves that bend along the first columns, by default all of them."""
    n_bent = points.shape[1] if n_bent is None else n_bent
    return SplineBasis.of(
        points,
        n_bent=n_bent,
        n_knots=min(KNOTS_PER_COLUMN, MOST_KNOTS // n_bent),
        n_smooth=SMOOTH_PER_COLUMN * min(n_bent, MOST_BENT),
    )


def joint_basis(causes: Sequence[Variable], *, is_process: bool = False) -> SplineBasis:
    """Return columns for a joint curve over numerical causes, plus effects of categories.

    `is_process`: a Gaussian process in place of a spline.
    """
    points = np.hstack([each.points for each in causes if not each.is_categorical])
    named = [each.basis for each in causes if each.is_categorical]
    n = points.shape[1]
    if is_process:
        joint = gaussian_basis(points, PROCESS_KNOTS, LENGTH_SCALE)
    else:
        joint = curves_over(points)
    return SplineBasis.sum_of([joint, *named], [n, *[1] * len(named)]) if named else joint


def bases_over(causes: Sequence[Variable]) -> list[tuple[SplineBasis, float, bool]]:
    """Return bases for an effect of several variables, their costs, and whether any is rescaled.

    Joint over all numerical causes, or a sum of one over each; effects of categories are added.
    """
    numeric = [each for each in causes if not each.is_categorical]
    named = [each.basis for each in causes if each.is_categorical]
    if len(causes) == 1:
        return [(causes[0].basis, 0.0, False)]
    if len(numeric) < 2:
        each = [x.basis for x in numeric]
        return [(SplineBasis.sum_of([*each, *named], [1] * len(causes)), 0.0, False)]
    n_smooth = max(LEAST_SMOOTH, MOST_SMOOTH // len(numeric))
    bases = [(joint_basis(causes), 0.0, False)]
    for rescaled in {False, any(x.rescaled for x in numeric)}:
        each = [x.summand(n_smooth, rescaled) for x in numeric]
        total = SplineBasis.sum_of([*each, *named], [1] * len(causes))
        bases.append((total, math.log(2.0) + rescaled * Rescaled.PRIOR, rescaled))
    return bases


def describe_over(effect: Variable, causes: Sequence[Variable]) -> ConditionalModel:
    """Return the shortest model of an effect given any number of variables."""
    if not causes:
        return Independent.of(effect.marginal)
    chosen = []
    # Of several causes, a basis is of all of them.
    own_scale = causes[0].rescaled if len(causes) == 1 else None
    for basis, price, rescaled in bases_over(causes):
        fits = FitCache(Regressors(basis, rescaled=own_scale), effect, 1)
        best = fits.shortest().plus(price)
        chosen.append((Rescaled.of(best) if rescaled else best, fits, price))
    best, fits, price = min(chosen, key=lambda each: each[0].length)
    if effect.is_categorical:
        return best
    n_numeric = sum(not each.is_categorical for each in causes)
    if n_numeric >= FEWEST_CAUSES and fits is chosen[0][1]:
        process = FitCache(Regressors(joint_basis(causes, is_process=True)), effect, 1).plain
        models = [kind.of_fit(effect.cells, process) for kind in (Additive, AdditiveFreeNoise)]
        best = shortest([best, shortest(models).plus(math.log(2.0))])
    if type(best) is Additive:
        return best
    several = fits.up_to(MOST_MECHANISMS).encoded(Additive)
    return shortest([best, *(each.plus(price) for each in several)])


def fit_over(
    effect: Variable,
    bases: Iterable[SplineBasis],
    max_mechanisms: int = MOST_MECHANISMS,
) -> dict[str, ConditionalModel]:
    """Return the models of an effect over the basis of the shortest one."""
    fitted = (fit_models(FitCache(Regressors(basis), effect, max_mechanisms)) for basis in bases)
    return min(fitted, key=lambda models: shortest(models.values()).length)
