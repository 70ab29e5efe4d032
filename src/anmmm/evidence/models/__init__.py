"""Models of an effect given its cause: one class each, all of them listed in `MODELS`.

Two variables come in as `Fits`, which makes each fit that models share once. Every model that
applies goes out with the effect's description length and with its curves.
"""

from __future__ import annotations

from functools import cache

from anmmm.evidence.models.base import ConditionalModel, EffectCurves, Fits
from anmmm.evidence.models.categories import Categories
from anmmm.evidence.models.discrete import Counts, Ordered
from anmmm.evidence.models.gaussian import (
    Additive,
    AdditiveFreeNoise,
    LocationScale,
    LocationScaleFreeNoise,
)
from anmmm.evidence.models.independent import Independent
from anmmm.evidence.models.linked import LocationScaleLinked
from anmmm.evidence.models.postnonlinear import PostNonlinear, PostNonlinearFreeNoise

__all__ = [
    "MODELS",
    "Additive",
    "ConditionalModel",
    "EffectCurves",
    "Fits",
    "Independent",
    "fit_models",
    "model_text",
    "shortest",
]

# A model that joins them needs nothing else. Of equal lengths the first one wins.
MODELS: tuple[type[ConditionalModel], ...] = (
    Independent,
    Additive,
    AdditiveFreeNoise,
    LocationScale,
    LocationScaleFreeNoise,
    LocationScaleLinked,
    PostNonlinear,
    PostNonlinearFreeNoise,
    Ordered,
    Counts,
    Categories,
)
# Of an effect of categories; the others take its values for numbers.
OF_CATEGORIES = (Independent, Categories)


def fit_models(fits: Fits) -> dict[str, ConditionalModel]:
    """Return every model that applies to a pair, by its name."""
    kinds = OF_CATEGORIES if fits.effect.is_categorical else MODELS
    return {model.name: model for kind in kinds for model in kind.encode(fits)}


def shortest(models: dict[str, ConditionalModel]) -> ConditionalModel:
    """Return the shortest model, the first one of equals."""
    return min(models.values(), key=lambda model: model.length)


def model_text(model: str) -> str:
    """Describe a conditional model, named as in `anmmm.DirectionEvidence`, in words.

    Names of several columns are joined by commas. A name that no model has, as in the file of
    another version, is returned as it is.
    """
    return "; ".join(_texts().get(name, name) for name in model.split(", "))


@cache
def _texts() -> dict[str, str]:
    return dict(kind.named(n) for kind in MODELS for n in range(1, 100))
