"""Run the command again and again, each time ended by a signal at a random moment.

``python ended.py FOLDER SIGNAL RUNS JOBS [SEED]`` prints one JSON object a run: exit ``status``,
standard ``error``, number of rows ``kept``, ``files``, names of what is ``left`` in shared memory,
and what was waited for in vain, ``stuck``. Forks, so that the imports, which take longer than a
run, are paid for once.
"""

import json
import os
import random
import select
import signal
import sys
import time

import stubs

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))

import anmmm.collection
from anmmm import cli
from anmmm.cli import run as cli_run
from waiting import rows_of

# For whatever is waited for; workers may need a minute to start on a machine with other work.
LIMIT = 240.0
MEMORY = "/dev/shm"
# Of the command, those that any work has.
OPTIONS = ("n_jobs", "checkpoint", "shard", "random_state", "progress")


def without_end(pairs, **options):
    """What ``anmmm directions`` computes, with work that is nothing but waiting."""
    options = {name: value for name, value in options.items() if name in OPTIONS}
    return stubs.run(stubs.Source(100_000), rest=0.02, **options)


def command(folder, jobs, error):
    """Be the command, in a session of its own."""
    os.setsid()
    os.chdir(folder)
    os.dup2(error, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    anmmm.collection.infer_directions = without_end
    # No line of progress among what is said.
    cli_run.PROGRESS_SECONDS = 1e9
    sys.argv = ["anmmm", "directions", "sample", "-o", "r.csv", "-j", jobs]
    cli.main()


def wait_until(happened):
    """Tell whether it happened within the limit."""
    end = time.monotonic() + LIMIT
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def group_is_gone(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def read_to_end(file):
    """Return what a pipe holds, and whether its last writer went within the limit."""
    parts, end = [], time.monotonic() + LIMIT
    while select.select([file], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(file, 65536)
        if not part:
            return b"".join(parts).decode(), True
        parts.append(part)
    return b"".join(parts).decode(), False


def end(child, number):
    """Send the signal: SIGKILL to the driver alone, others to all."""
    if number == signal.SIGKILL:
        os.kill(child, number)
        return
    os.killpg(child, number)


def main(folder, name, runs, jobs, seed=""):
    draw = random.Random(f"{name} {jobs} {seed}")
    for count in range(int(runs)):
        place = os.path.join(folder, str(count))
        os.mkdir(place)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            command(place, jobs, writer)
        os.close(writer)
        stuck = []
        # The checkpoint is there before workers start, rows when they have done something.
        rows, checkpoint = draw.choice((0, 1, 39)), f"{place}/r.csv.checkpoint"
        if not wait_until(lambda rows=rows, path=checkpoint: rows_of(path) >= rows):
            stuck.append(f"{rows} rows in the checkpoint")
        time.sleep(draw.uniform(0.0, 0.5 if rows else 2.0))
        end(child, getattr(signal, name))
        error, closed = read_to_end(reader)
        os.close(reader)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if closed else None
        if not closed:
            stuck.append("end of the pipe")
        if not wait_until(lambda child=child: group_is_gone(child)):
            stuck.append("end of the processes")
            os.killpg(child, signal.SIGKILL)
        left = os.listdir(MEMORY) if os.path.isdir(MEMORY) else []
        left = [name for name in left if f"-{child}-" in name or f"_{child}_" in name]
        found = {"status": status, "error": error, "left": left, "stuck": stuck}
        found |= {"kept": max(0, rows_of(checkpoint)), "files": sorted(os.listdir(place))}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
