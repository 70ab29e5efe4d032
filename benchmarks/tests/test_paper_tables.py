"""Records become means, errors, choices of λ, and Markdown."""

import itertools

import numpy as np
import pytest

from anmmm.datasets import SETTINGS
from benchmarks.paper import clusterings, directions, fig5, mixtures, table1
from benchmarks.paper.published import LAMBDAS, TABLE1, TABLE1_COLUMNS
from benchmarks.paper.study import Scale, attempt
from benchmarks.paper.tables import difference, failures, markdown_table, mean_error, plus_minus


def test_a_mean_comes_with_its_standard_error_and_a_single_value_without():
    mean, error = mean_error([1.0, 0.0, 1.0, 1.0])
    assert mean == 0.75
    assert error == pytest.approx(np.sqrt(0.75 * 0.25 / 3))
    assert plus_minus(mean, error, 2) == "0.75 ± 0.25"
    assert difference(mean, error, 0.5) == "+0.250 ± 0.250"
    assert difference(*mean_error([0.5]), 0.6) == "-0.100"


def test_markdown_lines_up():
    rows = [["x", "1", "2"], ["longer", "10", "3"]]
    lines = markdown_table("Things", ["", "a", "long name"], rows, "So.").splitlines()
    assert lines[0] == "**Things**"
    assert lines[-1] == "So."
    grid = [line for line in lines if line.startswith("|")]
    assert len({len(line) for line in grid}) == 1
    assert grid[1] == "| ------ | -: | --------: |"
    assert grid[3] == "| longer | 10 |         3 |"


def test_a_method_that_fails_leaves_a_remark_and_a_missing_library_ends_the_run():
    def raised(error):
        raise error

    outcome, cells = attempt(raised, ValueError("singular"))
    assert outcome is None
    records = [{"method": "PNL", **cells}, {"method": "PNL", **attempt(max, 1, 3)[1]}]
    assert failures(records) == ["PNL failed on 1 of 2: ValueError: singular"]
    with pytest.raises(ImportError, match="no such library"):
        attempt(raised, ImportError("no such library"))


# --- Choices -------------------------------------------------------------------------------------


def direction_records(right):
    """Two data sets; ``right(method, criterion, lam, index)`` tells whether a decision is right."""
    keys = [(directions.DEFAULT, "evidence", None)]
    keys += [
        ("ANM-MM", c, lam) for c, lam in itertools.product(directions.CRITERIA.values(), LAMBDAS)
    ]
    keys += [(method.label, None, None) for method in directions.BASELINES.values()]
    return [
        {"method": m, "criterion": c, "lam": lam, "right": right(m, c, lam, i)}
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
    # Of equal ones the smallest.
    found = directions.accuracies(direction_records(lambda m, c, lam, i: i == 0))
    assert found[directions.PAPER][::2] == (0.5, LAMBDAS[0])
    assert found["ANM"][0] == 0.5


@pytest.mark.parametrize("study", [mixtures.FIG3, mixtures.FIG4], ids=["fig3", "fig4"])
def test_figures_of_drawn_mixtures_have_a_table_and_axes_for_each_panel(study):
    cells = study.units(Scale(n_datasets=1), None)
    assert {cell["setting"] for cell in cells} <= set(SETTINGS)
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


def test_ecp_alone_gets_the_data_in_the_order_of_their_sources(monkeypatch):
    seen = {}

    class Spy:
        def __init__(self, name):
            self.label = name

        def direction(self, x, y):
            seen[self.label] = list(x)
            return 1.0

    monkeypatch.setattr(directions, "BASELINES", {name: Spy(name) for name in ("ecp", "anm")})
    monkeypatch.setattr(directions, "LAMBDAS", ())
    # Fails, which is a record too.
    monkeypatch.setattr(directions, "infer_direction", None)
    x, y = np.arange(20.0), np.sin(np.arange(20.0))
    by_source = np.arange(20)[::-1]
    records = directions.measure_directions(x, y, truth=-1, seed=0, by_source=by_source)
    assert seen == {"ecp": list(x[::-1]), "anm": list(x)}
    assert [(r["value"], r["right"]) for r in records[1:]] == [(1.0, False)] * 2


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
        # A failure counts as chance.
        return {10.0: 0.9, 1.0: 0.5}.get(lam, 0.6 if options == "eps=0.2" else None)

    found = clusterings.cluster_scores(cluster_records(value))
    assert found[clusterings.PAPER][::2] == (0.9, "10")
    assert found[clusterings.LATENT][0] == 0.5
    assert found[clusterings.DEFAULT][0] == 0.0
    assert found["DBSCAN"][0] == 0.0
    assert found[clusterings.BEST["DBSCAN"]][::2] == (0.6, "eps=0.2")


def test_a_data_set_is_the_mean_of_its_pairs_and_not_of_its_draws():
    drawn = [("a", "1", True)] * 3 + [("a", "2", False), ("b", "3", True), ("b", "3", False)]
    records = [{"group": group, "pair": pair, "right": right} for group, pair, right in drawn]
    assert fig5._by_data_set(records) == {"a": 0.5, "b": 0.5}
    values = np.array([0.0, 1.0, 1.0, 1.0])
    mean, error = fig5._center(values, fig5.MEAN)
    assert mean == 0.75
    assert error == pytest.approx(values.std() / 2, rel=0.1)
    assert fig5._center(values, fig5.MEDIAN)[0] == 1.0


def test_every_setting_and_method_of_the_printed_table_is_measured():
    settings = {unit["setting"] for unit in table1.STUDY.units(Scale.quick(), None)}
    assert settings == set(TABLE1_COLUMNS) <= set(SETTINGS)
    assert {"ANM-MM", *clusterings.METHODS} == set(TABLE1)


def test_the_papers_exclusions_and_no_other_pairs_are_left_out(tmp_path):
    numbers = range(1, 109)
    meta = [f"{number:04d} 1 1 2 2 1" for number in numbers]
    (tmp_path / "pairmeta.txt").write_text("\n".join(meta) + "\n")
    units = fig5.STUDY.units(Scale.quick(), str(tmp_path))
    measured = {int(unit["pair_id"][4:]) for unit in units}
    excluded = {12, 17, 47, 52, 53, 54, 55, 70, 71, 101, 105}
    assert measured == set(numbers) - excluded
