"""asv can import its benchmarks where nothing but the package and its requirements is installed."""

import ast
import json
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires
from itertools import product
from pathlib import Path

import pytest

from anmmm.evidence import evidence
from benchmarks.speed import stages

ROOT = Path(__file__).parents[2]
CONFIGURATION = re.sub(r"^\s*//.*$", "", (ROOT / "asv.conf.json").read_text(), flags=re.MULTILINE)
FOLDER = ROOT / json.loads(CONFIGURATION)["benchmark_dir"]
MODULES = sorted(FOLDER.rglob("*.py"))


@cache
def allowed():
    """Top-level names of the package, what it always requires, and the standard library."""
    required = {
        re.match(r"[\w.-]+", line).group().lower()
        for line in requires("anmmm")
        if "extra ==" not in line
    }
    libraries = {
        name
        for name, distributions in packages_distributions().items()
        if required & {distribution.lower() for distribution in distributions}
    }
    return {"anmmm"} | libraries | sys.stdlib_module_names


def foreign(source):
    """Top-level names of what a source imports that asv's environment need not hold.

    asv calls the folder ``speed``, other benchmarks ``benchmarks.speed``: only relative imports
    mean the same module under both.
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.split(".")[0])
    return names - allowed()


def test_benchmarks_import_what_the_package_requires():
    assert len(MODULES) >= 5
    assert set().union(*(foreign(path.read_text()) for path in MODULES)) == set()
    # The check knows what is foreign.
    source = "import pyarrow\nfrom benchmarks.speed import common\nimport numpy\nimport json\n"
    assert foreign(source) == {"pyarrow", "benchmarks"}
    assert foreign("from .common import drawn\nfrom sklearn.cluster import KMeans\n") == set()


@pytest.mark.parametrize("name", ["Stage", "Mixtures"])
def test_stages_are_those_of_the_package(name, monkeypatch):
    """They call inner functions, whose changes nothing else would tell before a measurement."""
    # Kernels that are called are compiled anyway.
    monkeypatch.setattr(stages, "warm_up", lambda: None)
    kind = getattr(stages, name)
    for parameters in product(*kind.params[:-1], [100]):
        benchmark = kind()
        benchmark.setup(*parameters)
        for method in dir(benchmark):
            if method.startswith(("time_", "track_")):
                getattr(benchmark, method)(*parameters)


def test_stages_give_what_a_decision_does():
    at = stages.prepared(100)
    # The stages fit every number to its end.
    chosen = [fit for fit in at.fits.mixtures if fit.converged]
    assert len(chosen) > 1
    assert [fit.bound for fit in at.mixtures[: len(chosen)]] == [fit.bound for fit in chosen]
    assert at.model.length == evidence(at.raw, at.effect_raw).forward.lengths[at.model.name]
