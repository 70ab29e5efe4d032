"""Standardizing, at every scale, and undoing it."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from anmmm.preprocessing import standardize


@pytest.mark.parametrize("scale", [1e-310, 1e-307, 1e-160, 1.0, 1e150, 1e300])
def test_scale_and_offset_do_not_matter(rng, scale):
    X = rng.normal(2.0, 1.0, size=(30, 1))
    expected, _ = standardize(X)
    Z, record = standardize(scale * X)
    # Subnormal numbers have fewer digits.
    tolerance = {"rtol": 1e-12, "atol": 1e-13} if scale > 1e-308 else {"atol": 1e-10}
    assert_allclose(Z, expected, **tolerance)
    assert_allclose(record.undo(Z), scale * X, rtol=1e-12)
    # The largest numbers of both signs.
    X = 1e308 * (np.tile([1.0, -1.0], 10) * np.linspace(1, 1.5, 20))[:, np.newaxis]
    assert_allclose([standardize(X)[0].mean(), standardize(X)[0].std()], [0.0, 1.0], atol=1e-14)


def test_input_is_neither_changed_nor_shared(rng):
    X = rng.normal(size=(20, 2))
    before = X.copy()
    Z, record = standardize(X)
    Z[:] = 0.0
    record.apply(X)[:] = 0.0
    record.undo(X)[:] = 0.0
    assert_array_equal(X, before)
    X.flags.writeable = False
    standardize(X)


def test_new_points_go_the_same_way(rng):
    X = np.asfortranarray(rng.normal(size=(30, 2)))
    Z, record = standardize(X)
    assert Z.flags.c_contiguous
    assert_array_equal(record.apply(X[4:7]), Z[4:7])
    new = rng.normal(size=(4, 2))
    assert_allclose(record.apply(new), (new - X.mean(axis=0)) / X.std(axis=0), rtol=1e-12)
    assert_allclose(record.undo(np.zeros((1, 2)))[0], X.mean(axis=0), rtol=1e-12)


@settings(max_examples=100)
@given(arrays(np.float64, (10, 2), elements=st.floats(-1.0, 1.0, width=32)), st.integers(-290, 300))
def test_undo_undoes_apply_at_every_scale(X, exponent):
    assume((np.ptp(X, axis=0) > 1e-3).all())
    X = X * 10.0**exponent
    Z, record = standardize(X)
    assert np.isfinite(Z).all()
    assert_allclose(Z.mean(axis=0), [0.0, 0.0], atol=1e-11)
    assert_allclose(Z.std(axis=0), [1.0, 1.0], rtol=1e-11)
    assert_allclose(record.undo(Z), X, rtol=0, atol=1e-14 * np.abs(X).max())
    assert_allclose(record.apply(record.undo(Z)), Z, rtol=0, atol=1e-10)


def test_what_differs_by_rounding_alone_is_made_equal():
    X = np.array([0.1 + 0.2, 0.3, 0.1 * 3, 0.7, -1.0, 0.5])[:, np.newaxis]
    Z, record = standardize(X)
    assert (len(np.unique(X)), len(np.unique(Z))) == (5, 4)
    assert_allclose(record.undo(Z), X, rtol=1e-15)
    # A day's seconds since 1970, told in steps of the last place, carry the data.
    X = (1.7e9 + np.spacing(1.7e9) * np.arange(50.0))[:, np.newaxis]
    assert len(np.unique(standardize(X)[0])) == len(np.unique(X))


def test_one_dimension_is_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"shape \(3,\).*reshape"):
        standardize(np.array([1.0, 2.0, 3.0]))
