"""Runners resume to the same rows, and tables count what they say they count."""

import numpy as np
import pandas as pd
import pytest

from anmmm.datasets.sample import SAMPLE
from benchmarks import clusters, decide, tables
from benchmarks.runs import read_options, run, seed_range

LINE = {"family": "direct/x", "n": 100, "seed": 0, "method": "anmmm", "options": "{}"}
LINE |= {"truth": 1, "relation": "x->y", "score": 0.1, "confidence": 0.95, "notes": ""}
LINE |= {"check_pvalue": 0.5, "forward": 0.9, "backward": 0.02, "common_cause": 0.08}
LINE |= {"independent": 0.0, "columns": "1 and 1", "weight": 1.0, "data_set": "a", "rows": 100}


def lines(*changes):
    return pd.DataFrame([LINE | {"seed": seed} | change for seed, change in enumerate(changes)])


def rows_of(path):
    rows = pd.read_parquet(path).drop(columns=["seconds", "source"])
    return rows.sort_values(["family", "seed"], ignore_index=True)


def test_a_killed_run_goes_on_to_the_same_rows(tmp_path):
    command = ["trades/5/insured value and premium", "nothing/independent", "-n", "40"]
    whole = tmp_path / "whole.parquet"
    parts = tmp_path / "parts.parquet"
    decide.main([*command, "--seeds", "0:3", "-o", str(whole)])
    decide.main([*command[:1], "-n", "40", "--seeds", "0:2", "-o", str(parts)])
    decide.main([*command, "--seeds", "0:3", "-o", str(parts), "-j", "2"])
    found = rows_of(parts)
    expected = rows_of(whole)
    pd.testing.assert_frame_equal(found, expected, check_like=True)
    assert found["exchanged"].tolist() == 2 * [False, True, False]
    assert found["truth"].tolist() == [0, 0, 0, 1, -1, 1]


def test_finished_tasks_are_not_done_again(tmp_path):
    path = tmp_path / "rows.parquet"
    done = []

    def work(place):
        done.append(place)
        return {"square": place**2}

    run(path, [{"place": 2}, {"place": 3}], work, ["place"], 1)
    rows = run(path, [{"place": place} for place in range(2, 5)], work, ["place"], 1)
    assert done == [2, 3, 4]
    assert rows["square"].tolist() == [4, 9, 16]
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]


def test_other_methods_real_pairs_and_options(tmp_path):
    path = tmp_path / "rows.parquet"
    decide.main([f"tuebingen:{SAMPLE}", "-n", "30", "--method", "igci", "-o", str(path)])
    found = pd.read_parquet(path)
    assert set(found["relation"]) <= {"x->y", "y->x"}
    assert not found["exchanged"].any()
    assert (found["rows"] <= 30).all()
    command = ["mixtures/f1", "-n", "40", "--seeds", "1", "-o", str(path)]
    decide.main([*command, "--options", "common_cause=False"])
    row = pd.read_parquet(path).iloc[-1]
    assert row["common_cause"] == 0.0
    assert row["common_cause_nats"] == -np.inf
    vectors = ("vectors", "vectors/additive, gaussian", 40, 0)
    assert decide.decide(*vectors, "igci", "{}")["relation"] == "undecided"


def test_arguments(tmp_path, capsys):
    command = ["trades/9", "-o", str(tmp_path / "rows.parquet")]
    with pytest.raises(SystemExit):
        decide.main(command)
    assert "no family or group 'trades/9'" in capsys.readouterr().err
    assert read_options(["a=1", "b=False", "c=hsic"]) == {"a": 1, "b": False, "c": "hsic"}
    assert list(seed_range("3:5")) == [3, 4]
    with pytest.raises(Exception, match="FIRST:END"):
        seed_range("5:3")


def test_shares_of_a_summary():
    rows = lines(
        {},
        {"relation": "y->x", "score": -0.1, "forward": 0.02, "backward": 0.9},
        {"relation": "common cause", "confidence": 0.04, "forward": 0.1, "common_cause": 0.86},
        {"relation": "independent", "truth": 0, "score": 0.0, "confidence": 0.5},
        {"relation": "constant"},
    )
    row = tables.summary(rows).iloc[0]
    assert row["pairs"] == 4
    assert (row["right"], row["sure_right"], row["sure_wrong"]) == (0.25, 0.25, 0.25)
    assert (row["right_by_sign"], row["called_common_cause"]) == (0.5, 0.25)
    assert row["called_independent"] == 0.25


def test_accuracies_of_real_pairs():
    rows = pd.concat([lines({}, {"score": -1.0}, {}, {"truth": -1, "score": -1.0})] * 2)
    rows["family"] = 4 * ["tuebingen/p"] + 4 * ["sim/p"]
    rows["data_set"] = list("abcd") * 2
    table = tables.pairs(rows).set_index("")
    assert table.loc["Tübingen, all, 4 pairs of 4 data sets", "plain"].startswith("0.750")
    assert (
        table.loc["SIM, even (not used for choices), 2 pairs of 2 data sets", "plain"][:5]
        == "1.000"
    )
    found = tables.protocols(rows)
    assert found["pairs"].tolist() == [4, 4, 4, 4, 4]


def test_methods_on_real_pairs():
    ours = {"options": '{"prior": "flat"}', "log_odds": 3.0, "forward": 0.95, "backward": 0.05}
    ours |= {"x_values": 50, "y_values": 50, "seconds": 0.5, "family": "real/p"}
    few = ours | {"x_values": 2}
    changes = [ours, ours | {"log_odds": -3.0}, few, few, few | {"truth": -1}]
    changes += 2 * [ours | {"family": "sim/p"}] + 2 * [ours | {"family": "tuebingen/p"}]
    rows = lines(*changes).assign(data_set=list("abcdefghi"))
    others = rows.assign(method="igci", options="{}", score=[1.0, 0.0, *7 * [-1.0]])
    table = tables.real(pd.concat([rows, others])).set_index("method")
    row = table.loc["anmmm, flat prior"]
    assert (row["right"][:4], row["area"], row["sure"]) == ("0.50", "0.75", "1.00")
    # Few-valued causes and effects weigh the same.
    assert (row["few values: right"][:4], row["few values: sure, right"]) == ("0.50", "0.50")
    assert (row["SIM: right"][:4], row["CPU s"]) == ("1.00", "0.5")
    # An undecided pair is half right.
    assert table.loc["IGCI", "right"][:4] == "0.75"
    assert table.loc["IGCI", "few values: right"][:4] == "0.50"


def test_abstention_counts_directions():
    changes = [{}, {"relation": "y->x", "confidence": 0.7}, {"relation": "independent"}]
    rows = pd.concat([lines(*changes).assign(family=name) for name in ("mixed", "sim/p")])
    table = tables.abstention(pd.concat([rows, lines({}).assign(family="tuebingen/p")]))
    assert table.iloc[0, 1:].tolist() == ["0.67", "0.67", "0.67", "0.33", "0.33", "0.33"]
    assert table.iloc[1, 1:].tolist()[:4] == ["0.500", "0.500", "0.500", "1.000"]


def test_clusters_by_each_method(tmp_path):
    path = tmp_path / "clusters.parquet"
    for method in ("bayes", "em"):
        command = ["f3-c3", "-n", "60", "--seeds", "0:2", "--method", method, "-o", str(path)]
        clusters.main(command)
    table = clusters.summary(pd.read_parquet(path)).set_index("method")
    assert table["data_sets"].tolist() == [2, 2]
    assert (table["ari"] > 0.3).all()
