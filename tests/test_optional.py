import json

import pytest

from anmmm._optional import require


def test_a_module_that_is_there_is_imported():
    assert require("json", "plot", "plots need it") is json


def test_a_missing_module_names_its_extra():
    message = (
        r"^plots need Matters \(No module named .no_such.\); "
        r'install it with: pip install "anmmm\[plot\]"$'
    )
    with pytest.raises(ImportError, match=message):
        require("no_such", "plot", "plots need Matters")
