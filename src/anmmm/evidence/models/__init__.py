"""Models of an effect given its cause: one class each, all of them listed in `MODELS`.

To add one, derive a class from `ConditionalModel` with `NAME` and `TEXT`, and list it. `encode`
fits the effect to the columns ``fits.cause.basis`` and yields the model with each observation's
nats (`code_lengths`) and its parameter cost; `levels` is its distribution function, for the check;
`curves` are for plots. With a name of its marginal, `MARGINAL_NAME`, it is also tried without a
cause, so that independence costs nothing extra.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache, Regressors
from anmmm.evidence.models.clustered import Clustered
from anmmm.evidence.models.gaussian import Additive, AdditiveFreeNoise
from anmmm.evidence.models.independent import Independent
from anmmm.evidence.models.monotone import Monotone, MonotoneFreeNoise
from anmmm.evidence.models.parts import Part, TwoPart, TwoRanges
from anmmm.evidence.models.rescaled import LEVELS, NAMES, SMOOTH, Rescaled

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

__all__ = [
    "MODELS",
    "Additive",
    "AdditiveFreeNoise",
    "ConditionalModel",
    "EffectCurves",
    "FitCache",
    "Independent",
    "Part",
    "Regressors",
    "Rescaled",
    "fit_models",
    "marginals_of",
    "model_text",
]

# Of equal lengths the first one wins.
MODELS: tuple[type[ConditionalModel], ...] = (
    Independent,
    *SMOOTH,
    *LEVELS,
    *NAMES,
    Rescaled,
    Monotone,
    MonotoneFreeNoise,
    Clustered,
    TwoPart,
    TwoRanges,
)
# Models of a categorical effect.
OF_CATEGORIES: tuple[type[ConditionalModel], ...] = (Independent, *NAMES, Rescaled)
WRAPPED = (Rescaled, TwoPart, TwoRanges)


def fit_models(fits: FitCache) -> dict[str, ConditionalModel]:
    """Return every model that applies to a pair, by its name."""
    models: dict[str, ConditionalModel] = {}
    for kind in _kinds(fits.effect):
        for model in fits.encoded(kind):
            models[model.name] = model.plus(kind.PRIOR)
    return models


def marginals_of(variable: Variable) -> Iterator[Marginal]:
    """Yield the marginals of a variable."""
    fits = FitCache.without_cause(variable)
    for kind in _kinds(variable):
        yield from kind.marginals(fits)


def _kinds(effect: Variable) -> tuple[type[ConditionalModel], ...]:
    return OF_CATEGORIES if effect.is_categorical else MODELS


def model_text(model: str) -> str:
    """Describe a model, named as in `anmmm.DirectionEvidence` or `CommonCause`, in words.

    Names of several columns are joined by commas. An unknown name is returned unchanged.
    """
    return "; ".join(map(_text, model.split(", ")))


def _text(name: str) -> str:
    for kind in WRAPPED:
        plain = name.removesuffix(kind.SUFFIX)
        if plain != name and (text := _text(plain)) != plain:
            return text.removesuffix(kind.WORDS) + kind.WORDS
    return _texts().get(name, name)


@cache
def _texts() -> dict[str, str]:
    # Imported here because it imports variables, which import these models.
    from anmmm.evidence.hidden_code import TEXTS

    return TEXTS | dict(kind.named(n) for kind in MODELS for n in range(1, 100))
