"""The examples in the docstrings are true."""

import doctest
import importlib
from pathlib import Path

import pytest

MODULES = [
    "anmmm.baselines.anm",
    "anmmm.baselines.igci",
    "anmmm.baselines.lingam",
    "anmmm.baselines.pnl",
    "anmmm.clustering",
    "anmmm.collection.clusters",
    "anmmm.collection.runner",
    "anmmm.collection.sources.opening",
    "anmmm.collection.sources.table",
    "anmmm.confidence",
    "anmmm.datasets.families",
    "anmmm.datasets.synthetic",
    "anmmm.direction",
    "anmmm.evaluation",
    "anmmm.evidence",
    "anmmm.gppom",
    "anmmm.independence",
    "anmmm.report.reasons",
    "anmmm.report.write",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.failed == 0
    assert outcome.attempted > 0


@pytest.mark.parametrize("name", ["README.md", "docs/collections.md"])
def test_examples_of_the_documentation(name):
    path = Path(__file__).parents[1] / name
    outcome = doctest.testfile(str(path), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 0


def test_sources_page(tmp_path, monkeypatch):
    page = Path(__file__).parents[1] / "docs" / "sources.md"
    # The examples write the files that they read.
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 10
