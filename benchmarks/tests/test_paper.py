"""Experiments of the paper run and write what they found; rows become means and choices of λ."""

import numpy as np
import pandas as pd
import pytest

from anmmm.datasets.sample import SAMPLE
from benchmarks.paper import __main__ as paper
from benchmarks.paper import clusterings, directions, fig5, mixtures
from benchmarks.paper.common import Scale, attempt, failures, mean_error, plus_minus

# Of all studies one that takes least; any other takes a minute or more.
CHEAP = "fig5"
LONG = ("table1", "fig4", "fig6")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [CHEAP, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)]
)
def test_every_experiment_writes_rows_report_and_figure(tmp_path, monkeypatch, capsys, name):
    pytest.importorskip("causallearn")
    scale = Scale(n_datasets=1, n_clusterings=1, n_repetitions=1, n_seeds=1)
    monkeypatch.setattr(paper, "QUICK", scale)
    paper.main([name, "--quick", "-o", str(tmp_path), "--data", str(SAMPLE)])
    assert {file.suffix for file in tmp_path.iterdir()} == {".parquet", ".md", ".pdf", ".png"}
    text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out == text + "\n"
    assert "| ANM-MM" in text
    assert "failed" not in text
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_means_have_standard_errors_and_failures_are_remarked():
    mean, error = mean_error([1.0, 0.0, 1.0, 1.0])
    assert plus_minus(mean, error, 2) == "0.75 ± 0.25"
    assert plus_minus(*mean_error([0.5]), sign="+") == "+0.500"
    computed = (lambda: {"value": 1.0}, lambda: {"value": np.linalg.inv()})
    (sentence,) = failures(pd.DataFrame([{"method": "PNL", **attempt(each)} for each in computed]))
    assert sentence.startswith("PNL failed on 1 of 2: TypeError")


def direction_rows(value, ratio):
    """Return two rows of every method and λ, whose scores are functions of these and the place."""
    rows = []
    for method, lam in directions.METHODS:
        for place in range(2):
            scores = {"value": value(lam, place), "ratio": ratio(lam, place)}
            rows.append({"method": method, "lam": lam, "truth": 1, "problem": "", **scores})
    return pd.DataFrame(rows)


def test_directions_of_the_papers_protocol_take_the_best_lambda():
    rows = direction_rows(lambda lam, _: lam == "0.1", lambda lam, _: lam == "10")
    found = directions.accuracies(rows)
    assert found[directions.PAPER][::2] == (1.0, "0.1")
    assert found[directions.PROGRAM][::2] == (1.0, "10")
    # The fixed ones choose nothing; of equal ones the smallest is taken.
    assert found[directions.FIXED][::2] == (0.0, "")
    rows = direction_rows(lambda _, place: place == 0, lambda _, place: place == 0)
    assert directions.accuracies(rows)[directions.PAPER][::2] == (0.5, "0.001")


@pytest.mark.parametrize("study", [mixtures.FIG3, mixtures.FIG4], ids=["fig3", "fig4"])
def test_figures_of_drawn_mixtures_have_a_table_and_axes_for_each_panel(study):
    tasks = study.tasks(Scale(n_datasets=2), None)
    scores = {"truth": 1, "problem": ""}
    rows = pd.DataFrame(tasks).assign(**scores)
    rows["value"] = rows["ratio"] = rows["seed"]
    tables = study.report(rows)
    figure = study.draw(rows)
    assert len(figure.axes) == len(tables)
    for table, axes in zip(tables, figure.axes, strict=True):
        lines = [line for line in table.splitlines() if line.startswith("|")][2:]
        assert [line.split("|")[1].strip() for line in lines] == list(directions.NAMES)
        assert all(line.count("0.50 ± 0.50") == len(axes.get_xticks()) for line in lines)


def test_clusters_of_the_papers_protocol_take_the_best_lambda():
    values = {(clusterings.PAPER, '{"lam": 10.0}'): 0.9, (clusterings.PAPER, '{"lam": 1.0}'): 0.5}
    values["DBSCAN, best options", '{"eps": 0.2}'] = 0.6
    rows = pd.DataFrame(clusterings.with_methods([{}]))
    # A failure counts as chance.
    rows["value"] = [values.get(tuple(trial), np.nan) for trial in rows.to_numpy()]
    found = clusterings.cluster_scores(rows)
    assert found[clusterings.PAPER][::2] == (0.9, "10")
    assert found[clusterings.LATENT][0] == 0.5
    assert found["DBSCAN"][0] == 0.0
    assert found["DBSCAN, best options"][::2] == (0.6, '{"eps": 0.2}')


def test_a_data_set_is_the_mean_of_its_pairs_and_not_of_its_draws():
    drawn = [("a", "1", 1)] * 3 + [("a", "2", -1), ("b", "3", 1), ("b", "3", -1)]
    rows = pd.DataFrame(drawn, columns=["group", "pair", "value"])
    rows = rows.assign(method="IGCI", lam="", truth=1)
    shares = fig5.by_data_set(rows.assign(ratio=0.0))
    assert shares.loc[("IGCI", "")].to_dict() == {"a": 0.5, "b": 0.5}
