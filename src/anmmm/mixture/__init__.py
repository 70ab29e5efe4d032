"""C smooth mechanisms, and one mechanism with noise that depends on the cause.

`splines` makes the basis. There are two mixtures. `em` fits C curves that share their noise from
`starts`, for decisions. `mechanisms` fits curves whose noise and weights may differ and depend on
the cause, `search` looks for their number, and `prediction` is about new rows, for labels. The
second one can do what the first one does, but takes 1.5 to 3.7 times as long from the same starts,
and a decision fits mixtures in both directions. The equations are in docs/method/decisions.md.
"""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily

if TYPE_CHECKING:
    from anmmm.mixture.estimator import ANMMixture
    from anmmm.mixture.prediction import EffectPrediction

__all__ = ["ANMMixture", "EffectPrediction"]

# The estimator derives from scikit-learn's, which take longer to load than all else here.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "ANMMixture": "anmmm.mixture.estimator",
        "EffectPrediction": "anmmm.mixture.prediction",
    },
)
