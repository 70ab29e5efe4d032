"""What ``mypy --strict`` says of uses of the public interface: right ones pass, mistakes fail."""

import re
from pathlib import Path

import pytest

from subprocess_helpers import python

FOLDER = Path(__file__).parent / "typed"


@pytest.mark.slow
def test_mistakes_are_found_and_right_uses_pass(tmp_path):
    pytest.importorskip("mypy")
    options = ["--strict", "--no-error-summary", "--config-file=", f"--cache-dir={tmp_path}"]
    found = python("-m", "mypy", *options, FOLDER, check=False, timeout=None)
    errors = re.findall(r"(\w+)\.py:(\d+): error: .*\[([\w-]+)\]$", found.stdout, re.MULTILINE)
    marked = [
        ("fails", str(number), line.rsplit("  # ", 1)[1])
        for number, line in enumerate((FOLDER / "fails.py").read_text().splitlines(), 1)
        if "  # " in line
    ]
    assert marked, found.stderr
    assert sorted(set(errors)) == sorted(marked), found.stdout
