"""Algorithm 1: scores, symmetry, criteria, hostile data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from anmmm import CausalDirection, hsic_test, infer_direction
from anmmm.datasets import make_anm_mixture
from anmmm.direction import CRITERIA


@pytest.fixture(scope="module")
def mixture():
    x, y, _ = make_anm_mixture("f3", 100, random_state=3)
    return x, y


@pytest.mark.parametrize("criterion", CRITERIA)
def test_exchanging_the_variables_reverses_everything(mixture, criterion):
    x, y = mixture
    there = infer_direction(x, y, criterion=criterion, random_state=0)
    back = infer_direction(y, x, criterion=criterion, random_state=0)
    assert there.direction == 1
    assert back.direction == -1
    assert back.score == -there.score
    assert back.forward_score == there.backward_score
    assert back.forward_pvalue == there.backward_pvalue


def test_scores_are_what_the_criteria_say(mixture):
    x, y = mixture
    result = infer_direction(x, y, criterion="hsic")
    assert_allclose(result.forward_score, np.log(result.forward.hsic + 1e-8), rtol=1e-12)
    assert result.score == result.backward_score - result.forward_score
    test = hsic_test(result.forward.latent, x)
    ratio = infer_direction(x, y, criterion="hsic_ratio")
    assert_allclose(ratio.forward_score, test.statistic / test.threshold, rtol=1e-6)
    pvalue = infer_direction(x, y, criterion="pvalue")
    assert_allclose(pvalue.forward_score, -test.log_pvalue, rtol=1e-6)
    assert_allclose(pvalue.forward_pvalue, test.pvalue, rtol=1e-6)
    assert result.criterion == "hsic"
    assert result.converged


def test_mixtures_of_every_mechanism_are_mostly_decided_rightly():
    # 16 data sets; chance would get 8, and 13 or more with probability 0.01.
    right = sum(
        infer_direction(*make_anm_mixture(f, 100, random_state=seed)[:2]).direction == 1
        for f in ("f1", "f2", "f3", "f4")
        for seed in range(4)
    )
    assert right >= 13


def test_identical_columns_are_undecided():
    x = np.random.default_rng(0).normal(size=40)
    result = infer_direction(x, x.copy(), random_state=0)
    assert result.direction == 0
    assert result.score == 0.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_vector_valued_variables():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    y = np.tanh(x @ rng.normal(size=(2, 3))) + 0.1 * rng.normal(size=(40, 3))
    result = infer_direction(x, y, max_iter=100, n_latent=2)
    assert result.forward.latent.shape == (40, 2)
    assert np.isfinite(result.score)


def containers(x, y):
    frame = pd.DataFrame({"x": x, "y": y})
    yield x.tolist(), y.tolist()
    yield frame["x"], frame["y"]
    yield frame[["x"]], frame[["y"]]
    yield pl.Series(x), pl.Series(y)
    yield pl.DataFrame({"x": x}), pl.DataFrame({"y": y})
    wide = np.column_stack([x, y])
    yield wide[:, 0], wide[:, 1]
    frozen = x.copy(), y.copy()
    frozen[0].flags.writeable = frozen[1].flags.writeable = False
    yield frozen
    yield np.repeat(x, 2)[::2], y[:, None]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_container_gives_the_same_answer_and_stays_as_it_is(mixture):
    x, y = mixture
    expected = infer_direction(x, y, max_iter=40, tol=0).score
    for first, second in containers(x.copy(), y.copy()):
        kept = np.array(first, copy=True), np.array(second, copy=True)
        result = infer_direction(first, second, max_iter=40, tol=0)
        assert result.score == expected, type(first)
        np.testing.assert_array_equal(np.asarray(first), kept[0])
        np.testing.assert_array_equal(np.asarray(second), kept[1])


def hostile():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=60), rng.normal(size=60)
    cauchy = rng.standard_cauchy(size=60)
    return {
        "ties": (np.round(x), np.round(y)),
        "binary": (rng.integers(0, 2, 60), rng.integers(0, 2, 60)),
        "one outlier": (np.r_[np.zeros(59), 1.0], y),
        "cauchy": (cauchy, x + cauchy),
        "tiny": (1e-300 * x, 1e-300 * (x**2 + y)),
        "huge": (1e150 * x, 1e150 * (x**2 + y)),
        "largest": (1e308 * np.sign(x), y),
        "mixed": (1e-300 * x, 1e150 * y),
        "offset": (1e9 + x, y),
        "duplicated rows": (np.tile(x[:15], 4), np.tile(y[:15], 4)),
        "identical": (x, x),
        "opposite": (x, -x),
        "exact function": (x, x**3),
        "integers": (rng.poisson(3, 60), rng.poisson(5, 60)),
        "float32": (x.astype(np.float32), y.astype(np.float32)),
        "fewest": (x[:10], y[:10]),
    }


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", hostile())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_hostile_data_give_finite_answers(name, criterion):
    result = infer_direction(*hostile()[name], criterion=criterion, random_state=0)
    numbers = [
        result.score,
        result.forward_score,
        result.backward_score,
        result.forward_pvalue,
        result.backward_pvalue,
    ]
    for fit in (result.forward, result.backward):
        numbers += [fit.objective, fit.log_likelihood, fit.hsic, *fit.latent.ravel()]
    assert np.all(np.isfinite(numbers))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1.0] * 20, range(20)), {}, "x is constant"),
        ((range(20), range(19)), {}, "found 20 and 19"),
        ((range(5), range(5)), {}, "n_samples=5"),
        ((range(20), range(20)), {"criterion": "best"}, "'hsic', 'hsic_ratio', 'pvalue'.*'best'"),
        ((range(20), range(20)), {"lam": -1.0}, "lam must be finite and not negative, found -1.0"),
        ((range(20), range(20)), {"lam": "1"}, "lam must be a number"),
        ((range(20), range(20)), {"gamma": 1.0}, "unknown option 'gamma'"),
        ((range(20), range(20)), {"random_state": "x"}, "random_state"),
    ],
)
def test_bad_arguments_are_named(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        infer_direction(*arguments, **options)


def test_estimator_takes_two_columns_or_two_variables(mixture):
    x, y = mixture
    together = CausalDirection(random_state=0).fit(np.column_stack([x, y]))
    apart = CausalDirection(random_state=0).fit(x[:, None], y)
    expected = infer_direction(x, y, random_state=0)
    assert together.direction_ == apart.direction_ == expected.direction
    assert together.score_ == apart.score_ == expected.score
    assert together.forward_pvalue_ == expected.forward_pvalue
    with pytest.raises(ValueError, match="two columns"):
        CausalDirection().fit(np.column_stack([x, y, y]))
