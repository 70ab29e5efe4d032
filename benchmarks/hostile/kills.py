"""Runs ended by a signal at random moments: rows kept, a line said, nothing left after seconds."""

import json
import signal
import subprocess
import sys
from pathlib import Path

SIGNALS = ("SIGKILL", "SIGINT", "SIGTERM", "SIGHUP")
SCRIPT = Path(__file__).parents[2] / "tests" / "collection" / "ended.py"
LIMIT = 1000


def problem(run, name):
    number = getattr(signal, name)
    if run["stuck"]:
        return f"waited in vain for {', '.join(run['stuck'])}"
    if run["left"]:
        return f"left {run['left']} in shared memory"
    if run["status"] != (-number if name == "SIGKILL" else 128 + number):
        return f"exit status {run['status']}"
    if "Traceback" in run["error"]:
        return "a traceback"
    if name != "SIGKILL" and run["kept"] and "--resume continues" not in run["error"]:
        return f"keeps {run['kept']} rows and says {run['error']!r}"
    return None


def cases(rng, count, folder):
    for number in range(count):
        name, jobs = SIGNALS[number % len(SIGNALS)], str(rng.integers(1, 3))
        place = folder / str(number)
        place.mkdir()
        done = subprocess.run(
            [sys.executable, str(SCRIPT), str(place), name, "1", jobs, str(rng.integers(2**31))],
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        what = f"case {number}: {name}, {jobs} jobs"
        if done.returncode:
            yield what, done.stderr[-300:]
        else:
            yield what, problem(json.loads(done.stdout), name)
