"""Descriptions of variables of several columns, and of effects of several variables.

Columns are encoded by the chain rule: each column of the cause is conditioned on the columns before
it, each of the effect on the cause and the effect's columns before it. docs/method/decisions.md,
"Several columns".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anmmm._record import computed
from anmmm._typing import FloatArray
from anmmm.evidence.code import shortest
from anmmm.evidence.directions import ColumnEvidence, DirectionEvidence
from anmmm.evidence.models import (
    Additive,
    ConditionalModel,
    FitCache,
    FreeNoise,
    Independent,
    OverColumns,
    Regressors,
    fit_models,
)
from anmmm.evidence.models.rescaled import gaussian_scale, rescaled_basis
from anmmm.evidence.variable import Variable
from anmmm.mixture.splines import SplineBasis, gaussian_basis

# Most columns of both variables together.
MAX_COLUMNS = 16
# Fewest observations for each column.
ROWS_PER_COLUMN = 10
# Most knots of a curve over several columns, and for each column: the time of a fit grows with the
# square of their number.
MAX_KNOTS = 60
KNOTS_PER_COLUMN = 20
# Smooth columns of a curve for each column along which it bends, up to so many columns.
SMOOTH_PER_COLUMN = 12
MAX_BENT = 2
# Most knots of a Gaussian process over all causes, and its length scale in their deviations.
PROCESS_KNOTS = 120
LENGTH_SCALE = 1.5
# Fewest causes for which a Gaussian process is tried.
MIN_PROCESS_CAUSES = 3
# Knots of each curve in a sum of several curves.
SUM_KNOTS = 16
# Smooth columns of all curves in a sum together, and fewest of each curve.
SUM_SMOOTH = 24
MIN_SMOOTH = 4
# Most mechanisms of a column: more took twice the time and changed no decision.
MAX_COLUMN_MECHANISMS = 2
# Nats by which a mixture may be shorter than its criterion says, by cells as wide as its noise.
WIDE_CELLS = 3.0
# Largest difference, in any row, of standardized columns that are duplicates.
DUPLICATE_DIFFERENCE = 1e-9


def column_limit_error(x: FloatArray, y: FloatArray) -> str:
    """Return an error message if a checked pair has too many columns for evidence, or ""."""
    counts = x.shape[1], y.shape[1]
    if counts == (1, 1):
        return ""
    max_columns = min(MAX_COLUMNS, len(x) // ROWS_PER_COLUMN)
    if sum(counts) <= max_columns:
        return ""
    return (
        f"evidence takes at most {MAX_COLUMNS} columns of x and y together, and needs "
        f"{ROWS_PER_COLUMN} observations for each; found {counts[0]} of x and {counts[1]} of y "
        f"with {len(x)} observations; pass fewer columns, or criterion='hsic'"
    )


def describe_vectors(x: FloatArray, y: FloatArray) -> tuple[DirectionEvidence, DirectionEvidence]:
    """Describe standardized vectors (n_samples, n_columns) in both directions: x → y, y → x.

    d columns take d²/2 + d lists of models, O(N r²) an iteration, r at most 25 + n_columns.
    """
    first = Vector(x)
    second = Vector(y)
    return first.causes(second), second.causes(first)


class Vector:
    """A variable of several columns without duplicates, in an order that is not the user's."""

    def __init__(self, values: FloatArray) -> None:
        self.n_given = values.shape[1]
        variables = [Variable.of(np.ascontiguousarray(column)) for column in values.T]
        lengths = [variable.marginal.length for variable in variables]
        order = sorted(
            range(self.n_given),
            key=lambda place: (lengths[place], [*values[:, place]]),
        )
        # Places of the columns among those that are given.
        self.places: list[int] = []
        for place in order:
            column = values[:, place, np.newaxis]
            kept = values[:, self.places]
            difference = np.abs(column - kept).max(axis=0)
            mirrored_difference = np.abs(column + kept).max(axis=0)
            if not np.any(np.minimum(difference, mirrored_difference) <= DUPLICATE_DIFFERENCE):
                self.places.append(place)
        self.variables = [variables[place] for place in self.places]
        self.points = np.ascontiguousarray(values[:, self.places])

    def causes(self, effect: Vector) -> DirectionEvidence:
        """Describe this variable as the cause of another one."""
        effect_parts = effect.parts_given(self)
        return DirectionEvidence(
            self.parts, effect_parts, effect.parts, self.points, effect.n_given
        )

    @computed
    def parts(self) -> tuple[ColumnEvidence, ...]:
        """Columns given the columns before them, greedily ordered by length."""
        parts: list[ColumnEvidence] = []
        before: list[int] = []
        while len(before) < len(self.variables):
            candidates: list[ColumnEvidence] = []
            bases = [self._basis(before, len(before))] if before else []
            for index in range(len(self.variables)):
                if index not in before:
                    candidates.append(self._part(index, before, bases, from_cause=False))
            part = shortest(candidates)
            parts.append(part)
            before.append(self.places.index(part.column))
        return tuple(parts)

    def parts_given(self, cause: Vector) -> tuple[ColumnEvidence, ...]:
        """Columns given a cause and the columns before them, or without the cause if shorter."""
        parts: list[ColumnEvidence] = []
        before: list[int] = []
        for part_alone in self.parts:
            index = self.places.index(part_alone.column)
            # With additive Gaussian noise, also correlated, an effect's column is a curve over the
            # cause plus a line over the columns before.
            n_causes = len(cause.places)
            bases = [self._basis(before, n_causes, cause)]
            if before:
                bases.append(self._basis(before, n_causes + len(before), cause))
            part = self._part(index, before, bases, from_cause=True)
            parts.append(shortest([part_alone, part]))
            before.append(index)
        return tuple(parts)

    def _basis(
        self, before: Sequence[int], n_bent: int, cause: Vector | None = None
    ) -> SplineBasis:
        points = self.points[:, sorted(before)]
        if cause is not None:
            points = np.hstack([cause.points, points])
        return curves_over(points, n_bent)

    def _part(
        self, index: int, before: Sequence[int], bases: Sequence[SplineBasis], *, from_cause: bool
    ) -> ColumnEvidence:
        """Describe a column over the basis that is shortest."""
        variable = self.variables[index]
        place = self.places[index]
        if not bases:
            return ColumnEvidence.alone(place, variable.marginal)
        fits = [
            fit_models(FitCache(Regressors(basis), variable, MAX_COLUMN_MECHANISMS))
            for basis in bases
        ]
        models = min(fits, key=lambda models: shortest(models.values()).length)
        before_places = tuple(sorted(self.places[index] for index in before))
        return ColumnEvidence(place, before_places, from_cause, models)


