"""Experiments of the paper run and write what they found; records become means and choices of λ."""

import numpy as np
import pytest
from click.testing import CliRunner

from anmmm.datasets import SETTINGS
from anmmm.datasets.sample import SAMPLE
from benchmarks.baselines import DIRECTION_BASELINES
from benchmarks.paper import __main__ as paper
from benchmarks.paper import clusterings, directions, fig5, mixtures
from benchmarks.paper.published import LAMBDAS
from benchmarks.paper.study import Scale, attempt
from benchmarks.paper.tables import difference, failures, mean_error, plus_minus

# Of all studies one that takes least; any other takes a minute or more.
CHEAP = "fig5"
LONG = ("table1", "fig4", "fig6")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [CHEAP, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)]
)
def test_every_experiment_writes_records_report_and_figure(tmp_path, monkeypatch, name):
    pytest.importorskip("causallearn")
    scale = Scale(n_datasets=1, n_clusterings=1, n_repetitions=1, n_seeds=1)
    monkeypatch.setattr(Scale, "quick", lambda: scale)
    command = [name, "--quick", "-o", str(tmp_path), "--data", str(SAMPLE)]
    result = CliRunner().invoke(paper.main, command)
    assert result.exit_code == 0, result.output
    assert {file.suffix for file in tmp_path.iterdir()} == {".csv", ".md", ".pdf", ".png"}
    text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert result.stdout == text + "\n"
    assert "| ANM-MM" in text
    assert "failed" not in text
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_figure_5_needs_a_folder():
    result = CliRunner().invoke(paper.main, [])
    assert result.exit_code == 2
    assert "fig5 needs the folder of the Tübingen pairs" in result.output


def test_means_have_standard_errors_and_failures_are_remarked():
    mean, error = mean_error([1.0, 0.0, 1.0, 1.0])
    assert plus_minus(mean, error, 2) == "0.75 ± 0.25"
    assert difference(mean, error, 0.5) == "+0.250 ± 0.250"
    assert difference(*mean_error([0.5]), 0.6) == "-0.100"
    records = [{"method": "PNL", **attempt(value)[1]} for value in (int, np.linalg.inv)]
    (sentence,) = failures(records)
    assert sentence.startswith("PNL failed on 1 of 2: TypeError")


def direction_records(right):
    """Return two records of every method, λ and criterion."""
    keys = [(directions.DEFAULT, "evidence", None)]
    for lam in LAMBDAS:
        keys += [("ANM-MM", criterion, lam) for criterion in directions.CRITERIA.values()]
    keys += [(method.label, None, None) for method in DIRECTION_BASELINES.values()]
    records = []
    for key in keys:
        for place in range(2):
            record = dict(zip(("method", "criterion", "lam"), key, strict=True))
            records.append({**record, "right": right(*key, place), "problem": ""})
    return records


def test_directions_of_the_papers_protocol_take_the_best_lambda():
    def right(method, criterion, lam, place):
        return (criterion == "hsic" and lam == 0.1) or (criterion == "hsic_ratio" and lam == 10.0)

    found = directions.accuracies(direction_records(right))
    assert found[directions.PAPER][::2] == (1.0, 0.1)
    assert found[directions.PROGRAM][::2] == (1.0, 10.0)
    # The fixed ones choose nothing; of equal ones the smallest is taken.
    assert found[directions.FIXED][::2] == (0.0, None)
    found = directions.accuracies(direction_records(lambda *key: key[-1] == 0))
    assert found[directions.PAPER][::2] == (0.5, LAMBDAS[0])


@pytest.mark.parametrize("study", [mixtures.FIG3, mixtures.FIG4], ids=["fig3", "fig4"])
def test_figures_of_drawn_mixtures_have_a_table_and_axes_for_each_panel(study):
    cells = study.units(Scale(n_datasets=1), None)
    assert {cell["setting"] for cell in cells} <= set(SETTINGS)
    records = []
    for cell in cells:
        for place, record in enumerate(direction_records(lambda *key: key[-1] == 0)):
            records.append({**cell, **record, "seed": place % 2})
    tables, remarks = study.report(records)
    figure = study.draw(records)
    assert remarks == []
    assert len(figure.axes) == len(tables)
    for table, axes in zip(tables, figure.axes, strict=True):
        rows = [line for line in table.splitlines() if line.startswith("|")][2:]
        assert [row.split("|")[1].strip() for row in rows] == list(directions.NAMES)
        assert all(row.count("0.50 ± 0.50") == len(axes.get_xticks()) for row in rows)


def test_clusters_of_the_papers_protocol_take_the_best_lambda():
    keys = [(clusterings.DEFAULT, None, "")]
    keys += [("ANM-MM", lam, "") for lam in LAMBDAS]
    keys += [(name, None, "") for name in clusterings.METHODS]
    for name, grid in clusterings.GRIDS.items():
        keys += [(clusterings.BEST[name], None, options) for options in grid]
    records = []
    for method, lam, options in keys:
        # A failure counts as chance.
        value = {10.0: 0.9, 1.0: 0.5}.get(lam, 0.6 if options == "eps=0.2" else None)
        records.append({"method": method, "lam": lam, "options": options, "value": value})
    found = clusterings.cluster_scores(records)
    assert found[clusterings.PAPER][::2] == (0.9, "10")
    assert found[clusterings.LATENT][0] == 0.5
    assert found["DBSCAN"][0] == 0.0
    assert found[clusterings.BEST["DBSCAN"]][::2] == (0.6, "eps=0.2")


def test_a_data_set_is_the_mean_of_its_pairs_and_not_of_its_draws():
    drawn = [("a", "1", True)] * 3 + [("a", "2", False), ("b", "3", True), ("b", "3", False)]
    records = []
    for group, pair, right in drawn:
        key = {"method": "IGCI", "criterion": None, "lam": None}
        records.append(key | {"group": group, "pair": pair, "right": right})
    shares = fig5._by_data_set(fig5._by_pair(records))
    assert shares["IGCI", "", 0.0].to_dict() == {"a": 0.5, "b": 0.5}
