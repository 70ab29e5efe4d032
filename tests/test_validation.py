"""Numbers, choices, labels and seeds that are options: plain values, or refused by name."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from anmmm._validation import (
    check_between,
    check_choice,
    check_count,
    check_nonnegative,
    check_rng,
)

nan, inf = float("nan"), float("inf")


def test_numbers_become_plain_ones():
    for value in (0, 2.5, np.float32(0.5), np.int64(3), Fraction(1, 2)):
        result = check_nonnegative(value, "lam")
        assert (type(result), result) == (float, value)
    for value in (1, np.int8(5), np.uint64(7)):
        result = check_count(value, "n_samples")
        assert (type(result), result) == (int, value)
    assert check_count(0, "n_plots", minimum=0) == 0
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
        (check_nonnegative, [-1e-300, nan, inf, 10**400], ValueError, "be finite"),
        (check_nonnegative, ["1", None, True, np.True_, 1j, np.ones(1)], TypeError, "be a number"),
        (check_count, [0, -3], ValueError, "be at least 1"),
        (check_count, [2.0, "2", True, None], TypeError, "be a whole number"),
        (inside, [1.0], ValueError, "lie between 0 and 1"),
        (upper_half, [0.4], ValueError, "lie between 0.5 and 1"),
        (choice, ["hsik", "", None, 3, ["hsic"]], ValueError, "be one of"),
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
        with pytest.raises(ValueError, match="random_state must be"):
            check_rng(value)
