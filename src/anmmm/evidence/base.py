"""The evidence of one direction, common to single variables and variables of several columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.check import check_models
from anmmm.evidence.code import shortest
from anmmm.evidence.models import Additive, ConditionalModel, Independent
from anmmm.independence import HSICTest, HSICVariable


class ColumnEvidence(Record):
    """Description of one column of a vector, or of a variable given common causes.

    Attributes
    ----------
    column : int
        Its place in the variable, from 0.
    before : tuple of int
        Columns of the same variable, or common causes from 1 on, that it is conditioned on, in
        increasing order.
    from_cause : bool
        Whether it is also conditioned on the other variable.
    models : dict of str to ConditionalModel
        Every model tried, by its name.
    """

    column: int
    before: tuple[int, ...]
    from_cause: bool
    models: dict[str, ConditionalModel]

    @computed
    def chosen(self) -> ConditionalModel:
        """The shortest model, the first one of equals."""
        return shortest(self.models.values())

    @property
    def length(self) -> float:
        """Description length in nats, under the shortest model."""
        return self.chosen.length


class BaseEvidence:
    """Description length of a pair in one direction, in nats for all observations.

    The base class of `DirectionEvidence` (single variables) and `VectorEvidence`, which documents
    the parts.
    """

    cause_parts: tuple[ColumnEvidence, ...]
    effect_parts: tuple[ColumnEvidence, ...]
    marginal_parts: tuple[ColumnEvidence, ...]
    causes: FloatArray
    n_effects: int = 1

    @computed
    def check(self) -> HSICTest:
        """Test of the cause and the residuals of the shortest models."""
        return check_models([part.chosen for part in self.effect_parts], self.tested)

    @computed
    def tested(self) -> HSICVariable:
        """The cause, prepared for tests of independence."""
        return HSICVariable(self.causes)

    @property
    def cause(self) -> float:
        """Description length of the cause."""
        return _length(self.cause_parts)

    @property
    def effect(self) -> float:
        """Description length of the effect given the cause, under the shortest models."""
        return _length(self.effect_parts)

    @property
    def total(self) -> float:
        """``cause + effect``."""
        return self.cause + self.effect

    @property
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
        return np.asarray(np.sum([part.chosen.nats for part in self._parts], axis=0))

    @property
    def model(self) -> str:
        """Names of the shortest models in the order of the effect's columns."""
        return ", ".join(self._of_columns("repeated", Independent.NAME, lambda model: model.name))

    @property
    def text(self) -> str:
        """Describe the shortest models in words, in the order of the effect's columns."""
        texts = self._of_columns("repeats another column", Independent.TEXT, lambda m: m.text)
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
    def n_iter(self) -> int:
        """Largest number of iterations of the mixtures."""
        models = (model for part in self._parts for model in part.models.values())
        return max((model.fit.n_iter for model in models if isinstance(model, Additive)), default=0)

    @property
    def _parts(self) -> tuple[ColumnEvidence, ...]:
        return self.cause_parts + self.effect_parts

    def _of_columns(
        self, repeated: str, independent: str, describe: Callable[[ConditionalModel], str]
    ) -> list[str]:
        words = [repeated] * self.n_effects
        for part in self.effect_parts:
            words[part.column] = describe(part.chosen) if part.from_cause else independent
        return words


def _length(parts: Sequence[ColumnEvidence]) -> float:
    # Exactly rounded: the order of columns does not matter, nor the version of Python (`sum`
    # changed in 3.12).
    return math.fsum(part.length for part in parts)
