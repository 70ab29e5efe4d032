"""The site has every public name, and pages outside of it lead somewhere."""

import importlib
import re
import tomllib
import types
from pathlib import Path
from typing import get_args

import pytest

import anmmm
from anmmm.direction.outcome import Relation
from anmmm.evidence.models import MODELS
from anmmm.evidence.models.form import SUFFIXES
from anmmm.graph.forms import MARKS

ROOT = Path(__file__).parents[1]
PACKAGES = "clustering collection datasets direction evaluation evidence gppom graph mixture"
MODULES = ["anmmm", "anmmm.plotting", "anmmm.report"]
MODULES += [f"anmmm.{name}" for name in PACKAGES.split()]


def listed():
    """Objects of the reference, by the current module of its text."""
    found = {}
    for page in (ROOT / "docs/api").glob("*.rst"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split()[-1]
            elif re.fullmatch(r"   [\w.]+", line) and module:
                found[f"{module}.{line.strip()}"] = True
    return found


def test_the_reference_has_every_public_name_and_no_other():
    objects = []
    for name in listed():
        module, _, attribute = name.rpartition(".")
        # Adapters of libraries that may not be here stand in modules of their own.
        if not module.startswith("anmmm.interop."):
            package = importlib.import_module(module)
            assert attribute in package.__all__, name
            objects.append(getattr(package, attribute))
    for name in MODULES:
        module = importlib.import_module(name)
        for attribute in module.__all__:
            thing = getattr(module, attribute)
            if not isinstance(thing, types.ModuleType) and attribute != "__version__":
                assert any(thing is other for other in objects), f"{name}.{attribute}"


def test_the_page_of_stable_names_has_all_public_names():
    page = (ROOT / "docs" / "guide" / "stable.md").read_text(encoding="utf-8")
    assert set(anmmm.__all__) <= set(re.findall(r"`([\w.]+)(?:\([\w, =]*\))?`", page))


def test_the_glossary_has_the_names_of_models_and_relations():
    text = (ROOT / "docs" / "guide" / "glossary.md").read_text(encoding="utf-8")
    bases = {kind.FORM.base for kind in MODELS if not kind.FORM.suffixes} - {""}
    names = bases | {f"+{suffix}" for suffix in SUFFIXES} | set(get_args(Relation)) | set(MARKS)
    assert not {name for name in names if f"`{name}" not in text}


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/development.md"]
)
def test_links_of_pages_outside_of_the_site_exist(name):
    page = ROOT / name
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_the_version_is_written_in_one_place():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert not re.search(r'^version = "', text, re.MULTILINE)
    assert anmmm.__version__ in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_badges_are_true():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [(ROOT / f"docs/images/{name}.svg").read_text() for name in ("python", "license")]
    heads = "Programming Language :: Python :: 3."
    versions = [each.split()[-1] for each in package["classifiers"] if each.startswith(heads)]
    assert f"python: {' | '.join(versions)}<" in texts[0]
    assert f"license: {package['license']}<" in texts[1]


def test_public_functions_and_estimators_have_an_example():
    for name in listed():
        module, _, attribute = name.rpartition(".")
        if module.startswith("anmmm.interop."):
            continue
        thing = getattr(importlib.import_module(module), attribute)
        is_estimator = hasattr(thing, "get_params")
        if is_estimator or isinstance(thing, types.FunctionType):
            assert ">>> " in thing.__doc__, name
