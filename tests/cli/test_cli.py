import csv
import json
import os
import re
import select
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

import anmmm.cli as cli_module
from anmmm import __version__, cluster_mechanisms, infer_direction
from anmmm.collection.schema import DIRECTIONS
from anmmm.datasets import make_anm_mixture
from anmmm.direction.outcome import format_confidence, format_probability, is_sure
from drawn import write_columns
from waiting import LIMIT, outputs_of, python, started


@pytest.fixture(autouse=True)
def _one_blas_thread():
    # On a busy machine threads of small matrices wait for each other for seconds.
    with threadpool_limits(1):
        yield


PAIR = X, Y = make_anm_mixture("f3", 40, random_state=1)[:2]


@pytest.fixture
def data(tmp_path):
    """Path of 40 observations whose cause is the *second* column, under a header."""
    return write_columns(tmp_path / "data.csv", Y, X, header="ozone,temperature")


@pytest.fixture
def folder(tmp_path):
    """Four pairs in Tübingen layout: two analysable, one with a constant, one without a file."""
    path = tmp_path / "pairs"
    path.mkdir()
    write_columns(path / "pair0001.txt", X, Y, delimiter=" ")
    write_columns(path / "pair0002.txt", Y, X, delimiter="\t")
    (path / "pair0003.txt").write_text("\n".join(f"{a} 1 {a}" for a in range(40)))
    (path / "pairmeta.txt").write_text(
        "0001 1 1 2 2 0.25\n0002 1 1 2 2 0.75\n0003 1 2 3 3 0\n0004 1 1 2 2 1\n"
    )
    return path


# --- direction ------------------------------------------------------------------------------------


def test_direction_says_which_column_is_the_cause(printed, data):
    result = infer_direction(Y, X)
    out = printed("direction", data)
    lines = out.splitlines()
    decided = "temperature → ozone"
    confidence = format_confidence(result.confidence)
    leaning = f"leaning {decided}, confidence {confidence} (sure from 0.9 on)"
    assert lines[0] == (decided if is_sure(result) else leaning)
    # The columns of the table of hypotheses end below each other.
    table = lines[2:5]
    assert table[1].startswith("  ozone → temperature  ")
    assert table[0].split() == ["hypothesis", "length", "mechanisms", "model"]
    assert table[2].split()[3:] == [f"{result.models.backward_score:.6g}", "2", "anm-2"]
    check = "the residuals of the model do not depend on the cause"
    common, length = result.evidence.common_cause, result.evidence.common_cause.length / 40
    assert lines[5].split() == ["common", "cause", f"{length:.6g}", *common.model.split()]
    names = ("ozone → temperature", decided, "common cause", "independent")
    probable = zip(names, result.probabilities, strict=True)
    assert lines[7:16] == [
        f"  score         {result.score:+.4g}   (positive: ozone → temperature)",
        f"  confidence    {confidence}",
        "  probability   " + ", ".join(f"{name} {format_probability(p)}" for name, p in probable),
        "  criterion     evidence",
        "  model         anm-2: 2 mechanisms, additive Gaussian noise",
        f"  dependence    {result.dependence:.4g}   (nats per observation saved over independence)",
        f"  independence  p = {result.independence_pvalue:.3g}   (HSIC test of both columns)",
        f"  check         p = {result.check_pvalue:.3g}   ({check})",
        "  observations  40",
    ]
    assert lines[16] == "  converged     yes"
    assert "in nats per observation: the shorter wins" in out


def test_undecided_columns_name_no_model(printed, document, tmp_path):
    x = np.random.default_rng(0).normal(size=30)
    out = printed("direction", write_columns(tmp_path / "t.csv", x, x, header="a,b"))
    assert out.startswith("undecided between a → b and b → a\n")
    assert "  model  " not in out.split("score")[1]
    found = document("direction", "t.csv")
    assert (found["direction"], found["model"], found["n_mechanisms"]) == (0, None, None)


