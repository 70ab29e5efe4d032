"""Processes in tests: started, waited for with a limit, and files that a full disk stops."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import anmmm

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


def running(*arguments, **options):
    """Start Python with these arguments, in a session of its own and with pipes."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(command, **pipes | {"start_new_session": True} | options)


def started(*arguments, **options):
    """Start the command with these arguments."""
    return running("-m", "anmmm", *arguments, **options)


def python(*arguments, env=(), check=True, **options):
    """Run Python with the tested package, within a limit; fail if it fails and `check` is true."""
    paths = [str(Path(anmmm.__file__).parents[1]), os.environ.get("PYTHONPATH")]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | dict(env)
    options = {"capture_output": True, "text": True, "timeout": LIMIT} | options
    done = subprocess.run([sys.executable, *map(str, arguments)], env=env, check=False, **options)
    assert done.returncode == 0 or not check, done.stderr
    return done


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
            # The file first: what comes after it may be newer, and is then left out.
            for suffix in ("", "-wal"):
                if Path(f"{path}{suffix}").exists():
                    shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
            with closing(sqlite3.connect(copy)) as database:
                return database.execute("SELECT count(*) FROM rows").fetchone()[0]
        except (FileNotFoundError, sqlite3.DatabaseError):
            return -1
