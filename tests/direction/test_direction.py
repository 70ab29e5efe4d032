"""A decision: scores, symmetry, criteria, confidence, hostile data, fits made when asked for."""

import pickle
import tracemalloc
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from benchmarks.families import mechanisms
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from anmmm import (
    CausalDirection,
    cluster_mechanisms,
    hsic_test,
    infer_direction,
    infer_directions,
)
from anmmm.datasets import make_anm_mixture
from anmmm.dependence import LATENT_CRITERIA
from anmmm.direction import infer
from anmmm.direction.hypotheses import RANK_COST, Hypotheses, rank_nats
from anmmm.direction.labels import number_note
from anmmm.evidence import description_lengths
from anmmm.evidence.lengths import sign_of
from anmmm.evidence.models import base as evidence_module
from anmmm.gppom import model as gppom_model
from record_comparison import assert_same

MIXTURE = X, Y = make_anm_mixture("f3", 100, random_state=3)[:2]


@pytest.mark.parametrize("criterion", ["evidence", "hsic"])
def test_exchanging_the_variables_reverses_everything(criterion):
    there, back = (
        infer_direction(*pair, criterion=criterion, random_state=0) for pair in ((X, Y), (Y, X))
    )
    assert (there.direction, back.direction) == (1, -1)
    assert (back.score, back.models.forward_score) == (-there.score, there.models.backward_score)
    assert back.confidence == there.confidence
    fits, swapped = (decided.fit_latent(random_state=0) for decided in (there, back))
    assert swapped.forward_test.pvalue == fits.backward_test.pvalue


def test_scores_are_what_the_criteria_say():
    result, ratio = (infer_direction(X, Y, criterion=criterion) for criterion in LATENT_CRITERIA)
    fits = result.models
    assert_allclose(fits.forward_score, np.log(fits.forward.hsic + 1e-8), rtol=1e-12)
    assert result.score == fits.backward_score - fits.forward_score
    test = hsic_test(fits.forward.latent, X, null="gamma")
    assert_allclose(fits.forward_test.pvalue, test.pvalue, rtol=1e-6)
    assert_allclose(ratio.models.forward_score, test.statistic / test.threshold, rtol=1e-6)
    assert (result.criterion, fits.criterion, ratio.criterion) == ("hsic", "hsic", "hsic_ratio")
    assert result.converged
    # The fits that an evidence makes later are the same.
    later = infer_direction(X, Y).fit_latent("hsic_ratio")
    for decided in (result, ratio):
        models = decided.models
        assert later.scores(decided.criterion) == (models.forward_score, models.backward_score)
    assert (later.forward_score, later.backward_score) == later.scores("hsic_ratio")


@pytest.mark.parametrize(("criterion", "min_right"), [("evidence", 16), ("hsic", 13)])
def test_mixtures_of_every_mechanism_are_mostly_decided_rightly(criterion, min_right):
    # 16 data sets; chance would get 8, and 13 or more with probability 0.01.
    drawn = product(("f1", "f2", "f3", "f4"), range(4))
    pairs = [make_anm_mixture(f, 100, random_state=seed)[:2] for f, seed in drawn]
    right = sum(infer_direction(x, y, criterion=criterion).direction == 1 for x, y in pairs)
    assert right >= min_right
    # Identical columns are undecided.
    result = infer_direction(X, X.copy(), criterion=criterion, random_state=0)
    assert (result.direction, result.score) == (0, 0.0)


@pytest.mark.parametrize(("odds", "expected"), [(1.1e-3, 1), (-1.1e-3, -1), (9e-4, 0), (-9e-4, 0)])
def test_log_odds_within_the_tolerance_of_the_fits_decide_nothing(odds, expected, monkeypatch):
    # Which side of zero they fall on may hang on the processor.
    x, y, _ = make_anm_mixture("f3", 40, random_state=0)
    monkeypatch.setattr(infer, "log_odds", lambda *_: odds)
    result = infer_direction(x, y)
    assert (result.log_odds, result.direction) == (odds, expected)
    (row,) = infer_directions([(x, y)])
    assert row.direction == expected


