"""Results as they are kept in docs/stored: CSV files with what made them in their first lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "stored"


@dataclass(frozen=True)
class Stored:
    """A stored table: facts about it, and its cells as text."""

    facts: dict[str, str]
    table: pd.DataFrame


@cache
def stored(name: str) -> Stored:
    """Read a stored result."""
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    facts = {}
    while lines[0].startswith("# "):
        key, _, fact = lines.pop(0)[2:].partition(": ")
        facts[key] = fact
    table = pd.read_csv(StringIO("\n".join(lines)), dtype=str, keep_default_na=False)
    # An empty head is a column of names.
    return Stored(facts, table.rename(columns={"Unnamed: 0": ""}))


def numbers(name: str) -> pd.DataFrame:
    """Read a stored result with its cells as numbers; those of other text stay text."""
    return stored(name).table.apply(_as_numbers)


def _as_numbers(column: pd.Series) -> pd.Series:
    """Return numbers without their errors if all cells of a column have one or are empty."""
    values = pd.to_numeric(column.str.partition(" ± ")[0], errors="coerce")
    is_text = (values.isna() & (column != "")).any()
    return column if is_text else values


def store(name: str, result: Stored) -> None:
    """Write a result."""
    with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {fact}\n" for key, fact in result.facts.items())
        result.table.to_csv(file, index=False, lineterminator="\n")
    stored.cache_clear()


def stored_names() -> list[str]:
    """Return the names of all stored results."""
    return sorted(path.stem for path in FOLDER.glob("*.csv"))


def share(p: float, pairs: float) -> str:
    """Return a share of pairs with its standard error, if that has two digits."""
    error = math.sqrt(p * (1 - p) / pairs)
    return f"{p:.2f}" if error < 0.005 else f"{p:.2f} ± {error:.2f}"


def markdown(table: pd.DataFrame) -> str:
    """Return a Markdown table."""
    lines = [_line(table.columns), "|" + "---|" * len(table.columns)]
    lines += [_line(row) for row in table.itertuples(index=False)]
    return "\n".join(lines) + "\n"


def _line(cells: object) -> str:
    text = "".join(f"| {cell} " if cell else "| " for cell in map(str, cells))  # type: ignore[call-overload]
    return text.rstrip() + " |"
