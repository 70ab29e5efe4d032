"""The whole page: what it says, what it shows, and that it needs nothing else."""

import re
from dataclasses import replace

import numpy as np
import pytest

from anmmm.collection import SourceError, summarize
from anmmm.collection.records import PairResult
from anmmm.collection.schema import DIRECTIONS
from anmmm.collection.sinks import write_rows
from anmmm.datasets import make_anm_mixture
from anmmm.evaluation import decision_rates
from anmmm.plotting import matplotlib_module
from anmmm.report import write_report
from page import Page

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

HOSTILE = "<script>alert('&\"')</script>\x00\u202e"


def report(tmp_path, rows, **options):
    path = tmp_path / "page.html"
    outcome = write_report(rows, path, force=True, **options)
    text = path.read_text(encoding="utf-8")
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    # No script, nothing from elsewhere, nothing of this machine.
    page = Page(text)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in page.found}
    assert "//" not in re.sub(r'src="data:[^"]*"', "", text)
    assert str(tmp_path) not in text
    for tag, attributes in page.found:
        assert not {"href", "onload", "onerror"} & set(attributes), tag
        assert attributes.get("src", "data:").startswith("data:")
    assert all(attributes["alt"] for attributes in page.all("img"))
    assert page.all("html") == [{"lang": "en"}]
    assert page.all("title")
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


def test_the_summary_has_the_numbers_of_summarize(tmp_path):
    rows = [*known_rows(), PairResult("u", "unusable", "y is constant", truth=1)]
    outcome, page = report(tmp_path, rows)
    summary = summarize(rows)
    assert outcome.summary == summary
    assert page.fact("pairs") == ("41", "40 of them analyzed")
    n_sure = sum(row.confidence >= 0.9 for row in rows[:-1])
    n_decided = sum(row.confidence >= 0.6 for row in rows[:-1])
    graded = f"{n_sure} sure, {n_decided - n_sure} leaning"
    assert 0 < n_decided < 40
    graded += f"; {40 - n_decided} no preference, 0 undecided"
    assert page.fact("decided") == (f"{n_decided}", graded)
    assert "related" not in page.texts
    value, note = page.fact("accuracy")
    right = np.array([row.direction == row.truth for row in rows[:-1]], dtype=float)
    error = right.std(ddof=1) / np.sqrt(40)
    assert value == f"{summary.accuracy:.3f}"
    assert note == f"± {error:.3f}, {summary.n_correct} of 40 of known direction"
    value, note = page.fact("weighted accuracy")
    assert value == f"{summary.weighted_accuracy:.3f}"
    assert re.fullmatch(rf"± 0\.\d+, total weight {summary.total_weight:.6g}", note)
    sizes = [abs(row.score) for row in rows[:-1]]
    assert page.fact("median |score|") == (f"{np.median(sizes):.3g}", "nats per observation")
    assert page.fact("mean confidence")[0] == f"{np.mean([r.confidence for r in rows[:-1]]):.2f}"
    assert page.fact("seconds per pair") == ("0.25", "median")
    unusable = ["unusable: the data cannot be analyzed", "1", "2 %"]
    assert page.captions["Status"][1:] == [["analyzed", "40", "98 %"], unusable]
    assert page.captions["Number of mechanisms"][1:] == [["1", "10", "25 %"], ["2", "30", "75 %"]]
    models = page.captions["Model of the effect"][1:]
    assert [row[1] for row in models] == ["30", "10"]
    assert models[0][0].startswith("anm-2: 2 mechanisms")


def rows_of_every_outcome():
    """Pairs that are clearly related, barely, and not."""
    names = ("independence_pvalue", "direction", "confidence", "relation", "check_pvalue")
    kinds = {
        "a": (1e-9, 1, 0.95, "x→y", 0.4),
        "b": (1e-8, -1, 0.7, "y→x", 0.002),
        "c": (0.04, 1, 0.92, "x→y", 0.6),
        "d": (0.7, 0, 0.5, "independent", 0.8),
        "e": (0.6, 0, 0.5, "undecided", 0.9),
    }
    rows = {name: dict(zip(names, values, strict=True)) for name, values in kinds.items()}
    return [
        PairResult(name, "ok", n=50, score=0.1 * row["direction"], model="anm-1", **row)
        for name, row in rows.items()
    ]


