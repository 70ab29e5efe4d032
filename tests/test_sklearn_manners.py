"""The estimators as parts of scikit-learn's own: searches, pipelines, clones, frames, pickles."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from anmmm import GPPOM, ANMMixture, CausalDirection, FitOptions, MechanismClustering
from anmmm.datasets import make_anm_mixture

X, Y, LABELS = make_anm_mixture("f3", 60, random_state=1)
PAIR = np.column_stack([X, Y])
ESTIMATORS = [
    ANMMixture(),
    GPPOM(max_iter=20),
    CausalDirection(),
    MechanismClustering(fit_options={"max_iter": 20}, random_state=0),
]
NESTED = [CausalDirection, MechanismClustering]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fitted(estimator, cause=None, effect=Y):
    return clone(estimator).fit(X.reshape(-1, 1) if cause is None else cause, effect)


@pytest.mark.parametrize("kind", NESTED)
def test_options_of_a_fit_are_parameters(kind):
    given = FitOptions(max_iter=5)
    model = kind(fit_options=given)
    params, shallow = model.get_params(), model.get_params(deep=False)
    own = {f"fit_options__{name}": value for name, value in given.get_params().items()}
    assert {name: params[name] for name in params if "__" in name} == own
    assert not any("__" in name for name in shallow)
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(lam=2)


@pytest.mark.parametrize("kind", [GPPOM, *NESTED])
def test_options_of_a_fit_are_set_by_name_whatever_holds_them(kind):
    given = FitOptions(max_iter=5)
    for held in (None, {"max_iter": 5}, given):
        model = kind(fit_options=held)
        # A clone's options are its own.
        copy = clone(model)
        assert copy.set_params(fit_options__lam=0.5, fit_options__n_starts=2) is copy
        assert (copy.fit_options.lam, copy.fit_options.n_starts) == (0.5, 2)
        assert copy.fit_options.max_iter == (FitOptions() if held is None else given).max_iter
        assert model.fit_options is held
    assert given.lam == 1.0
    with pytest.raises(TypeError, match="lambda"):
        kind().set_params(fit_options__lambda=1.0)


@pytest.mark.parametrize("model", [ANMMixture(), MechanismClustering(random_state=0)])
def test_a_grid_search_finds_the_number_of_mechanisms(model):
    search = GridSearchCV(model, {"n_mechanisms": [1, 2]}, cv=KFold(3)).fit(X.reshape(-1, 1), Y)
    assert search.best_params_ == {"n_mechanisms": 2}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_grid_search_in_a_pipeline_reaches_the_options():
    name = "mechanismclustering__fit_options__lam"
    model = MechanismClustering(refine=False, fit_options=FitOptions(max_iter=20), random_state=0)
    pipe = make_pipeline(StandardScaler(), model)
    search = GridSearchCV(pipe, {name: [0.1, 10.0]}, cv=KFold(2), error_score="raise").fit(PAIR)
    scores = search.cv_results_["mean_test_score"]
    assert scores[0] != scores[1]
    assert search.best_estimator_[-1].fit_options.lam == search.best_params_[name]
    assert model.fit_options.lam == 1.0


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
def test_pandas_and_polars_are_numbers_with_names(estimator):
    plain = fitted(estimator)
    for frame in (pd.DataFrame({"x": X}), pl.DataFrame({"x": X})):
        model = fitted(estimator, frame, Y)
        assert list(model.feature_names_in_) == ["x"]
        for name, value in vars(plain).items():
            if name.endswith("_") and isinstance(value, (np.ndarray, int, float)):
                np.testing.assert_array_equal(getattr(model, name), value)


def test_a_pipeline_decides_as_the_estimator_does():
    pipe = make_pipeline(StandardScaler(), CausalDirection())
    model = pipe.set_output(transform="pandas").fit(pd.DataFrame({"x": X, "y": Y}))[-1]
    assert model.direction_ == CausalDirection().fit(PAIR).direction_
    assert list(model.feature_names_in_) == ["x", "y"]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_curves_are_columns_of_a_frame_where_that_is_asked_for(kind):
    frame = kind({"x": X})
    model = ANMMixture().set_output(transform=kind.__module__.partition(".")[0])
    curves = model.fit(frame, Y).transform(frame)
    assert isinstance(curves, kind)
    assert list(curves.columns) == ["anmmixture0", "anmmixture1"]
    np.testing.assert_array_equal(curves.to_numpy(), model.curves(frame))
    pipe = make_pipeline(StandardScaler(), ANMMixture()).fit(X.reshape(-1, 1), Y)
    labels = pipe.predict(X.reshape(-1, 1), y=Y)
    assert (labels == model.labels_).mean() > 0.95


def test_estimators_are_pickled():
    for estimator in ESTIMATORS:
        model = fitted(estimator)
        assert pickle.loads(pickle.dumps(model)).n_features_in_ == model.n_features_in_
