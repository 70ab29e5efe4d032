"""What is loaded when: names of packages at their first use, libraries where they are used."""

from pathlib import Path

import pytest

import anmmm
from anmmm import collection, direction, gppom, mixture
from anmmm.gppom.engines import ENGINES
from anmmm.gppom.options import ENGINE_NAMES
from subprocess_helpers import python

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
    shown = python(
        "-c", "import anmmm; print(anmmm.plotting.plot_graph.__name__, anmmm.interop.__name__)"
    )
    assert shown.stdout.split() == ["plot_graph", "anmmm.interop"]
    # Nothing else was loaded.
    shown = python("-c", "import anmmm, sys; print([n for n in sys.modules if 'anmmm.' in n])")
    assert shown.stdout.strip() == "['anmmm._lazy', 'anmmm._version']"


def test_names_of_engines_are_those_of_the_engines():
    assert tuple(ENGINES) == ENGINE_NAMES
