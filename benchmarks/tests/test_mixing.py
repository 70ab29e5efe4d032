"""The study of hidden variables that switch mechanisms: its generator, and its file of results."""

import json

import numpy as np
import pytest

from benchmarks.studies import mixing
from benchmarks.studies.graphs import OURS


@pytest.mark.parametrize("name", mixing.CELLS)
def test_hidden_variables_switch_disjoint_sets_of_columns_that_have_causes(name):
    drawn = mixing.draw(name, 0)
    n_variables = mixing.CELLS[name][1]
    n_nodes = mixing.N_NODES[n_variables]
    assert drawn.table.shape == (mixing.N_SAMPLES, n_nodes)
    np.testing.assert_allclose(drawn.table.std(axis=0), 1.0)
    assert not np.linalg.matrix_power(drawn.adjacency, n_nodes).any()
    nodes = [node for each in drawn.sets for node in each]
    assert len(set(nodes)) == len(nodes) == mixing.NODES_A_VARIABLE * n_variables
    assert drawn.adjacency[:, nodes].any(axis=0).all()
    assert drawn.labels.shape == drawn.likeliest.shape == (n_variables, mixing.N_SAMPLES)
    np.testing.assert_array_equal(mixing.draw(name, 0).table, drawn.table)


def test_the_causes_of_a_column_have_other_weights_in_each_group():
    drawn = mixing.draw("linear2", 3)
    for nodes, labels in zip(drawn.sets, drawn.labels, strict=True):
        for node in nodes:
            causes = drawn.table[:, drawn.adjacency[:, node] > 0]
            design = np.column_stack([np.ones(len(causes)), causes])
            y, explained = drawn.table[:, node], []
            for rows in [labels == 0, labels == 1, labels >= 0]:
                left = np.linalg.lstsq(design[rows], y[rows], rcond=None)[1]
                explained.append(float(left[0]))
            assert explained[0] + explained[1] < 0.9 * explained[2]
        assert abs(labels.mean() - 0.5) < 0.2


def test_likeliest_labels_agree_with_the_true_ones():
    for seed in range(3):
        drawn = mixing.draw("linear3", seed)
        assert ((drawn.labels == drawn.likeliest).mean(axis=1) > 0.75).all()


def test_weights_of_a_switched_column_differ():
    rng = np.random.default_rng(0)
    for _ in range(50):
        weights = mixing.draw_weights(rng, 2, True)
        assert weights.shape == (2, 2)
        assert np.abs(weights[0] - weights[1]).max() >= 1.0
    assert mixing.draw_weights(rng, 3, False).shape == (1, 3)


def test_answers_of_other_programs_are_compared(tmp_path, capsys, monkeypatch):
    drawn = mixing.draw("linear1", 7)
    (nodes,), labels = drawn.sets, drawn.labels[0].tolist()
    edges = np.argwhere(drawn.adjacency).tolist()
    answer = {"edges": edges, "sets": [nodes], "labels": {str(nodes[0]): labels}, "seconds": 2.0}
    mixing.main(
        ["export", str(tmp_path), "--cells", "linear1", "--first-seed", "7", "--count", "1"]
    )
    np.testing.assert_array_equal(np.load(tmp_path / "linear1-7.npz")["table"], drawn.table)
    (tmp_path / "linear1-7.json").write_text(json.dumps(answer))
    path = tmp_path / "rows.jsonl"
    mixing.main(["take", str(path), "--answers", str(tmp_path), "--method", "other"])
    monkeypatch.setattr(
        mixing, "measure", lambda cell, seed: mixing.read(path)[0] | {"method": OURS}
    )
    command = ["run", str(path), "--cells", "linear1", "--first-seed", "7", "--count", "1"]
    mixing.main(command)
    mixing.main(command)
    assert len(mixing.read(path)) == 2
    mixing.main(["table", str(path)])
    ours, other = capsys.readouterr().out.splitlines()[2:]
    start = "| linear | 1 | other | 1 | 0.00 | 1.00 | 1.00 | 1.00 | 0.50 |"
    assert other.startswith(start)
    assert ours.startswith(start.replace("other", OURS))
