"""What notebooks show: escaped, small, readable without eyes, and none of it wrong markup."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm import PairClusters, PairResult, cluster_mechanisms, infer_direction, orient
from anmmm._html import MOST_ROWS, html_facts, html_table
from anmmm.collection import summarize
from anmmm.datasets import make_anm_mixture

NASTY = "<script>alert(\"x\")</script> & 'one'"


class Page(HTMLParser):
    """Tags in balance, text, and heads of cells."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text, self.scopes = [], [], "", 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append(tag)
        self.scopes += "scope" in dict(attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    page = Page(html)
    assert page.open == []
    assert set(page.tags) <= {"div", "table", "caption", "tbody", "tr", "th", "td", "p"}
    assert page.tags.count("th") == page.scopes
    assert page.tags.count("caption") == 1
    return page


@pytest.fixture(scope="module")
def pair():
    return make_anm_mixture("f3", random_state=1)[:2]


@given(st.text(), st.text(), st.one_of(st.none(), st.booleans(), st.floats(), st.text()))
def test_any_text_is_escaped(title, name, value):
    page = read(html_facts(title, [(name, value), ("b", 1.5)], note=title))
    assert "1.5" in page.text


def test_what_is_nasty_stays_text_and_long_texts_are_shortened():
    html = html_facts(NASTY, [(NASTY, NASTY)], note=NASTY)
    assert "<script" not in html
    assert read(html).text == NASTY * 4
    assert "<script" not in html_table(NASTY, [NASTY, "b"], [[NASTY, NASTY]])
    page = read(html_facts("", [("a", "\ud800"), ("b", "x" * 10_000)]))
    assert len(page.text) < 200
    page.text.encode("utf-8")


def test_of_many_rows_the_first_are_shown():
    rows = [(f"row {i}", i) for i in range(MOST_ROWS + 1)]
    page = read(html_table("t", ("name", "value"), rows))
    assert f"row {MOST_ROWS - 1}" in page.text
    assert f"row {MOST_ROWS}" not in page.text
    assert page.text.endswith("and 1 row more")
    assert "more" not in read(html_table("t", ("name", "value"), rows[:-1])).text


def test_a_decision_says_itself_in_words(pair, monkeypatch):
    result = infer_direction(*pair)
    text = read(result._repr_html_()).text
    assert text.startswith("x → y")
    assert "nats per observation" in text
    assert "anm-2: 2 mechanisms" in text
    assert "no model" not in text
    turned = infer_direction(*pair[::-1])
    assert read(turned._repr_html_()).text.startswith("y → x")
    assert read(replace(result, confidence=0.6)._repr_html_()).text.startswith("leaning x → y")
    monkeypatch.setattr(type(result), "check_pvalue", 0.001)
    assert "no model of the list fits" in read(result._repr_html_()).text
    text = read(infer_direction(*pair, criterion="hsic", random_state=0)._repr_html_()).text
    assert "hsic" in text
    assert "nats" not in text


def test_clusters_and_fits(pair):
    result = cluster_mechanisms(*pair, 2, random_state=0)
    assert "mixture<MixtureFit>" in read(result._repr_html_()).text
    fit = read(result.fit._repr_html_()).text
    assert "GPPOM fit of 100 observations" in fit
    assert "convergedyes" in fit
    stopped = replace(result.fit, converged=False, status="max_iter", message=NASTY)
    assert "max_iter: <script>" in read(stopped._repr_html_()).text


def test_rows_and_summaries():
    row = PairResult(NASTY, "ok", n=10, direction=1, score=0.123456789, confidence=0.95)
    text = read(row._repr_html_()).text
    assert NASTY in text
    assert "0.1235" in text
    assert "reason" not in text
    assert "labels" in read(PairClusters("p", "ok", labels=(0, 1) * 500)._repr_html_()).text
    summary = read(summarize([row])._repr_html_()).text
    assert summary.startswith("1 pair")
    assert "sure1" in summary


def test_graphs():
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, 100)
    data = np.column_stack([a, np.tanh(3 * a) + 0.2 * rng.normal(size=100)])
    page = read(orient([(0, 1)], data)._repr_html_())
    assert page.text.startswith("1 directed and 0 undirected edges")
    assert "0 -> 1" in page.text
