import csv
import json
import os
import sys

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from anmmm import __version__, cluster_mechanisms, evaluate, infer_direction
from anmmm.cli import messages as cli_messages
from anmmm.cli import run as cli_run
from anmmm.collection import read_rows
from anmmm.collection.files import file_columns
from anmmm.collection.records import PairClusters, PairResult
from anmmm.datasets import make_anm_mixture
from drawn import write_columns
from subprocess_helpers import outputs_of, python, started


@pytest.fixture(autouse=True)
def _one_blas_thread():
    # On a busy machine threads of small matrices wait for each other for seconds.
    with threadpool_limits(1):
        yield


PAIR = X, Y = make_anm_mixture("f3", 80, random_state=1)[:2]


@pytest.fixture
def data(tmp_path):
    """Path of 80 observations whose cause is the *second* column, under a header."""
    return write_columns(tmp_path / "data.csv", Y, X, header="ozone,temperature")


@pytest.fixture
def folder(tmp_path):
    """Four pairs in Tübingen layout: two analysable, one with a constant, one without a file."""
    path = tmp_path / "pairs"
    path.mkdir()
    write_columns(path / "pair0001.txt", X, Y, delimiter=" ")
    write_columns(path / "pair0002.txt", Y, X, delimiter="\t")
    (path / "pair0003.txt").write_text("\n".join(f"{a} 1 {a}" for a in range(80)))
    (path / "pairmeta.txt").write_text(
        "0001 1 1 2 2 0.25\n0002 1 1 2 2 0.75\n0003 1 2 3 3 0\n0004 1 1 2 2 1\n"
    )
    return path


# --- direction ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"criterion": "hsic_ratio"}])
def test_direction_agrees_with_the_library(document, printed, data, options):
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    found = document("direction", data, *given)
    table = pd.read_csv(data)
    result = infer_direction(*(table[name] for name in table), random_state=0, **options)
    assert printed("direction", data, *given) == f"{result}\n"
    expected = result.to_dict() | {"n_dropped": 0, "random_state": 0}
    assert set(found) == {*expected, "anmmm_version"}
    for name, value in expected.items():
        if isinstance(value, float):
            value = pytest.approx(value, rel=1e-6)
        elif isinstance(value, dict):
            value = pytest.approx(value, rel=1e-6, abs=1e-12)
        assert found[name] == value, name


def test_cluster_agrees_with_the_library(run, data):
    status, out, _ = run("cluster", data, "temperature", "-k", "3", "--random-state", "2")
    rows = list(csv.DictReader(out.splitlines()))
    assert status == 0
    assert [float(row["temperature"]) for row in rows] == X.tolist()
    labels = cluster_mechanisms(*PAIR, 3, random_state=2).labels
    assert [int(row["label"]) for row in rows] == labels.tolist()


def test_pairs_of_columns_without_a_direction(run, document, tmp_path, rng):
    a, b, noise = rng.normal(size=(3, 100))
    columns = a, b, a + noise, ["p"] * 100, [1] * 100
    write_columns(tmp_path / "t.csv", *columns, header="a,b,c,name,k")
    status, out, err = run("directions", "t.csv", "--pairs", "all")
    assert (status, "name, k (constant)" in err) == (0, True)
    assert "no preference" in out.splitlines()[2]
    assert "1 no preference" in out
    found = document("directions", "t.csv", "--pairs", "a,b")
    assert found["rows"][0]["relation"] == "independent"
    assert (found["summary"]["n_independent"], found["summary"]["n_related"]) == (1, 0)


def test_columns_are_chosen_by_name_or_number(run, document, data):
    expected = document("direction", data, "2", "ozone")
    assert (expected["x"], expected["y"]) == ("temperature", "ozone")
    for columns in (["temperature", "1"], ["temperature"], ["2"]):
        assert document("direction", data, *columns) == expected
    assert document("cluster", data, "temperature", "1")["cause"] == "temperature"
    for given, message in (
        (("wind", "1"), "X names 'wind'"),
        (("1", "temprature"), "Y names 'temprature'"),
        (("1", "2", "3"), "--pairs all"),
        (("temperature", "2"), "both temperature"),
    ):
        for command in ("direction", "cluster"):
            code, _, err = run(command, data, *given)
            assert (code, message in err) == (2, True)