@pytest.mark.parametrize("command", [["direction", "data.csv"], ["directions", "pairs"]])
def test_a_weight_that_would_not_be_used_is_refused(printed, refused, data, folder, command):
    assert refused(*command, "--lam", "0.5").startswith(
        "--lam has no effect under --criterion 'evidence', which fits no Θ"
    )
    printed(*command, "--lam", "0.5", "--criterion", "hsic")


@pytest.mark.parametrize("options", [{}, {"criterion": "hsic_ratio", "lam": 0.5}])
def test_direction_json_agrees_with_the_library(document, data, options):
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    found = document("direction", data, *given)
    table = pd.read_csv(data)
    called = {"criterion": "hsic_ratio", "fit_options": {"lam": 0.5}} if options else {}
    result = infer_direction(*(table[name] for name in table), random_state=0, **called)
    expected = result.to_dict() | {"n_dropped": 0, "seed": 0, "n_used": 40, "subsample_seed": None}
    assert set(found) == {*expected, "anmmm_version"}
    for name, value in expected.items():
        if isinstance(value, float):
            value = pytest.approx(value, rel=1e-6)
        elif isinstance(value, dict):
            value = pytest.approx(value, rel=1e-6, abs=1e-12)
        assert found[name] == value, name
    assert (found["x"], found["y"], found["n"]) == ("ozone", "temperature", 40)
    for name in ("forward_pvalue", "backward_pvalue"):
        assert (found[name] is None) is (not options)
    model = (None, None) if options else ("anm-2", 2)
    assert (found["model"], found["n_mechanisms"]) == model
    turned = document("direction", data, "--x", "temperature", *given)
    for each, name in ((found, "ozone"), (turned, "temperature")):
        assert (each["cause"] == name) is (each["direction"] == 1)
    assert (turned["direction"], turned["score"]) == (-found["direction"], -found["score"])


def test_a_criterion_of_the_latent(printed, data):
    out = printed("direction", data, "--criterion", "hsic_ratio", "--lam", "0.5")
    lines = out.splitlines()
    assert len({len(line) for line in lines[2:5]}) == 1
    assert lines[2].split() == ["hypothesis", "dependence", "p-value"]
    assert "  criterion     hsic_ratio, λ = 0.5" in lines
    assert "The p-values rank, they do not test" in out


def test_columns_are_chosen_by_name_or_number(run, document, tmp_path):
    days = [f"day {n}" for n in range(40)]
    write_columns(tmp_path / "t.csv", days, *PAIR, header="day,b,c")
    for x, y, names in (("b", "c", "bc"), ("3", "2", "cb"), ("c", "2", "cb")):
        found = document("direction", "t.csv", "--x", x, "--y", y)
        assert found["x"] + found["y"] == names
    write_columns(tmp_path / "t.txt", *PAIR, delimiter="  ")
    assert "  column 1 → column 2  " in run("direction", "t.txt")[1].splitlines()[3]


def test_direction_reads_standard_input(printed, refused, data, monkeypatch):
    with data.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert json.loads(printed("direction", "-", "--json"))["cause"] == "temperature"
    monkeypatch.setattr(sys, "stdin", None)
    closed = "<stdin>: standard input is closed; name a file, or pipe a table in\n"
    assert refused("direction", "-") == closed


def test_a_long_file_is_cut_and_says_so(run, data):
    status, out, err = run("direction", data, "--max-samples", "30", "--seed", "5")
    assert status == 0
    assert "  observations  30 of 40" in out.splitlines()
    assert err == "30 of 40 rows drawn with seed 5\n"


