"""Models of an effect given its cause: one class each, all of them listed in `MODELS`.

To add one, derive a class from `ConditionalModel` with a `FORM`, and list it. `encode` fits the
effect to the columns ``fits.cause.basis`` and yields models with each observation's nats
(`code_lengths`) and their parameter cost; `levels` is the distribution function, for the check;
`curves` are for plots. With a name of its marginal, `MARGINAL_NAME`, it is also tried without a
cause, so that independence costs nothing extra.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache, Regressors
from anmmm.evidence.models.clustered import Clustered
from anmmm.evidence.models.form import Form, read_form
from anmmm.evidence.models.free_noise import FreeNoise
from anmmm.evidence.models.gaussian import Additive
from anmmm.evidence.models.independent import Independent
from anmmm.evidence.models.monotone import Monotone
from anmmm.evidence.models.parts import Parted
from anmmm.evidence.models.rescaled import CATEGORY_MODELS, LEVEL_MODELS, SMOOTH_MODELS, OverColumns

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

__all__ = [
    "MODELS",
    "Additive",
    "ConditionalModel",
    "EffectCurves",
    "FitCache",
    "FreeNoise",
    "Independent",
    "OverColumns",
    "Regressors",
    "fit_models",
    "marginals_of",
    "model_text",
]

# Of equal lengths the first one wins.
MODELS: tuple[type[ConditionalModel], ...] = (
    Independent,
    *SMOOTH_MODELS,
    *LEVEL_MODELS,
    *CATEGORY_MODELS,
    OverColumns,
    Monotone,
    Clustered,
    Parted,
)
# Models of a categorical effect.
CATEGORICAL_EFFECT_MODELS: tuple[type[ConditionalModel], ...] = (
    Independent,
    *CATEGORY_MODELS,
    OverColumns,
)


def fit_models(fits: FitCache) -> dict[str, ConditionalModel]:
    """Return every model that applies to a pair, by its name."""
    models: dict[str, ConditionalModel] = {}
    for model_class in _model_classes(fits.effect):
        for model in fits.encoded(model_class):
            models[model.name] = model
    return models


def marginals_of(variable: Variable) -> Iterator[Marginal]:
    """Yield the marginals of a variable."""
    fits = FitCache.without_cause(variable)
    for model_class in _model_classes(variable):
        yield from model_class.marginals(fits)


def _model_classes(effect: Variable) -> tuple[type[ConditionalModel], ...]:
    return CATEGORICAL_EFFECT_MODELS if effect.is_categorical else MODELS


def model_text(model: str) -> str:
    """Describe a model, named as in `anmmm.DirectionEvidence` or `CommonCause`, in words.

    Names of several columns are joined by commas. An unknown name is returned unchanged.
    """
    # Imported here because it imports variables, which import these models.
    from anmmm.evidence.common_cause import TEXTS

    bases: dict[str, Form] = {}
    for model_class in MODELS:
        if model_class.FORM.base and not model_class.FORM.suffixes:
            bases[model_class.FORM.base] = model_class.FORM
    texts: list[str] = []
    for name in model.split(", "):
        form = read_form(name, bases)
        texts.append(form.text if form else TEXTS.get(name, name))
    return "; ".join(texts)
