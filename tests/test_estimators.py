"""scikit-learn's own conformance checks on the estimators."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from anmmm import GPPOM, ANMMixture, CausalDirection, FitOptions, MechanismClustering
from anmmm.datasets import make_anm_mixture

ESTIMATORS = [
    ANMMixture(),
    GPPOM(max_iter=20),
    CausalDirection(),
    CausalDirection(criterion="hsic", fit_options=FitOptions(max_iter=20)),
    MechanismClustering(fit_options={"max_iter": 20}),
]
# These fit X and y and predict from X alone. A mechanism does not show in the cause alone, so that
# they are made with an effect.
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
        return super().predict(X, self._effect(X, y))

    def predict_proba(self, X, y=None):
        return super().predict_proba(X, self._effect(X, y))

    def score(self, X, y=None):
        return super().score(X, self._effect(X, y))

    def _effect(self, X, y):
        return effect_of(X) if y is None and not self._pair_in_X else y


def effect_of(X):
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2 or rows.shape[1] == 0 or not np.isfinite(rows).all():
        # What is wrong with X is to be said of X.
        return np.zeros(len(rows))
    return np.sin(rows[:, 0]) + rows[:, 0] * rows[:, -1]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
def test_a_fit_that_fails_leaves_what_an_earlier_one_found(estimator):
    X, estimator = np.random.default_rng(0).normal(size=(30, 1)), clone(estimator)
    estimator.fit(X, np.sin(X[:, 0]))
    before = dict(vars(estimator))
    with pytest.raises(ValueError, match="y holds 1 NaN"):
        estimator.fit(np.hstack([X, X**2]), np.where(np.arange(30) == 3, np.nan, X[:, 0]))
    assert vars(estimator) == before
    assert estimator.n_features_in_ == 1


@pytest.mark.parametrize("estimator", [CausalDirection(), MechanismClustering(1)])
def test_results_have_the_names_of_the_columns(estimator):
    x, y, _ = make_anm_mixture("f3", 40, random_state=1)
    frame = pd.DataFrame({"dose": x, "response": y})
    assert estimator.fit(frame).result_.names == ("dose", "response")
    assert estimator.fit(frame[["dose"]], frame["response"]).result_.names == ("dose", "response")
    assert estimator.fit(frame.to_numpy()).result_.names == ("x", "y")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_conforms(estimator, check):
    without_y = getattr(check, "func", check).__name__ in PREDICT_WITHOUT_Y
    if isinstance(estimator, MechanismClustering) and without_y:
        estimator = WithAnEffect(**estimator.get_params(deep=False))
    try:
        check(estimator)
    except (AssertionError, ValueError) as error:
        if "observations for each" in f"{error} {error.__cause__} {error.__context__}":
            pytest.skip("more columns than so few observations allow under evidence")
        raise
