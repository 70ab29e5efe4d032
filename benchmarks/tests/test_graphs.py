"""The study of causal graphs: its graphs, its measures, its peers, and its file of results."""

import json

import numpy as np
import pytest

from anmmm.graph.forms import PartialGraph
from benchmarks.peers import causal_orders
from benchmarks.studies import graph_data, graphs
from benchmarks.studies.graph_data import CELLS, draw, without

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


def test_an_additive_process_is_a_sum_of_variance_one():
    corners = np.array([[a, b] for a in (-0.5, 1.0) for b in (0.0, 2.0)])
    rng = np.random.default_rng(1)
    drawn = np.array([graph_data.additive_process(rng, corners) for _ in range(2000)])
    np.testing.assert_allclose(drawn[:, 0] + drawn[:, 3], drawn[:, 1] + drawn[:, 2], atol=1e-9)
    np.testing.assert_allclose(drawn.var(axis=0), 1.0, atol=0.15)


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


def test_the_jacobian_of_a_gaussian_does_not_vary():
    x = np.random.default_rng(0).normal(size=(400, 2))
    bent = np.column_stack([x[:, 0], x[:, 0] ** 2 + 0.3 * x[:, 1]])
    spreads = causal_orders.jacobian_diagonal(bent).var(axis=0)
    assert spreads[1] < spreads[0]


@pytest.mark.parametrize("column", [np.arange(50.0) % 2, np.repeat(np.arange(12.0), 30) ** 2])
def test_smooths_of_few_values(column):
    assert np.isfinite(causal_orders.smooth(column)).all()


def test_peers_of_causal_learn_name_columns_by_their_places():
    pytest.importorskip("causallearn")
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    table = np.column_stack([a + b + 0.3 * rng.normal(size=500), a, b])
    for peer in (graphs.run_pc, graphs.run_pc_kci, graphs.run_ges, graphs.run_boss):
        assert set(peer(table)) == {(1, "->", 0), (2, "->", 0)}


def test_a_run_goes_on_where_it_ended(tmp_path, capsys, monkeypatch):
    measured = []

    def ours(table, truth):
        measured.append(table.shape)
        found = PartialGraph(range(len(truth)), graphs_of(truth))
        edges = [(u, v, mark, 0.95) for u, mark, v in found.edges]
        return {"edges": edges, "seconds": 1.0, "longer_than_true": -2.0}

    def graphs_of(truth):
        return [(int(u), "->", int(v)) for u, v in np.argwhere(truth)]

    def fails(table):
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(graphs, "ours", ours)
    monkeypatch.setitem(graphs.PEERS, "CAM", fails)
    path = tmp_path / "graphs.jsonl"
    command = ["run", "-o", str(path), "--cells", "8d2", "hid", "--count", "2", "--peers", "CAM"]
    graphs.main(command)
    graphs.main(command)
    assert len(measured) == 6, "four graphs, and twice one for the kernels"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 8
    assert {line["seed"] for line in lines} == {1000, 1001}
    graphs.main(["table", str(path)])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 6
    ours_row = "| 8 nodes, additive curves | anmmm | 2 | 0.00 ± 0.00 | 1.000 | 0.0 | 1.000 (16"
    assert printed[2].startswith(ours_row)
    assert "0, 2 failed" in printed[3]


def test_failures_are_listed(tmp_path, capsys):
    line = {"cell": "8d2", "method": "anmmm", "truth": TRUTH, "longer_than_true": -1.0}
    right, wrong = [0, 1, "->", 0.95], [2, 1, "->", 0.99]
    lines = [
        line | {"seed": 1, "edges": [right]},
        line | {"seed": 2, "edges": [right, wrong]},
        line | {"seed": 3, "edges": [right, [2, 1, "->", 0.5]], "longer_than_true": 7.25},
    ]
    path = tmp_path / "graphs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    graphs.main(["failures", str(path)])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| 8d2 | 2 | 1.0 | 2 → 1 (0.990) | -1.0 |",
        "| 8d2 | 3 | 1.0 |  | 7.2 |",
    ]


def test_a_table_of_a_known_graph(tmp_path, capsys):
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=300)
    table, edges = tmp_path / "table.csv", tmp_path / "edges.csv"
    np.savetxt(table, np.column_stack([b, a]), delimiter=",", header="b,a", comments="")
    edges.write_text('"Cause","Effect"\n"a","b"\n')
    graphs.main(["real", str(table), str(edges), "--rows", "200"])
    edge, head, _, row = capsys.readouterr().out.splitlines()
    assert edge.startswith("a → b ")
    assert head.startswith("| rows | edges | SHD | F1 |")
    assert row.startswith("| 200 | 1 | 0.00 | 1.000 |")


def test_an_unknown_cell_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        graphs.main(["run", "-o", "x.jsonl", "--cells", "9d9"])
    assert "9d9" in capsys.readouterr().err


def test_an_arrow_through_hidden_nodes_stays() -> None:
    adjacency = np.zeros((6, 6), dtype=int)
    # 0 → 1 → 2 → 3 and 2 → 4 ← 5, of which 1 and 2 are hidden.
    adjacency[[0, 1, 2, 2, 5], [1, 2, 3, 4, 4]] = 1
    for hidden in ([1, 2], [2, 1]):
        kept = without(adjacency, np.array(hidden))
        assert np.argwhere(kept).tolist() == [[0, 1], [0, 2], [3, 2]]
