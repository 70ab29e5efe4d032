"""C smooth mechanisms with shared noise, and one mechanism with noise that depends on the cause.

`splines` makes the basis, `em` fits C curves from `starts` and chooses C, `labels` refines given
labels. The equations are in docs/method/decisions.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.mixture.em import (
    MAX_MECHANISMS,
    choose_mixture,
    fit_mixture,
    fit_single,
    is_auto,
    smallest_noise,
)
from anmmm.mixture.fits import LocationScaleFit, MixtureFit, fit_location_scale
from anmmm.mixture.labels import EffectMixtures, by_first_appearance, refine_labels
from anmmm.mixture.splines import Columns, SplineBasis, Splines, level_basis
from anmmm.mixture.starts import as_responsibilities

if TYPE_CHECKING:
    from anmmm.mixture.estimator import ANMMixture

__all__ = [
    "MAX_MECHANISMS",
    "ANMMixture",
    "Columns",
    "EffectMixtures",
    "LocationScaleFit",
    "MixtureFit",
    "SplineBasis",
    "Splines",
    "as_responsibilities",
    "by_first_appearance",
    "choose_mixture",
    "fit_location_scale",
    "fit_mixture",
    "fit_single",
    "is_auto",
    "level_basis",
    "refine_labels",
    "smallest_noise",
]

# It derives from scikit-learn's estimators, which take longer to load than all else here.
__getattr__, __dir__ = lazily(__name__, {"ANMMixture": "anmmm.mixture.estimator"})
