"""A module imports only what stands upstream of it, compiles only in the kernels, never prints.

The checker reads sources without running them; every rule has an example that breaks it.
"""

import ast
import sys
from pathlib import Path

import pytest

import anmmm

ROOT = Path(anmmm.__file__).parent

# Upstream first. A new module or folder of the package takes its place here.
ORDER = (
    "_version",
    "_typing",
    "_kernels",
    "_threads",
    "_workers",
    "_warning",
    "_record",
    "_files",
    "_runlog",
    "results",
    "_validation",
    "preprocessing",
    "gppom",
    "independence",
    "mixture",
    "evidence",
    "confidence",
    "direction",
    "clustering",
    "datasets",
    "baselines",
    "collection",
    "evaluation",
    "plotting",
    "report",
    "experiments",
    "curves",
    "__init__",
    "cli",
    "__main__",
)
# Tighter than the order.
ONLY = {
    "datasets": {"_record", "_typing", "_validation", "_warning"},
    "independence": {"_kernels", "_typing", "_validation", "gppom", "results"},
}
KERNEL_LIBRARIES = {"anmmm", "llvmlite", "numba", "numpy"} | sys.stdlib_module_names
COMPILERS = {
    "cfunc", "generated_jit", "guvectorize", "intrinsic", "jit", "jit_module", "jitclass", "njit",
    "overload", "stencil", "vectorize",
}  # fmt: skip


def unit_of(module):
    """What stands directly below the package and holds a dotted name; None if it is foreign."""
    package, *rest = module.split(".")
    if package != "anmmm":
        return None
    # ``from anmmm import __version__`` names no unit: it comes from the package itself.
    return rest[0] if rest and rest[0] in ORDER else "__init__"


def imports_of(tree, module, is_package):
    """Yield (line, dotted name) of everything that a source imports, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                above = parts[: len(parts) - node.level + is_package]
                base = ".".join([*above, *([base] if base else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            named = called in ("import_module", "__import__") and node.args
            if named and isinstance(node.args[0], ast.Constant):
                yield node.lineno, node.args[0].value


def violations(source, module, *, is_package=False):
    """What a source does that its place in the package does not allow, one string a finding."""
    tree = ast.parse(source)
    unit = module.split(".")[1] if "." in module else "__init__"
    if unit not in ORDER:
        return [f"{module}: {unit!r} has no place in ORDER"]
    found = []

    for line, imported in imports_of(tree, module, is_package):
        other = unit_of(imported)
        library = imported.split(".")[0]
        if other is not None and other != unit:
            # The package's own file hands on names from everywhere.
            downstream = ORDER.index(other) > ORDER.index(unit) and unit != "__init__"
            if downstream or other not in ONLY.get(unit, ORDER):
                found.append(f"{module}:{line}: imports {imported}, which is not upstream")
        if unit == "_kernels" and library not in KERNEL_LIBRARIES:
            found.append(f"{module}:{line}: a kernel imports {library}")
        if unit != "_kernels":
            compiles = library == "numba" and imported.split(".")[-1] in COMPILERS
            if compiles or imported.startswith("anmmm._kernels._jit"):
                found.append(f"{module}:{line}: compiles outside _kernels ({imported})")

    numba_names = {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.split(".")[0] == "numba"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "print" and "cli" not in unit:
            found.append(f"{module}:{node.lineno}: prints")
        if (
            unit != "_kernels"
            and isinstance(node, ast.Attribute)
            and node.attr in COMPILERS
            and isinstance(node.value, ast.Name)
            and node.value.id in numba_names
        ):
            found.append(f"{module}:{node.lineno}: compiles outside _kernels (numba.{node.attr})")
    return found


SOURCES = sorted(ROOT.rglob("*.py"))


def name_of(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", SOURCES, ids=[name_of(path) for path in SOURCES])
def test_module_keeps_its_place(path):
    source = path.read_text(encoding="utf-8")
    found = violations(source, name_of(path), is_package=path.name == "__init__.py")
    assert not found, "\n".join(found)


def test_the_package_was_found():
    assert {"anmmm._kernels.rbf", "anmmm.gppom.objective", "anmmm.gppom"} <= set(
        map(name_of, SOURCES)
    )


# --- The checker catches what it is for -----------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "source", "finding"),
    [
        ("anmmm.preprocessing", "from anmmm.gppom import GPPOM", "imports anmmm.gppom.GPPOM"),
        ("anmmm.preprocessing", "import anmmm.gppom", "not upstream"),
        ("anmmm.preprocessing", "from anmmm import gppom", "not upstream"),
        ("anmmm.preprocessing", "from . import gppom", "not upstream"),
        ("anmmm.preprocessing", "from .gppom import GPPOM", "not upstream"),
        ("anmmm.preprocessing", "def f():\n    from anmmm.gppom import GPPOM", ":2: imports"),
        ("anmmm.preprocessing", "import_module('anmmm.gppom')", "not upstream"),
        ("anmmm.preprocessing", "if TYPE_CHECKING:\n    import anmmm.cli", "not upstream"),
        ("anmmm.collection.task", "from ..cli import main", "not upstream"),
        ("anmmm.collection.task", "from anmmm import infer_direction", "not upstream"),
        ("anmmm.datasets.pair", "from anmmm.results import PairResult", "not upstream"),
        ("anmmm.independence", "from anmmm.preprocessing import standardise", "not upstream"),
        ("anmmm._kernels.rbf", "from anmmm.results import FitResult", "not upstream"),
        ("anmmm._kernels.rbf", "import scipy.linalg", "a kernel imports scipy"),
        ("anmmm.gppom", "from numba import njit", "compiles outside _kernels"),
        ("anmmm.gppom", "import numba as nb\n@nb.njit\ndef f(): pass", "compiles outside _kernels"),
        ("anmmm.gppom", "from numba.experimental import jitclass", "compiles outside _kernels"),
        ("anmmm.gppom", "from anmmm._kernels._jit import kernel", "compiles outside _kernels"),
        ("anmmm.gppom", "print('here')", ":1: prints"),
        ("anmmm.datasets.pair", "list(map(print, [1]))", ":1: prints"),
        ("anmmm.unheard_of", "", "'unheard_of' has no place in ORDER"),
    ],
)
def test_the_checker_reports(module, source, finding):
    found = violations(source, module)
    assert len(found) == 1
    assert finding in found[0]


def test_the_checker_resolves_relative_imports_of_a_package():
    assert not violations("from .task import Task", "anmmm.collection", is_package=True)
    assert violations("from ..cli import main", "anmmm.collection", is_package=True)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("anmmm.gppom.model", "from anmmm.gppom.objective import GPPOMObjective"),
        ("anmmm.gppom.model", "from .objective import GPPOMObjective"),
        ("anmmm.collection.runner", "from anmmm.collection.task import Task"),
        ("anmmm.collection.runner", "import numba\nnumba.set_num_threads(1)"),
        ("anmmm.datasets.sample", "from anmmm.datasets.pair import Pair"),
        ("anmmm._kernels.rbf", "import math\nimport numpy as np\nfrom numba import njit, prange"),
        ("anmmm._kernels.rbf", "from anmmm._kernels._jit import kernel"),
        ("anmmm.cli", "from anmmm import __version__\nprint(__version__)"),
        ("anmmm.gppom", "def printed(x):\n    return pprint(x)"),
        ("anmmm", "from anmmm.clustering import cluster_mechanisms"),
    ],
)
def test_the_checker_lets_pass(module, source):
    assert not violations(source, module)
