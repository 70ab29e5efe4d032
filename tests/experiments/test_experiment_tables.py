"""Records become means, errors, choices of λ, and Markdown."""

import itertools

import numpy as np
import pytest

from anmmm.datasets import SETTINGS
from anmmm.experiments import clusterings, directions, fig3, fig4, fig5, table1
from anmmm.experiments.published import LAMBDAS, TABLE1, TABLE1_COLUMNS
from anmmm.experiments.study import Scale, attempt
from anmmm.experiments.tables import (
    difference,
    failures,
    grouped,
    markdown_table,
    mean_error,
    plus_minus,
)


def test_a_mean_comes_with_its_standard_error():
    mean, error = mean_error([1.0, 0.0, 1.0, 1.0])
    assert mean == 0.75
    assert error == pytest.approx(np.sqrt(0.75 * 0.25 / 3))
    assert plus_minus(mean, error, 2) == "0.75 ± 0.25"
    assert difference(mean, error, 0.5, 2) == "+0.25 ± 0.25"


def test_a_single_value_has_no_error():
    mean, error = mean_error([0.5])
    assert np.isnan(error)
    assert plus_minus(mean, error) == "0.500"
    assert difference(mean, error, 0.6) == "-0.100"


def test_markdown_lines_up():
    rows = [["x", "1", "2"], ["longer", "10", "3"]]
    lines = markdown_table("Things", ["", "a", "long name"], rows, "So.").splitlines()
    assert lines[0] == "**Things**"
    assert lines[-1] == "So."
    grid = [line for line in lines if line.startswith("|")]
    assert len({len(line) for line in grid}) == 1
    assert grid[1] == "| ------ | -: | --------: |"
    assert grid[3] == "| longer | 10 |         3 |"


def test_groups_keep_the_order_of_first_appearance():
    records = [{"a": 2, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 2}]
    assert list(grouped(records, "a")) == [2, 1]
    assert list(grouped(records, "a", "b")) == [(2, 1), (1, 1), (2, 2)]


def test_failures_name_method_count_and_reason():
    records = [
        {"method": "ANM", "problem": ""},
        {"method": "PNL", "problem": "ValueError: no"},
        {"method": "PNL", "problem": ""},
    ]
    assert failures(records) == ["PNL failed on 1 of 2: ValueError: no"]


def test_a_method_that_fails_leaves_a_remark_and_a_missing_library_ends_the_run():
    def broken():
        raise ValueError("singular")

    def without_library():
        raise ImportError("no such library")

    outcome, cells = attempt(broken)
    assert outcome is None
    assert cells["problem"] == "ValueError: singular"
    with pytest.raises(ImportError, match="no such library"):
        attempt(without_library)
    assert attempt(max, 1, 3)[0] == 3


# --- Choices -------------------------------------------------------------------------------------


def direction_records(right):
    """Two data sets; ``right(method, criterion, lam, index)`` tells whether a decision is right."""
    labels = [directions.DIRECTION_BASELINES[name]().label for name in directions.BASELINES]
    keys = [(directions.DEFAULT, "evidence", None)]
    keys += [
        ("ANM-MM", c, lam) for c, lam in itertools.product(directions.CRITERIA.values(), LAMBDAS)
    ]
    keys += [(label, None, None) for label in labels]
    return [
        {"method": m, "criterion": c, "lam": lam, "right": right(m, c, lam, i), "problem": ""}
        for m, c, lam in keys
        for i in range(2)
    ]


def test_the_papers_protocol_takes_the_best_lambda_and_says_which():
    def right(method, criterion, lam, index):
        return (criterion == "hsic" and lam == 0.1) or (criterion == "hsic_ratio" and lam == 10.0)

    found = directions.accuracies(direction_records(right))
    assert found[directions.PAPER][::2] == (1.0, 0.1)
    assert found[directions.PROGRAM][::2] == (1.0, 10.0)
    # The fixed ones choose nothing.
    assert found[directions.DEFAULT][::2] == (0.0, None)
    assert found[directions.FIXED][::2] == (0.0, None)


def test_of_equal_lambdas_the_smallest_is_named():
    found = directions.accuracies(direction_records(lambda m, c, lam, i: i == 0))
    assert found[directions.PAPER][::2] == (0.5, LAMBDAS[0])
    assert found["ANM"][0] == 0.5


@pytest.mark.parametrize("study", [fig3.STUDY, fig4.STUDY], ids=lambda study: study.name)
def test_figures_of_drawn_mixtures_have_a_table_and_axes_for_each_panel(study):
    pytest.importorskip("matplotlib")
    cells = [unit.arguments for unit in study.units(Scale(n_datasets=1), None)]
    # The record of a data set with an odd seed is wrong.
    records = [
        {**cell, **record, "seed": seed}
        for cell in cells
        for seed in (0, 1)
        for record in direction_records(lambda m, c, lam, i: i == 0)[seed::2]
    ]
    tables, remarks = study.report(records)
    figure = study.draw(records)
    assert remarks == []
    assert len(figure.axes) == len(tables)
    for table, ax in zip(tables, figure.axes, strict=True):
        n_columns = len(ax.get_xticks())
        rows = [line for line in table.splitlines() if line.startswith("|")][2:]
        assert [row.split("|")[1].strip() for row in rows] == list(directions.NAMES)
        assert all(row.count("0.50 ± 0.50") == n_columns for row in rows)
        assert ax.get_title() in table


