"""Variables described given several columns: of their own, of a cause, and of any number of causes.

The columns of a cause are encoded by the chain rule, each given the columns before it; then the
effect, each column given the whole cause and the effect's columns before it. The models are those
of single effects, over curves of several columns. What this assumes is in docs/method/decisions.md,
"Several columns".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anmmm._record import computed, frozen
from anmmm._typing import FloatArray
from anmmm.evidence.code import shortest
from anmmm.evidence.models import (
    Additive,
    ConditionalModel,
    Fits,
    Given,
    Independent,
    Rescaled,
    fit_models,
)
from anmmm.evidence.side import ColumnEvidence, SideEvidence
from anmmm.evidence.variable import Variable
from anmmm.mixture import SplineBasis

# Columns of both variables together, and observations for each of them.
MAX_COLUMNS, ROWS_PER_COLUMN = 16, 10
# Knots altogether, and smooth columns for each of at most so many columns along which curves bend:
# the time of a fit grows with the square of their number.
MOST_KNOTS, KNOTS_PER_COLUMN, SMOOTH_PER_COLUMN, MOST_BENT = 60, 20, 12, 2
# The same for a sum of a curve over each of several columns.
MOST_SMOOTH, LEAST_SMOOTH = 24, 4
# Mechanisms of a column: more took twice the time and changed no decision.
MOST_MECHANISMS = 2
# Standardized columns that differ by no more, in any row, are one.
SAME = 1e-9


def beyond_limits(x: FloatArray, y: FloatArray) -> str:
    """Return why a checked pair has too many columns for evidence; empty if it has not."""
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


@frozen
class VectorEvidence(SideEvidence):
    """Description length of a pair in one direction by several columns, in nats.

    Attributes
    ----------
    cause_parts, effect_parts : tuple of ColumnEvidence
        Columns of both variables in the order in which they were described; without those that
        repeat another column, which cost nothing.
    alone_parts : tuple of ColumnEvidence
        Columns of the effect, described without the cause.
    causes : ndarray of shape (n_samples, n_causes)
        Standardized columns of the cause.
    n_effects : int
        Columns of the effect, with repeated ones.
    total, cause, effect : float
        ``cause + effect``, and sums over the parts.
    model : str
        Names of the shortest models, joined by commas in the order of the effect's columns:
        ``"independent"`` where the cause says nothing of a column that others do not say,
        ``"repeated"`` where it repeats another one.
    n_mechanisms : int
        Largest number of mechanisms of a column.
    nats : ndarray of shape (n_samples,)
        Description length of each observation, without what the fitted numbers cost.
    converged : bool
        Whether all curves settled before the most iterations.
    check : HSICTest
        Of the columns of the cause and what the models leave unexplained of the effect's, made
        when it is first asked for; see `anmmm.DirectionEvidence`.
    """

    cause_parts: tuple[ColumnEvidence, ...]
    effect_parts: tuple[ColumnEvidence, ...]
    alone_parts: tuple[ColumnEvidence, ...]
    causes: FloatArray
    n_effects: int


def describe_vectors(
    x: FloatArray,
    y: FloatArray,
    max_mechanisms: int,
    forward_starts: Sequence[FloatArray] = (),
    backward_starts: Sequence[FloatArray] = (),
) -> tuple[VectorEvidence, VectorEvidence]:
    """Describe standardized vectors (n_samples, n_columns) in both directions: x → y, y → x.

    For d columns of a variable d²/2 lists of models are fitted to find their order, and d more
    given the other variable, O(N r²) an iteration with r at most 25 + the number of columns.
    """
    first, second = _Vector(x), _Vector(y)
    most = min(max_mechanisms, MOST_MECHANISMS)
    tied = any(each.is_tied for each in first.variables + second.variables)
    if tied:
        for vector in (first, second):
            vector.variables = [each.beside_ties for each in vector.variables]
    one, other = (_Chain(each, tied, most) for each in (first, second))
    forward = _Chain(second, tied, most, first, other, forward_starts)
    backward = _Chain(first, tied, most, second, one, backward_starts)
    return _side(one, forward), _side(other, backward)


def _side(cause: _Chain, effect: _Chain) -> VectorEvidence:
    assert effect.alone is not None
    points, count = cause.told.points, effect.told.n_given
    return VectorEvidence(cause.parts, effect.parts, effect.alone.parts, points, count)


class _Vector:
    """The columns of a variable but repeated ones, in an order that is not that of the user.

    `places` say where each one stands in the variable, which has `n_given` with repeated ones.
    """

    def __init__(self, values: FloatArray) -> None:
        self.n_given = values.shape[1]
        described = [Variable.of(np.ascontiguousarray(column)) for column in values.T]
        order = sorted(
            range(self.n_given), key=lambda j: (described[j].length, values[:, j].tolist())
        )
        self.places: list[int] = []
        for place in order:
            column = values[:, place]
            if not any(_repeats(column, values[:, kept]) for kept in self.places):
                self.places.append(place)
        self.variables = [described[place] for place in self.places]
        self.points = np.ascontiguousarray(values[:, self.places])


def _repeats(one: FloatArray, other: FloatArray) -> bool:
    return bool(min(np.abs(one - other).max(), np.abs(one + other).max()) <= SAME)


@dataclass(eq=False, repr=False)
class _Chain:
    """Descriptions of a vector's columns given others of them, and given a cause where one is.

    `alone` is the same without the cause, where there is one: what does not need it does without.
    """

    told: _Vector
    tied: bool
    max_mechanisms: int
    cause: _Vector | None = None
    alone: _Chain | None = None
    starts: Sequence[FloatArray] = ()
    # Not `functools.cache` of methods: the cycle would keep large arrays until it is collected.
    _made: dict[tuple[int, frozenset[int]], ColumnEvidence] = field(default_factory=dict)
    _bases: dict[frozenset[int], list[SplineBasis]] = field(default_factory=dict)

    @computed
    def parts(self) -> tuple[ColumnEvidence, ...]:
        """All columns, next always the one that is shortest given those before.

        As an effect they come in the order that they have without their cause.
        """
        left = list(range(len(self.told.variables)))
        parts: list[ColumnEvidence] = []
        before: frozenset[int] = frozenset()
        while left:
            if self.alone is not None:
                column = self.told.places.index(self.alone.parts[len(parts)].column)
            else:
                column = min(left, key=lambda each: self.part(each, before).length)
            parts.append(self.part(column, before))
            left.remove(column)
            before |= {column}
        return tuple(parts)

    def part(self, column: int, before: frozenset[int]) -> ColumnEvidence:
        """Describe a column given others of its variable, and the cause where that is shorter."""
        key = column, before
        if key not in self._made:
            self._made[key] = self._describe(*key)
        return self._made[key]

    def _describe(self, column: int, before: frozenset[int]) -> ColumnEvidence:
        variable, places = self.told.variables[column], self.told.places
        if self.cause is None and not before:
            models: dict[str, ConditionalModel]
            models = {Independent.NAME: Independent.of(variable.marginal)}
        else:
            if before not in self._bases:
                self._bases[before] = self._curves(before)
            bases = self._bases[before]
            models = fit_over(variable, bases, self.tied, self.max_mechanisms, self.starts)
        others = tuple(sorted(places[each] for each in before))
        part = ColumnEvidence(places[column], others, self.cause is not None, models)
        return part if self.alone is None else shortest([self.alone.part(column, before), part])

    def _curves(self, before: frozenset[int]) -> list[SplineBasis]:
        """Return columns for curves over the cause and the columns before."""
        points = self.told.points[:, sorted(before)]
        bent = {len(before)}
        if self.cause is not None:
            points = np.hstack([self.cause.points, points])
            # With additive noise that is Gaussian, however correlated, an effect's column is a
            # curve over the cause plus a line over the columns before.
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


def bases_over(causes: Sequence[Variable]) -> list[tuple[SplineBasis, float, bool]]:
    """Return bases for an effect of several variables, their prices, and whether any is rescaled.

    A curve over all numbers together, or a sum of one over each; numbers of categories are added.
    """
    numbers = [each for each in causes if not each.is_categorical]
    named = [each.basis for each in causes if each.is_categorical]
    # Curves over categories are evaluated at their numbers.
    ones = [1] * len(named)
    if len(causes) == 1:
        return [(causes[0].basis, 0.0, False)]
    if len(numbers) < 2:
        each = [x.basis for x in numbers]
        return [(SplineBasis.sum_of([*each, *named], [1, *ones]), 0.0, False)]
    joint = curves_over(np.hstack([each.points for each in numbers]))
    if named:
        joint = SplineBasis.sum_of([joint, *named], [len(numbers), *ones])
    n_smooth = max(LEAST_SMOOTH, MOST_SMOOTH // len(numbers))
    bases = [(joint, 0.0, False)]
    for rescaled in {False, any(x.rescaled for x in numbers)}:
        each = [x.summand(n_smooth, rescaled) for x in numbers]
        total = SplineBasis.sum_of([*each, *named], [1] * len(causes))
        bases.append((total, math.log(2.0) + rescaled * Rescaled.PRIOR, rescaled))
    return bases


def describe_over(effect: Variable, causes: Sequence[Variable], tied: bool) -> ConditionalModel:
    """Return the shortest model of an effect given any number of variables.

    `tied`: whether any variable of the comparison is, each of which is then `beside_ties`. Several
    mechanisms are tried over the basis that suits one, where a Gaussian does not fit its noise.
    """
    if not causes:
        return Independent.of(effect.marginal)
    chosen = []
    only = causes[0] if len(causes) == 1 else None
    for basis, price, rescaled in bases_over(causes):
        given = Given(basis, tied)
        if only is not None:
            given = Given(basis, tied, rescaled=only.rescaled, atoms=only.atoms)
        fits = Fits(given, effect, 1)
        best = fits.shortest().plus(price)
        chosen.append((Rescaled.of(best) if rescaled else best, fits, price))
    best, fits, price = min(chosen, key=lambda each: each[0].length)
    if effect.is_categorical or type(best) is Additive:
        return best
    several = fits.up_to(MOST_MECHANISMS).encoded(Additive)
    return shortest([best, *(each.plus(price) for each in several)])


def fit_over(
    effect: Variable,
    bases: Iterable[SplineBasis],
    tied: bool,
    max_mechanisms: int = MOST_MECHANISMS,
    starts: Sequence[FloatArray] = (),
) -> dict[str, ConditionalModel]:
    """Return the models of an effect over that basis which makes the shortest one.

    `tied`: whether any variable of the comparison is.
    """
    fitted = (
        fit_models(Fits(Given(basis, tied), effect, max_mechanisms, starts)) for basis in bases
    )
    return min(fitted, key=lambda models: shortest(models.values()).length)
