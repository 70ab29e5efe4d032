"""The description of a pair in one direction: a part for each column of the cause and the effect.

Its total is the sum of the parts' lengths, in nats for all observations. A variable has one column,
or several that are conditioned on each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.check import check_models
from anmmm.evidence.code import shortest
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models import Additive, ConditionalModel, Independent
from anmmm.independence import HSICTest, HSICVariable
from anmmm.mixture.fits import MixtureFit
from anmmm.preprocessing import Cells

INDEPENDENT = str(Independent.FORM)


class ColumnEvidence(Record):
    """Description of one column of a variable.

    Attributes
    ----------
    column : int
        Its place in the variable, from 0.
    before : tuple of int
        Columns of the same variable that it is conditioned on, in increasing order.
    from_cause : bool
        Whether it is also conditioned on the other variable.
    models : dict of str to ConditionalModel
        Every model tried, by its name.
    """

    column: int
    before: tuple[int, ...]
    from_cause: bool
    models: dict[str, ConditionalModel]

    @classmethod
    def alone(cls, column: int, marginal: Marginal) -> ColumnEvidence:
        """Describe a column that is not conditioned on any other."""
        return cls(column, (), False, {INDEPENDENT: Independent.of(marginal)})

    @computed
    def chosen(self) -> ConditionalModel:
        """The shortest model, the first one of equals."""
        return shortest(self.models.values())

    @property
    def length(self) -> float:
        """Description length in nats, under the shortest model."""
        return self.chosen.length


class DirectionEvidence(Record):
    """Description length of a pair in one direction, in nats for all observations.

    Attributes
    ----------
    total : float
        ``cause + effect``.
    cause : float
        Description length of the cause.
    effect : float
        Description length of the effect given the cause, under the model named `model`.
    model : str
        ``"anm-C"``: C additive noise models sharing Gaussian noise; ``"location-scale"``: one
        mechanism, Gaussian noise of a scale that depends on the cause; with ``"+noise"`` the noise
        has a fitted density; ``"pnl"``: a monotone function of the effect is a curve of the cause
        plus Gaussian noise; ``"monotone"``: it is a monotone curve of the cause plus little noise;
        ``"clusters"``: it is in clusters, which are levels of a curve with noise; ``"ordered"``:
        its values are intervals of a curve with noise, with ``"+link"`` cut by a smooth function;
        ``"count"``: it counts, with a mean that is a curve; ``"categories"``: it has categories,
        whose probabilities are smooth functions; ``"independent"``: the effect does not depend on
        the cause. With ``"+rescaled"`` curves are over the scale on which the cause is Gaussian,
        with ``"+atom"`` and ``"+ranges"`` rows with a frequent value of the effect, or beyond a gap
        of it, are described separately. Of several columns the names are joined by commas;
        ``"independent"`` is a column that is independent of the cause given the columns before it,
        ``"repeated"`` is a duplicate.
    cause_parts, effect_parts : tuple of ColumnEvidence
        Columns of both variables in the order in which they were described, without duplicates,
        which cost nothing.
    marginal_parts : tuple of ColumnEvidence
        Columns of the effect, described without the cause.
    points : ndarray of shape (n_samples, n_columns)
        The cause, or the indicators of its categories, standardized.
    n_effects : int
        Number of columns of the effect, duplicates among them.
    models : dict of str to anmmm.evidence.ConditionalModel
        Every model tried for an effect of one column, by its name; `lengths` are theirs. Empty if
        a variable has several columns.
    n_mechanisms : int
        Largest number of mechanisms of a column's model.
    converged : bool
        Whether the fits of all shortest models converged.
    nats : ndarray of shape (n_samples,)
        Description length of each observation, of both variables under `model`, without the cost
        of parameters.
    check : HSICTest
        Test of the cause and the residuals of `model`, computed lazily. A small p-value warns that
        no model of the list fits. See `anmmm.evidence.check`.
    """

    cause_parts: tuple[ColumnEvidence, ...]
    effect_parts: tuple[ColumnEvidence, ...]
    marginal_parts: tuple[ColumnEvidence, ...]
    points: FloatArray
    n_effects: int = 1
    models: dict[str, ConditionalModel] = field(default_factory=dict)

    @classmethod
    def of(
        cls, cause: Marginal, points: FloatArray, models: dict[str, ConditionalModel]
    ) -> DirectionEvidence:
        """Describe single variables by the cause's distribution and models of the effect."""
        from_cause = not isinstance(shortest(models.values()), Independent)
        return cls(
            cause_parts=(ColumnEvidence.alone(0, cause),),
            effect_parts=(ColumnEvidence(0, (), from_cause, models),),
            marginal_parts=(ColumnEvidence(0, (), False, {INDEPENDENT: models[INDEPENDENT]}),),
            points=points,
            models=models,
        )

    @property
    def is_vector(self) -> bool:
        """Whether a variable has several columns."""
        return not self.models

    @property
    def chosen(self) -> ConditionalModel:
        """The shortest model of an effect of one column, the first one of equals."""
        return self.effect_parts[0].chosen

    @property
    def cells(self) -> Cells:
        """A single cause at its own resolution."""
        return self.cause_parts[0].chosen.cells

    @property
    def is_categorical(self) -> bool:
        """Whether a single cause has categories without an order."""
        return not self.is_vector and bool(self.points.shape[1] > 1)

    @property
    def lengths(self) -> dict[str, float]:
        """Description length of a single effect under every model tried."""
        return {name: model.length for name, model in self.models.items()}

    @property
    def mixtures(self) -> tuple[MixtureFit, ...]:
        """Fits of a single effect with 1, 2, … mechanisms."""
        return tuple(model.fit for model in self.models.values() if type(model) is Additive)

    @computed
    def check(self) -> HSICTest:
        """Test of the cause and the residuals of the shortest models."""
        return check_models([part.chosen for part in self.effect_parts], self.tested)

    @computed
    def tested(self) -> HSICVariable:
        """The cause, prepared for tests of independence."""
        return HSICVariable(self.points)

    @computed
    def cause(self) -> float:
        """Description length of the cause."""
        return _length(self.cause_parts)

    @computed
    def effect(self) -> float:
        """Description length of the effect given the cause, under the shortest models."""
        return _length(self.effect_parts)

    @property
    def total(self) -> float:
        """``cause + effect``."""
        return self.cause + self.effect

    @computed
    def independent(self) -> float:
        """Total under independence."""
        return self.cause + _length(self.marginal_parts)

    @property
    def is_independent(self) -> bool:
        """Whether no column of the effect is shorter with the cause."""
        return not any(part.from_cause for part in self.effect_parts)

    @computed
    def nats(self) -> FloatArray:
        """Description length of each observation, without the cost of parameters."""
        return np.asarray(sum(part.chosen.nats for part in self._parts))

    @property
    def model(self) -> str:
        """Names of the shortest models in the order of the effect's columns."""
        names = ["repeated"] * self.n_effects
        for part in self.effect_parts:
            names[part.column] = part.chosen.name if part.from_cause else INDEPENDENT
        return ", ".join(names)

    @property
    def text(self) -> str:
        """Describe the shortest models in words, in the order of the effect's columns."""
        texts = ["repeats another column"] * self.n_effects
        for part in self.effect_parts:
            texts[part.column] = part.chosen.text if part.from_cause else Independent.FORM.text
        return "; ".join(texts)

    @property
    def n_mechanisms(self) -> int:
        """Largest number of mechanisms of a column of the effect."""
        return max(part.chosen.n_mechanisms for part in self.effect_parts)

    @property
    def converged(self) -> bool:
        """Whether the fits of all shortest models converged."""
        return all(part.chosen.converged for part in self._parts)

    @property
    def _parts(self) -> tuple[ColumnEvidence, ...]:
        return self.cause_parts + self.effect_parts


def _length(parts: Sequence[ColumnEvidence]) -> float:
    # Exactly rounded: the order of columns does not matter, nor the version of Python (`sum`
    # changed in 3.12).
    return math.fsum(part.length for part in parts)
