"""Models of pairs whose rows are in two parts, at a value of many rows or a gap, each its own.

docs/method/decisions.md, "Values that many rows have", "Effects with a gap".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from anmmm._record import Record
from anmmm._typing import BoolArray, FloatArray
from anmmm.evidence.code import code_lengths
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import (
    ConditionalModel,
    EffectCurves,
    FitCache,
    ModelMarginal,
    Regressors,
    Wrapped,
)
from anmmm.evidence.models.discrete import Ordered
from anmmm.evidence.models.independent import Independent
from anmmm.evidence.models.rescaled import Rescaled
from anmmm.preprocessing import Cells

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

Pieces: TypeAlias = "Sequence[tuple[Part, Variable]]"


class Part(Record):
    """Some rows of a variable (n_samples,), and the standardization of their values."""

    rows: BoolArray
    place: float
    unit: float

    def cells_of(self, cells: Cells) -> Cells:
        """Return these rows in their own cells, standardized."""
        ends = (cells.values, cells.lower, cells.upper)
        values, lower, upper = (self.apply(each[self.rows]) for each in ends)
        return Cells(values, cells.index[self.rows], lower, upper, self.apply(cells.edges))

    def apply(self, values: FloatArray) -> FloatArray:
        """Standardize values."""
        return (values - self.place) / self.unit

    def undo(self, values: FloatArray) -> FloatArray:
        """Undo `apply`."""
        return self.place + self.unit * values

    def given(self, cause: Variable | Regressors) -> Regressors:
        """Return a cause in these rows."""
        scale = None if cause.rescaled is None else cause.rescaled.of_rows(self.rows)
        return Regressors(cause.basis.of_rows(self.rows), rescaled=scale)


class OfRows(Wrapped):
    """The shortest model of the rows `part`, with descriptions of the others."""

    part: Part

    @property
    def responsibilities(self) -> FloatArray:
        """Probability of each mechanism, the first one in the other rows."""
        found = np.tile(np.eye(1, self.n_mechanisms), (len(self.part.rows), 1))
        found[self.part.rows] = self.model.responsibilities
        return found

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curves of the model's rows."""
        return self.model.curves(at).through(self.part.undo)


