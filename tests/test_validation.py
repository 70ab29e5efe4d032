"""Every container that is accepted, every refusal with its words."""

import array
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal

from anmmm._categories import as_labels
from anmmm._validation import (
    MIN_SAMPLES,
    as_matrix,
    as_pair,
    check_between,
    check_choice,
    check_count,
    check_nonnegative,
    check_rng,
)

# Small integers, so that every numeric type holds them exactly.
NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
FLOATS = np.array(NUMBERS, dtype=np.float64)
TWO = np.column_stack([FLOATS, FLOATS[::-1]])


COLUMNS = {
    "list": NUMBERS,
    "tuple": tuple(NUMBERS),
    "list of lists": [[number] for number in NUMBERS],
    "array.array": array.array("d", NUMBERS),
    "Fraction": [Fraction(number) for number in NUMBERS],
    "Decimal": [Decimal(number) for number in NUMBERS],
    "objects": np.array(NUMBERS, dtype=object),
    "int64": np.array(NUMBERS, dtype=np.int64),
    "bool": np.array(NUMBERS) > 4,
    "float32": FLOATS.astype(np.float32),
    "longdouble": FLOATS.astype(np.longdouble),
    "big-endian": FLOATS.astype(">f8"),
    "column": FLOATS[:, np.newaxis],
    "reversed": FLOATS[::-1],
    "masked array without a mask": np.ma.array(FLOATS),
    "pandas Series": pd.Series(NUMBERS, index=range(100, 112)),
    "pandas nullable Float32": pd.Series(FLOATS, dtype="Float32"),
    "pandas nullable boolean": pd.Series(FLOATS > 4, dtype="boolean"),
    "pandas DataFrame": pd.DataFrame({"a": NUMBERS}),
    "polars Series": pl.Series(NUMBERS),
    "polars boolean Series": pl.Series((FLOATS > 4).tolist()),
    "polars DataFrame": pl.DataFrame({"a": NUMBERS}),
}
MATRICES = {
    "list of lists": TWO.tolist(),
    "list of arrays": list(TWO),
    "Fortran order": np.asfortranarray(TWO),
    "strided": np.repeat(np.repeat(TWO, 2, axis=0), 3, axis=1)[::2, ::3],
    "float32": TWO.astype(np.float32),
    "pandas DataFrame": pd.DataFrame(TWO, columns=["b", "a"], index=range(5, 17)),
    "pandas nullable": pd.DataFrame(TWO).astype("Float64"),
    "polars DataFrame": pl.DataFrame({"b": TWO[:, 0], "a": TWO[:, 1].astype(int)}),
}


def assert_form(result):
    assert type(result) is np.ndarray
    assert result.dtype == np.float64
    assert result.dtype.isnative
    assert result.flags.c_contiguous
    assert result.ndim == 2


def test_containers_of_one_variable():
    for name, values in COLUMNS.items():
        result = as_matrix(values, "x")
        assert_form(result)
        expected = FLOATS > 4 if "bool" in name else FLOATS
        assert_array_equal(result[:, 0], expected[::-1] if name == "reversed" else expected, name)


def test_containers_of_several_columns():
    for name, values in MATRICES.items():
        result = as_matrix(values, "x")
        assert_form(result)
        assert_array_equal(result, TWO, name)


def test_callers_arrays_are_not_changed():
    for values in (FLOATS.copy(), TWO.copy(), TWO.astype(np.float32), np.asfortranarray(TWO)):
        for writeable in (True, False):
            values.flags.writeable = writeable
            before = values.copy()
            as_matrix(values, "x")
            assert_array_equal(values, before)
            assert values.flags.writeable == writeable


def test_every_scale_ties_outliers_and_rare_events_are_data():
    for values in (
        *(np.linspace(-1.0, 2.0, 12) * scale for scale in (1e-323, 1e-300, 1e150, 1e307)),
        [0.0] * 11 + [1e-9],
        [0, 1] * 6,
        [1e-200] * 11 + [1e200],
        [-1e308, 1e308] * 5,
        np.exp(np.linspace(-12.0, 12.0, 40)),
        [*FLOATS, 1e11],
        [0.0] * 30 + [1.0],
        np.random.default_rng(0).standard_cauchy(2000),
        1e8 + 1e-3 * FLOATS,
    ):
        assert_array_equal(as_matrix(values, "x")[:, 0], values)


def test_fewest_samples():
    assert MIN_SAMPLES == 10
    assert as_matrix(range(10), "x").shape == (10, 1)
    assert as_matrix(range(3), "x", min_samples=3).shape == (3, 1)


def test_pair_of_different_containers_and_widths():
    x, y = as_pair(pl.Series(NUMBERS), pd.DataFrame(TWO))
    assert x.shape == (12, 1)
    assert_array_equal(y, TWO)


def spoilt(*values):
    """The numbers, their first replaced."""
    return [*values, *NUMBERS[len(values) :]]


def objects(first):
    return np.array(spoilt(first), dtype=object)


