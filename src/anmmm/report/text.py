"""Values come in; texts that may stand in a page go out."""

from __future__ import annotations

import html
import math
import os
import unicodedata
from typing import Any

from anmmm.results import PairResult

__all__ = [
    "base_name", "direction_text", "escaped", "named", "number", "share", "signed", "spelled",
    "verdict", "with_error",
]  # fmt: skip

# Letters of an id that are shown.
LONGEST = 120


def spelled(text: str) -> str:
    """Return text as files spell it: what is no Unicode with backslashes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def escaped(text: Any) -> str:
    """Return text as HTML; control characters, which HTML lacks, as a replacement sign."""
    plain = "".join(
        "\ufffd"
        if unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t"
        else letter
        for letter in spelled(str(text))
    )
    return html.escape(plain)


def named(pair_id: str) -> str:
    """Return an id as HTML, cut where it is very long, apart from the text around it."""
    shown = pair_id if len(pair_id) <= LONGEST else f"{pair_id[: LONGEST - 1]}…"
    # Ids may hold letters that are written from right to left.
    return f"<bdi>{escaped(shown)}</bdi>"


def number(value: float) -> str:
    """Return a count with its thousands apart."""
    return f"{value:,}".replace(",", "\u202f")


def signed(value: float | None) -> str:
    """Return a score with its sign, never a zero for what is none."""
    if value is None:
        return "—"
    shown = f"{value:+.4f}" if abs(value) >= 5e-5 or value == 0.0 else f"{value:+.0e}"
    return shown.replace("-", "−")


def share(count: int, total: int) -> str:
    """Return a share in percent, never a zero for what is none."""
    percent = 100 * count / total
    return "< 1 %" if 0.0 < percent < 0.5 else f"{percent:.0f} %"


def with_error(value: float, error: float | None) -> str:
    """Return a value and, if it is known, its standard error."""
    if error is None or math.isnan(error):
        return f"{value:.3f}"
    return f"{value:.3f} ± {error:.3f}"


def base_name(path: Any) -> str:
    """Return the last part of a path: where it lies on this machine is nobody else's business."""
    text = os.fsdecode(path)
    return os.path.basename(text.rstrip("/\\")) or text


def direction_text(row: PairResult) -> str:
    """Return the decision of a row in words."""
    return {1: "x causes y", -1: "y causes x"}.get(row.direction or 0, "undecided")


def verdict(row: PairResult) -> str:
    """Return what the truth makes of the decision: right, wrong, or nothing."""
    if row.truth not in (1, -1):
        return ""
    return "right" if row.direction == row.truth else "wrong"