def test_rows_with_missing_values_are_refused_or_dropped(run, refused, tmp_path):
    lines = write_columns(tmp_path / "m.csv", *PAIR, header="a,b").read_text().splitlines()
    lines[7] = "NA," + lines[7].split(",")[1]
    lines[9] = lines[9].split(",")[0] + ","
    (tmp_path / "m.csv").write_text("\n".join(lines))
    assert "m.csv:8: the value of a is missing; --missing drop" in refused("direction", "m.csv")
    status, out, err = run("direction", "m.csv", "--missing", "drop", "--json")
    assert (json.loads(out)["n"], json.loads(out)["n_dropped"]) == (78, 2)
    assert (status, "2 rows" in err) == (0, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "t.csv:3: expected 2 fields"),
        ("a,b\n1,2\n3,inf\n", "t.csv:3: the value of b is infinite"),
        ("5,2,3\n4,5,6\n", "t.csv: 3 columns; name two"),
        ("a,b\n" + "1,2\n" * 12, "t.csv: a is constant"),
    ],
)
def test_unusable_files_exit_2_with_the_place(refused, tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    for command in ("direction", "cluster"):
        assert refused(command, "t.csv").startswith(message)
    (tmp_path / "t.csv").write_text("a,kind\n" + "".join(f"{i},k{i % 3}\n" for i in range(12)))
    assert "column kind holds text" in refused("cluster", "t.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["direction", "none.csv"], "none.csv: No such file"),
        (["direction", "."], ".: Is a directory"),
        (["cluster", "data.csv", "-k", "two"], "n_mechanisms must be a whole number"),
        (["directions", "none"], "none: No such file"),
        (["directions", "sample", "--resume"], "--resume needs"),
        (["report", "data.csv", "--pairs", "all"], "--pairs, --categories and --header are for"),
        (["evaluate", "f9"], "f9: No such file"),
        (["clusters", "sample", "--cause", "z"], "cause must be one of"),
    ],
)
def test_wrong_arguments_exit_2_with_one_line(refused, data, arguments, message):
    assert refused(*arguments).startswith(message)


def test_direction_reads_standard_input(printed, data, monkeypatch):
    with data.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert json.loads(printed("direction", "-", "--json"))["cause"] == "temperature"


def test_cluster_writes_labels_with_the_line_of_each_row(run, tmp_path):
    path = write_columns(tmp_path / "t.csv", *PAIR, header="cause,effect")
    lines = path.read_text().splitlines()
    lines.insert(4, "")
    lines.insert(11, "NA,1")
    path.write_text("\n".join(lines))
    status, out, err = run("cluster", "t.csv", "--missing", "drop", "-o", "labels.csv")
    assert (status, out, "labels.csv" in err) == (0, "", True)
    rows = pd.read_csv(tmp_path / "labels.csv")
    assert list(rows.columns[:5]) == ["line", "cause", "effect", "label", "latent_1"]
    assert rows["line"].tolist() == [n for n in range(2, 84) if n not in (5, 12)]
    np.testing.assert_array_equal(rows[["cause", "effect"]].T, PAIR)
    probabilities = rows[["probability_0", "probability_1"]].to_numpy()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=2e-6)
    assert rows["label"].tolist() == probabilities.argmax(axis=1).tolist()


# --- many pairs -----------------------------------------------------------------------------------


def test_directions_prints_a_row_a_pair_and_the_accuracy(printed, folder):
    lines = printed("directions", folder).splitlines()
    header, rows = lines[0], lines[1:5]
    assert header.split() == ["pair", "n", "relation", "score", "confidence", "truth", "notes"]
    for row, number, text in zip(
        rows, (1, 2, 3, 4), ("x → y", "y → x", "constant", "no such file"), strict=True
    ):
        assert row.startswith(f"pair000{number}")
        assert text in row
    # Columns are aligned.
    assert rows[2].index("—") == header.index("relation")
    assert ("✓" in rows[0], "✗" in rows[1]) == (True, True)
    assert "right directions: 1 of 2 decided pairs" in lines[-1]