def test_missing_values_are_refused_with_their_line_or_dropped_with_their_count(
    run, refused, tmp_path
):
    lines = write_columns(tmp_path / "m.csv", *PAIR, header="a,b").read_text().splitlines()
    lines[7] = "NA," + lines[7].split(",")[1]
    lines[9] = lines[9].split(",")[0] + ","
    (tmp_path / "m.csv").write_text("\n".join(lines))
    assert refused("direction", "m.csv") == (
        "m.csv:8: the value of a is missing (2 rows of 40 lack one); "
        "--drop-missing leaves such rows out\n"
    )
    status, out, err = run("direction", "m.csv", "--drop-missing", "--json")
    assert status == 0
    assert (json.loads(out)["n"], json.loads(out)["n_dropped"]) == (38, 2)
    assert err == "2 rows with a missing value left out\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv: the file is empty"),
        ("a,b\n1,2\n3\n", "t.csv:3: expected 2 fields as on line 1, found 1"),
        ("a,b\n1,2\n3,x\n", "t.csv:3: b holds 'x', which is not a number"),
        ("a,b\n1,\n3,\n", "t.csv: b has no values"),
        ("a,b\n1,2\n3,inf\n", "t.csv:3: the value of b is infinite"),
        ("5,2,3\n4,5,6\n", "t.csv: 3 columns; name two after the file, from 1 to 3"),
        ("a,b\n1,2\n2,5\n", "t.csv: a has n_samples=2, but at least 10"),
        ("a,a\n" + "1,2\n" * 12, "t.csv: a (column 1) is constant"),
    ],
)
def test_unusable_files_exit_2_with_the_place(refused, tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    for command in ("direction", "cluster"):
        assert refused(command, "t.csv").startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["direction", "none.csv"], "none.csv: No such file or directory\n"),
        (["direction", "."], ".: Is a directory\n"),
        (["direction", "data.csv", "--x", "wind"], "data.csv: X wind: no such column; there are"),
        (["direction", "data.csv", "--x", "2", "--y", "temperature"], "data.csv: X and Y are"),
        (["direction", "data.csv", "--lam", "-1", "--criterion", "hsic"], "--lam must be"),
        (["cluster", "data.csv", "-k", "two"], "--n-mechanisms must be a whole number or 'auto'"),
        (["cluster", "data.csv", "-k", "41"], "--n-mechanisms must be at most n_samples"),
        (["cluster", "data.csv", "-o", "x.txt"], "x.txt: the name must end in .csv\n"),
        (["directions", "none"], "none: no such folder\n"),
        (
            ["directions", "sample", "--criterion", "foo"],
            "--criterion must be one of 'evidence', 'hsic', 'hsic_ratio'; found 'foo'",
        ),
        (["evaluate", "f9"], "f9: neither a folder nor a setting; the settings are f1,"),
        (["evaluate", "no/f9"], "no/f9: no such folder\n"),
        (["evaluate", "sample", "--n-samples", "30"], "--n-samples is for the settings by name"),
    ],
)
def test_wrong_arguments_exit_2_with_one_line(refused, data, arguments, message):
    assert refused(*arguments).startswith(message)
    data.unlink()
    none = ".: no pairmeta.txt and no pair file in this folder\n"
    assert refused("directions", ".") == none


@pytest.mark.parametrize("number", ["0", "-2"])
def test_a_number_of_threads_that_numba_refuses_is_refused(refused, data, monkeypatch, number):
    monkeypatch.setenv("NUMBA_NUM_THREADS", number)
    assert refused("direction", data).startswith("NUMBA_NUM_THREADS must be at least 1")


def test_columns_of_one_name_are_told_apart(run, tmp_path):
    x = np.arange(40.0)
    table = np.column_stack([x, np.sin(x) + 0.1 * x])
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,a", comments="")
    _, out, _ = run("direction", "t.csv")
    assert "a (column 1) → a (column 2)" in out
    assert run("direction", "t.csv", "--x", "a")[2].startswith("t.csv: X a: 2 columns have")


