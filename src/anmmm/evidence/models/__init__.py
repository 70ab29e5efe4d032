"""Models of an effect given its cause: one class each, all of them listed in `MODELS`.

To add one, derive a class from `ConditionalModel`: `NAME` and `TEXT` call it; `encode` fits the
effect to the columns ``fits.cause.basis`` and yields the model with each observation's nats
(`code_lengths`) and what its numbers cost; `levels` is its distribution function, by which it is
checked; `curves` are drawn. A law that says something of a variable by itself gets a name, `LAW`:
it is then tried without a cause too, so that independence costs nothing extra. List the class.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits, Given
from anmmm.evidence.models.gaussian import Additive
from anmmm.evidence.models.independent import Independent
from anmmm.evidence.models.parts import Part, Split, TwoPart
from anmmm.evidence.models.rescaled import LEVELS, NAMES, SMOOTH, Rescaled

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

__all__ = [
    "MODELS",
    "Additive",
    "ConditionalModel",
    "EffectCurves",
    "Fits",
    "Given",
    "Independent",
    "Part",
    "Rescaled",
    "Split",
    "TwoPart",
    "fit_models",
    "laws_of",
    "model_text",
]

# Of equal lengths the first one wins.
MODELS: tuple[type[ConditionalModel], ...] = (
    Independent,
    *SMOOTH,
    *LEVELS,
    *NAMES,
    Rescaled,
    TwoPart,
    Split,
)
# Of an effect of categories; the others take its values for numbers.
OF_CATEGORIES: tuple[type[ConditionalModel], ...] = (Independent, *NAMES, Rescaled)
WRAPPED = (Rescaled, TwoPart, Split)


def fit_models(fits: Fits) -> dict[str, ConditionalModel]:
    """Return every model that applies to a pair, by its name."""
    tied = fits.cause.is_tied or fits.effect.is_tied
    models: dict[str, ConditionalModel] = {}
    for kind in _kinds(fits.effect):
        if tied or not kind.OF_TIES:
            for model in fits.encoded(kind):
                models[model.name] = model.plus(kind.PRIOR) if kind.PRIOR else model
    return models


def laws_of(variable: Variable, *, beside_ties: bool = False) -> Iterator[Marginal]:
    """Yield the laws of a variable by itself, or those that apply only where a pair has ties."""
    alone = Fits.alone(variable)
    for kind in _kinds(variable):
        if kind.OF_TIES is beside_ties:
            yield from kind.laws(alone)


def _kinds(effect: Variable) -> tuple[type[ConditionalModel], ...]:
    return OF_CATEGORIES if effect.is_categorical else MODELS


def model_text(model: str) -> str:
    """Describe a model, named as in `anmmm.DirectionEvidence` or `CommonCause`, in words.

    Names of several columns are joined by commas. A name that no model has, as in the file of
    another version, is returned as it is.
    """
    return "; ".join(map(_text, model.split(", ")))


def _text(name: str) -> str:
    for kind in WRAPPED:
        plain = name.removesuffix(kind.SUFFIX)
        if plain != name and (text := _text(plain)) != plain:
            return text + kind.WORDS
    return _texts().get(name, name)


@cache
def _texts() -> dict[str, str]:
    # It builds on variables, which build on these models.
    from anmmm.evidence.common_cause import TEXTS

    return TEXTS | dict(kind.named(n) for kind in MODELS for n in range(1, 100))
