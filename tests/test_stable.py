"""The page of what others may build on names what there is."""

import doctest
import re
from pathlib import Path

import anmmm

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "stable.md"


def test_every_public_name_stands_on_the_page():
    named = set(re.findall(r"`([\w.]+)(?:\([\w, ]*\))?`", PAGE.read_text()))
    assert set(anmmm.__all__) <= named


def test_the_columns_are_those_of_the_page():
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted > 0
    assert outcome.failed == 0