def test_what_a_file_holds_does_not_steer_the_terminal(run, tmp_path):
    steering = "\x1b[31ma\x1b]0;title\x07"
    x = np.arange(40.0)
    body = "".join(f"{a},{np.sin(a) + 0.1 * a}\n" for a in x)
    (tmp_path / "t.csv").write_text(f"{steering},b\x9b\n{body}")
    (tmp_path / "\x1b[2J.csv").write_text("1,2\n")
    for arguments in (
        ["direction", "t.csv"],
        ["direction", "t.csv", "--json"],
        ["direction", "t.csv", "--x", "none"],
        ["direction", "\x1b[2J.csv"],
        ["cluster", "t.csv"],
        ["directions", "t.csv"],
        ["directions", "t.csv", "--columns", "none,b"],
        ["directions", "t.csv", "--columns", "all"],
        ["evaluate", "\x1b[2J.csv"],
    ):
        _, out, err = run(*arguments)
        assert (out + err).replace("\n", "").isprintable(), arguments
        assert r"\x1b[" in out + err or r"\u001b" in out


# --- cluster --------------------------------------------------------------------------------------


def test_cluster_writes_labels_with_the_line_of_each_row(run, tmp_path):
    path = write_columns(tmp_path / "t.csv", *PAIR, header="cause,effect")
    lines = path.read_text().splitlines()
    lines.insert(4, "")
    lines.insert(11, "NA,1")
    path.write_text("\n".join(lines))
    status, out, err = run("cluster", "t.csv", "--drop-missing", "-o", "labels.csv")
    assert (status, out) == (0, "")
    assert "40 observations, cause cause, effect effect" in err
    assert "labels written to labels.csv" in err
    with (tmp_path / "labels.csv").open() as file:
        rows = list(csv.DictReader(file))
    header = ["line", "cause", "effect", "label", "latent_1", "probability_0", "probability_1"]
    assert list(rows[0]) == header
    for row in rows:
        probabilities = [float(row["probability_0"]), float(row["probability_1"])]
        assert sum(probabilities) == pytest.approx(1.0)
        assert max(map(len, (row["probability_0"], row["probability_1"]))) <= len("0.123456")
        assert int(row["label"]) == np.argmax(probabilities)
    expected = [n for n in range(2, 44) if n not in (5, 12)]
    assert [int(row["line"]) for row in rows] == expected
    assert [float(row["cause"]) for row in rows] == X.tolist()
    assert [float(row["effect"]) for row in rows] == Y.tolist()
    assert {row["label"] for row in rows} == {"0", "1"}
    sizes = [sum(row["label"] == str(label) for row in rows) for label in range(2)]
    assert [line.split()[1] for line in err.splitlines()[4:6]] == [str(size) for size in sizes]


@pytest.mark.parametrize(
    ("arguments", "n_mechanisms", "options"),
    [
        (("--x", "temperature", "-k", "3", "--seed", "2"), 3, {"random_state": 2}),
        (("--x", "2", "--no-refine"), 2, {"refine": False, "random_state": 0}),
    ],
)
def test_cluster_agrees_with_the_library(run, data, arguments, n_mechanisms, options):
    status, out, err = run("cluster", data, *arguments)
    rows = list(csv.DictReader(out.splitlines()))
    assert status == 0
    assert [float(row["temperature"]) for row in rows] == X.tolist()
    labels = cluster_mechanisms(*PAIR, n_mechanisms, **options).labels
    assert [int(row["label"]) for row in rows] == labels.tolist()
    assert ("labels not refined: refine is False" in err) is ("refine" in options)


def test_cluster_without_refinement_has_no_probabilities(document, data):
    found = document("cluster", data, "--no-refine", "-o", "labels.csv")
    assert (found["cause"], found["effect"]) == ("ozone", "temperature")
    assert (found["refined"], found["n_mechanisms"]) == (False, 2)
    assert not {"labels", "probabilities"} & set(found)
    assert sum(found["sizes"]) == 40
    assert set(found["rows"][0]) == {"line", "x", "y", "label", "latent_1"}
    labels = (data.parent / "labels.csv").read_text().splitlines()
    assert (labels[0], len(labels)) == ("line,ozone,temperature,label,latent_1", 41)
    assert len(found["rows"]) == 40