class TwoPart(OfRows):
    """An effect with a frequent value: `label` describes which rows have it, `model` the others."""

    SUFFIX = NAME = "+atom"
    WORDS = TEXT = ", but for a value of many rows, whose probability is a function of the cause"
    MARGINAL_NAME = "two-part"

    label: ConditionalModel

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect that has an atom."""
        parts, cause = fits.effect.parts, fits.cause
        if parts is None:
            return
        label, part, other = parts
        model = FitCache(part.given(cause), other, 1).shortest()
        yield cls.of(fits.effect.cells, part, label_model(cause, label), model)

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield the marginal made of those of both parts."""
        parts, cells = fits.effect.parts, fits.effect.cells
        if parts is not None:
            label, other = (Independent.of(each.marginal) for each in parts[::2])
            model = cls.of(cells, parts[1], label, other)
            yield ModelMarginal(model.nats, model.cost, cls.MARGINAL_NAME, cells, model)

    @classmethod
    def of(
        cls, cells: Cells, part: Part, label: ConditionalModel, model: ConditionalModel
    ) -> TwoPart:
        """Join the models of both parts of an effect."""
        mass = mass_of(label)
        mass[part.rows] *= mass_of(model)
        nats = code_lengths(mass, cells.n_distinct)
        return cls(nats, label.cost + model.cost, cells, model, part, label)

    def curves(self, at: FloatArray) -> EffectCurves:
        """Mean over both parts, and one standard deviation about it."""
        others = super().curves(at)
        label = self.label.cells.values
        share = np.clip((self.label.curves(at).center - label.min()) / np.ptp(label), 0.0, 1.0)
        step = others.center - self.cells.values[~self.part.rows][0]
        mean = others.center - (1.0 - share) * step
        noise = 0.5 * (others.upper - others.lower)
        return EffectCurves.about(mean, np.sqrt(share * (noise**2 + (1.0 - share) * step**2)))

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function, as if the atom were the smallest value."""
        return levels_within(self.label, (self.part, self.model))


class TwoRanges(OfRows):
    """An effect with a gap: `label` describes which rows are on which side of it.

    `model` is of the rows on the side of more of them, `other` of those `beyond`.
    """

    SUFFIX = NAME = "+ranges"
    WORDS = TEXT = ", but for values beyond a gap, whose probability is a function of the cause"
    MARGINAL_NAME = "two-range"
    PRIOR = 6.0

    label: ConditionalModel
    beyond: Part
    other: ConditionalModel

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms on both sides."""
        return self.model.n_mechanisms + self.other.n_mechanisms

    @property
    def responsibilities(self) -> FloatArray:
        """Probability of each mechanism for each observation, (n_samples, n_mechanisms)."""
        found, first = np.zeros((len(self.part.rows), self.n_mechanisms)), self.model.n_mechanisms
        found[self.part.rows, :first] = self.model.responsibilities
        found[self.beyond.rows, first:] = self.other.responsibilities
        return found

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curves of both sides."""
        sides = super().curves(at), self.other.curves(at).through(self.beyond.undo)
        return EffectCurves(
            center=np.hstack([side.center for side in sides]),
            lower=np.hstack([side.lower for side in sides]),
            upper=np.hstack([side.upper for side in sides]),
        )

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect that has a gap."""
        if fits.effect.ranges is not None:
            label, pieces = fits.effect.ranges
            models = [FitCache(part.given(fits.cause), each, 1).shortest() for part, each in pieces]
            yield cls.of(fits.effect.cells, pieces, label_model(fits.cause, label), models)

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield the marginal made of those of both ranges."""
        if fits.effect.ranges is not None:
            label, pieces = fits.effect.ranges
            models = [Independent.of(each.marginal) for _, each in pieces]
            found = Independent.of(label.marginal)
            model = cls.of(fits.effect.cells, pieces, found, models)
            yield ModelMarginal(model.nats, model.cost, cls.MARGINAL_NAME, model.cells, model)

    @classmethod
    def of(
        cls,
        cells: Cells,
        pieces: Pieces,
        label: ConditionalModel,
        models: Sequence[ConditionalModel],
    ) -> TwoRanges:
        """Join the models of both ranges."""
        mass, (part, beyond) = mass_of(label), (part for part, _ in pieces)
        mass[part.rows] *= mass_of(models[0])
        mass[beyond.rows] *= mass_of(models[1])
        # Where the gap is costs log N.
        cost = label.cost + models[0].cost + models[1].cost + math.log(len(mass))
        nats = code_lengths(mass, cells.n_distinct)
        return cls(nats, cost, cells, models[0], part, label, beyond, models[1])

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return levels_within(self.label, (self.part, self.model), (self.beyond, self.other))


def label_model(cause: Variable | Regressors, label: Variable) -> ConditionalModel:
    """Return the shortest model of which rows are in a part."""
    fits = FitCache(Regressors(cause.basis, cause.groups, cause.rescaled), label, 1)
    return fits.shortest_of((Independent, Ordered, Rescaled))


def levels_within(
    label: ConditionalModel, *parts: tuple[Part, ConditionalModel]
) -> tuple[FloatArray, FloatArray]:
    """Return levels (n_samples,) of `label`, divided in the rows of each part by its model."""
    levels = np.array(label.levels())
    for part, model in parts:
        start, end = levels[:, part.rows]
        levels[:, part.rows] = start + (end - start) * np.array(model.levels())
    return levels[0], levels[1]


def mass_of(code: Marginal | ConditionalModel) -> FloatArray:
    """Return the probability of each observation's cell, (n_samples,): undo `code_lengths`."""
    one = 1.0 / len(code.nats)
    mass = (np.exp(-code.nats) - one / code.cells.n_distinct) / (1.0 - one)
    return np.maximum(mass, 0.0)