def test_what_is_related_is_said_of_the_collection_and_of_the_pairs_shown(tmp_path):
    rows = rows_of_every_outcome()
    outcome, page = report(tmp_path, rows, n_plots=3)
    assert (outcome.summary.n_tested, outcome.summary.n_related) == (5, 2)
    assert page.fact("related") == ("2", "of 5 tested, 1 with a sure direction")
    assert page.fact("decided") == ("3", "2 sure, 1 leaning; 1 undecided, 1 independent")
    assert page.fact("no model fits") == ("1", "check below 0.01")
    text = " ".join(page.text.split())
    level = "the p-value of the HSIC test of x and y is at most 1e-08."
    assert f"2 of 5 pairs are related: {level}" in text
    assert "1 of the related pairs has a sure direction, of a confidence from 0.9 on" in text
    relations = {"x → y": "2", "leaning y → x": "1", "independent": "1", "undecided": "1"}
    assert dict(row[:2] for row in page.captions["Relation"][1:]) == relations
    most, least = (page.captions[f"The {which} certain pairs"] for which in ("most", "least"))
    heads = ["pair", "n", "relation", "score", "confidence", "check p", "related", "model"]
    assert most[0] == least[0] == heads
    shown = {row[0]: (row[2], row[5], row[6]) for row in (*most[1:], *least[1:])}
    assert shown == {
        "a": ("x → y", "0.4", "yes"),
        "b": ("leaning y → x", "0.002", "yes"),
        "c": ("x → y", "0.6", "no"),
        "e": ("undecided", "0.9", "no"),
    }


def test_cards_say_relation_check_and_what_is_not_related(tmp_path):
    x, y, _ = make_anm_mixture("f3", 50, random_state=1)
    rows = rows_of_every_outcome()
    _, page = report(tmp_path, rows, source={row.pair_id: (x, y) for row in rows}, n_plots=3)
    for said in (
        "leaning y → x",
        "x → y; the test of independence finds no relation",
        "check p = 0.002",
        "independent",
    ):
        assert said in page.text
    # Pairs that are independent have no direction to be certain of.
    assert "the most certain first; independent pairs are left out." in page.text
    assert sum(tag == "figcaption" for tag, _ in page.found) == 4
    assert "Of 4 analyzed pairs whose direction is not known and that are not" in page.text
    assert page.fact("mean confidence")[0] == f"{np.mean([0.95, 0.7, 0.92, 0.5]):.2f}"


def test_pairs_in_which_neither_is_the_cause_are_not_of_unknown_direction(tmp_path):
    rows = [replace(row, truth=0) for row in rows_of_every_outcome()]
    _, page = report(tmp_path, [*rows, PairResult("u", "ok", direction=1, score=0.2)])
    assert "In 5 analyzed pairs neither variable causes the other (truth 0)." in page.text
    assert "Of these 1 was called independent, and 2 have a sure direction." in page.text
    assert "Of 1 analyzed pairs whose direction is not known" in page.text


def test_the_decision_rates_are_those_of_the_rows(tmp_path):
    rows = list(known_rows())
    _, page = report(tmp_path, rows)
    confidences, weights = [row.confidence for row in rows], [row.weight for row in rows]
    right = [np.sign(row.score) == row.truth for row in rows]
    expected = decision_rates(confidences, right, weights)
    found = page.captions["Decision rates"]
    assert found[0] == ["decided", "accuracy", "least confidence"]
    pairs = zip(expected.accuracy, expected.error, strict=True)
    assert [row[1] for row in found[1:]] == [f"{one:.3f} ± {error:.3f}" for one, error in pairs]
    assert [row[2] for row in found[1:]] == [f"{least:.4f}" for least in expected.thresholds]
    assert "Scores" not in page.texts


