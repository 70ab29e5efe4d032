"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import anmmm

# Libraries without which a module cannot be imported and its examples are left out, told.
EXTRAS = {
    "causallearn",
    "dask",
    "distributed",
    "matplotlib",
    "networkx",
    "polars",
    "pandas",
    "pyarrow",
    "ray",
}


def modules_with_examples():
    """Names of all modules of the package whose text holds an example, without importing them."""
    found = []
    for module in pkgutil.walk_packages(anmmm.__path__, "anmmm."):
        spec = module.module_finder.find_spec(module.name)
        if ">>> " in Path(spec.origin).read_text(encoding="utf-8"):
            found.append(module.name)
    return found


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] not in EXTRAS:
            raise
        pytest.skip(f"{name} needs {error.name}")
    outcome = doctest.testmod(module)
    assert outcome.failed == 0
    assert outcome.attempted > 0


def test_the_walk_goes_everywhere():
    # More may come; an example that is taken away is taken from here too.
    assert set(modules_with_examples()) >= {
        "anmmm.clustering.cluster",
        "anmmm.collection.clusters",
        "anmmm.collection.runner",
        "anmmm.collection.sources.opening",
        "anmmm.collection.sources.table",
        "anmmm.confidence",
        "anmmm.datasets.families",
        "anmmm.datasets.synthetic",
        "anmmm.direction.estimator",
        "anmmm.direction.infer",
        "anmmm.direction.outcome",
        "anmmm.evaluation.rates",
        "anmmm.evaluation.run",
        "anmmm.evidence.lengths",
        "anmmm.gppom.estimator",
        "anmmm.independence",
        "anmmm.interop._pairs",
        "anmmm.mixture.estimator",
        "anmmm.orientation.run",
        "anmmm.report.reasons",
        "anmmm.report.write",
    }


@pytest.mark.parametrize(
    "name",
    ["README.md", "docs/guide/collections.md", "docs/guide/graphs.md", "docs/guide/outcomes.md"],
)
def test_examples_of_the_documentation(name):
    path = Path(__file__).parents[1] / name
    outcome = doctest.testfile(str(path), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 0


def test_sources_page(tmp_path, monkeypatch):
    page = Path(__file__).parents[1] / "docs" / "guide" / "sources.md"
    # The examples write the files that they read.
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 10