def test_cluster_keeps_x_and_y_where_a_column_has_the_name_of_another_title(run, tmp_path):
    path = write_columns(tmp_path / "t.csv", *PAIR, header="line,y")
    assert run("cluster", path, "--no-refine")[1].startswith("line,x,y,label,latent_1\n")
    path = write_columns(tmp_path / "t.csv", *PAIR, header="y,x")
    assert run("cluster", path, "--no-refine")[1].startswith("line,y,x,label,latent_1\n")


# --- directions -----------------------------------------------------------------------------------


def test_directions_prints_one_aligned_row_a_pair_and_the_accuracy(run, printed, folder):
    lines = printed("directions", folder).splitlines()
    header, rows = lines[0], lines[1:5]
    assert header.split() == ["pair", "n", "relation", "score", "confidence", "truth", "note"]
    assert [row.split()[0] for row in rows] == [f"pair000{n}" for n in (1, 2, 3, 4)]
    assert "x → y" in rows[0]
    assert "✓" in rows[0]
    assert "y → x" in rows[1]
    assert "✗" in rows[1]
    assert rows[2].index("—") == header.index("relation")
    assert "unusable: column 1 of x is constant" in rows[2]
    assert "unusable: pair0004.txt: no such file" in rows[3]
    assert lines[5] == ""
    assert re.match(r"4 pairs: [012] sure, (\d leaning, )?2 unusable", lines[6])
    assert re.match("2 of 2 pairs are related, [012] of them with a sure direction", lines[7])
    assert lines[8] == "accuracy           0.500   (1 of 2 pairs of known direction)"
    assert lines[9] == "weighted accuracy  0.250   (total weight 1)"
    assert "20/40" in run("directions", folder, "--max-samples", "20")[1].splitlines()[1]


