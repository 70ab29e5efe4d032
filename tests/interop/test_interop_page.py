"""The examples of docs/guide/interop.md are true where their library is installed."""

import doctest
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "interop.md"
# Of each section what it imports.
MODULES = {
    "causal-learn": "causallearn",
    "pgmpy": "pgmpy",
    "lingam": "lingam",
    "DoWhy": "dowhy",
    "gCastle": "castle",
    "cdt": "cdt",
}
TABLE = PAGE.read_text().partition("\n## ")[0]
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S))


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_the_example_is_true(name):
    if find_spec(MODULES[name]) is None:
        pytest.skip(f"{MODULES[name]} is not installed")
    test = doctest.DocTestParser().get_doctest(TABLE + SECTIONS[name], {}, name, str(PAGE), 0)
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert outcome.attempted > 0
    assert outcome.failed == 0
