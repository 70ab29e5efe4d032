"""The page about the rows of a collection: its numbers, its pictures, nothing from elsewhere."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from html_page import Page

from anmmm.collection import SourceError, summarize
from anmmm.collection.records import PairResult
from anmmm.datasets import Pair, make_anm_mixture
from anmmm.evaluation.run import measure
from anmmm.plotting.style import matplotlib_module
from anmmm.report import pairs as pairs_module
from anmmm.report import write_report
from drawn import write_rows

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

HOSTILE = "<script>alert('&\"')</script>\x00\u202e"
X, Y, _ = make_anm_mixture("f3", 60, random_state=1)


def report(tmp_path, rows, **options):
    """Write a page that needs nothing else and tells nothing of this machine; return it parsed."""
    path = tmp_path / "page.html"
    path.unlink(missing_ok=True)
    write_report(rows, path, **options)
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in page.found}
    assert "//" not in re.sub(r'src="data:[^"]*"', "", text)
    assert str(tmp_path) not in text
    for tag, attributes in page.found:
        assert not {"href", "onload", "onerror"} & set(attributes), tag
    assert all(image["src"].startswith("data:") and image["alt"] for image in page.all("img"))
    return page


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
    page = report(tmp_path, rows)
    summary = summarize(rows)
    measured = measure(rows)
    assert page.fact("pairs")[0] == "41"
    value, note = page.fact("accuracy")
    assert value == f"{summary.accuracy:.3f}"
    assert note == f"± {measured.accuracy_error:.3f}, {summary.n_correct} of 40 pairs"
    assert page.fact("weighted accuracy")[0].startswith(f"{summary.weighted_accuracy:.3f}")
    (rates,) = [image for image in page.all("img") if image["alt"].startswith("Accuracy")]
    for accuracy in measured.decision_rates.accuracy:
        assert f"{accuracy:.3f}" in rates["alt"]


def test_related_and_independent_pairs_are_counted(tmp_path):
    kinds = {
        "a": (1e-9, 1, 0.95, "x->y", 0.4),
        "b": (1e-8, -1, 0.7, "y->x", 0.002),
        "c": (0.04, 1, 0.92, "x->y", 0.6),
        "d": (0.7, 0, 0.03, "independent", 0.8),
        "e": (0.6, 0, 0.5, "undecided", 0.9),
    }
    names = ["independence_pvalue", "direction", "confidence", "relation", "check_pvalue"]
    rows = []
    for pair_id, values in kinds.items():
        row = dict(zip(names, values, strict=True))
        rows.append(PairResult(pair_id, "ok", n=50, score=0.1 * row["direction"], **row))
    both = "x->y; y->x"
    doubtful = PairResult("f", "ok", n=50, score=0.1, direction=1, confidence=0.5, plausible=both)
    page = report(tmp_path, [*rows, doubtful], n_plots=3)
    assert page.fact("related")[0] == "2"
    assert page.fact("no model fits")[0] == "1"
    assert page.fact("decided") == ("3", "2 sure, 1 leaning")
    undecided = "1 independent, 0 with a common cause, 1 without a preference"
    assert page.fact("undecided") == ("3", undecided)
    # An independent pair has no direction to be certain of.
    assert Counter(page.names()) == Counter("abcef")


def test_what_was_assumed_is_listed(tmp_path):
    rows = [row_of("a", n_dropped=3, probabilities=(0.9, 0.1, 0.0, 0.0)), row_of("b")]
    page = report(tmp_path, rows)
    assert "3 incomplete rows of 1 pair." in page.text
    assert "nobody measured forms groups or one curve" in page.text
    assert "have no common cause" in report(tmp_path, [row_of("b")]).text


def test_a_page_without_rows(tmp_path):
    assert "There are no rows." in report(tmp_path, []).texts


def test_pairs_of_a_table_have_a_map(tmp_path):
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    rows = [row_of(f"{x},{y}", x=x, y=y, confidence=0.95) for x, y in pairs]
    assert "Map of the variables" in report(tmp_path, rows).text
    assert "Map of the variables" not in report(tmp_path, rows[:2]).text


def test_equal_notes_are_counted_without_numbers(tmp_path):
    rows = [PairResult(f"p{n}", "unusable", f"{n} rows of p2x") for n in range(7)]
    rows.append(PairResult("q", "error", "not done after 3 seconds"))
    page = report(tmp_path, rows)
    notes = page.captions["# stands for a number"][1:]
    assert notes == [["# rows of p2x", "7"], ["not done after # seconds", "1"]]


# --- pairs ----------------------------------------------------------------------------------------


def test_the_most_and_the_least_certain_pairs_are_listed_and_drawn(tmp_path):
    rows = list(known_rows(9))
    ranked = [row.pair_id for row in sorted(rows, key=lambda row: -row.confidence)]
    expected = [*ranked[:2], *ranked[:-3:-1]]
    assert report(tmp_path, rows, n_plots=2).names() == expected
    source = {row.pair_id: (X, Y) for row in rows}
    page = report(tmp_path, rows, n_plots=2, source=source)
    assert page.names() == page.cards() == expected
    with pytest.warns(UserWarning, match="3 of 4 pairs to be drawn are not in the source"):
        page = report(tmp_path, rows, n_plots=2, source={ranked[0]: (X, Y)})
    assert page.texts.count("not in the source") == 3


def test_a_picture_shows_the_model_that_decided(tmp_path, spied):
    calls = spied(pairs_module, "draw_hypothesis")
    rows = [row_of("a", 1, model="anm-2"), row_of("b", -1, model="anm-2"), row_of("c", 1)]
    source = dict.fromkeys("abc", (X, Y))
    assert len(report(tmp_path, rows, source=source).cards()) == 3
    # Of another criterion there is no model.
    shown = [(index, x.name, y.name) for (_, _, index, x, y), _, _ in calls]
    assert sorted(shown) == [(0, "x", "y"), (1, "x", "y")]
    assert {text for *_, text in calls} >= {"2 mechanisms, additive Gaussian noise"}


def test_a_picture_of_another_model_names_it(tmp_path):
    row = row_of("a", n=len(X), direction=1, model="pnl")
    page = report(tmp_path, [row], source={"a": (X, Y)})
    assert f"drawn with {len(X)} rows: 2 mechanisms, additive Gaussian noise" in page.text
    page = report(tmp_path, [replace(row, model="anm-2")], source={"a": (X, Y)})
    assert "drawn with" not in page.text


def test_pairs_that_cannot_be_drawn_say_why(tmp_path):
    source = [Pair("b", X[:30], Y[:30]), Pair.unreadable("c", "line 3 is broken")]
    page = report(tmp_path, [row_of("b", n=60), row_of("c")], source=source)
    assert "30 observations in the source, 60 in the row" in page.text
    assert "line 3 is broken" in page.text


# --- the file -------------------------------------------------------------------------------------


def test_markup_in_a_row_is_shown_and_is_no_html(tmp_path):
    rows = [
        PairResult(HOSTILE, "ok", HOSTILE, direction=1, score=1.0, model=HOSTILE, truth=1),
        PairResult(f"2{HOSTILE}", "error", f"boom {HOSTILE} </table>"),
        PairResult("\udcff", "error", "\udcff"),
    ]
    page = report(tmp_path, rows, source={HOSTILE: (X, Y)})
    # Characters that turn text around would show another name than there is.
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\u202e", "\ufffd")
    assert shown in page.text
    assert any(image["alt"].startswith(shown) for image in page.all("img"))
    assert "\\udcff" in page.text


def test_a_file_makes_the_page_of_its_rows(tmp_path):
    rows = [replace(row, seconds=0.0) for row in known_rows()]
    write_rows(tmp_path / "rows.csv", rows)
    page = report(tmp_path, tmp_path / "rows.csv")
    same = report(tmp_path, iter(rows))
    assert page.found == same.found
    assert page.texts == [text.replace("rows in memory", "rows.csv") for text in same.texts]


def test_equal_rows_make_equal_pages_in_any_style(tmp_path):
    source = {f"pair {n}": (X, Y) for n in range(5)}
    write_report(known_rows(5), tmp_path / "a.html", source=source)
    with matplotlib_module("style").context("dark_background"):
        write_report(known_rows(5), tmp_path / "b.html", source=source)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_file_that_breaks_off_leaves_the_old_page(tmp_path):
    pytest.importorskip("pyarrow")
    path, page = tmp_path / "rows.parquet", tmp_path / "page.html"
    write_rows(path, known_rows())
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
