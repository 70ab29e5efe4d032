"""Results as text, as plain values and as a picture, by the names of their variables."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from anmmm import cluster_mechanisms, infer_direction
from anmmm._text import format_probability
from anmmm.datasets import make_anm_mixture
from anmmm.direction.hypotheses import Probabilities
from anmmm.direction.outcome import format_confidence
from drawn import made_up

X, Y, _ = make_anm_mixture("f3", random_state=1)
DOSE, EFFECT = pd.Series(X, name="dose"), pd.Series(Y, name="effect (%)")
FORMS = {
    "direction": lambda: infer_direction(DOSE, EFFECT),
    "reversed": lambda: infer_direction(EFFECT, DOSE),
    "latent": lambda: infer_direction(DOSE, EFFECT, criterion="hsic", random_state=0),
    "vectors": lambda: infer_direction(np.column_stack([X, X**2]), EFFECT),
    "clusters": lambda: cluster_mechanisms(DOSE, EFFECT, "auto", random_state=0),
    "clusters of Θ": lambda: cluster_mechanisms(DOSE, EFFECT, refine=False, random_state=0),
}


@pytest.fixture(scope="module", params=FORMS)
def result(request):
    return FORMS[request.param]()


@pytest.fixture(scope="module")
def decided():
    return FORMS["direction"]()


@pytest.fixture(scope="module")
def clustered():
    return FORMS["clusters"]()


def test_a_result_has_one_line_a_text_and_plain_values(result):
    assert "\n" not in repr(result)
    assert len(repr(result)) < 200
    assert str(result) == result.summary()
    assert len(str(result).splitlines()) > 3
    assert "effect (%)" in repr(result)
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert all(type(value).__module__ == "builtins" for value in document.values())


def test_names_are_those_of_a_series_or_of_one_column():
    for values, name in (
        (pd.Series(X, name="a"), "a"),
        (pl.Series("a", X), "a"),
        (pd.DataFrame({"a": X}), "a"),
        (pl.DataFrame({"a": X}), "a"),
        (pd.Series(X), "x"),
        (pd.DataFrame({"a": X, "b": X**2}), "x"),
        (pd.Series(X, name=7), "x"),
        (X.tolist(), "x"),
    ):
        result = infer_direction(values, Y)
        assert result.names == (name, "y")
        assert f"{name} → y" in repr(result)
    assert cluster_mechanisms(pd.Series(X, name="a"), Y, refine=False).names == ("a", "y")


def test_a_decision_names_the_variables(decided):
    relation = "dose → effect (%)"
    assert repr(decided).startswith(f"{relation} ({format_confidence(decided.confidence)})")
    assert str(decided).startswith(f"{relation}\n")
    swapped = FORMS["reversed"]()
    assert repr(swapped).startswith(relation)
    assert "(positive: effect (%) → dose)" in str(swapped)


def text_parts(result):
    """Return the lines of the hypotheses, and the facts below them, of a text, by their names."""
    lines = str(result).splitlines()
    hypotheses = {line.split("  ")[1]: line.split() for line in lines[3:6] if line.startswith("  ")}
    facts = dict(line.split(maxsplit=1) for line in lines[6:] if line.startswith("  "))
    return hypotheses, facts


def test_a_decision_shows_lengths_and_probabilities(decided):
    hypotheses, facts = text_parts(decided)
    assert f"{decided.models.backward_score:.6g}" in hypotheses["effect (%) → dose"]
    assert decided.evidence.is_common_cause_tried
    assert ("common cause" in hypotheses) == (decided.evidence.common_cause is not None)
    assert facts["score"].startswith(f"{decided.score:+.4g}")
    assert facts["confidence"] == format_confidence(decided.confidence)
    assert (facts["criterion"], facts["observations"]) == ("evidence", "100")
    assert facts["check"].startswith(f"p = {decided.check_pvalue:.3g}")
    for probability in decided.probabilities:
        assert format_probability(probability) in facts["probability"]
    latent = FORMS["latent"]()
    assert str(latent).splitlines()[2].split() == ["hypothesis", "dependence", "p-value"]
    assert text_parts(latent)[1]["criterion"].startswith("hsic,")


@pytest.mark.parametrize(
    ("direction", "probabilities", "line", "first"),
    [
        (1, (0.9, 0.1, 0.0, 0.0), "x → y (0.90), ", "x → y\n"),
        (1, (0.89, 0.11, 0.0, 0.0), "leaning x → y (0.89), ", "leaning x → y, confidence 0.89 "),
        (1, (0.995, 0.005, 0.0, 0.0), "x → y (>0.99), ", "x → y\n"),
        (1, None, "x → y (no confidence), ", "x → y\n"),
        (0, (0.6, 0.4, 0.0, 0.0), "undecided, ", "undecided between x → y and y → x\n"),
    ],
)
def test_a_text_tells_how_sure_a_decision_is(decided, direction, probabilities, line, first):
    result = replace(
        decided,
        names=("x", "y"),
        hypotheses=made_up(direction, probabilities and Probabilities(*probabilities)),
    )
    assert repr(result).startswith(line)
    assert str(result).startswith(first)


def test_the_model_is_that_of_the_answer_if_the_other_direction_is_shorter(decided):
    longer = replace(decided, hypotheses=made_up(-1, Probabilities(0.1, 0.9, 0.0, 0.0)))
    model = decided.evidence.backward
    assert decided.evidence.forward.total < model.total
    assert model.text in repr(longer)
    assert f"  model         {model.model}: {model.text}\n" in str(longer)
    document = longer.to_dict()
    assert (document["model"], document["n_mechanisms"]) == (model.model, model.n_mechanisms)


def test_independence_a_common_cause_and_notes_are_told(rng):
    apart = infer_direction(rng.normal(size=100), rng.uniform(size=100))
    for text in (repr(apart), str(apart)):
        assert text.startswith("independent")
    # The confidence is that of a direction.
    assert "confidence" not in str(apart)
    turn, noise = rng.uniform(0.0, 5.0, 300), 0.05 * rng.normal(size=(2, 300))
    both = infer_direction(pd.Series(np.cos(turn) + noise[0], name="a"), np.sin(turn) + noise[1])
    assert repr(both).startswith("common cause")
    assert str(both).startswith("common cause: a and y")
    document = both.to_dict()
    assert (document["cause"], document["effect"], document["sure"]) == (None, None, None)
    assert document["common_cause"] == both.evidence.common_cause.model
    x, y = X.copy(), Y.copy()
    x[3] = -999.0
    result = infer_direction(pd.Series(x, name="a"), pd.Series(y, name="b"))
    note = result.to_dict()["note"]
    assert "1 row with an outlier" in note
    assert note in str(result)


def test_plain_values_of_a_decision_are_those_of_the_result(decided):
    document = decided.to_dict()
    names = "relation direction confidence score log_odds prior check_pvalue dependence"
    for name in names.split():
        assert document[name] == getattr(decided, name)
    assert (document["x"], document["y"]) == (document["cause"], document["effect"])
    assert (document["sure"], document["n"], document["note"]) == (True, 100, None)
    assert (document["forward_pvalue"], document["backward_pvalue"]) == (None, None)
    assert document["plausible"] == "; ".join(decided.plausible) == "x->y"
    assert (document["model"], document["n_mechanisms"]) == ("anm-2", 2)
    assert sum(document["probabilities"].values()) == pytest.approx(1.0)
    document = FORMS["reversed"]().to_dict()
    assert (document["x"], document["cause"]) == ("effect (%)", "dose")
    latent = FORMS["latent"]()
    document = latent.to_dict()
    assert document["forward_pvalue"] == latent.models.forward_test.pvalue
    names = ["model", "probabilities", "confidence", "log_odds", "plausible"]
    assert [document[name] for name in names] == [None] * 5


def test_clusters_are_told_by_their_sizes(clustered):
    first, second = clustered.sizes
    assert f"2 mechanisms of {first}, {second} observations, refined" in repr(clustered)
    rows = [line.split() for line in str(clustered).splitlines()]
    assert ["0", f"{first}", f"{first}%"] in rows
    number = format_probability(clustered.probabilities_of_number[2])
    assert f"probability of 2 mechanisms: {number}" in str(clustered)
    document = clustered.to_dict()
    assert (document["cause"], document["effect"]) == ("dose", "effect (%)")
    for name in ("labels", "probabilities", "sizes"):
        assert_array_equal(document[name], getattr(clustered, name))
    lengths = {str(number): length for number, length in clustered.lengths.items()}
    assert document["lengths"] == lengths != {}
    assert (document["refined"], document["notes"], document["converged"]) == (True, [], True)
    plain = FORMS["clusters of Θ"]()
    assert "labels not refined" in str(plain)
    document = plain.to_dict()
    assert document["probabilities"] is None
    assert (document["refined"], document["notes"]) == (False, ["refine is False"])


def test_a_result_draws_itself_by_its_names(decided, clustered):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    panels = decided.plot()
    titles = [panel.get_title(loc="left").splitlines()[0] for panel in panels[:2]]
    assert titles == ["dose → effect (%)", "effect (%) → dose"]
    assert (panels[0].get_xlabel(), panels[0].get_ylabel()) == decided.names
    ax = clustered.plot(legend=False)
    assert (ax.get_xlabel(), ax.get_ylabel()) == clustered.names
    # Options are those of the functions.
    other = clustered.plot(ax=pyplot.figure().add_subplot(), x_label="a")
    assert other.get_xlabel() == "a"
    with pytest.raises(TypeError, match="'color'"):
        decided.plot(color="red")
    pyplot.close("all")
