"""A quick hostile round as the tests of continuous integration run it."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_a_quick_hostile_round_is_handled():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.hostile", "--quick"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