def masked(*indices):
    return np.ma.array(FLOATS, mask=np.isin(np.arange(12), indices))


LONG = FLOATS.astype(np.longdouble)
nan, inf = float("nan"), float("inf")

NO_VALUES = {
    # Missing and infinite values, counted.
    "one NaN": (
        spoilt(nan),
        r"^x holds 1 NaN values among 12, the first in row 0 \(from 0\); remove or impute",
    ),
    "infinite": (spoilt(inf, -inf, inf), "x holds 3 infinite values among 12"),
    "both": (spoilt(nan, inf, nan), "x holds 2 NaN and 1 infinite values among 12"),
    "NaN of two columns": (np.where(TWO > 8, nan, TWO), "2 NaN values among 24"),
    "None": (spoilt(None, None), "x holds 2 NaN"),
    "pandas NA": (pd.Series(spoilt(None), dtype="Int64"), "x holds 1 NaN"),
    "polars null": (pl.Series(spoilt(None, None)), "x holds 2 NaN"),
    "masked": (masked(2, 5, 6), "x holds 3 masked values; remove or impute"),
    "beyond float64": (spoilt(10**400), "x holds a number beyond float64 at position"),
    "longdouble beyond float64": (LONG * np.longdouble("1e400"), "x holds .* infinite"),
    "complex": (FLOATS + 1j, "Complex data not supported: x has dtype complex128"),
    "complex objects": (objects(1j), "Complex data not supported: x holds 1j"),
    # Shapes.
    "ragged": ([[1.0], [1.0, 2.0]] * 6, "x is not a rectangular array of numbers"),
    "a number": (3.0, r"x must have one dimension.*or two.*found 0, shape \(\)"),
    "None alone": (None, "x must have one dimension"),
    "three dimensions": (np.zeros((12, 2, 3)), r"found 3, shape \(12, 2, 3\)"),
    "no columns": (np.zeros((12, 0)), r"x has 0 feature\(s\) \(shape=\(12, 0\)\)"),
    "empty": ([], "x has n_samples=0, but at least 10 observations are needed"),
    "a row": (FLOATS[np.newaxis], "x has n_samples=1"),
    # Constants.
    "constant": ([7.5] * 12, r"^x is constant \(every value is 7.5\)"),
    "constant booleans": ([True] * 12, r"x is constant \(every value is 1\)"),
    "constant column": (np.column_stack([FLOATS, [-2.0] * 12]), "column 1 of x is constant"),
    "constant but for the last digit": (
        [0.1 + 0.2, 0.3] * 6,
        r"up to rounding \(range 0.3 to 0.30000000000000004\)",
    ),
    "integers that differ beyond float64": (
        [2**60, 2**60 + 100] * 6,
        "x is constant up to rounding .range 1152921504606846976 to 1152921504606847076",
    ),
    # One value next to which the others are equal.
    "a fill value": (
        [1e20, *FLOATS],
        r"^x holds values as large as 1e\+20, next to which half of its 9 distinct values are",
    ),
    "a fill value among counts": (
        [9.96e36, *range(6), *[0.0] * 20],
        "half of its 7 distinct values are equal",
    ),
    "a fill value in a column": (
        np.column_stack([[*FLOATS, 3.0], [*FLOATS, -1e15]]),
        "column 1 of x holds",
    ),
}
NO_NUMBERS = {
    "strings": (["a"] * 12, r"x must be numeric, found 'a' \(str\) at position \(0,\)"),
    "bytes": ([b"1"] * 12, r"x must be numeric, found b'1' \(bytes\) at position"),
    "a string among objects": (objects("7"), r"x must be numeric.*found '7' \(str\) at"),
    "a string": ("abc", r"x must be numeric, found 'abc' \(str\); pass a list or"),
    "pandas categories": (pd.Series(["a", "b"] * 6, dtype="category"), "numeric"),
    "durations": (pd.to_timedelta(range(12), "D"), "x holds durations; convert them to numbers"),
    "int128": (pl.Series(range(12), dtype=pl.Int128), "x cannot be converted to an array"),
    "dates": (pd.date_range("2020", periods=12), "x holds dates; convert them to numbers first"),
    "objects": ([object()] * 12, r"found a value of type object at position \(0,\)"),
    "a generator": ((n for n in NUMBERS), "found a value of type generator; pass"),
    "records": (np.zeros(12, dtype=[("a", float)]), "x must be numeric, found dtype"),
    "sparse matrix": (scipy.sparse.csr_matrix(TWO), r"x is a sparse matrix; pass a .*x.toarray"),
}


@pytest.mark.parametrize("name", [*NO_VALUES, *NO_NUMBERS])
def test_refusal_names_the_argument_and_says_what_was_found(name):
    values, match = (NO_VALUES | NO_NUMBERS)[name]
    with pytest.raises(TypeError if name in NO_NUMBERS else ValueError, match=match):
        as_matrix(values, "x")


