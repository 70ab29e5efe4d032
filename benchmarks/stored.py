"""Results of studies as they are kept: a CSV file each, with what made it in its first lines."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "stored"


@dataclass(frozen=True)
class Stored:
    """A stored table: facts about it, its head, and its rows as text."""

    facts: dict[str, str]
    head: list[str]
    rows: list[list[str]]

    def row(self, *first: str) -> list[str]:
        """Return the row whose first cells are these."""
        for row in self.rows:
            if row[: len(first)] == list(first):
                return row
        raise KeyError(f"no row begins with {first}")


@cache
def stored(name: str) -> Stored:
    """Read a stored result."""
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    facts = {}
    while lines[0].startswith("# "):
        key, _, fact = lines.pop(0)[2:].partition(": ")
        facts[key] = fact
    head, *rows = csv.reader(lines)
    return Stored(facts, head, rows)


def store(name: str, result: Stored) -> None:
    """Write a result."""
    with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {fact}\n" for key, fact in result.facts.items())
        csv.writer(file, lineterminator="\n").writerows([result.head, *result.rows])
    stored.cache_clear()


def stored_names() -> list[str]:
    """Return the names of all stored results."""
    return sorted(path.stem for path in FOLDER.glob("*.csv"))


def number(cell: str) -> float:
    """Return the number of a cell, without its error or its quartiles."""
    found = re.match(r"-?[\d.]+", cell)
    if found is None:
        raise ValueError(f"no number in {cell!r}")
    return float(found[0])


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    padded = [
        "".join(f"| {cell} " if cell else "| " for cell in line).rstrip() + " |"
        for line in (lines[0], *lines[2:])
    ]
    padded.insert(1, "|" + "---|" * len(head))
    return "\n".join(padded) + "\n"
