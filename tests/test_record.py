"""Records print what fits on a screen, and are one of a kind."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from anmmm import (
    ANMMixture,
    FitOptions,
    Hyperparameters,
    PairClusters,
    cluster_mechanisms,
    evaluate,
    infer_direction,
)
from anmmm._record import Record, computed
from anmmm.datasets import make_anm_mixture
from record_comparison import assert_same

# A screen of 24 lines and 80 columns.
SCREEN = 24 * 80


class Example(Record):
    value: Any


@pytest.fixture(scope="module")
def results():
    x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    X = x[:, np.newaxis]
    decision = infer_direction(x, y)
    clusters = cluster_mechanisms(x, y, 2, random_state=0)
    fits, side = decision.fit_latent(random_state=0), decision.evidence.forward
    of_decision = [decision, decision.evidence, side, side.cause_parts[0]]
    others = [FitOptions(init=X), evaluate([(x, y)])]
    fitted = ANMMixture().fit(X, y).fit_result_
    return [fits, fits.forward, *of_decision, clusters, clusters.mixture, fitted, *others]


def test_a_result_fits_on_a_screen_and_comes_whole_out_of_a_pickle(results):
    for result in results:
        assert len(repr(result)) < SCREEN
        again = pickle.loads(pickle.dumps(result))
        assert_same(again, result)
        # Arrays make no truth; who compares results compares what they hold.
        assert result != again
        assert result in {again, result}


def test_rows_are_compared_by_value():
    rows = [PairClusters("a", "ok", labels=(0, 1), seconds=seconds) for seconds in (1, 2)]
    assert rows[0] == rows[1] != PairClusters("a", "ok", labels=(0, 2))


def test_the_repr_shows_numbers_and_shapes(results):
    omega = Hyperparameters(2.5, np.float64(3.0), np.array([0.25]), np.arange(9.0))
    assert repr(omega) == (
        "Hyperparameters(amplitude=2.5, beta=3.0, gamma_x=array([0.25]), "
        "gamma_theta=<float64 array of shape (9,)>)"
    )
    fits, fit = results[:2]
    assert "latent=<float64 array of shape (60, 1)>" in repr(fit)
    assert f"objective={fit.objective!r}" in repr(fit)
    assert "forward=<FitResult>" in repr(fits)


plain = st.none() | st.booleans() | st.floats() | st.text()
arrayed = arrays(st.sampled_from([float, int, bool, "U3"]), array_shapes(min_dims=0, min_side=0))


@given(
    st.recursive(
        plain | arrayed,
        lambda inside: (
            st.lists(inside) | st.tuples(inside) | st.dictionaries(st.text(max_size=9), inside)
        ),
        max_leaves=9,
    )
)
def test_whatever_a_record_holds_is_one_line(value):
    assert len(repr(Example(Example(value))).split("\n")) == 1
    html = Example(["<b>&\ud800", value])._repr_html_()
    assert html.startswith("<pre>Example(value=[&#x27;&lt;b&gt;&amp;")
    assert html.count("<") == 2
    html.encode("utf-8")


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
