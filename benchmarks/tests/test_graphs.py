"""The study of causal graphs: its graphs, its measures, its peers, and its file of results."""

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import graphs, methods
from benchmarks.baselines import causal_orders
from benchmarks.graph_data import CELLS, draw

TRUTH = [[0, 1], [1, 2]]


def edges(*found):
    return [graphs.Arrow(*edge, 1.0) for edge in found]


@pytest.mark.parametrize("name", CELLS)
def test_graphs_have_no_cycle_and_tables_are_finite(name):
    adjacency, table = draw(name, 0)
    assert table.shape == (CELLS[name].n_samples, len(adjacency))
    assert np.isfinite(table).all()
    assert not np.linalg.matrix_power(adjacency, len(adjacency)).any()
    again, same = draw(name, 0)
    np.testing.assert_array_equal(adjacency, again)
    np.testing.assert_array_equal(table, same)


def test_cancelling_paths_hide_an_edge():
    adjacency, table = draw("unfaithful", 0)
    assert adjacency.sum() == 11
    correlations = np.abs(np.corrcoef(table.T))
    hidden = [(a, c) for a, c in np.argwhere(adjacency) if (adjacency[a] & adjacency[:, c]).any()]
    assert len(hidden) == 3
    assert max(correlations[a, c] for a, c in hidden) < 0.1


def test_distances_of_graphs():
    assert graphs.shd(TRUTH, edges((0, 1, "->"), (1, 2, "->"))) == 0
    assert graphs.shd(TRUTH, edges((1, 0, "->"), (1, 2, "--"))) == 1.5
    assert graphs.shd(TRUTH, edges((0, 2, "--"), (0, 1, "<->"))) == 3
    assert graphs.shd(TRUTH, edges((0, 1, "->"), (1, 2, "->"), (0, 2, "<->"))) == 0
    assert graphs.f1(TRUTH, edges((0, 1, "->"), (1, 2, "->"), (0, 2, "<->"))) == 1
    assert graphs.shd(TRUTH, []) == 2
    assert graphs.f1(TRUTH, edges((0, 1, "->"), (1, 2, "->"))) == 1
    assert graphs.f1(TRUTH, edges((0, 1, "->"), (2, 1, "--"))) == 0.75
    assert graphs.f1(TRUTH, edges((1, 0, "->"))) == 0


def test_structural_intervention_distance():
    """The three examples of Peters and Bühlmann that can be counted by hand."""
    assert graphs.sid(3, TRUTH, edges((0, 1, "->"), (1, 2, "->"))) == 0
    # A further edge along the order changes no intervention.
    assert graphs.sid(3, TRUTH, edges((0, 1, "->"), (1, 2, "->"), (0, 2, "->"))) == 0
    # Without edges nothing is adjusted for: the causes of 1 and 2 are mistaken for effects.
    assert graphs.sid(3, TRUTH, []) == 3
    # A reversed edge: both directions of the pair are wrong, and the effect of 0 on 2.
    assert graphs.sid(2, [[0, 1]], edges((1, 0, "->"))) == 2


@pytest.mark.parametrize("method", [causal_orders.cam, causal_orders.score])
def test_orders_of_a_chain(method):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(3, 500))
    b = np.sin(2 * noise[0]) + 0.5 * noise[1]
    c = b**2 + 0.5 * noise[2]
    found = method(np.column_stack([c, noise[0], b]))
    assert np.argwhere(found).tolist() == [[1, 2], [2, 0]]


def test_peers_of_causal_learn_name_columns_by_their_places():
    pytest.importorskip("causallearn")
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    table = np.column_stack([a + b + 0.3 * rng.normal(size=500), a, b])
    for peer in (methods.run_pc, methods.run_ges, methods.run_boss):
        assert set(peer(table)) == {(1, "->", 0), (2, "->", 0)}


def test_rows_of_graphs_become_the_table(tmp_path, monkeypatch):
    def ours(table, truth, options):
        edges = [(int(u), int(v), "->", 0.95) for u, v in np.argwhere(truth)]
        return {"edges": json.dumps(edges), "seconds": 1.0, "longer_than_true": -2.0}

    def fails(table):
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(graphs, "ours", ours)
    monkeypatch.setitem(graphs.GRAPHS, "CAM", fails)
    path = tmp_path / "graphs.parquet"
    for method in ("anmmm", "CAM"):
        command = ["8d2", "hid", "--seeds", "1000:1002", "--method", method, "-o", str(path)]
        graphs.main(command)
    table = graphs.summary(pd.read_parquet(path)).set_index(["cell", "method"])
    row = table.loc["8 nodes, additive curves", "anmmm"]
    assert row[["graphs", "SHD", "F1", "SID"]].tolist() == ["2", "0.00 ± 0.00", "1.000", "0.0"]
    assert row["sure, right"].startswith("1.000 (16")
    assert row["true shorter"] == "0"
    assert table.loc["8 nodes and 2 hidden ones, additive curves", "CAM"]["graphs"] == "0, 2 failed"
