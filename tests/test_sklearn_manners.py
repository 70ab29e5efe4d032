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

import anmmm
from anmmm import GPPOM, ANMMixture, CausalDirection, FitOptions, MechanismClustering
from anmmm.datasets import make_anm_mixture
from waiting import python

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


def test_every_option_of_a_fit_is_a_parameter():
    # The direction has defaults of its own.
    own = {CausalDirection: {"weight_growth": 0.25, "subsample": None}, MechanismClustering: {}}
    for kind in NESTED:
        expected = {**vars(FitOptions()), **own[kind]}
        params, shallow = kind().get_params(), kind().get_params(deep=False)
        assert {name for name in params if "__" in name} == {f"fit_options__{n}" for n in expected}
        assert not any("__" in name for name in shallow)
        for name, value in expected.items():
            assert params[f"fit_options__{name}"] == value


@pytest.mark.parametrize("kind", NESTED)
def test_options_are_set_by_their_names(kind):
    given = {"max_iter": 5}
    model = kind(fit_options=given)
    same = model.set_params(fit_options__n_starts=2, lam=0.5, fit_options__max_iter=7)
    assert same is model
    assert model.fit_options == {"max_iter": 7, "n_starts": 2}
    # The caller's dict, and those of clones, stay.
    assert given == {"max_iter": 5}
    copy = clone(model)
    copy.set_params(fit_options__n_starts=3)
    assert model.fit_options["n_starts"] == 2
    assert copy.get_params()["fit_options__n_starts"] == 3
    with pytest.raises(ValueError, match="'fit_options__n_stars' is no parameter of"):
        model.set_params(fit_options__n_stars=2)
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(lamb=2)


def test_a_grid_search_in_a_pipeline_reaches_the_options():
    step = "mechanismclustering"
    search = GridSearchCV(
        make_pipeline(StandardScaler(), MechanismClustering(fit_options={"max_iter": 5})),
        {f"{step}__fit_options__n_latent": [1, 2], f"{step}__n_mechanisms": [2]},
        scoring=lambda model, X, y=None: float(model[-1].fit_options["n_latent"]),
        cv=KFold(2),
    ).fit(PAIR)
    assert search.best_params_ == {f"{step}__fit_options__n_latent": 2, f"{step}__n_mechanisms": 2}
    assert search.best_estimator_[-1].latent_.shape == (len(X), 2)


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


def test_new_points_of_a_mixture_are_labeled():
    model = fitted(ANMMixture())
    new_x, new_y, truth = make_anm_mixture("f3", 60, random_state=2)
    labels = model.predict(new_x.reshape(-1, 1), new_y)
    agree = (labels == truth).mean()
    assert max(agree, 1.0 - agree) > 0.8
    membership = model.predict_proba(new_x.reshape(-1, 1), new_y)
    np.testing.assert_allclose(membership.sum(axis=1), 1.0)
    np.testing.assert_array_equal(membership.argmax(axis=1), labels)


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


LOADER = """
import pickle, sys, warnings
from anmmm import _pickled
for version in (_pickled.__version__, "9.0"):
    _pickled.__version__ = version
    for path in sys.argv[1:]:
        with warnings.catch_warnings(record=True) as told, open(path, "rb") as file:
            warnings.simplefilter("always")
            model = pickle.load(file)
        texts = [f"{each.category.__name__} {each.filename} {each.message}" for each in told]
        print(version, type(model).__name__, model.n_features_in_, *texts, sep="|")
"""


def test_pickles_load_in_another_process_and_in_a_later_release(tmp_path):
    paths = []
    for estimator in ESTIMATORS:
        paths.append(tmp_path / f"{type(estimator).__name__}.pickle")
        paths[-1].write_bytes(pickle.dumps(fitted(estimator)))
    lines = iter(python("-c", LOADER, *paths).stdout.splitlines())
    for path in paths:
        assert next(lines) == f"{anmmm.__version__}|{path.stem}|1"
    for path in paths:
        # At the line of whoever loads it.
        told = f"UserWarning <string> this {path.stem} was pickled by anmmm, version"
        line = next(lines)
        assert line.startswith(f"9.0|{path.stem}|1|{told} {anmmm.__version__}, and is loaded by")
        assert "version 9.0" in line
        assert "fit it again" in line


def test_a_pickle_of_no_known_version_says_so():
    model = ANMMixture()
    state = model.__getstate__()
    assert state.pop("_anmmm_version") == anmmm.__version__
    assert "_anmmm_version" not in vars(pickle.loads(pickle.dumps(model)))
    with pytest.warns(UserWarning, match="a version that left no note"):
        ANMMixture().__setstate__(state)
