"""A module imports only what stands upstream of it, Numba where kernels are, libraries late.

The checker reads sources without running them; every rule has an example that breaks it.
"""

import ast
import sys
from pathlib import Path

import pytest

import anmmm
from anmmm import collection, direction, gppom, mixture
from anmmm.gppom.engines import ENGINES
from anmmm.gppom.options import ENGINE_NAMES
from subprocess_helpers import python

ROOT = Path(anmmm.__file__).parent

# Upstream first. A new module or folder of the package takes its place here.
UPSTREAM_FIRST = """
    _version _lazy _typing _optional _text _warning _compiling _kernels _threads
    _workers _record _files _cells _arrays _validation _columns _categories _estimators _tables
    preprocessing gppom permutation independence mixture evidence _ahead dependence
    clustering direction datasets collection evaluation graph plotting report interop __init__
    cli __main__
"""
ORDER = UPSTREAM_FIRST.split()
# Tighter than the order.
ONLY = {
    "datasets": {"_categories", "_record", "_text", "_typing", "_validation", "_warning"}
    | {"_tables"},
    "independence": {"_columns", "_kernels", "_record", "_typing", "_validation", "_warning"}
    | {"gppom", "permutation"},
    "permutation": {"_kernels", "_typing", "gppom"},
}
KERNEL_LIBRARIES = {"anmmm", "llvmlite", "numba", "numpy"} | sys.stdlib_module_names


def imports_of(tree, module, is_package):
    """Yield (line, dotted name) of everything that a source imports, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            above = parts[: len(parts) - node.level + is_package] if node.level else []
            base = ".".join(filter(None, [*above, node.module]))
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            first = [each for each in node.args[:1] if isinstance(each, ast.Constant)]
            yield from ((node.lineno, each.value) for each in first)


def violations(source, module, *, is_package=False):
    """What a source does that its place in the package does not allow, one string a finding."""
    unit = module.split(".")[1] if "." in module else "__init__"
    if unit not in ORDER:
        return [f"{module}: {unit!r} has no place in ORDER"]
    found, tree = [], ast.parse(source)
    # A result draws itself by what stands downstream, which is loaded when it is asked to.
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    plots = [node for node in functions if node.name == "plot"]
    drawing = [range(node.lineno, node.end_lineno + 1) for node in plots]
    for line, imported in imports_of(tree, module, is_package):
        library, *rest = imported.split(".")
        if library == "anmmm":
            # ``from anmmm import __version__`` names no unit: it comes from the package itself.
            other = rest[0] if rest and rest[0] in ORDER else "__init__"
            # The package's own file hands on names from everywhere.
            downstream = ORDER.index(other) > ORDER.index(unit) and unit != "__init__"
            if other == "plotting" and any(line in lines for lines in drawing):
                continue
            if other != unit and (downstream or other not in ONLY.get(unit, ORDER)):
                found.append(f"{module}:{line}: imports {imported}, which is not upstream")
        if library in ("benchmarks", "tests"):
            found.append(f"{module}:{line}: imports {imported}, which is not installed")
        if unit == "_kernels" and library not in KERNEL_LIBRARIES:
            found.append(f"{module}:{line}: a kernel imports {library}")
        if unit not in ("_kernels", "_threads") and library == "numba":
            found.append(f"{module}:{line}: imports {imported} outside of _kernels")
    return found


def name_of(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_modules_keep_their_places():
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        found += violations(source, name_of(path), is_package=path.name == "__init__.py")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source", "finding"),
    [
        ("anmmm.preprocessing", "from anmmm import gppom", "not upstream"),
        ("anmmm.preprocessing", "import_module('anmmm.gppom')", "not upstream"),
        ("anmmm.collection.task", "from ..cli import main", "not upstream"),
        ("anmmm.independence", "from anmmm.preprocessing import standardize", "not upstream"),
        ("anmmm._kernels.rbf", "import scipy.linalg", "a kernel imports scipy"),
        ("anmmm.gppom", "import numba as nb", "outside of _kernels"),
        ("anmmm.cli", "from benchmarks.paper import study", "not installed"),
        ("anmmm.direction", "def f():\n    from anmmm.plotting import plot_direction", ":2: imp"),
        ("anmmm.unheard_of", "", "'unheard_of' has no place in ORDER"),
        ("anmmm._kernels.rbf", "import math\nfrom numba import njit, prange", None),
        ("anmmm.direction", "def plot():\n    from anmmm.plotting import plot_direction", None),
        ("anmmm", "from anmmm.clustering import cluster_mechanisms", None),
    ],
)
def test_the_checker_reports(module, source, finding):
    found = violations(source, module)
    assert len(found) == (finding is not None)
    assert all(finding in each for each in found)


# Each takes longer to load than a decision takes.
DEAR = ("joblib", "narwhals", "pandas", "pyarrow", "scipy.optimize", "scipy.stats", "sklearn")
DECIDED = """
import numpy as np
from anmmm import infer_direction
x = np.linspace(-1.0, 1.0, 40)
result = infer_direction(x, x**3 + 0.1 * np.cos(40.0 * x))
result.check_pvalue, result.independence_pvalue
"""
COMMAND = """
import sys
from pathlib import Path
from anmmm.cli import cli
x = [0.01 * i * (-1) ** i for i in range(40)]
Path("pair.csv").write_text("".join(f"{v},{v**3 + 0.1 * v * v}\\n" for v in x))
cli.main(["direction", "pair.csv"], standalone_mode=False)
"""
COLLECTION = """
from anmmm import infer_directions
x = [0.01 * i * (-1) ** i for i in range(40)]
rows = list(infer_directions([(x, [v**3 + 0.1 * v * v for v in x])], random_state=0))
assert rows[0].status == "ok"
"""
# Each process that compiles needs these imports before it begins.
AHEAD = "import anmmm._ahead\n"
LIGHT = [gppom, direction, mixture, collection, anmmm]


@pytest.mark.parametrize(
    ("program", "loaded"),
    [
        (DECIDED, "[]"),
        (COMMAND, "[]"),
        (COLLECTION, "['joblib', 'narwhals']"),
        (AHEAD, "['joblib']"),
    ],
    ids=["function", "command", "collection", "compiling ahead"],
)
def test_a_decision_loads_what_it_uses(program, loaded, tmp_path):
    asked = f"print([name for name in {DEAR} if name in __import__('sys').modules])"
    done = python("-c", program + asked, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == loaded


def test_every_name_is_there():
    for package in LIGHT:
        assert set(package.__all__) <= set(dir(package))
        for name in dir(package):
            assert getattr(package, name) is vars(package)[name]
        with pytest.raises(AttributeError, match=f"'{package.__name__}' has no attribute 'no'"):
            _ = package.no


def test_subpackages_are_attributes_of_the_package():
    parts = {path.stem for path in Path(anmmm.__file__).parent.iterdir()}
    public = {part for part in parts if part[0] not in "_." and part not in ("cli", "py")}
    assert public <= set(dir(anmmm))
    assert tuple(ENGINES) == ENGINE_NAMES
    # Nothing else is loaded before it is used.
    script = "import anmmm, sys; print([n for n in sys.modules if 'anmmm.' in n])"
    script += "; print(anmmm.plotting.plot_graph.__name__)"
    loaded, used = python("-c", script).stdout.splitlines()
    assert loaded == "['anmmm._lazy', 'anmmm._version']"
    assert used == "plot_graph"