def test_directions_writes_rows_as_csv_and_json(printed, document, folder, tmp_path):
    printed("directions", folder, "-o", "r.csv", messages="4 rows written to r.csv\n")
    rows = pd.read_csv(tmp_path / "r.csv")
    assert list(rows) == list(file_columns(PairResult))
    assert rows["pair_id"].tolist() == [f"pair000{n}" for n in (1, 2, 3, 4)]
    assert rows["status"].tolist() == ["ok", "ok", "unusable", "unusable"]
    assert rows["weight"].tolist() == [0.25, 0.75, 0.0, 1.0]
    found = document("directions", folder)
    assert [row["pair_id"] for row in found["rows"]] == rows["pair_id"].tolist()
    assert found["summary"]["weighted_accuracy"] == 0.25
    assert [row["direction"] for row in found["rows"]] == [1, -1, None, None]
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv"]


def test_clusters_are_a_table_and_rows(run, document, folder, tmp_path):
    assert run("clusters", folder, "-k", "2")[1].split()[:4] == ["pair", "n", "cause", "sizes"]
    status, out, _ = run("clusters", folder, "-k", "2", "-o", "r.csv")
    assert (status, out) == (0, "4 pairs: 2 labeled, 2 unusable\n")
    rows = list(read_rows(tmp_path / "r.csv", PairClusters))
    assert [sum(row.sizes or ()) for row in rows] == [80, 80, 0, 0]
    found = document("clusters", folder, "--cause", "y")["rows"]
    assert {row["cause"] for row in found} == {"y", None}


def test_evaluate_agrees_with_the_library(printed, folder):
    result = evaluate(folder, max_samples=40)
    assert printed("evaluate", folder, "--max-samples", "40") == f"{result}\n"


# --- the terminal ---------------------------------------------------------------------------------


def test_version_and_help_come_without_the_numerical_core():
    code = (
        "import sys; sys.argv = ['anmmm', '--help']\n"
        "from anmmm.cli import main\n"
        "try:\n    main()\nexcept SystemExit: pass\n"
        "print([m for m in ('numpy', 'numba', 'sklearn', 'tqdm') if m in sys.modules])"
    )
    done = python("-c", code)
    assert "direction " in done.stdout
    assert done.stdout.endswith("[]\n")
    out, err = outputs_of(started("--version"), "the version")
    assert (out, err) == (f"anmmm {__version__}\n", "")


def test_an_ascii_terminal_gets_ascii(folder):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = started("directions", folder, env=environment)
    out, err = outputs_of(process, "four pairs")
    assert (err, "->" in out, out.isascii()) == ("", True, True)


@pytest.mark.parametrize(
    "pair_id", ["new\nline", "\x1b[31mred", "tab\t", "\u202ertl", "\ud800", "x" * 10_000]
)
def test_ids_that_steer_a_terminal_are_escaped_on_one_line(pair_id):
    for line in cli_run._lines([PairResult(pair_id, n=20, status="error", notes="two\nlines")]):
        assert line.isprintable()
        assert len(line) < 160


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_closed_pipe_is_quiet_and_a_full_disk_is_one_line(folder):
    process = started("directions", folder, "--max-samples", "20")
    process.stdout.readline()
    process.stdout.close()
    assert outputs_of(process, "its closed output")[1] == ""
    assert process.returncode in (0, 1)
    with open("/dev/full", "w") as full:
        process = started("directions", folder, "--max-samples", "20", stdout=full)
        _, err = outputs_of(process, "four pairs")
    assert (process.returncode, err) == (2, "standard output: No space left on device\n")


def test_long_work_is_shown_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with cli_messages.shown_on_terminal("comparing"):
        assert "comparing …\r" in capsys.readouterr().err
