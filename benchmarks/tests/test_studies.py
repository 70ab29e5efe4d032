"""Studies count what they say they count."""

import csv
import importlib
import pkgutil

import numpy as np

from benchmarks import studies
from benchmarks.studies import common_causes
from benchmarks.studies.calibration import Rows, abstain, append_rows
from benchmarks.studies.families import print_bins
from benchmarks.studies.vectors import report_pairs


def test_every_study_can_be_imported():
    for module in pkgutil.iter_modules(studies.__path__):
        importlib.import_module(f"benchmarks.studies.{module.name}")


def test_confidences_are_counted_in_bins_and_among_families_with_a_cause(capsys):
    directions = [(0.95, 1, 1), (0.97, 0, 0), (0.5, 1, 1), (0.99, 1, 1)]
    print_bins(300, np.array(directions, dtype=float))
    assert capsys.readouterr().out.splitlines() == [
        "| 300 | from 0.0 to 0.6 | 1 | 0.50 | 1.00 | 1.00 |",
        "| 300 | from 0.95 to 0.99 | 2 | 0.96 | 0.50 | 1.00 |",
        "| 300 | from 0.99 to 1.0 | 1 | 0.99 | 1.00 | 1.00 |",
    ]


def test_pairs_without_a_direction_are_not_decided_at_any_confidence(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 200))
    effect = np.tanh(2.0 * x[0]) + 0.2 * rng.normal(size=200)
    pairs = [(x[0], effect, 1), (x[1], x[2], 1), (x[0], effect, -1)]
    path = tmp_path / "pairs.csv"
    append_rows(path, (("012"[i], "pairs", *pair, 1.0, None) for i, pair in enumerate(pairs)))
    with path.open() as file:
        assert [float(row[9]) for row in csv.reader(file)] == [1.0, 0.0, -1.0]
    capsys.readouterr()
    abstain(Rows(path))
    decided, right = capsys.readouterr().out.splitlines()[2:]
    assert decided.split(" | ")[:2] == ["| pairs: decided", "0.67"]
    assert right.split(" | ")[:2] == ["| right", "0.500"]


def test_a_pair_beyond_the_limits_of_evidence_is_reported_without_a_model(tmp_path, capsys):
    rng = np.random.default_rng(0)
    np.savetxt(tmp_path / "pair0001.txt", rng.normal(size=(40, 34)))
    (tmp_path / "pairmeta.txt").write_text("0001 1 17 18 34 1\n")
    report_pairs(tmp_path, 500, "evidence")
    cells = capsys.readouterr().out.splitlines()[-1].split(" | ")
    assert cells[:4] == ["| pair0001", "17 and 17", "40", "hsic"]
    assert cells[7] == ""


def test_families_of_one_kind_keep_their_seeds(tmp_path, monkeypatch):
    names = list(common_causes.FAMILIES)
    decided = []

    def decide(name, n, seed):
        decided.append((name, n, seed))
        return dict.fromkeys(
            ("common_cause", "nats", "right_before", "wrong_before", "right", "wrong"), 0.0
        )

    monkeypatch.setattr(common_causes, "decide", decide)
    monkeypatch.setattr(common_causes, "seconds_to_draw", lambda name, n: 2.0 * (name == "AN"))
    path = tmp_path / "direct.csv"
    common_causes.study(path, [3000], 30_000, 2, 1, ["direct"], slow=1)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["family"] for row in rows] == list(common_causes.DIRECT)
    assert [row["half"] == "reported" for row in rows] == [
        names.index(row["family"]) % 2 == 1 for row in rows
    ]
    assert {seed for _, _, seed in decided} == {30_000, 30_001}
    assert [seed for name, _, seed in decided if name == "AN"] == [30_000]
