"""What a cell of text means: a number, a missing value, a date, or the name of a category."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._warning import warn_caller

# Errors that spreadsheets write into cells.
SPREADSHEET_ERRORS = ("#n/a", "#na", "#div/0!", "#num!", "#value!", "#ref!", "#name?", "#null!")
# Missing values of text files, in lower case.
MISSING_CELLS = frozenset({"", "na", "n/a", "nan", "<na>", "null", "?", *SPREADSHEET_ERRORS})
# As many values as are encoded by their frequencies.
MOST_CATEGORIES = 32
# What is wrong with a column of dates.
DATES = "holds dates; convert them to numbers first, such as days since the first one"
MANY_TEXTS = f"holds more than {MOST_CATEGORIES} different texts; join rare ones, or pass numbers"
AS_NAMES = "if its values are mere names, declare it a column of categories"

_LEADING_ZERO = re.compile(r"[+-]?0\d+", re.ASCII)
# A day and a month in any order, and a year from 1800 to 2199, perhaps with a time.
_DAY_OF_YEAR = re.compile(r"\d{1,2}([./-])\d{1,2}\1(1[89]|2[01])\d\d([T ].*)?", re.ASCII)
_PLAIN_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
# Also with thousands separators, blanks among them.
_NUMBER = r"[+-]?(\d{1,3}([.,'’_\s]\d{3})+([.,]\d*)?|\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?"
_LIMIT = rf"[<>≤≥]=?\s*{_NUMBER}"
_NO_VALUE = r"(?i:[\W_]+|missing|none|unknown|nil|n\.?a\.?|n\.?d\.?|no data|not available|#nv)"
_WITH_UNIT = rf"([^\w\s+-]|[A-Z]{{3}}\s)?\s*{_NUMBER}(\s*[^\d\s]\D{{0,15}})?"
_STYLED_NUMBER = re.compile(rf"[$€£¥]?\s*{_NUMBER}\s*[%‰$€£¥]?")
_BESIDE_NUMBERS = re.compile(rf"{_LIMIT}|{_NO_VALUE}")
_ADVICE = {
    _PLAIN_NUMBER.pattern: "convert all values to numbers",
    _LIMIT: "write a detection limit as its number, 0.35 for <0.35; equal values are expected",
    _WITH_UNIT: "remove units and thousands separators, and write decimals with a point",
    _NO_VALUE: "a missing value is an empty cell, or None in Python",
}


def as_number(cell: str) -> float | None:
    """Return the number in a cell, NaN if it is missing, None if it is something else."""
    try:
        number = float(cell)
    except ValueError:
        return math.nan if cell.strip().lower() in MISSING_CELLS else None
    # Python reads 1_000 as a number.
    return None if "_" in cell else number


def warn_of_codes(texts: Iterable[str | None], where: str) -> None:
    """Say that codes such as 007 are read as numbers."""
    for text in texts:
        if text is not None and _LEADING_ZERO.fullmatch(text):
            warn_caller(
                f"{where} {text}, which is read as a number; if its values are codes, declare them "
                "categories (a category type, categories= or --categories)",
                UserWarning,
            )
            return


def is_limit(cell: str) -> bool:
    """Return whether a cell is a number of any style, or a limit such as ``<0.35``."""
    return re.fullmatch(rf"{_NUMBER}|{_LIMIT}", cell) is not None


def text_advice(text: str, default: str = AS_NAMES) -> str:
    """Return what to do with a text among numbers."""
    for pattern, advice in _ADVICE.items():
        if re.fullmatch(pattern, text):
            return advice
    return default


def read_texts(texts: Sequence[str | None]) -> tuple[NDArray[Any], str]:
    """Return texts, None for missing, as numbers if all spell them, else as they are.

    Also return why they are neither numbers nor categories, empty if they are.
    """
    labels = np.array(texts, dtype=object)
    distinct = {text for text in texts if text is not None}
    if distinct and all(map(_PLAIN_NUMBER.fullmatch, distinct)):
        warn_of_codes(texts, "a column of text has")
        return np.array([math.nan if text is None else float(text) for text in texts]), ""
    if distinct and all(map(_is_date, distinct)):
        return labels, DATES
    others = [text for text in distinct if not _STYLED_NUMBER.fullmatch(text)]
    if len(others) < len(distinct) and all(map(_BESIDE_NUMBERS.fullmatch, others)):
        example = next(t for t in texts if t and not _PLAIN_NUMBER.fullmatch(t))
        advice = text_advice(example, "convert them")
        problem = f"holds numbers as text, such as {example!r}; {advice}; or declare it categories"
        return labels, problem
    return labels, MANY_TEXTS if len(distinct) > MOST_CATEGORIES else ""


def _is_date(text: str) -> bool:
    """Return whether a text is a whole date, with or without a time."""
    if _DAY_OF_YEAR.fullmatch(text):
        return True
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