def test_without_known_directions_there_is_a_histogram(tmp_path):
    rows = [PairResult(f"{at}", "ok", direction=1 if at else -1, score=at - 0.5) for at in range(5)]
    _, page = report(tmp_path, rows)
    assert "Of 5 analyzed pairs whose direction is not known, 4 favor x → y and 1" in page.text
    assert "Accuracy is unknown" in page.text
    assert "Decision rates" not in page.captions
    assert "accuracy" not in page.texts
    assert "units of the criterion" in page.text
    # Equal scores of zero, and an id that is cut.
    _, page = report(tmp_path, [PairResult("i" * 10_000, "ok", direction=0, score=0.0)])
    assert "0 favor x → y and 0 for y → x" in page.text
    assert len(page.captions["The most certain pairs"][1][0]) == 120


def test_a_file_makes_the_page_of_its_rows(tmp_path):
    rows = list(known_rows())
    write_rows(tmp_path / "rows.csv", rows, DIRECTIONS, timings=True)
    _, page = report(tmp_path, tmp_path / "rows.csv")
    _, same = report(tmp_path, iter(rows), name="rows.csv")
    assert page.found == same.found
    assert page.texts == same.texts
    assert "rows.csv" in page.text


def test_the_most_and_the_least_certain_pairs_are_listed_without_a_source(tmp_path):
    rows = list(known_rows())
    _, page = report(tmp_path, rows, n_plots=3)
    ranked = sorted(rows, key=lambda row: -row.confidence)
    most = page.captions["The most certain pairs"][1:]
    least = page.captions["The least certain pairs"][1:]
    assert [row[0] for row in most] == [row.pair_id for row in ranked[:3]]
    assert [row[0] for row in least] == [row.pair_id for row in ranked[:-4:-1]]
    first = ranked[0]
    assert first.confidence >= 0.9
    sentence = "x → y" if first.direction == 1 else "y → x"
    verdict = "✓ right" if first.direction == first.truth else "✗ wrong"
    assert most[0][1:3] == ["60", sentence]
    assert most[0][3] == f"{first.score:+.4f}".replace("-", "−")
    assert most[0][4] == f"{first.confidence:.2f}"
    assert most[0][6] == verdict
    assert "--source SOURCE" in page.text


def test_with_a_source_they_are_drawn_in_order(tmp_path):
    rows = list(known_rows(9))
    x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    source = {row.pair_id: (x, y) for row in rows}
    outcome, page = report(tmp_path, rows, n_plots=2, source=source)
    ranked = [row.pair_id for row in sorted(rows, key=lambda row: -row.confidence)]
    assert page.cards() == [*ranked[:2], *ranked[:-3:-1]]
    assert (outcome.n_drawn, outcome.n_not_in_source) == (4, 0)
    assert "--source" not in page.text
    assert "dict, 4 pairs drawn" in page.text


def test_a_source_that_lacks_pairs_is_told(tmp_path):
    x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    outcome, page = report(tmp_path, list(known_rows(4)), source={"pair 0": (x, y)})
    assert (outcome.n_drawn, outcome.n_not_in_source) == (1, 3)
    assert "3 of these 4 pairs are not in the source dict." in page.text
    assert page.texts.count("not in the source") == 3
    outcome, page = report(tmp_path, list(known_rows(4)), n_plots=0, source={})
    assert outcome.n_drawn == 0
    assert "The most certain pairs" not in page.texts


def test_whatever_stands_in_a_row_is_shown_and_is_no_html(tmp_path):
    rows = [
        PairResult(HOSTILE, "ok", HOSTILE, direction=1, score=1.0, model=HOSTILE, truth=1),
        PairResult(f"2{HOSTILE}", "error", f"boom {HOSTILE} </table>"),
        PairResult("\udcff", "lost", "\udcff"),
    ]
    _, page = report(tmp_path, rows, name=HOSTILE)
    # What turns text around would show another name than there is.
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\u202e", "\ufffd")
    assert page.captions["The most certain pairs"][1][0] == shown
    assert any(shown in row[0] for row in page.captions["Model of the effect"])
    assert "\\udcff" in page.text
    x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    _, page = report(tmp_path, rows, source={HOSTILE: (x, y)})
    assert any(each["alt"].startswith(shown) for each in page.all("img"))


