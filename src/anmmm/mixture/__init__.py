"""C smooth mechanisms, and one mechanism with noise that depends on the cause.

`splines` makes the basis. There are two mixtures. `em` fits C curves that share their noise from
`starts`, for decisions. `mechanisms` fits curves whose noise and weights may differ and depend on
the cause, `search` looks for their number, and `prediction` is about new rows, for labels. The
second one can do what the first one does, but takes 1.5 to 3.7 times as long from the same starts,
and a decision fits mixtures in both directions. The equations are in docs/method/decisions.md.
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
from anmmm.mixture.mechanisms import (
    Mechanisms,
    Sample,
    Variant,
    by_first_appearance,
)
from anmmm.mixture.prediction import EffectPrediction
from anmmm.mixture.search import (
    MANY,
    MAX_NUMBER,
    many_mechanisms,
    refine_by_labels,
    search_mechanisms,
)
from anmmm.mixture.splines import Columns, SplineBasis, Splines, level_basis

if TYPE_CHECKING:
    from anmmm.mixture.estimator import ANMMixture

__all__ = [
    "MANY",
    "MAX_MECHANISMS",
    "MAX_NUMBER",
    "ANMMixture",
    "Columns",
    "EffectPrediction",
    "LocationScaleFit",
    "Mechanisms",
    "MixtureFit",
    "Sample",
    "SplineBasis",
    "Splines",
    "Variant",
    "by_first_appearance",
    "choose_mixture",
    "fit_location_scale",
    "fit_mixture",
    "fit_single",
    "is_auto",
    "level_basis",
    "many_mechanisms",
    "refine_by_labels",
    "search_mechanisms",
    "smallest_noise",
]

# It derives from scikit-learn's estimators, which take longer to load than all else here.
__getattr__, __dir__ = lazily(__name__, {"ANMMixture": "anmmm.mixture.estimator"})
