"""The model of an effect whose rows are in parts: beside a frequent value, or about a gap.

docs/method/decisions.md, "Values that many rows have", "Effects with a gap".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anmmm._typing import BoolArray, FloatArray
from anmmm.evidence.code import code_lengths
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import (
    ConditionalModel,
    EffectCurves,
    FitCache,
    ModelMarginal,
    Regressors,
    row_groups,
)
from anmmm.evidence.models.discrete import Ordered
from anmmm.evidence.models.form import Form
from anmmm.evidence.models.independent import Independent
from anmmm.evidence.models.rescaled import OverColumns, gaussian_scale
from anmmm.evidence.splits import Part, Split, splits_of
from anmmm.preprocessing import Cells

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable


class Parted(ConditionalModel):
    """An effect whose rows are in parts: the probability of a part times that of a cell in it.

    `label` describes which rows are in which part, `models` the rows of each part. Rows in no part
    have one value.
    """

    split: Split
    label: ConditionalModel
    models: Sequence[ConditionalModel]

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect that has a frequent value or a gap."""
        cause = fits.cause
        effect = fits.effect
        for split in effect.once(splits_of):
            regressors = Regressors(cause.basis, row_groups(cause), gaussian_scale(cause))
            label_fits = FitCache(regressors, split.label, 1)
            label = label_fits.shortest_of((Independent, Ordered, OverColumns))
            models: list[ConditionalModel] = []
            for part in split.parts:
                models.append(FitCache(cause_in(part, cause), part.variable, 1).shortest())
            yield cls.of(effect.cells, split, label, models).plus(split.prior)

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield the marginals made of those of all parts."""
        for split in fits.effect.once(splits_of):
            label = Independent.of(split.label.marginal)
            models = [Independent.of(part.variable.marginal) for part in split.parts]
            model = cls.of(fits.effect.cells, split, label, models)
            yield ModelMarginal.of(model, split.marginal_name)

    @classmethod
    def of(
        cls,
        cells: Cells,
        split: Split,
        label: ConditionalModel,
        models: Sequence[ConditionalModel],
    ) -> Parted:
        """Join the models of all parts."""
        mass = mass_of(label)
        cost = label.cost
        for part, model in zip(split.parts, models, strict=True):
            mass[part.rows] *= mass_of(model)
            cost += model.cost
        nats = code_lengths(mass, cells.n_distinct)
        return cls(nats, cost + split.cost, cells, split, label, models)

    @property
    def parts(self) -> list[tuple[Part, ConditionalModel]]:
        """Each part and its model."""
        return list(zip(self.split.parts, self.models, strict=True))

    @property
    def base(self) -> ConditionalModel:
        return self.models[0].base

    @property
    def form(self) -> Form:
        return self.models[0].form.plus(self.split.suffix)

    @property
    def converged(self) -> bool:
        """Whether the fit of the first model converged."""
        return self.models[0].converged

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms of all parts."""
        return sum(model.n_mechanisms for model in self.models)

    @property
    def responsibilities(self) -> FloatArray:
        """Probability of each mechanism for each observation, (n_samples, n_mechanisms).

        It is the first mechanism in the rows of no part.
        """
        probabilities = np.zeros((len(self.nats), self.n_mechanisms))
        probabilities[self._single_rows, 0] = 1.0
        start = 0
        for part, model in self.parts:
            end = start + model.n_mechanisms
            probabilities[part.rows, start:end] = model.responsibilities
            start = end
        return probabilities

    def curves(self, points: FloatArray) -> EffectCurves:
        """Evaluate the curves of all parts, or their mean with the value of the other rows."""
        sides = [model.curves(points).through(part.undo) for part, model in self.parts]
        if self._single_rows.any():
            return self._with_value(sides[0], points)
        return EffectCurves(
            center=np.hstack([side.center for side in sides]),
            lower=np.hstack([side.lower for side in sides]),
            upper=np.hstack([side.upper for side in sides]),
        )

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function, as if rows in no part had the smallest value."""
        levels = np.array(self.label.levels())
        for part, model in self.parts:
            below, above = levels[:, part.rows]
            levels[:, part.rows] = below + (above - below) * np.array(model.levels())
        return levels[0], levels[1]

    @property
    def _single_rows(self) -> BoolArray:
        """Rows in no part, (n_samples,)."""
        return np.asarray(~np.any([part.rows for part in self.split.parts], axis=0))

    def _with_value(self, side: EffectCurves, points: FloatArray) -> EffectCurves:
        """Return the mean over the rows of a part and the other rows, and its deviation."""
        label = self.label.cells.values
        fraction = (self.label.curves(points).center - label.min()) / np.ptp(label)
        fraction = np.clip(fraction, 0.0, 1.0)
        step = side.center - self.cells.values[self._single_rows][0]
        mean = side.center - (1.0 - fraction) * step
        noise = 0.5 * (side.upper - side.lower)
        variance = fraction * (noise**2 + (1.0 - fraction) * step**2)
        return EffectCurves.about(mean, np.sqrt(variance))


def cause_in(part: Part, cause: Variable | Regressors) -> Regressors:
    """Return a cause in the rows of a part."""
    groups = row_groups(cause)
    scale = gaussian_scale(cause)
    return Regressors(
        basis=cause.basis.of_rows(part.rows),
        groups=None if groups is None else groups[part.rows],
        rescaled=None if scale is None else scale.of_rows(part.rows),
    )


def mass_of(code: Marginal | ConditionalModel) -> FloatArray:
    """Return the probability of each observation's cell, (n_samples,): undo `code_lengths`."""
    mixed = 1.0 / len(code.nats)
    mass = (np.exp(-code.nats) - mixed / code.cells.n_distinct) / (1.0 - mixed)
    return np.maximum(mass, 0.0)