def test_directions_writes_rows_as_csv_and_json(printed, document, folder, tmp_path):
    out = printed("directions", folder, "-o", "r.csv", messages="4 rows written to r.csv\n")
    assert out.startswith("pair ")
    assert sorted(os.listdir(tmp_path)) == ["pairs", "r.csv"]
    with (tmp_path / "r.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(DIRECTIONS.columns)
    assert [row["pair_id"] for row in rows] == [f"pair000{n}" for n in (1, 2, 3, 4)]
    assert [row["status"] for row in rows] == ["ok", "ok", "unusable", "unusable"]
    assert [row["direction"] for row in rows] == ["1", "-1", "", ""]
    assert [row["weight"] for row in rows] == ["0.25", "0.75", "0.0", "1.0"]
    assert [row["model"] for row in rows] == ["anm-2", "anm-2", "", ""]
    assert [row["n_mechanisms"] for row in rows] == ["2", "2", "", ""]
    assert {row["forward_pvalue"] for row in rows} == {row["seconds"] for row in rows} == {""}

    found = document("directions", folder, "-o", "r.jsonl", "--timings")
    lines = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    assert found["rows"] == list(map(json.loads, lines))
    assert all(row["seconds"] > 0 for row in found["rows"] if row["status"] == "ok")
    assert found["summary"]["weighted_accuracy"] == 0.25
    assert [row["direction"] for row in found["rows"]] == [1, -1, None, None]
    assert float(rows[0]["score"]) == found["rows"][0]["score"]


def test_the_output_in_the_readme_is_true(run):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    shown = readme.split("```text\n")[1].split("```")[0]
    status, out, _ = run("directions", "sample")
    assert status == 0
    # In the README "…" is anything; another machine may round a score the other way.
    number = r"([+-]?\d\.\d{3})"
    texts = [re.escape(text).replace("…", ".*?") for text in re.split(number, shown)[::2]]
    found = re.fullmatch(number.join(texts), out, re.DOTALL)
    assert found, out
    scores = [found.groups(), re.findall(number, shown)]
    np.testing.assert_allclose(*np.asarray(scores, float), atol=0.0015)


# --- evaluate -------------------------------------------------------------------------------------


def test_evaluate_prints_an_aligned_table(printed):
    options = "--n-pairs 4 --n-samples 30 --seed 3 --criterion hsic"
    lines = printed("evaluate", "f3", *options.split()).splitlines()
    assert lines[0] == "f3, 30 observations a pair, seeds 3 to 6, criterion hsic"
    names = ["pairs", "accuracy", "weighted accuracy", "ROC-AUC", "seconds per pair"]
    assert [line[:19].rstrip() for line in lines[2:7]] == names
    assert lines[8].startswith("decided  accuracy")
    assert [line.split()[0] for line in lines[9:]] == [f"{rate}%" for rate in range(10, 101, 10)]
    assert len({len(line) for line in lines[8:]}) == 1


def test_evaluate_a_folder_tells_the_failures(run, folder):
    status, out, _ = run("evaluate", folder, "--criterion", "hsic")
    assert status == 0
    assert "not analyzed\npair0003  unusable: column 1 of x is constant" in out
    assert "pair0004  unusable: pair0004.txt: no such file" in out


# --- the terminal ---------------------------------------------------------------------------------


def test_evaluate_json_and_plot(printed, tmp_path):
    pytest.importorskip("matplotlib")
    options = "--n-pairs 3 --n-samples 20 --json --plot p.png"
    out = printed("evaluate", "AN", *options.split(), messages="plot written to p.png\n")
    assert json.loads(out)["setting"] == {"n_pairs": 3, "n_samples": 20, "first_seed": 0}
    assert (tmp_path / "p.png").read_bytes()[1:4] == b"PNG"


def test_version_and_help_come_at_once_and_without_the_numerical_core():
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
    process = started("directions", folder, "--max-samples", "20", env=environment)
    out, err = outputs_of(process, "four pairs")
    assert err == ""
    assert "->" in out
    assert out.isascii()
    # What is spelled longer moves no column.
    header, *rows = out.splitlines()[:3]
    end = header.index("confidence") + len("confidence")
    assert all(re.search(r"  (0\.\d\d|>0\.99)$", row[:end]) for row in rows)


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_closed_pipe_is_quiet(folder):
    process = started("directions", folder, "--max-samples", "20")
    process.stdout.readline()
    process.stdout.close()
    assert outputs_of(process, "its closed output")[1] == ""
    assert process.returncode in (0, 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line_and_exit_2(folder, unbuffered):
    with open("/dev/full", "w") as full:
        options = {"stdout": full, "env": {**os.environ, "PYTHONUNBUFFERED": unbuffered}}
        process = started("directions", folder, "--max-samples", "20", **options)
        _, err = outputs_of(process, "four pairs")
    assert (process.returncode, err) == (2, "standard output: No space left on device\n")


@pytest.fixture
def terminal():
    """Run a command on a pseudo-terminal; returns (exit status, everything that it showed)."""
    pty = pytest.importorskip("pty")
    import fcntl
    import struct
    import termios

    def call(*arguments, interrupt_after=None):
        pid, screen = pty.fork()
        if pid == 0:
            os.execv(sys.executable, [sys.executable, "-m", "anmmm", *map(str, arguments)])
        # A bar needs a width.
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        shown, end = b"", time.monotonic() + LIMIT
        while True:
            if not select.select([screen], [], [], max(0.0, end - time.monotonic()))[0]:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                pytest.fail(f"waited {LIMIT:g} s in vain for the end after {shown.decode()!r}")
            try:
                piece = os.read(screen, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
            if interrupt_after is not None and interrupt_after in shown:
                interrupt_after = None
                time.sleep(0.1)
                os.kill(pid, signal.SIGINT)
        os.close(screen)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()

    return call


def test_the_bar_never_stands_in_a_row(terminal, folder):
    status, shown = terminal("directions", folder, "--max-samples", "20")
    assert status == 0
    assert "1/4" in shown
    lines = shown.split("\r\n")
    # What remains of each line after its carriage returns is what the reader sees.
    visible = [line.split("\r")[-1] for line in lines]
    assert sum(line.startswith("pair000") for line in visible) == 4
    assert not any("%|" in line for line in visible)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.long)])