def test_refusals_are_short_and_the_same_each_time():
    for values in (
        set(range(1000)),
        {n: n for n in range(1000)},
        "x" * 10_000,
        b"x" * 10_000,
        ["x" * 10_000] * 12,
        [{n: n for n in range(1000)}] * 12,
        [object()] * 12,
        np.zeros(12, dtype=[(f"column {n}", float) for n in range(99)]),
    ):
        with pytest.raises(TypeError) as caught:
            as_matrix(values, "x")
        assert len(str(caught.value)) < 220
        assert "0x" not in str(caught.value)


def test_a_whole_number_that_python_does_not_spell_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^n must be at most 5, found a value of type int$"):
        check_count(10**5000, "n", maximum=5)


def test_pair_names_the_variable_that_is_at_fault():
    with pytest.raises(ValueError, match=r"^x and y must have the same number .* found 12 and 11"):
        as_pair(NUMBERS, NUMBERS[:-1])
    with pytest.raises(ValueError, match=r"^y holds 1 NaN"):
        as_pair(NUMBERS, spoilt(nan))
    with pytest.raises(ValueError, match=r"^cause holds 1 NaN"):
        as_pair(spoilt(nan), NUMBERS, names=("cause", "effect"))


def test_several_columns_are_refused_where_one_is_needed():
    with pytest.raises(ValueError, match="y has 2 columns, but lines have one; pass one of them"):
        as_pair(FLOATS, TWO, single="lines have one; pass one of them")
    x, y = as_pair(NUMBERS, FLOATS, single="lines have one; pass one of them")
    assert x.shape == y.shape == (12, 1)


def test_labels_are_numbered_in_their_order():
    for labels in (
        ["b", "a", "b"],
        (2, -1, 2),
        np.array([True, False, True]),
        pd.Series(["y", "x", "y"], dtype="category"),
        pl.Series([1.5, 0.5, 1.5]),
    ):
        distinct, codes = as_labels(labels, "labels", 3)
        assert codes.tolist() == [1, 0, 1]
        assert list(distinct[codes]) == list(labels)


def test_numbers_become_plain_ones():
    for value in (0, 2.5, np.float32(0.5), np.int64(3), Fraction(1, 2)):
        result = check_nonnegative(value, "lam")
        assert (type(result), result) == (float, value)
    for value in (1, np.int8(5), np.uint64(7)):
        result = check_count(value, "n_starts")
        assert (type(result), result) == (int, value)
    assert check_count(0, "init_degree", minimum=0) == 0
    assert [check_count(n, "n_mechanisms", maximum=12) for n in (1, 2, 12)] == [1, 2, 12]
    assert check_between(0, "uncertain", 0.0, 1.0) == 0.0
    assert check_choice("pvalue", "criterion", CHOICES) == "pvalue"


CHOICES = ("hsic", "pvalue")
choice = partial(check_choice, choices=CHOICES)
inside = partial(check_between, low=0.0, high=1.0, ends=False)
upper_half = partial(check_between, low=0.5, high=1.0)


@pytest.mark.parametrize(
    ("check", "values", "error", "match"),
    [
        (check_nonnegative, [-1e-300, nan, inf, 10**400], ValueError, "be finite and not negative"),
        (check_nonnegative, ["1", None, True, np.True_, 1j], TypeError, r"be a number, found .*\("),
        (check_nonnegative, [np.ones(1)], TypeError, "be a number"),
        (check_count, [0, -3], ValueError, "be at least 1, found"),
        (check_count, [2.0, "2", True, None], TypeError, r"be a whole number, found .*\("),
        (inside, [1.0], ValueError, "lie between 0 and 1, found 1.0"),
        (upper_half, [0.4], ValueError, "lie between 0.5 and 1, found 0.4"),
        (choice, ["hsik", "", None, 3, ["hsic"]], ValueError, "be one of 'hsic', 'pvalue'; found"),
    ],
)
def test_numbers_and_choices_are_refused_by_name(check, values, error, match):
    for value in values:
        with pytest.raises(error, match=f"^lam must {match}"):
            check(value, "lam")


def test_a_seed_gives_the_same_numbers(rng):
    for seed in (0, np.int64(7), [1, 2], np.random.SeedSequence(3)):
        expected = np.random.default_rng(seed).standard_normal(3)
        assert_array_equal(check_rng(seed).standard_normal(3), expected)
    assert check_rng(rng) is rng


def test_a_random_state_gives_the_same_numbers_for_the_same_state():
    first, second, other = (
        check_rng(np.random.RandomState(seed)).standard_normal(3) for seed in (5, 5, 6)
    )
    assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_none_gives_fresh_numbers():
    assert not np.array_equal(*(check_rng(None).standard_normal(3) for _ in range(2)))


def test_other_seeds_are_refused():
    for value in (-1, 1.5, "seed", object()):
        with pytest.raises(ValueError, match="random_state must be None, a whole number >= 0, or"):
            check_rng(value)
