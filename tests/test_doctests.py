"""The examples in the docstrings are true."""

import doctest
import importlib
from pathlib import Path

import pytest

MODULES = [
    "anmmm.clustering",
    "anmmm.collection.clusters",
    "anmmm.collection.runner",
    "anmmm.confidence",
    "anmmm.datasets.families",
    "anmmm.datasets.synthetic",
    "anmmm.direction",
    "anmmm.evaluation",
    "anmmm.evidence",
    "anmmm.gppom",
    "anmmm.independence",
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