def test_the_direction_is_that_of_the_log_odds_and_the_score_that_of_the_lengths(monkeypatch):
    monkeypatch.setattr(infer, "log_odds", lambda *_: -3.0)
    result = infer_direction(X, Y)
    assert (result.direction, result.relation) == (-1, "y->x")
    assert result.score == description_lengths(X, Y).score > 0.0
    assert result.probabilities == Hypotheses(result.evidence, -3.0).probabilities


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_vector_valued_variables(rng):
    x = rng.normal(size=(40, 2))
    y = np.tanh(x @ rng.normal(size=(2, 3))) + 0.1 * rng.normal(size=(40, 3))
    result = infer_direction(x, y, criterion="hsic", fit_options={"max_iter": 100, "n_latent": 2})
    assert result.models.forward.latent.shape == (40, 2)
    assert np.isfinite(result.score)
    # Five columns ask for 50 observations.
    with pytest.raises(ValueError, match=r"10 observations for each.*criterion='hsic'"):
        infer_direction(x, y)


def test_vector_valued_variables_are_decided_by_evidence(rng):
    x = rng.normal(size=(60, 2))
    y = np.column_stack([x[:, 0] ** 2, np.tanh(x.sum(axis=1))]) + 0.1 * rng.normal(size=(60, 2))
    result = infer_direction(x, y)
    assert (result.criterion, result.direction, result.relation) == ("evidence", 1, "x->y")
    assert 0.5 <= result.confidence <= 0.85
    assert result.converged
    assert 0.0 <= result.check_pvalue <= 1.0
    assert result.independence_pvalue < 0.05
    assert_same(pickle.loads(pickle.dumps(result)), result)


def test_variables_of_the_caller_are_not_changed():
    frozen = X.copy(), Y.copy()
    frozen[0].flags.writeable = frozen[1].flags.writeable = False
    assert infer_direction(*frozen).score == infer_direction(X, Y).score


def hostile():
    rng = np.random.default_rng(0)
    x, y, cauchy = *rng.normal(size=(2, 60)), rng.standard_cauchy(size=60)
    # Of many magnitudes are those of test_magnitudes.py.
    return {
        "ties": (np.round(x), np.round(y)),
        "binary": (rng.integers(0, 2, 60), rng.integers(0, 2, 60)),
        "one outlier": (np.r_[np.zeros(59), 1.0], y),
        "atom": (x, np.where(np.arange(60) % 2, np.maximum(x, 0.0), 0.0)),
        "cauchy": (cauchy, x + cauchy),
        "mixed": (1e-300 * x, 1e150 * y),
        "duplicated rows": (np.tile(x[:15], 4), np.tile(y[:15], 4)),
        "exact function": (x, x**3),
        "threshold": (x, x > 0.0),
        "integers": (rng.poisson(3, 60), rng.poisson(5, 60)),
        "float32": (x.astype(np.float32), y.astype(np.float32)),
        "fewest": (x[:10], y[:10]),
    }


@pytest.mark.parametrize("name", hostile())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_hostile_data_give_finite_answers(name):
    result = infer_direction(*hostile()[name], random_state=0)
    fits = result.fit_latent(random_state=0)
    numbers = [result.score, result.models.forward_score, result.models.backward_score]
    numbers += [fits.forward_test.log_pvalue, fits.backward_test.log_pvalue]
    for criterion in LATENT_CRITERIA:
        numbers += fits.scores(criterion)
    for fit in (fits.forward, fits.backward):
        numbers += [fit.objective, fit.log_likelihood, fit.hsic, *fit.latent.ravel()]
    assert np.all(np.isfinite(numbers))