def curves_over(points: FloatArray, n_bent: int) -> SplineBasis:
    """Return columns for curves that bend along the first columns."""
    return SplineBasis.of(
        points,
        n_bent=n_bent,
        n_knots=min(KNOTS_PER_COLUMN, MAX_KNOTS // n_bent),
        n_smooth=SMOOTH_PER_COLUMN * min(n_bent, MAX_BENT),
    )


class CauseBasis(NamedTuple):
    """Columns for an effect of several variables, the cost of their choice, and their scale."""

    basis: SplineBasis
    cost: float = 0.0
    is_rescaled: bool = False


def bases_over(causes: Sequence[Variable]) -> list[CauseBasis]:
    """Return the bases that are tried for an effect of several variables.

    Joint over all numerical causes, or a sum of one over each; effects of categories are added.
    """
    numerical = [cause for cause in causes if not cause.is_categorical]
    if len(causes) == 1:
        return [CauseBasis(causes[0].basis)]
    if len(numerical) < 2:
        return [CauseBasis(sum_basis(causes, [cause.basis for cause in numerical]))]
    points = np.hstack([cause.points for cause in numerical])
    joint = curves_over(points, points.shape[1])
    bases = [CauseBasis(sum_basis(causes, [joint]))]
    n_smooth = max(MIN_SMOOTH, SUM_SMOOTH // len(numerical))
    curves = [cause.once(summand, n_smooth, False) for cause in numerical]
    bases.append(CauseBasis(sum_basis(causes, curves), math.log(2.0)))
    if any(gaussian_scale(cause) for cause in numerical):
        curves = [cause.once(summand, n_smooth, True) for cause in numerical]
        cost = math.log(2.0) + OverColumns.PRIOR
        bases.append(CauseBasis(sum_basis(causes, curves), cost, is_rescaled=True))
    return bases


def sum_basis(causes: Sequence[Variable], curves: Sequence[SplineBasis]) -> SplineBasis:
    """Return columns of a curve over all numerical causes, or of one over each, and of categories.

    Their points are columns of one table, first those of the numerical causes.
    """
    categories = [cause.basis for cause in causes if cause.is_categorical]
    if len(curves) == 1 and not categories:
        return curves[0]
    n_numerical = len(causes) - len(categories)
    widths = [1] * len(curves) if len(curves) == n_numerical else [n_numerical]
    return SplineBasis.sum_of([*curves, *categories], widths + [1] * len(categories))


def summand(variable: Variable, n_smooth: int, is_rescaled: bool) -> SplineBasis:
    """Return columns for the curve of a variable in a sum of several."""
    shape = {"n_knots": SUM_KNOTS, "n_smooth": n_smooth}
    if is_rescaled and gaussian_scale(variable) is not None:
        basis = rescaled_basis(variable.marginal, **shape)
        if basis is not None:
            return basis
    return SplineBasis.of(variable.points, **shape)


def describe_over(effect: Variable, causes: Sequence[Variable]) -> ConditionalModel:
    """Return the shortest model of an effect given any number of variables."""
    if not causes:
        return Independent.of(effect.marginal)
    # Of several causes, a basis is of all of them.
    own_scale = gaussian_scale(causes[0]) if len(causes) == 1 else None
    candidates: list[tuple[ConditionalModel, FitCache, CauseBasis]] = []
    for basis in bases_over(causes):
        fits = FitCache(Regressors(basis.basis, rescaled=own_scale), effect, 1)
        model = fits.shortest().plus(basis.cost)
        if basis.is_rescaled:
            model = OverColumns.of(model)
        candidates.append((model, fits, basis))
    best, fits, basis = min(candidates, key=lambda candidate: candidate[0].length)
    if effect.is_categorical:
        return best
    numerical = [cause for cause in causes if not cause.is_categorical]
    if len(numerical) >= MIN_PROCESS_CAUSES and fits is candidates[0][1]:
        best = shortest([best, _over_process(effect, causes, numerical)])
    if type(best) is Additive:
        return best
    one_curve = fits.encoded(Additive)[0].plus(basis.cost)
    # A length is the criterion and a constant, but for cells that are wide.
    max_criterion = fits.one_curve.criterion + best.length - one_curve.length + WIDE_CELLS
    models = [best]
    for mixture in fits.mixtures_up_to(MAX_COLUMN_MECHANISMS, max_criterion)[1:]:
        models.append(Additive.of_fit(effect.cells, mixture).plus(basis.cost))
    return shortest(models)


def _over_process(
    effect: Variable, causes: Sequence[Variable], numerical: Sequence[Variable]
) -> ConditionalModel:
    """Return the shortest model by a Gaussian process over all numerical causes."""
    points = np.hstack([cause.points for cause in numerical])
    process = gaussian_basis(points, PROCESS_KNOTS, LENGTH_SCALE)
    fit = FitCache(Regressors(sum_basis(causes, [process])), effect, 1).one_curve
    gaussian = Additive.of_fit(effect.cells, fit)
    models: list[ConditionalModel] = [gaussian, FreeNoise.about(gaussian)]
    return shortest(models).plus(math.log(2.0))
