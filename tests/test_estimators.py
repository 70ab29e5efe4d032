"""scikit-learn's own conformance checks on the estimators."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from anmmm import GPPOM, ANMMixture, CausalDirection, MechanismClustering

ESTIMATORS = [
    ANMMixture(),
    ANMMixture("auto"),
    GPPOM(max_iter=20),
    CausalDirection(fit_options={"max_iter": 20}),
    MechanismClustering(fit_options={"max_iter": 20}),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_conforms(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_clone_keeps_parameters(estimator):
    assert clone(estimator).get_params() == estimator.get_params()
