"""Waiting in tests: with a limit, and saying for what it was in vain."""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

# Far beyond what anything here takes on a machine that does other things as well.
LIMIT = 180.0


def wait_until(happened, what, *, process=None):
    """Wait until ``happened()`` is true; fail if `process` ends before, or at the limit."""
    end = time.monotonic() + LIMIT
    while not happened():
        if process is not None and process.poll() is not None and not happened():
            out, err = process.communicate(timeout=LIMIT)
            pytest.fail(f"ended with {process.returncode} before {what}:\n{out}\n{err}")
        if time.monotonic() > end:
            if process is not None:
                process.kill()
            pytest.fail(f"waited {LIMIT:g} s in vain for {what}")
        time.sleep(0.005)


def outputs_of(process, what):
    """Return standard output and error of a process that is to end for the reason `what`."""
    try:
        return process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"waited {LIMIT:g} s in vain for the end of the process after {what}")


def started(*arguments, **options):
    """Start the command with these arguments, in a session of its own and with pipes."""
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
    command = [sys.executable, "-m", "anmmm", *map(str, arguments)]
    return subprocess.Popen(command, text=True, **options)


def python(*arguments, **options):
    """Run Python with these arguments to its end, which is waited for with a limit."""
    options = {"capture_output": True, "text": True, "timeout": LIMIT, "check": True} | options
    return subprocess.run([sys.executable, *map(str, arguments)], **options)


@contextmanager
def largest_file(size):
    """Limit the size of files, which stops a write as a full disk does."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def rows_of(path):
    """Return how many rows a checkpoint has, which a run may be writing to; -1 if none is there."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        try:
            # This first: what comes after it may be newer, and is then left out.
            for suffix in ("", "-wal"):
                shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
        except FileNotFoundError:
            pass
        try:
            with closing(sqlite3.connect(copy)) as database:
                query = "SELECT count(*) FROM rows WHERE position >= 0"
                return database.execute(query).fetchone()[0]
        except sqlite3.DatabaseError:
            return -1
