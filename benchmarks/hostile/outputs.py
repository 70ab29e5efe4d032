"""Places that outputs are to be written to: a whole file there, or everything as it was."""

import os

import numpy as np
from click.testing import CliRunner

from anmmm._files import is_result_file
from anmmm.cli import cli

# A command, its option for a file, and the name of that.
OUTPUTS = [
    *(
        (["directions", "{}/data.csv", "--columns", "all"], "-o", f"r.{each}")
        for each in ("csv", "jsonl", "parquet")
    ),
    *(
        (["graph", "{}/data.csv"], "-o", f"g.{each}")
        for each in ("csv", "json", "graphml", "parquet")
    ),
    (["directions", "{}/data.csv", "--columns", "all"], "--plot", "map.png"),
    (["directions", "{}/data.csv", "--columns", "all"], "--plot", "map.pdf"),
    (["evaluate", "f3", "--n-pairs", "1"], "--plot", "rates.pdf"),
    (["graph", "{}/data.csv"], "--plot", "g.svg"),
    (["graph", "{}/data.csv"], "--report", "g.html"),
    (["direction", "{}/data.csv"], "--plot", "d.png"),
    (["cluster", "{}/data.csv", "-k", "1"], "-o", "l.csv"),
    (["report", "{}/rows.csv"], "-o", "report.html"),
]


def inputs(folder):
    """Write what the commands read."""
    x, noise = np.random.default_rng(0).normal(size=(2, 30))
    table = np.column_stack([x, np.tanh(2 * x) + 0.2 * noise])
    np.savetxt(folder / "data.csv", table, delimiter=",", header="a,b", comments="")
    runner, rows = CliRunner(), str(folder / "rows.csv")
    runner.invoke(cli, ["directions", str(folder / "data.csv"), "--columns", "all", "-o", rows])


def place(kind, folder, name):
    """Make what is at the place, and return it."""
    path = folder / name
    if kind == "text":
        path.write_text("my notes\n")
    elif kind == "protected":
        path.write_text("")
        path.chmod(0o444)
    elif kind == "link":
        (folder / "real").write_text("")
        path.symlink_to("real")
    elif kind == "dangling link":
        path.symlink_to("nowhere")
    elif kind == "link to itself":
        path.symlink_to(name)
    elif kind == "folder":
        path.mkdir()
    elif kind == "no folder":
        path = folder / "none" / name
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "checkpoint is a folder":
        (folder / f"{name}.checkpoint").mkdir()
    elif kind == "checkpoint is text":
        (folder / f"{name}.checkpoint").write_text("my notes\n")
    elif kind == "long name":
        path = folder / f"{'r' * 300}{path.suffix}"
    return path


KINDS = (
    "nothing",
    "text",
    "protected",
    "link",
    "dangling link",
    "link to itself",
    "folder",
    "no folder",
    "checkpoint is a folder",
    "checkpoint is text",
    "long name",
)


def cases(rng, count, folder):
    runner = CliRunner()
    inputs(folder)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        arguments, option, name = OUTPUTS[int(rng.integers(len(OUTPUTS)))]
        here = folder / str(number)
        here.mkdir()
        path = place(kind, here, name)
        command = [*(each.format(folder) for each in arguments), option, str(path)]
        if rng.random() < 0.3:
            command.append("--force")
        if arguments[0] == "directions" and rng.random() < 0.5:
            command.append("--resume")
        before = path.read_bytes() if os.path.isfile(path) else None
        result = runner.invoke(cli, command)
        after = path.read_bytes() if os.path.isfile(path) else None
        what = f"case {number}: {kind}, {' '.join(command)}"
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            yield what, f"{type(result.exception).__name__}: {result.exception}"
        elif result.exit_code == 0 and kind == "text" and "--force" not in command:
            yield what, "replaces a file of others"
        elif result.exit_code == 0:
            yield what, None if after and is_result_file(path) else "exit 0 and no result"
        elif not result.stderr.strip():
            yield what, "fails without a word"
        else:
            yield what, None if before == after else "fails and changes what was there"