def test_ctrl_c_exits_130_quietly_and_writes_nothing(terminal, folder, tmp_path, jobs):
    x = np.random.default_rng(0).normal(size=(2000, 2))
    np.savetxt(folder / "pair0002.txt", x)
    output = tmp_path / "r.csv"
    # The criterion that takes seconds for a pair of this size.
    options = ["--criterion", "hsic", "-j", jobs, "-o", output]
    status, shown = terminal("directions", folder, *options, interrupt_after=b"pair0001")
    assert status == 130
    assert "Traceback" not in shown
    assert "Error" not in shown
    assert not output.exists()
    assert not list(tmp_path.glob(".*"))


def test_all_cores_compile_for_commands_that_decide_by_evidence(monkeypatch):
    asked = []
    monkeypatch.setattr("anmmm._ahead.compile_ahead", lambda parts: asked.append(parts))
    cli_module._compile_ahead()
    for name, rest, ahead in (
        ("direction", ["data.csv"], True),
        ("directions", ["sample", "--criterion", "evidence"], True),
        ("directions", ["sample", "--criterion", "hsic"], False),
        ("cluster", ["data.csv"], False),
        ("graph", ["data.csv"], True),
    ):
        asked.clear()
        with cli_module.cli.commands[name].make_context(name, rest):
            cli_module._compile_ahead()
        assert bool(asked) is ahead


def test_confidence_is_shown_and_what_is_not_sure_is_undecided(printed, document, refused, data):
    assert "  confidence    0.67\n" in printed("direction", data)
    found = document("direction", data, "--min-confidence", "1")
    assert found["direction"] == 0
    assert (found["relation"], found["sure"], found["cause"]) == ("undecided", None, None)
    assert 0.5 < found["confidence"] < 1.0
    err = refused("direction", data, "--min-confidence", "2")
    assert "--min-confidence must lie between 0.5 and 1" in err


@pytest.mark.parametrize(("bend", "leans"), [(0.0, False), (0.4, True)])
def test_what_is_not_sure_is_printed_as_a_leaning_or_none(
    run, document, tmp_path, rng, bend, leans
):
    # No direction is distinguished in a linear Gaussian pair, however confidence is calibrated.
    x = rng.normal(size=100)
    y = x + bend * x**2 + rng.normal(size=100)
    write_columns(tmp_path / "t.csv", x, y, header="dose,response")
    found = document("direction", "t.csv")
    assert 0.6 <= found["confidence"] < 0.9 if leans else found["confidence"] < 0.6
    cause, effect = found["cause"], found["effect"]
    relation = "x→y" if cause == "dose" else "y→x"
    assert (found["relation"], found["sure"]) == (relation, False)
    _, out, _ = run("direction", "t.csv")
    said = f"leaning {cause} → {effect}" if leans else "no preference"
    confidence = f"confidence {format_confidence(found['confidence'])} (sure from 0.9 on)"
    assert out.splitlines()[0] == f"{said}, {confidence}"
    _, out, _ = run("directions", "t.csv", "--columns", "all")
    assert f"  {said}  " in out.splitlines()[1]
    counts = "0 sure, 1 leaning" if leans else "0 sure, 1 no preference"
    assert f"1 pair: {counts}\n" in out
    assert "1 of 1 pair is related, without a sure direction (" in out


def test_independent_columns_and_those_left_out_are_said(run, document, tmp_path, rng):
    columns = *rng.normal(size=(2, 60)), ["p"] * 60, [1] * 60
    write_columns(tmp_path / "t.csv", *columns, header="a,b,name,k")
    _, out, _ = run("direction", "t.csv", "--x", "a", "--y", "b")
    assert out.startswith("independent: knowing one variable does not help to describe the other\n")
    status, out, err = run("directions", "t.csv", "--columns", "all")
    assert status == 0
    assert err == "t.csv: columns left out of all pairs: k, name (constant)\n"
    header, row, *_ = out.splitlines()
    assert row.index("independent  ") == header.index("relation")
    assert "1 pair: 0 sure, 1 independent\n" in out
    assert "0 of 1 pair is related (false discovery rate 0.05, sure from 0.9 on)" in out
    assert "accuracy" not in out
    found = document("directions", "t.csv", "--columns", "all")
    assert found["rows"][0]["relation"] == "independent"
    assert (found["summary"]["n_independent"], found["summary"]["n_related"]) == (1, 0)


