"""What a text means: a number, a missing value, a date, or the name of a category."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from anmmm._text import brief
from anmmm._typing import FloatArray

# Errors that spreadsheets write into cells, in lower case.
SPREADSHEET_ERRORS = ("#n/a", "#na", "#div/0!", "#num!", "#value!", "#ref!", "#name?", "#null!")
# Missing values of text files, in lower case.
MISSING_CELLS = frozenset({"", "na", "n/a", "nan", "<na>", "null", "?", *SPREADSHEET_ERRORS})
# Most values of a variable that may be encoded by their frequencies.
MOST_CATEGORIES = 32
DATES = "holds dates or durations; convert them to numbers first, such as days since the first one"
# What to do with a text among numbers.
ADVICE = (
    "write numbers without units or thousands separators, a detection limit such as <0.35 as 0.35, "
    "a missing value as an empty cell or None; or declare the column categories"
)

# A year and two more numbers, year first or last, perhaps with a time.
_DATE = re.compile(r"(\d{4}([./-])\d{1,2}\2\d{1,2}|\d{1,2}([./-])\d{1,2}\3\d{4})([T ].*)?")
# A number with a decimal comma, thousands separators, a currency or a percent sign.
_STYLED_NUMBER = re.compile(
    r"[$€£¥]?\s*[+-]?(\d{1,3}([.,'’\s]\d{3})+([.,]\d*)?|\d+([.,]\d*)?)\s*[%‰$€£¥]?"
)


def as_number(text: str) -> float | None:
    """Return the number that a text spells; None if it is something else, NaN among it."""
    try:
        number = float(text)
    except ValueError:
        return None
    # Python reads 1_000 as a number.
    return None if math.isnan(number) or "_" in text else number


def read_texts(texts: Sequence[str | None]) -> tuple[FloatArray | None, str, int | None]:
    """Return texts, None for missing, as numbers if all spell them; else None.

    Also return why they are no names of categories either, empty if they are; and the row of the
    first other text, if only some are no numbers.
    """
    try:
        numbers = np.array([math.nan if text is None else float(text) for text in texts])
    except ValueError:
        numbers = None
    # Python reads 1_000 as a number.
    if numbers is not None and not any("_" in text for text in texts if text is not None):
        return numbers, "", None
    first_rows: dict[str, int] = {}
    for row, text in enumerate(texts):
        if text is not None:
            first_rows.setdefault(text, row)
    names = [text for text in first_rows if as_number(text) is None]
    problem = f"holds {brief(names[0])}, which is not a number; {ADVICE}"
    if len(names) < len(first_rows):
        return None, problem, first_rows[names[0]]
    if all(map(_DATE.fullmatch, names)):
        return None, DATES, None
    return None, problem if all(map(_STYLED_NUMBER.fullmatch, names)) else "", None
