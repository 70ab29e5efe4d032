"""Results say what was found: on one line, in words, as plain values and as a picture."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from anmmm import (
    cluster_mechanisms,
    infer_direction,
    infer_directions,
)
from anmmm.datasets import make_anm_mixture

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


def test_a_repr_is_one_line_of_what_a_text_says_first(result):
    line, text = repr(result), str(result)
    assert "\n" not in line
    assert len(line) < 200
    assert text == result.summary()
    assert len(text.splitlines()) > 3
    assert result.names == (result.names[0], "effect (%)") or result.names[1] == "dose"


def test_plain_values_go_through_json_and_say_the_same(result):
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert all(type(value).__module__ == "builtins" for value in document.values())


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (lambda x: pd.Series(x, name="a"), ("a", "y")),
        (lambda x: pl.Series("a", x), ("a", "y")),
        (lambda x: pd.DataFrame({"a": x}), ("a", "y")),
        (lambda x: pl.DataFrame({"a": x}), ("a", "y")),
        (lambda x: pd.Series(x), ("x", "y")),
        (lambda x: pd.DataFrame({"a": x, "b": x**2}), ("x", "y")),
        (lambda x: pd.Series(x, name=7), ("x", "y")),
        (lambda x: x.tolist(), ("x", "y")),
    ],
)
def test_names_are_those_of_a_series_or_of_one_column(values, names):
    result = infer_direction(values(X), Y)
    assert result.names == names
    assert " → ".join(names) in repr(result)
    assert cluster_mechanisms(values(X), Y, refine=False).names == names


def test_a_decision_is_said_by_the_names_of_the_variables(decided):
    said = "dose → effect (%)"
    assert repr(decided) == f"{said} (>0.99), 2 mechanisms, additive Gaussian noise"
    lines = str(decided).splitlines()
    assert lines[0] == said
    hypotheses = [said, "effect (%) → dose", "common cause"]
    assert [line.split("  ")[1] for line in lines[3:6]] == hypotheses
    assert "  confidence    >0.99" in lines
    assert "  observations  100" in lines
    swapped = FORMS["reversed"]()
    assert repr(swapped).startswith(said)
    assert "(positive: effect (%) → dose)" in str(swapped)


@pytest.mark.parametrize(
    ("change", "line", "first"),
    [
        ({"confidence": 0.9}, "x → y (0.90), ", "x → y"),
        ({"confidence": 0.89}, "leaning x → y (0.89), ", "leaning x → y, confidence 0.89 (sure "),
        ({"confidence": 0.6}, "leaning x → y (0.60), ", "leaning x → y, confidence 0.60 (sure "),
        ({"confidence": 0.59}, "no preference (0.59), ", "no preference, confidence 0.59 (sure "),
        ({"confidence": 0.994}, "x → y (0.99), ", "x → y"),
        ({"confidence": 0.995}, "x → y (>0.99), ", "x → y"),
        ({"confidence": 1.0}, "x → y (>0.99), ", "x → y"),
        ({"confidence": None}, "x → y (no confidence), ", "x → y"),
        ({"direction": -1}, "y → x (>0.99), ", "y → x"),
        ({"direction": 0}, "undecided, ", "undecided between x → y and y → x"),
    ],
)
def test_how_sure_a_decision_is_said(decided, change, line, first):
    result = replace(decided, names=("x", "y"), **change)
    assert repr(result).startswith(line)
    assert str(result).startswith(first)


def test_independence_and_a_common_cause_are_said(rng):
    apart = infer_direction(rng.normal(size=100), rng.uniform(size=100))
    assert repr(apart).startswith("independent")
    assert str(apart).startswith(
        "independent: knowing one variable does not help to describe the other\n"
    )
    turn, noise = rng.uniform(0.0, 5.0, 300), 0.05 * rng.normal(size=(2, 300))
    both = infer_direction(pd.Series(np.cos(turn) + noise[0], name="a"), np.sin(turn) + noise[1])
    assert repr(both).startswith("common cause")
    assert repr(both).endswith(", both follow a hidden number along a curve, with noise")
    assert str(both).startswith("common cause: a and y look like two effects of an unmeasured")
    document = both.to_dict()
    assert (document["cause"], document["effect"], document["sure"]) == (None, None, None)
    assert document["common_cause"] == both.evidence.common_cause.model


def test_notes_name_the_variables():
    x, y = X.copy(), Y.copy()
    x[3] = -999.0
    result = infer_direction(pd.Series(x, name="a"), pd.Series(y, name="b"))
    (note,) = result.notes
    assert "x → y" in note or "y → x" in note
    said = note.replace("x → y", "a → b").replace("y → x", "b → a")
    assert f"  note          {said}\n" in str(result)
    assert result.to_dict()["note"] == said


def test_plain_values_of_a_decision_are_those_of_the_result(decided):
    document = decided.to_dict()
    for name in ("relation", "direction", "confidence", "score", "check_pvalue", "dependence"):
        assert document[name] == getattr(decided, name)
    assert (document["x"], document["y"]) == (document["cause"], document["effect"])
    assert (document["sure"], document["n"], document["note"]) == (True, 100, None)
    assert (document["model"], document["n_mechanisms"]) == ("anm-2", 2)
    assert sum(document["probabilities"].values()) == pytest.approx(1.0)
    assert document["forward_pvalue"] is None
    swapped = FORMS["reversed"]()
    document = swapped.to_dict()
    assert (document["x"], document["cause"]) == ("effect (%)", "dose")
    assert document["effect"] == "effect (%)"
    latent = FORMS["latent"]()
    document = latent.to_dict()
    assert document["forward_pvalue"] == latent.models.forward_test.pvalue
    assert (document["model"], document["probabilities"], document["confidence"]) == (None,) * 3


def test_clusters_are_said_by_their_sizes(clustered):
    first, second = clustered.sizes
    assert repr(clustered) == (
        f"dose → effect (%): 2 mechanisms of {first}, {second} observations, refined"
    )
    lines = str(clustered).splitlines()
    assert lines[0] == "100 observations, cause dose, effect effect (%)"
    assert lines[1:3] == ["labels refined by a mixture of curves", "mechanism    size  fraction"]
    assert lines[3].split() == ["0", f"{first}", f"{first}%"]
    assert lines[5].startswith(
        "number of mechanisms chosen by the shortest description, in nats (1: "
    )
    plain = FORMS["clusters of Θ"]()
    assert repr(plain).endswith(" observations, not refined")
    assert "labels not refined: refine is False" in str(plain).splitlines()
    one = cluster_mechanisms(DOSE, EFFECT, 1, random_state=0)
    assert repr(one) == "dose → effect (%): 1 mechanism of 100 observations, refined"


def test_plain_values_of_clusters_are_those_of_the_result(clustered):
    document = clustered.to_dict()
    assert (document["cause"], document["effect"]) == ("dose", "effect (%)")
    for name in ("labels", "probabilities", "sizes", "criteria"):
        assert_array_equal(document[name], getattr(clustered, name))
    assert (document["refined"], document["reason"], document["converged"]) == (True, None, True)
    document = FORMS["clusters of Θ"]().to_dict()
    assert (document["probabilities"], document["criteria"]) == (None, None)
    assert (document["refined"], document["reason"]) == (False, "refine is False")


def test_a_result_draws_itself_by_its_names(decided, clustered):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    panels = decided.plot()
    titles = [panel.get_title(loc="left") for panel in panels[:2]]
    assert titles == ["dose → effect (%)", "effect (%) → dose"]
    assert (panels[0].get_xlabel(), panels[0].get_ylabel()) == decided.names
    ax = clustered.plot(curves=False)
    assert (ax.get_xlabel(), ax.get_ylabel()) == clustered.names
    drawn = np.concatenate([points.get_offsets() for points in ax.collections])
    order = np.lexsort(drawn.T)
    expected = np.column_stack([X, Y])
    np.testing.assert_allclose(drawn[order], expected[np.lexsort(expected.T)], rtol=1e-12)
    # Options are those of the functions.
    other = clustered.plot(ax=pyplot.figure().add_subplot(), x_label="a", title="pair")
    assert (other.get_xlabel(), other.get_legend().get_title().get_text()) == ("a", "pair")
    with pytest.raises(TypeError, match="'color'"):
        decided.plot(color="red")
    pyplot.close("all")


def test_results_can_be_streamed_after_they_were_read_and_found_by_id():
    rows = infer_directions({"a": (X, Y), "b": (Y, X)})
    first = rows["a"]
    assert [row.pair_id for row in rows.stream()] == ["a", "b"]
    assert rows["a"] is first
    assert rows[:1].to_list() == [first]
    with pytest.raises(KeyError, match="unknown pair 'c'"):
        rows["c"]
    assert (first.certainty, repr(first)) == ("sure", "<PairResult a: x → y (>0.99)>")
    assert str(rows.summary()).startswith("2 pairs: 2 sure\n")


@pytest.mark.parametrize("thousands", ["", "1.", "1 ", "1'", "1\u202f"])
def test_numbers_with_separators_are_refused_and_left_out_of_all_pairs(rng, thousands):
    text = [f"{thousands}23{value},5" for value in rng.integers(3, size=60)]
    y = rng.normal(size=60)
    with pytest.raises(TypeError, match=r"x holds numbers with commas .*; convert them"):
        infer_direction(text, y)
    frame = pd.DataFrame({"text": text, "y": y, "z": rng.normal(size=60)})
    with pytest.warns(UserWarning, match=r"text \(numbers with commas"):
        assert len(infer_directions(frame, columns="all")) == 1
    assert len(infer_directions(frame, columns="all", categories=["text"])) == 3
