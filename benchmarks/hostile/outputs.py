"""Places that an output is to be written to: a whole table there, or everything as it was."""

import os

from click.testing import CliRunner

from anmmm.cli import cli
from anmmm.collection import read_rows

PAIRS = 12


def place(kind, folder):
    """Make what is at the place; return it and what must not change unless a table is written."""
    path = folder / "rows.csv"
    if kind == "text":
        path.write_text("my notes\n")
    elif kind == "protected":
        path.write_text("")
        path.chmod(0o444)
    elif kind == "link":
        (folder / "real.csv").write_text("")
        path.symlink_to("real.csv")
    elif kind == "dangling link":
        path.symlink_to("nowhere.csv")
    elif kind == "link to itself":
        path.symlink_to("rows.csv")
    elif kind == "folder":
        path.mkdir()
    elif kind == "no folder":
        path = folder / "none" / "rows.csv"
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "checkpoint is a folder":
        (folder / "rows.csv.checkpoint").mkdir()
    elif kind == "checkpoint is text":
        (folder / "rows.csv.checkpoint").write_text("my notes\n")
    elif kind == "long name":
        path = folder / f"{'r' * 300}.csv"
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
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        here = folder / str(number)
        here.mkdir()
        path = place(kind, here)
        arguments = ["directions", "sample", "--max-samples", "10", "-o", str(path)]
        if rng.random() < 0.5:
            arguments.append("--resume")
        before = path.read_bytes() if os.path.isfile(path) else None
        result = runner.invoke(cli, arguments)
        what = f"case {number}: {kind}{', --resume' * ('--resume' in arguments)}"
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            yield what, f"{type(result.exception).__name__}: {result.exception}"
        elif result.exit_code == 0:
            written = len(list(read_rows(path)))
            yield what, None if written == PAIRS else f"exit 0 and {written} rows"
        elif not result.stderr.strip():
            yield what, "fails without a word"
        else:
            after = path.read_bytes() if os.path.isfile(path) else None
            yield what, None if before == after else "fails and changes what was there"
