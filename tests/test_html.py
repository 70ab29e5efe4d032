"""What notebooks show: escaped, small, readable without eyes, and none of it wrong markup."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm import PairClusters, PairResult, cluster_mechanisms, infer_direction, infer_graph
from anmmm._html import MOST_ROWS, html_facts, html_table
from anmmm.collection import summarize
from anmmm.datasets import make_anm_mixture
from page import Page

NASTY = "<script>alert(\"x\")</script> & 'one'"


def read(html):
    """Return the text of a table that a notebook shows."""
    page = Page(html)
    tags = [tag for tag, _ in page.found]
    assert set(tags) <= {"div", "table", "caption", "tbody", "tr", "th", "td", "p"}
    assert all("scope" in attributes for attributes in page.all("th"))
    assert tags.count("caption") == 1
    return page.raw


@pytest.fixture(scope="module")
def pair():
    return make_anm_mixture("f3", random_state=1)[:2]


@given(st.text(), st.text(), st.one_of(st.none(), st.booleans(), st.floats(), st.text()))
def test_any_text_is_escaped(title, name, value):
    text = read(html_facts(title, [(name, value), ("b", 1.5)], note=title))
    assert "1.5" in text


def test_what_is_nasty_stays_text_and_long_texts_are_shortened():
    html = html_facts(NASTY, [(NASTY, NASTY)], note=NASTY)
    assert "<script" not in html
    assert read(html) == NASTY * 4
    assert "<script" not in html_table(NASTY, [NASTY, "b"], [[NASTY, NASTY]])
    text = read(html_facts("", [("a", "\ud800"), ("b", "x" * 10_000)]))
    assert len(text) < 200
    text.encode("utf-8")


def test_of_many_rows_the_first_are_shown():
    rows = [(f"row {i}", i) for i in range(MOST_ROWS + 1)]
    text = read(html_table("t", ("name", "value"), rows))
    assert f"row {MOST_ROWS - 1}" in text
    assert f"row {MOST_ROWS}" not in text
    assert text.endswith("and 1 row more")
    assert "more" not in read(html_table("t", ("name", "value"), rows[:-1]))


def test_a_decision_says_itself_in_words(pair, monkeypatch):
    result = infer_direction(*pair)
    text = read(result._repr_html_())
    assert text.startswith("x → y")
    assert "model2 mechanisms, additive Gaussian noise" in text
    assert "observations100" in text
    assert "confidence>0.99" in text
    assert "no model" not in text
    turned = infer_direction(*pair[::-1])
    assert read(turned._repr_html_()).startswith("y → x")
    assert read(replace(result, confidence=0.6)._repr_html_()).startswith("leaning x → y")
    assert read(replace(result, confidence=0.59)._repr_html_()).startswith("no preference")
    monkeypatch.setattr(type(result), "check_pvalue", 0.001)
    assert "no model of the list fits" in read(result._repr_html_())
    text = read(infer_direction(*pair, criterion="hsic", random_state=0)._repr_html_())
    assert "criterionhsic" in text
    assert "model2" not in text
    assert "confidence" not in text


def test_clusters_and_fits(pair):
    result = cluster_mechanisms(*pair, 2, random_state=0)
    text = read(result._repr_html_())
    assert text.startswith(f"{result!r}mechanismobservationsfraction0")
    assert f"0{result.sizes[0]}{result.sizes[0]}%" in text
    fit = read(result.fit._repr_html_())
    assert "GPPOM fit of 100 observations" in fit
    assert "convergedyes" in fit
    stopped = replace(result.fit, converged=False, status="max_iter", message=NASTY)
    assert "max_iter: <script>" in read(stopped._repr_html_())


def test_rows_and_summaries():
    row = PairResult(NASTY, "ok", n=10, direction=1, score=0.123456789, confidence=0.95)
    text = read(row._repr_html_())
    assert NASTY in text
    assert "0.1235" in text
    assert "reason" not in text
    assert "labels" in read(PairClusters("p", "ok", labels=(0, 1) * 500)._repr_html_())
    summary = read(summarize([row])._repr_html_())
    assert summary.startswith("1 pair")
    assert "sure1" in summary


def test_graphs(rng):
    a = rng.uniform(-1, 1, 100)
    data = np.column_stack([a, np.tanh(3 * a) + 0.2 * rng.normal(size=100)])
    text = read(infer_graph(data)._repr_html_())
    assert text.startswith("1 edge among 2 columns")
    assert "0 → 1" in text
