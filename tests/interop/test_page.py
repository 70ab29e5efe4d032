"""The examples of docs/guide/interop.md are true where their library is installed."""

import doctest
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pairs import chain

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
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S))


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_the_example_is_true(name):
    if find_spec(MODULES[name]) is None:
        pytest.skip(f"{MODULES[name]} is not installed")
    frame = pd.DataFrame(chain())
    known = {"frame": frame, "table": np.ascontiguousarray(frame.to_numpy())}
    test = doctest.DocTestParser().get_doctest(SECTIONS[name], known, name, str(PAGE), 0)
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert outcome.attempted > 0
    assert outcome.failed == 0