def test_bad_options_of_a_fit_are_named_now_or_later():
    values, later = range(200), infer_direction(range(200), range(200)).fit_latent
    for fit_options, message in (
        ({"lam": -1.0}, "lam must be"),
        ({"gamma": 1.0}, "'gamma'"),
        ("lam", "fit_options must be a FitOptions"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            infer_direction(values, values, criterion="hsic", fit_options=fit_options)
        with pytest.raises((ValueError, TypeError), match=message):
            later(fit_options=fit_options)


def test_bad_options_are_named():
    for options, message in (
        ({"criterion": "best"}, "'evidence', 'hsic', 'hsic_ratio'; found 'best'"),
        ({"gamma": 1.0}, "unexpected keyword argument 'gamma'"),
        ({"random_state": "x"}, "random_state"),
        ({"prior": "uniform"}, "prior must be one of 'learned', 'flat'; found 'uniform'"),
        ({"common_cause": 2}, "common_cause must be True or False"),
        # Those without effect are refused, too.
        ({"criterion": "evidence", "fit_options": {}}, "fit_options has no effect"),
        ({"criterion": "hsic", "common_cause": False}, "common_cause has no effect"),
        ({"criterion": "hsic_ratio", "prior": "flat"}, "prior has no effect"),
    ):
        for criterion in ("evidence", "hsic"):
            with pytest.raises((ValueError, TypeError), match=message):
                infer_direction(range(20), range(20), **{"criterion": criterion, **options})


def test_a_decision_by_evidence_makes_no_fit_unless_asked_for(spied):
    (x, y), fits = (values.copy() for values in MIXTURE), spied(gppom_model, "fit_gppom")
    result = infer_direction(x, y, random_state=0)
    assert str(result).startswith("x → y\n")
    assert_same(result, infer_direction(x, y, random_state=0))
    copy = pickle.loads(pickle.dumps(result))
    assert_same(copy, result)
    CausalDirection(random_state=0).fit(np.column_stack([x, y]))
    assert fits == []
    # Fits made later are those of the other criteria, of the variables as they were.
    x[:], y[:] = 0.0, 1.0
    options = {"lam": 0.7, "n_latent": 2, "max_iter": 60}
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        now = infer_direction(*MIXTURE, criterion="hsic", fit_options=options, random_state=5)
        late = result.fit_latent(fit_options=options, random_state=5)
        assert_same(copy.fit_latent(fit_options=options, random_state=5), late)
    assert_same(late, now.models)
    assert_same(pickle.loads(pickle.dumps(now)), now)
    assert (late.options.lam, late.options.weight_growth, late.options.subsample) == (
        0.7,
        0.25,
        None,
    )
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        assert result.fit_latent(fit_options={"max_iter": 1}).forward.status == "max_iter"
    # What was compared did converge.
    assert result.converged


def test_models_that_did_not_converge_are_told(monkeypatch):
    monkeypatch.setattr(evidence_module, "MAX_ITER", 1)
    with pytest.warns(ConvergenceWarning, match="'anm-2' .* without converging") as caught:
        result = infer_direction(X, Y)
    assert {warning.filename for warning in caught} == {__file__}
    assert not result.converged
    assert not result.evidence.forward.converged


def test_a_decision_takes_no_memory_of_the_order_of_a_gram_matrix():
    x, y, _ = make_anm_mixture("f3", 4000, random_state=0)
    tracemalloc.start()
    try:
        assert infer_direction(x, y).direction == 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(x) ** 2 / 2


@pytest.mark.parametrize("criterion", ["hsic", "hsic_ratio"])
def test_a_latent_criterion_has_no_confidence_and_says_so(criterion):
    options = {"criterion": criterion, "fit_options": {"max_iter": 5}, "random_state": 0}
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        result = infer_direction(*MIXTURE, **options)
    assert (result.evidence, result.dependence, result.check_pvalue) == (None, None, None)
    assert result.confidence is None
    assert result.direction == sign_of(result.score) != 0
    assert result.independence_pvalue == infer_direction(*MIXTURE).independence_pvalue
    assert "(no confidence)" in repr(result)
    assert "only the criterion evidence has one" in str(result)


def test_unrelated_variables_are_independent_and_related_ones_are_not(rng):
    unrelated = infer_direction(rng.normal(size=100), rng.uniform(size=100))
    assert (unrelated.direction, unrelated.relation, unrelated.score) == (0, "independent", 0.0)
    assert (unrelated.dependence, unrelated.log_odds) == (0.0, 0.0)
    assert (
        unrelated.probabilities.forward == unrelated.probabilities.backward == unrelated.confidence
    )
    assert unrelated.probabilities.independent >= 0.5
    assert unrelated.independence_pvalue > 0.05
    assert unrelated.check_pvalue > 0.01
    result = infer_direction(*MIXTURE)
    assert (result.direction, result.relation) == (1, "x->y")
    assert result.dependence > 0.5
    assert_allclose(result.independence_pvalue, hsic_test(*MIXTURE).pvalue, rtol=1e-6)
    assert result.independence_pvalue < 1e-6
    hypotheses = Hypotheses(result.evidence, result.log_odds)
    assert result.probabilities == hypotheses.probabilities
    assert result.confidence == result.probabilities.forward
    # The check is that of the decided direction, or the better one.
    sides = result.evidence.forward, result.evidence.backward
    forward, backward = (side.check.pvalue for side in sides)
    assert forward != backward
    assert result.check_pvalue == forward
    for odds, pvalue in ((-3.0, backward), (0.0, max(forward, backward))):
        changed = replace(result, hypotheses=replace(hypotheses, log_odds=odds))
        assert changed.check_pvalue == pvalue


@pytest.mark.parametrize("seed", [7, 26])
def test_numbers_of_correlated_ranks_are_not_called_independent(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=60)
    y = 0.3 * x + rng.normal(size=60)
    result = infer_direction(x, y)
    correlation = spearmanr(x, y)
    assert correlation.pvalue < 0.01
    assert rank_nats(result.evidence) == pytest.approx(29.5 * correlation.statistic**2 - RANK_COST)
    # No model is shorter.
    assert result.evidence.independent
    assert (result.relation, result.direction) == ("undecided", 0)
    # Categories have no ranks.
    names = np.where(x > 0.0, "a", np.where(x > -1.0, "b", "c"))
    assert rank_nats(description_lengths(names, y)) == 0.0


def test_estimator_takes_two_columns_or_two_variables():
    expected = infer_direction(X, Y, random_state=0)
    for data in ((np.column_stack([X, Y]),), (X[:, None], Y)):
        model = CausalDirection(random_state=0).fit(*data)
        for name in (
            *("direction", "score", "relation"),
            *("confidence", "dependence", "independence_pvalue", "check_pvalue"),
        ):
            assert getattr(model, f"{name}_") == getattr(expected, name) is not None
        for name in ("forward_score", "backward_score"):
            assert getattr(model, f"{name}_") == getattr(expected.models, name)
    for wrong in (X[:, None], np.column_stack([X, Y, Y])):
        with pytest.raises(ValueError, match=r"two columns of the pair, found [13]"):
            CausalDirection().fit(wrong)
    with pytest.raises(NotFittedError):
        _ = CausalDirection().check_pvalue_


def test_six_mechanisms_are_found():
    drawn = mechanisms.draw("many-6", 300, 1)
    result = infer_direction(drawn.x, drawn.y)
    assert result.relation == "x->y"
    assert result.confidence > 0.9
    assert result.evidence.forward.n_mechanisms >= 6


def test_saw_teeth_are_not_surely_several_mechanisms():
    drawn = mechanisms.draw("k1-sawtooth", 300, 1)
    result = infer_direction(drawn.x, drawn.y)
    assert result.confidence < 0.9
    assert any("curve with jumps" in note for note in result.notes)


@pytest.mark.parametrize("pair", [MIXTURE, MIXTURE[::-1]])
def test_a_decision_has_the_labels_of_its_effect(pair):
    result = infer_direction(pd.Series(pair[0], name="a"), pd.Series(pair[1], name="b"))
    expected = cluster_mechanisms(X, Y, "auto")
    assert_array_equal(result.labels, expected.labels)
    assert_array_equal(result.probabilities_of_labels, expected.probabilities)
    assert result.n_mechanisms == expected.n_mechanisms == 2
    assert result.clustering.names == ("a", "b")[:: result.direction]
    assert result.labels_note == ""


def test_a_decision_without_a_curve_of_numbers_has_no_labels_and_says_why(rng):
    x = rng.normal(size=60)
    y = x**2 + 0.1 * rng.normal(size=60)
    decided = infer_direction(x, y)
    undecided = replace(decided, hypotheses=replace(decided.hypotheses, log_odds=0.0))
    names = np.where(x > 0.0, "a", np.where(x > -1.0, "b", "c"))
    levels = infer_direction(x, x > 0.0)
    levels = replace(levels, hypotheses=replace(levels.hypotheses, log_odds=5.0))
    columns = infer_direction(x, np.column_stack([y, np.tanh(x) + 0.1 * rng.normal(size=60)]))
    for result, problem in (
        (undecided, "no direction"),
        (infer_direction(names, y), "categories"),
        (levels, "categories"),
        (columns, "2 columns"),
    ):
        assert (result.labels, result.n_mechanisms, result.probabilities_of_labels) == (None,) * 3
        assert problem in result.labels_note


def test_a_number_that_differs_from_that_of_the_decision_is_explained():
    result = infer_direction(X, Y)
    three = replace(result.clustering, n_mechanisms=3)
    note = number_note(three, result.evidence, 1)
    assert "3 mechanisms, but the model of the decision has 2" in note
