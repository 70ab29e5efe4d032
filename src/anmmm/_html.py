"""Records as notebooks show them: small tables, escaped, with heads that screen readers read.

There are no colors and no styles of our own, so that they look as a notebook does, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Any

from anmmm._words import counted, spelled

# Rows of a table that are shown, and letters of a cell.
MOST_ROWS, MOST_LETTERS = 20, 120


def html_facts(title: str, facts: Iterable[tuple[str, Any]], note: str = "") -> str:
    """Return a table of names and values; values of None are left out."""
    rows = (
        f'<tr><th scope="row" style="text-align: left">{_text(name)}</th>'
        f'<td style="text-align: left">{_text(value)}</td></tr>'
        for name, value in facts
        if value is not None
    )
    return _framed(title, "".join(rows), note)


def html_table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table with heads of columns and rows; of many rows the first."""
    first = "".join(f'<th scope="col">{_text(name)}</th>' for name in head)
    lines = [f"<tr>{first}</tr>"]
    for name, *cells in islice(rows, MOST_ROWS):
        inside = "".join(f"<td>{_text(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{_text(name)}</th>{inside}</tr>')
    left = len(rows) - MOST_ROWS
    return _framed(title, "".join(lines), f"and {counted(left, 'row')} more" if left > 0 else "")


def _framed(title: str, rows: str, note: str) -> str:
    below = f"<p>{_text(note)}</p>" if note else ""
    caption = f'<caption style="text-align: left">{_text(title)}</caption>'
    return f"<div><table>{caption}<tbody>{rows}</tbody></table>{below}</div>"


def _text(value: Any) -> str:
    """Return a value in few letters, escaped."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:.4g}" if isinstance(value, float) else spelled(str(value))
    if len(text) > MOST_LETTERS:
        text = f"{text[:MOST_LETTERS]}…"
    return escape(text)
