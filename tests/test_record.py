"""Public records: comparing, hashing, searching and printing never raise, and agree with copies."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import threading
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anmmm
from anmmm import Hyperparameters, cluster_mechanisms, evaluate, infer_direction
from anmmm._record import Record, computed
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import FitOptions
from anmmm.mixture import ANMMixture

# A screen of 24 lines and 80 columns.
SCREEN = 24 * 80


def records():
    """Every frozen dataclass below the package that a caller may meet, by its full name."""
    found = {}
    for module in pkgutil.walk_packages(anmmm.__path__, "anmmm."):
        parts = module.name.split(".")
        if any(part.startswith("_") for part in parts):
            continue
        try:
            content = vars(importlib.import_module(module.name))
        except ImportError:
            # An adapter to a library that is not here.
            assert module.name.startswith("anmmm.interop."), module.name
            continue
        for name, kind in content.items():
            if (
                inspect.isclass(kind)
                and kind.__module__ == module.name
                and not name.startswith("_")
                and dataclasses.is_dataclass(kind)
                and kind.__dataclass_params__.frozen
                and not inspect.isabstract(kind)
            ):
                found[f"{module.name}.{name}"] = kind
    return found


RECORDS = records()
# They hold lists and are made and read within one module each; nothing compares or hashes them.
INTERNAL = {
    "anmmm.experiments.study.Report",
    "anmmm.experiments.study.Table",
    "anmmm.experiments.study.Unit",
}


def arrays(draw):
    shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
    kind = draw(st.sampled_from([np.float64, np.intp, np.bool_]))
    numbers = np.resize(draw(st.lists(st.floats(), min_size=1, max_size=4)), shape)
    if kind is np.float64:
        return np.asarray(numbers, dtype=kind)
    return np.asarray(np.nan_to_num(numbers, posinf=1.0, neginf=0.0) > 0.0, dtype=kind)


@st.composite
def values(draw, hint):
    """Draw a value of an annotation."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return draw(values(draw(st.sampled_from(inside))))
    if origin is typing.Literal:
        return draw(st.sampled_from(inside))
    if hint is type(None):
        return None
    if hint is typing.Any or origin is np.ndarray or hint is np.ndarray:
        return arrays(draw)
    if origin in (list, tuple, Sequence):
        size = draw(st.integers(0, 3))
        items = [draw(values(inside[0])) for _ in range(size)]
        return items if origin is list else tuple(items)
    if origin in (dict, Mapping) or hint is Mapping:
        return {name: arrays(draw) for name in draw(st.sets(st.text(), max_size=3))}
    if origin is Callable or hint in (Callable, type):
        return draw(st.sampled_from([abs, len]))
    if hint in (bool, int, float, str):
        return draw(st.from_type(hint))
    if inspect.isclass(hint) and issubclass(hint, tuple):
        return anmmm.HSICTest(*draw(st.tuples(*[st.floats(0.1, 1.0)] * 4)))
    if dataclasses.is_dataclass(hint):
        while inspect.isabstract(hint):
            hint = hint.__subclasses__()[0]
        return draw(filled(hint))
    if hint is Path:
        return Path(draw(st.sampled_from("ab")))
    return draw(st.sampled_from("ab"))


@st.composite
def filled(draw, kind):
    """Draw an instance of a record; whatever it checks when it is made is left out."""
    made = object.__new__(kind)
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        object.__setattr__(made, field.name, draw(values(hints[field.name])))
    return made


def test_records_are_found():
    assert {
        "anmmm.gppom.result.FitResult",
        "anmmm.gppom.result.Hyperparameters",
        "anmmm.preprocessing.Standardization",
        "anmmm.datasets.pair.Pair",
        "anmmm.evaluation.run.Evaluation",
        "anmmm.collection.summary.CollectionSummary",
        "anmmm.baselines.anm.ANM",
    } <= RECORDS.keys()


