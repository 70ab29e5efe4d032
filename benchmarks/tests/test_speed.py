"""asv can import its benchmarks with nothing but the package and its requirements installed."""

import ast
import json
import re
import sys
from importlib.metadata import packages_distributions, requires

import pytest

from benchmarks.speed.calls import CALLS
from benchmarks.stored import ROOT

CONFIGURATION = re.sub(r"^\s*//.*$", "", (ROOT / "asv.conf.json").read_text(), flags=re.MULTILINE)
FOLDER = ROOT / json.loads(CONFIGURATION)["benchmark_dir"]


def test_benchmarks_import_what_the_package_requires():
    required = {
        re.match(r"[\w.-]+", line).group().lower()
        for line in requires("anmmm")
        if "extra ==" not in line
    }
    allowed = {"anmmm"} | sys.stdlib_module_names
    for name, distributions in packages_distributions().items():
        if required & {distribution.lower() for distribution in distributions}:
            allowed.add(name)
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module.split(".")[0] in allowed


@pytest.mark.parametrize("name", CALLS)
def test_calls_can_be_timed(name):
    make, _ = CALLS[name]
    make(60)()
