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


def test_the_walk_finds_examples():
    assert {"anmmm.direction.infer", "anmmm.collection.runner"} <= set(modules_with_examples())


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        *(f"docs/guide/{n}.md" for n in ("collections", "graphs", "outcomes", "sources", "stable")),
    ],
)
def test_examples_of_the_documentation(page, tmp_path, monkeypatch):
    # Some write the files that they read.
    monkeypatch.chdir(tmp_path)
    path = Path(__file__).parents[1] / page
    outcome = doctest.testfile(str(path), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 0
