"""The page about the rows of a collection: its numbers, its pictures, nothing from elsewhere."""

import re
from dataclasses import replace

import numpy as np
import pytest

from anmmm import cluster_mechanisms
from anmmm.collection import SourceError, as_pairs, summarize
from anmmm.collection.files import write_rows
from anmmm.collection.records import PairResult
from anmmm.datasets import Pair, make_anm_mixture
from anmmm.evaluation.run import measure
from anmmm.plotting import matplotlib_module
from anmmm.report import drawing as drawing_module
from anmmm.report import write_report
from anmmm.report.digest import Digest, pattern_of
from anmmm.report.drawing import draw_pairs
from html_page import Page

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

HOSTILE = "<script>alert('&\"')</script>\x00\u202e"
X, Y, _ = make_anm_mixture("f3", 60, random_state=1)


def report(tmp_path, rows, **options):
    """Write a page that needs nothing else and tells nothing of this machine; return it parsed."""
    path = tmp_path / "page.html"
    path.unlink(missing_ok=True)
    outcome = write_report(rows, path, **options)
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in page.found}
    assert "//" not in re.sub(r'src="data:[^"]*"', "", text)
    assert str(tmp_path) not in text
    for tag, attributes in page.found:
        assert not {"href", "onload", "onerror"} & set(attributes), tag
    assert all(image["src"].startswith("data:") and image["alt"] for image in page.all("img"))
    return outcome, page


def known_rows(n=40):
    rng = np.random.default_rng(2)
    for index in range(n):
        score, confidence = float(rng.normal()), float(rng.uniform(0.5, 1))
        known = {"truth": 1 if rng.random() < 0.8 else -1, "weight": float(rng.random())}
        found = {"direction": 1 if score > 0 else -1, "score": score, "confidence": confidence}
        model = ("anm-2", 2) if index % 4 else ("location-scale", 1)
        found |= dict(zip(("model", "n_mechanisms"), model, strict=True))
        yield PairResult(f"pair {index}", "ok", n=60, seconds=0.25, **found, **known)


def row_of(pair_id, direction=1, **values):
    return PairResult(pair_id, "ok", direction=direction, score=0.1, **values)


# --- numbers --------------------------------------------------------------------------------------


def test_numbers_are_those_of_summary_and_evaluation(tmp_path):
    rows = [*known_rows(), PairResult("u", "unusable", "y is constant", truth=1)]
    outcome, page = report(tmp_path, rows)
    summary = summarize(rows)
    measured = measure(tuple(rows), "rows", None, 0, {})
    assert outcome.summary == summary
    assert page.fact("pairs")[0] == "41"
    value, note = page.fact("accuracy")
    assert value == f"{summary.accuracy:.3f}"
    assert note.startswith(f"± {measured.accuracy_error:.3f}")
    assert page.fact("weighted accuracy")[0] == f"{summary.weighted_accuracy:.3f}"
    assert page.fact("seconds per pair")[0] == "0.25"
    assert page.captions["Status"][1][:2] == ["analyzed", "40"]
    mechanisms = [row[:2] for row in page.captions["Number of mechanisms"][1:]]
    assert mechanisms == [["1", "10"], ["2", "30"]]
    assert [row[1] for row in page.captions["Model of the effect"][1:]] == ["30", "10"]
    rates = measured.decision_rates
    shown = [row[1].split(" ± ")[0] for row in page.captions["Decision rates"][1:]]
    assert shown == [f"{accuracy:.3f}" for accuracy in rates.accuracy]


@pytest.mark.parametrize("confident", [True, False])
def test_a_streamed_digest_has_the_numbers_of_an_evaluation(confident):
    rows = [row if confident else replace(row, confidence=None) for row in known_rows(200)]
    digest = Digest(3)
    for row in rows:
        digest.add(row)
    measured = measure(tuple(rows), "rows", None, 0, {})
    assert digest.summary() == summarize(rows) == measured.summary
    assert digest.accuracy_errors() == (measured.accuracy_error, measured.weighted_accuracy_error)
    ordered_by, rates = digest.rates()
    assert ordered_by == measured.ordered_by == ("confidence" if confident else "|score|")
    assert rates.to_dict() == measured.decision_rates.to_dict()


