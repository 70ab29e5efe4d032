"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil
import re
import shlex
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from click.testing import CliRunner

import anmmm
from anmmm.cli import cli

# Libraries without which a module cannot be imported and its examples are left out, told.
EXTRAS = "causallearn dask distributed matplotlib networkx polars pandas pyarrow ray"
PAGES = "collections data graphs many mechanisms outcomes stable"


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
        if error.name.partition(".")[0] not in EXTRAS.split():
            raise
        pytest.skip(f"{name} needs {error.name}")
    outcome = doctest.testmod(module)
    assert outcome.failed == 0
    assert outcome.attempted > 0


def test_the_walk_finds_examples():
    assert {"anmmm.direction.infer", "anmmm.collection.directions"} <= set(modules_with_examples())


@pytest.mark.parametrize("page", ["README.md", *(f"docs/guide/{n}.md" for n in PAGES.split())])
def test_examples_of_the_documentation(page, tmp_path, monkeypatch):
    # Some write the files that they read.
    monkeypatch.chdir(tmp_path)
    path = Path(__file__).parents[1] / page
    outcome = doctest.testfile(str(path), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 0


def console_sessions(text):
    """Commands of a page's console blocks, and the output shown for each."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    found = [
        part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)
    ]
    return [(command, shown) for command, _, shown in found if command.startswith("anmmm ")]


def test_getting_started_prints_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[1] / "docs/guide/start.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
    sessions = console_sessions(page.read_text(encoding="utf-8"))
    assert len(sessions) == 3
    for command, shown in sessions:
        result = CliRunner().invoke(cli, shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
        # In the page "…" is anything.
        assert fnmatchcase(result.output, shown.replace("…", "*")), result.output
