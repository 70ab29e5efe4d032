import json
import os
import signal
from pathlib import Path

import pytest

from waiting import python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="POSIX signals and fork"),
]
# Runs beyond a few are for whoever changes how a run ends.
MANY = int(os.environ.get("ANMMM_TEST_ENDS", "1"))
# For one run; each wait within it has a shorter limit of its own and says what it waited for.
LIMIT = 1000


def ended(folder, name, runs, jobs):
    """What is left of runs of the command that a signal ended at random moments."""
    script = Path(__file__).with_name("ended.py")
    done = python(script, folder, name, runs, jobs, timeout=LIMIT * runs)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == runs
    assert [run["stuck"] for run in found] == [[]] * runs, "waited in vain"
    return found


@pytest.mark.parametrize(
    ("name", "runs", "jobs"),
    [
        ("SIGTERM", 1, 2),
        ("SIGINT", 1, 1),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in [("SIGINT", 2, 2), ("SIGHUP", 1, 2), ("SIGTERM", 1, 1)]
        ),
    ],
)
def test_a_signal_keeps_the_rows_and_says_so_in_one_line(tmp_path, name, runs, jobs):
    for run in ended(tmp_path, name, runs * MANY, jobs):
        assert run["status"] == 128 + getattr(signal, name)
        assert run["left"] == []
        if run["kept"]:
            noun = "pair is" if run["kept"] == 1 else "pairs are"
            kept = f"{run['kept']} finished {noun} kept in r.csv.checkpoint; --resume continues\n"
            assert (run["error"], run["files"]) == (kept, ["r.csv.checkpoint"])
        else:
            assert (run["error"], run["files"]) == ("", [])


def test_a_killed_driver_leaves_no_process_and_nothing_in_shared_memory(tmp_path):
    for run in ended(tmp_path, "SIGKILL", MANY, 2):
        assert run["status"] == -signal.SIGKILL
        assert run["left"] == []