def test_failures_are_grouped_by_reason(tmp_path):
    rows = [PairResult(f"p{at}", "unusable", f"p{at}: {at} rows") for at in range(7)]
    rows += [PairResult(name, name, "not done after 3 seconds") for name in ("lost", "error")]
    _, page = report(tmp_path, rows)
    assert page.captions["Pairs without a result, by reason"][1:] == [
        ["unusable: ‹id›: # rows", "7", "p0, p1, p2, p3, p4 …"],
        ["lost: not done after # seconds", "1", "lost"],
        ["error: not done after # seconds", "1", "error"],
    ]
    assert "9 of 9 pairs, by reason" in page.text
    rows = [
        PairResult(f"p{at}", "ok", f"{at} incomplete row{'s' * (at != 1)} dropped", direction=0)
        for at in range(1, 4)
    ]
    remarks = report(tmp_path, rows)[1].captions["Remarks, by text"][1:]
    assert remarks == [["# incomplete rows dropped", "3", "p1, p2, p3"]]
    assert "The most certain pairs" not in page.texts
    assert page.fact("decided") == ("0", "0 undecided")


def test_no_rows_make_a_page_that_says_so(tmp_path):
    outcome, page = report(tmp_path, [])
    assert outcome.summary.n_pairs == 0
    assert "There are no rows." in page.texts
    assert "Causal directions of 0 pairs" in page.text


def test_equal_rows_make_equal_pages_whatever_the_settings_of_the_user(tmp_path):
    source = {"pair 1": make_anm_mixture("f3", 60, random_state=1)[:2]}
    for name in ("a.html", "b.html"):
        write_report(known_rows(5), tmp_path / name, source=source)
    backend = matplotlib_module("pyplot").get_backend()
    with matplotlib_module("style").context("dark_background"):
        write_report(known_rows(5), tmp_path / "c.html", source=source)
        assert matplotlib_module("pyplot").rcParams["axes.facecolor"] == "black"
    assert len({(tmp_path / f"{name}.html").read_bytes() for name in "abc"}) == 1
    assert matplotlib_module("pyplot").get_backend() == backend


def test_a_file_that_breaks_off_leaves_the_old_page_alone(tmp_path):
    path, page = tmp_path / "rows.csv", tmp_path / "page.html"
    write_rows(path, known_rows(), DIRECTIONS)
    path.write_bytes(path.read_bytes()[:-10])
    write_report(known_rows(5), page)
    old = page.read_bytes()
    with pytest.raises(SourceError, match=r"rows\.csv: the file stops in the middle"):
        write_report(path, page, force=True)
    assert page.read_bytes() == old
    assert {each.name for each in tmp_path.iterdir()} == {"rows.csv", "page.html"}


@pytest.mark.parametrize("content", ["<html>mine</html>", "SampleID,A,B\na,1 2 3,4 5 7\n", None])
def test_no_file_of_others_or_input_is_replaced(tmp_path, content):
    path = tmp_path / "file.csv"
    write_rows(path, known_rows(5), DIRECTIONS)
    options = {}
    if content is not None:
        path.write_text(content)
        options = {"source": path, "force": True} if content.startswith("Sample") else {}
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="write to another file"):
        write_report(known_rows(5) if content else path, path, **options)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_plots": -1}, ValueError, "n_plots must be at least 0"),
        ({"n_plots": 1.5}, TypeError, "n_plots must be a whole number"),
        ({"source": 3}, TypeError, "source must be"),
    ],
)
def test_what_cannot_be_used_is_refused_before_the_rows_are_read(tmp_path, options, error, message):
    def rows():
        raise AssertionError("read")
        yield

    with pytest.raises(error, match=message):
        write_report(rows(), tmp_path / "page.html", **options)


def test_pairs_that_other_columns_explain_have_a_box(tmp_path):
    rows = list(known_rows(3))
    assert "Pairs and other columns" not in report(tmp_path, rows)[1].texts
    _, page = report(tmp_path, [*rows, replace(rows[0], explained_by="z", confidence=0.5)])
    assert "Pairs and other columns" in page.texts
    assert "infer_graph(table)" in page.texts
    assert "no further dependence was found given z" in page.raw