def test_related_and_independent_pairs_are_counted(tmp_path):
    kinds = {
        "a": (1e-9, 1, 0.95, "x->y", 0.4, "x->y"),
        "b": (1e-8, -1, 0.7, "y->x", 0.002, "y->x; x->y"),
        "c": (0.04, 1, 0.92, "x->y", 0.6, "x->y"),
        "d": (0.7, 0, 0.03, "independent", 0.8, "independent"),
        "e": (0.6, 0, 0.5, "undecided", 0.9, "x->y; y->x"),
    }
    names = [
        "independence_pvalue",
        "direction",
        "confidence",
        "relation",
        "check_pvalue",
        "plausible",
    ]
    rows = []
    for pair_id, values in kinds.items():
        row = dict(zip(names, values, strict=True))
        rows.append(PairResult(pair_id, "ok", n=50, score=0.1 * row["direction"], **row))
    outcome, page = report(tmp_path, rows, n_plots=3)
    assert (outcome.summary.n_tested, outcome.summary.n_related) == (5, 2)
    assert page.fact("related")[0] == "2"
    assert page.fact("no model fits")[0] == "1"
    relations = {"x → y": "2", "leaning y → x": "1", "independent": "1", "undecided": "1"}
    assert dict(row[:2] for row in page.captions["Relation"][1:]) == relations
    tables = [page.captions[f"The {which} certain pairs"] for which in ("most", "least")]
    related = tables[0][0].index("related")
    shown = {row[0]: row[related] for table in tables for row in table[1:]}
    # An independent pair has no direction to be certain of.
    assert shown == {"a": "yes", "b": "yes", "c": "no", "e": "no"}
    _, page = report(tmp_path, [*rows, replace(rows[0], explained_by="z")])
    assert "found given z" in page.raw


def test_without_known_directions_there_is_a_histogram(tmp_path):
    rows = [PairResult(f"{n}", "ok", direction=1 if n else -1, score=n - 0.5) for n in range(5)]
    _, page = report(tmp_path, rows)
    assert "4 favor x → y and 1" in page.text
    assert "Accuracy is unknown" in page.text
    assert "Decision rates" not in page.captions


def test_a_page_without_rows(tmp_path):
    outcome, page = report(tmp_path, [])
    assert outcome.summary.n_pairs == 0
    assert "There are no rows." in page.texts


@pytest.mark.parametrize(
    ("reason", "pair_id", "pattern"),
    [
        ("not done after 2.5 seconds", "a", "not done after # seconds"),
        ("1 incomplete row dropped", "", "# incomplete rows dropped"),
        ("the id a is no word of banana", "a", "the id ‹id› is no word of banana"),
        ("C:\\data\\me\\p.txt is empty", "p", "‹id›.txt is empty"),
        ("FileNotFoundError: /srv/a b", "", "FileNotFoundError: a b"),
    ],
)
def test_numbers_ids_and_folders_are_taken_from_a_reason(reason, pair_id, pattern):
    assert pattern_of(reason, pair_id) == pattern


def test_failures_are_grouped_by_reason(tmp_path):
    rows = [PairResult(f"p{n}", "unusable", f"p{n}: {n} rows") for n in range(7)]
    rows.append(PairResult("q", "error", "not done after 3 seconds"))
    _, page = report(tmp_path, rows)
    groups = [row[:2] for row in page.captions["Pairs without a result, by reason"][1:]]
    assert groups == [["unusable: ‹id›: # rows", "7"], ["error: not done after # seconds", "1"]]


# --- pairs ----------------------------------------------------------------------------------------


def test_the_most_and_the_least_certain_pairs_are_listed_and_drawn(tmp_path):
    rows = list(known_rows(9))
    ranked = [row.pair_id for row in sorted(rows, key=lambda row: -row.confidence)]
    _, page = report(tmp_path, rows, n_plots=2)
    for which, expected in (("most", ranked[:2]), ("least", ranked[:-3:-1])):
        assert [row[0] for row in page.captions[f"The {which} certain pairs"][1:]] == expected
    source = {row.pair_id: (X, Y) for row in rows}
    outcome, page = report(tmp_path, rows, n_plots=2, source=source)
    assert page.cards() == [*ranked[:2], *ranked[:-3:-1]]
    assert (outcome.n_drawn, outcome.n_not_in_source) == (4, 0)
    outcome, page = report(tmp_path, rows, n_plots=2, source={ranked[0]: (X, Y)})
    assert (outcome.n_drawn, outcome.n_not_in_source) == (1, 3)
    assert page.texts.count("not in the source") == 3