@pytest.mark.parametrize("name", sorted(RECORDS.keys() - INTERNAL))
@settings(max_examples=10)
@given(data=st.data())
def test_comparing_hashing_and_printing_hold_for_whatever_a_record_holds(name, data):
    one, other = (data.draw(filled(RECORDS[name])) for _ in range(2))
    for same in (one, copy.copy(one), copy.deepcopy(one)):
        # Plain records of numbers alone are Python's, to which NaN differs from its copy.
        if same is one or isinstance(one, Record):
            assert (one == same) is (same == one) is True
            assert (one != same) is False
            assert hash(one) == hash(same)
            assert len({one, same}) == 1
    assert (one == other) is (other == one)
    assert (one == other) is not (one != other)
    assert one in [other, one]
    assert (one in [other]) is (one == other)
    assert one != "something else"
    assert (one == None) is False  # noqa: E711
    assert len(repr(one).splitlines()) == 1


@pytest.fixture(scope="module")
def results():
    x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    X = x[:, np.newaxis]
    told = infer_direction(x, y, n_resamples=2, random_state=0)
    clusters = cluster_mechanisms(x, y, 2, random_state=0)
    found = [
        told,
        told.evidence,
        told.evidence.forward,
        told.latent_fits,
        told.forward,
        told.forward.hyperparameters,
        told.resamples,
        told.evidence.forward.marginal,
        clusters,
        clusters.mixture,
        ANMMixture().fit(X, y).fit_result_,
        FitOptions(init=X),
        evaluate("f3", n_pairs=3, n_samples=30),
    ]
    return {type(result).__name__ + str(place): result for place, result in enumerate(found)}


def test_a_result_fits_on_a_screen(results):
    for name, result in results.items():
        assert len(repr(result)) < SCREEN, name


def test_a_result_comes_out_of_a_pickle_equal(results):
    for name, result in results.items():
        again = pickle.loads(pickle.dumps(result))
        assert again == result, name
        assert hash(again) == hash(result), name
        assert copy.deepcopy(result) == result, name


def test_one_entry_of_an_array_makes_the_difference(results):
    for name, result in results.items():
        for field in dataclasses.fields(result):
            array = getattr(result, field.name)
            if field.compare and isinstance(array, np.ndarray) and array.dtype.kind == "f":
                changed = array.copy()
                changed.flat[-1] += 1.0
                other = dataclasses.replace(result, **{field.name: changed})
                assert other != result, f"{name}.{field.name}"


def test_the_repr_shows_numbers_and_shapes(results):
    omega = Hyperparameters(2.5, np.float64(3.0), np.array([0.25]), np.arange(9.0))
    assert repr(omega) == (
        "Hyperparameters(amplitude=2.5, beta=3.0, gamma_x=array([0.25]), "
        "gamma_theta=<float64 array of shape (9,)>)"
    )
    fit = next(result for name, result in results.items() if name.startswith("FitResult"))
    assert "latent=<float64 array of shape (60, 1)>" in repr(fit)
    assert f"objective={fit.objective!r}" in repr(fit)
    assert "forward=<FitResult>" in repr(
        next(result for name, result in results.items() if name.startswith("LatentFits"))
    )


def test_subclasses_are_compared_by_class():
    class Other(Hyperparameters):
        pass

    values = 1.0, 2.0, np.ones(1), np.ones(1)
    assert Hyperparameters(*values) != Other(*values)


def test_what_is_computed_is_kept_and_makes_nobody_wait():
    both = threading.Barrier(2)

    class One:
        @computed
        def value(self):
            """Number."""
            # Broken if the second thread can't enter before the first one leaves.
            both.wait(timeout=20.0)
            return object()

    ones = [One(), One()]
    with ThreadPoolExecutor(2) as pool:
        values = list(pool.map(lambda one: one.value, ones))
    assert [one.value for one in ones] == values
    assert One.value.__doc__ == "Number."