@pytest.mark.slow
def test_every_method_is_measured_and_right_means_the_sign_of_the_truth():
    pytest.importorskip("causallearn")
    rng = np.random.default_rng(0)
    x = rng.uniform(size=40)
    y = np.exp(-np.where(rng.random(40) < 0.5, 1.0, 3.0) * x) + 0.05 * rng.standard_normal(40)
    records = {truth: directions.measure_directions(x, y, truth=truth, seed=0) for truth in (1, -1)}
    assert [r["problem"] for r in records[1]] == [""] * len(records[1])
    assert len(records[1]) == 1 + 2 * len(LAMBDAS) + len(directions.BASELINES)
    for forward, backward in zip(records[1], records[-1], strict=True):
        assert forward["value"] == backward["value"]
        assert forward["right"] == (forward["value"] > 0)
        assert backward["right"] == (backward["value"] < 0)
    directions.accuracies(records[1])


def test_ecp_alone_gets_the_data_in_the_order_of_their_sources(monkeypatch):
    seen = {}

    class Spy:
        def __init__(self, name):
            self.name = self.label = name

        def direction(self, x, y, random_state=None):
            seen[self.name] = list(x)
            return 1.0

    spies = {name: lambda name=name: Spy(name) for name in directions.BASELINES}
    monkeypatch.setattr(directions, "DIRECTION_BASELINES", spies)
    monkeypatch.setattr(directions, "LAMBDAS", ())
    x, y = np.arange(20.0), np.sin(np.arange(20.0))
    by_source = np.arange(20)[::-1]
    directions.measure_directions(x, y, truth=1, seed=0, by_source=by_source)
    assert seen.pop("ecp") == list(x[::-1])
    assert all(values == list(x) for values in seen.values())
    assert set(seen) == set(directions.BASELINES) - {"ecp"}


def cluster_records(value):
    keys = [(clusterings.DEFAULT, None, "")]
    keys += [("ANM-MM", lam, "") for lam in LAMBDAS]
    keys += [(name, None, "") for name in clusterings.METHODS]
    keys += [
        (clusterings.BEST[name], None, options)
        for name, grid in clusterings.GRIDS.items()
        for options in grid
    ]
    return [
        {"method": m, "lam": lam, "options": o, "value": value(m, lam, o)} for m, lam, o in keys
    ]


def test_clusters_of_the_papers_protocol_take_the_best_lambda_and_the_others_choose_nothing():
    def value(method, lam, options):
        return {10.0: 0.9, 1.0: 0.5}.get(lam, 0.6 if options == "eps=0.2" else 0.1)

    found = clusterings.cluster_scores(cluster_records(value))
    assert found[clusterings.PAPER][::2] == (0.9, "10")
    assert found[clusterings.LATENT][0] == 0.5
    assert found[clusterings.DEFAULT][0] == 0.1
    assert found["DBSCAN"][0] == 0.1
    assert found[clusterings.BEST["DBSCAN"]][::2] == (0.6, "eps=0.2")


def test_a_failed_clustering_counts_as_chance():
    found = clusterings.cluster_scores(cluster_records(lambda *key: None))
    assert found[clusterings.DEFAULT][0] == 0.0


def test_a_data_set_is_the_mean_of_its_pairs_and_not_of_its_draws():
    records = [
        {"group": group, "pair": pair, "right": right}
        for group, pair, right in [
            ("a", "1", True),
            ("a", "1", True),
            ("a", "1", True),
            ("a", "2", False),
            ("b", "3", True),
            ("b", "3", False),
        ]
    ]
    assert fig5._by_data_set(records) == {"a": 0.5, "b": 0.5}


def test_mean_and_median_of_data_sets_have_errors():
    values = np.array([0.0, 1.0, 1.0, 1.0])
    mean, error = fig5._center(values, fig5.MEAN)
    assert mean == 0.75
    assert error == pytest.approx(values.std() / 2, rel=0.1)
    assert fig5._center(values, fig5.MEDIAN)[0] == 1.0


# --- What is compared with -----------------------------------------------------------------------


def test_every_setting_and_method_of_the_printed_table_is_measured():
    settings = {unit.arguments["setting"] for unit in table1.STUDY.units(Scale.quick(), None)}
    assert settings == set(TABLE1_COLUMNS) <= set(SETTINGS)
    assert {"ANM-MM", *clusterings.METHODS} == set(TABLE1)


def test_the_papers_exclusions_and_no_other_pairs_are_left_out(tmp_path):
    numbers = range(1, 109)
    meta = [f"{number:04d} 1 1 2 2 1" for number in numbers]
    (tmp_path / "pairmeta.txt").write_text("\n".join(meta) + "\n")
    units = fig5.STUDY.units(Scale.quick(), tmp_path)
    measured = {int(unit.arguments["pair"][4:]) for unit in units}
    excluded = {12, 17, 47, 52, 53, 54, 55, 70, 71, 101, 105}
    assert measured == set(numbers) - excluded