@pytest.fixture
def drawn(monkeypatch):
    """Calls of the function that draws; nothing is drawn."""
    calls = []

    def draw(cause, effect, result):
        names = cause.name, effect.name
        calls.append((np.array(cause.values), np.array(effect.values), result, names))
        return "data:,"

    monkeypatch.setattr(drawing_module, "pair_picture", draw)
    return calls


def test_the_cause_is_drawn_to_the_right_and_colors_are_the_mechanisms(drawn):
    rows = [row_of("a", 1, n_mechanisms=2), row_of("b", -1), row_of("c", 0)]
    found = draw_pairs(rows, as_pairs({"a": (X, Y), "b": (X, Y), "c": (X, Y)}))
    assert [names for *_, names in drawn] == [("x", "y"), ("y", "x"), ("x", "y")]
    assert [cause[0] for cause, *_ in drawn] == [X[0], Y[0], X[0]]
    labels = cluster_mechanisms(X, Y, 2, random_state=0).labels
    np.testing.assert_array_equal(drawn[0][2].labels, labels)
    assert "y, the cause" in found["b"].alternative


def test_pairs_missing_in_the_source_have_a_remark(drawn):
    source = [Pair("b", X[:30], Y[:30]), Pair.unreadable("c", "line 3 is broken")]
    found = draw_pairs([row_of("a"), row_of("b", n=60), row_of("c")], source)
    for pair_id, remark in (("a", "not in the source"), ("b", "30 observations"), ("c", "line 3")):
        assert remark in found[pair_id].remark
    assert not drawn


# --- the file -------------------------------------------------------------------------------------


def test_markup_in_a_row_is_shown_and_is_no_html(tmp_path):
    rows = [
        PairResult(HOSTILE, "ok", HOSTILE, direction=1, score=1.0, model=HOSTILE, truth=1),
        PairResult(f"2{HOSTILE}", "error", f"boom {HOSTILE} </table>"),
        PairResult("\udcff", "error", "\udcff"),
    ]
    _, page = report(tmp_path, rows, name=HOSTILE, source={HOSTILE: (X, Y)})
    # Characters that turn text around would show another name than there is.
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\u202e", "\ufffd")
    assert any(shown in row[0] for row in page.captions["Model of the effect"])
    assert any(image["alt"].startswith(shown) for image in page.all("img"))
    assert "\\udcff" in page.text


def test_a_file_makes_the_page_of_its_rows(tmp_path):
    rows = [replace(row, seconds=0.0) for row in known_rows()]
    write_rows(tmp_path / "rows.csv", rows, PairResult)
    _, page = report(tmp_path, tmp_path / "rows.csv")
    _, same = report(tmp_path, iter(rows), name="rows.csv")
    assert (page.found, page.texts) == (same.found, same.texts)


def test_equal_rows_make_equal_pages_in_any_style(tmp_path):
    source = {"pair 1": (X, Y)}
    write_report(known_rows(5), tmp_path / "a.html", source=source)
    with matplotlib_module("style").context("dark_background"):
        write_report(known_rows(5), tmp_path / "b.html", source=source)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_file_that_breaks_off_leaves_the_old_page(tmp_path):
    pytest.importorskip("pyarrow")
    path, page = tmp_path / "rows.parquet", tmp_path / "page.html"
    write_rows(path, known_rows(), PairResult)
    path.write_bytes(path.read_bytes()[:-10])
    page.write_text("old")
    with pytest.raises(SourceError, match=r"rows\.parquet"):
        write_report(path, page, force=True)
    assert page.read_text() == "old"
    with pytest.raises(FileExistsError):
        write_report(known_rows(5), page)


@pytest.mark.parametrize(
    ("options", "error"),
    [({"n_plots": -1}, ValueError), ({"n_plots": 1.5}, TypeError), ({"source": 3}, TypeError)],
)
def test_wrong_options_are_refused_before_the_rows_are_read(tmp_path, options, error):
    def rows():
        raise AssertionError("read")
        yield

    with pytest.raises(error, match=next(iter(options))):
        write_report(rows(), tmp_path / "page.html", **options)