def test_a_table_of_many_columns_is_not_listed_whole(run, tmp_path):
    names = [f"c{i}" for i in range(20_000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    for options in ((), ("--x", "none")):
        _, _, err = run("direction", "t.csv", *options)
        assert "c0, c1, c2, c3, c4, c5, c6, c7 and 19992 more" in err
        assert len(err) < 300


def test_what_may_be_thousands_is_said(run, tmp_path):
    rows = "".join(f"{i},{i:03};{i * i % 7}\n" for i in range(1, 30))
    (tmp_path / "t.csv").write_text("a;b\n" + rows)
    _, _, err = run("direction", "t.csv")
    assert err.startswith(
        "t.csv: every comma of a is followed by three digits, as a thousands separ"
    )
    _, _, err = run("directions", ".")
    assert err.count("every comma of a is followed") == 1
    assert "UserWarning" not in err


def test_cluster_chooses_the_number(run, tmp_path):
    x, y, _ = make_anm_mixture("f3", 200, random_state=1)
    write_columns(tmp_path / "t.csv", x, y)
    status, out, err = run("cluster", "t.csv", "--n-mechanisms", "auto", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["n_mechanisms"] == 2 == 1 + np.argmin(found["criteria"])
    assert found["refined"] is True
    assert {row["label"] for row in found["rows"]} == {0, 1}
    assert "number of mechanisms chosen by the shortest description, in nats (1: " in err


def test_columns_are_named_after_the_file(run, document, tmp_path, data):
    by_option = document("direction", data, "--x", "temperature", "--y", "1")
    by_name = document("direction", data, "temperature", "1")
    assert by_name == by_option
    # Of two columns, the one that is not named is the other.
    assert document("direction", data, "temperature") == by_option
    assert document("cluster", data, "temperature", "1")["cause"] == "temperature"
    for given, message in (
        (("wind", "1"), "X wind: no such column; there are"),
        (("1", "temprature"), "Y temprature: no such column"),
        (("1", "2", "3"), "--columns all, or anmmm graph"),
        (("1", "2", "--x", "1"), "or by --x and --y"),
        (("temperature", "2"), "X and Y are both temperature"),
    ):
        for command in ("direction", "cluster"):
            code, _, err = run(command, data, *given)
            assert code == 2
            assert message in err


@pytest.mark.parametrize("name", ["t.parquet", "t.data"])
def test_columns_of_parquet_files_are_read(run, document, refused, tmp_path, rng, name):
    age = rng.normal(size=60)
    frame = pd.DataFrame({"age": age, "site": ["a", "b", "c"] * 20, "crp": age**2})
    frame["crp"] += 0.1 * rng.normal(size=60)
    frame["day"] = pd.Timestamp("2020-01-01")
    frame.to_parquet(tmp_path / name)
    frame.drop(columns="day").to_csv(tmp_path / "t.csv", index=False)
    for columns in (("age", "crp"), ("3", "1"), ("age", "site")):
        assert document("direction", name, *columns) == document("direction", "t.csv", *columns)
    sizes, from_text = (document("cluster", n, "age", "crp")["sizes"] for n in (name, "t.csv"))
    assert sizes == from_text
    assert "4 columns; name two after the file, from age, site" in refused("direction", name)
    assert "dates" in refused("direction", name, "age", "day")
    frame.loc[3, "crp"] = np.nan
    frame[["age", "crp"]].to_parquet(tmp_path / name)
    assert f"{name}:4: the value of crp is missing" in refused("direction", name)
    assert document("direction", name, "--drop-missing")["n"] == 59
