"""scikit-learn's own conformance checks on the estimators."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from anmmm import GPPOM, ANMMixture, CausalDirection, MechanismClustering

ESTIMATORS = [
    ANMMixture(),
    ANMMixture("auto"),
    GPPOM(max_iter=20),
    CausalDirection(fit_options={"max_iter": 20}),
    MechanismClustering(fit_options={"max_iter": 20}),
]
# These fit X and y and predict from X alone. A mechanism does not show in the cause alone, so
# there is no answer; `WithAnEffect` runs the same checks on predictions that have one.
PREDICT_WITHOUT_Y = {
    "check_dict_unchanged",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
}


class WithAnEffect(MechanismClustering):
    """Fits and predicts with an effect that it makes of X, for checks that give none."""

    def fit(self, X, y=None):
        return super().fit(X, y if y is None else effect_of(X))

    def predict(self, X, y=None):
        return super().predict(X, effect_of(X) if y is None and not self._pair_in_X else y)


def effect_of(X):
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2 or rows.shape[1] == 0 or not np.isfinite(rows).all():
        # What is wrong with X is to be said of X.
        return np.zeros(len(rows))
    return np.sin(rows[:, 0]) + rows[:, 0] * rows[:, -1]


def name_of(check):
    return getattr(check, "func", check).__name__


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_conforms(estimator, check):
    if isinstance(estimator, MechanismClustering) and name_of(check) in PREDICT_WITHOUT_Y:
        with pytest.raises(ValueError, match="y is None: a mechanism shows in cause and effect"):
            check(estimator)
    else:
        check(estimator)


def checks_of_predict():
    for refine in ("auto", None):
        estimator = WithAnEffect(refine=refine, fit_options={"max_iter": 20})
        for _, check in estimator_checks_generator(estimator):
            if name_of(check) in PREDICT_WITHOUT_Y:
                yield pytest.param(estimator, check, id=f"{refine}-{name_of(check)}")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("estimator", "check"), [*checks_of_predict()])
def test_predictions_conform(estimator, check):
    check(estimator)
