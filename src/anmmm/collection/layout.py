"""Cells of one row of a file come in; the record goes out, or what is wrong with them.

Columns are known by their names, in any order. New columns join a schema at its end, so a file of
an older version may lack the last ones, and one of a newer version may have more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from anmmm._validation import check_between, check_choice, check_nonnegative, check_truth
from anmmm.collection.schema import CLUSTERS, DIRECTIONS, SCHEMA_VERSION, Schema
from anmmm.datasets.errors import listed
from anmmm.direction import RELATIONS

STATUSES = ("ok", "unusable", "error", "lost")
# Columns that every row fills.
_FILLED = frozenset(
    {"pair_id", "status", "reason", "weight", "source", "target", "edge", "by"},
)
# Columns that an analyzed pair fills.
_RESULT = {"directions": "direction", "clusters": "cause"}
_EXPECTED = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "ints": "a list of whole numbers",
}

Convert = Callable[[Any], Any]


class Layout:
    """Columns of a file, matched with those of a schema."""

    def __init__(self, names: Sequence[str], schema: Schema, *, text: bool = False) -> None:
        _check_names(names, schema)
        self.names = tuple(names)
        self._schema, self._text = schema, text
        self._check = schema.check or partial(_check_pair, schema.kind)
        converters = _FROM_TEXT if text else _FROM_VALUE
        position = {name: at for at, name in enumerate(names)}
        self._columns = [
            (name, kind, position[name], converters[kind])
            for name, kind in schema.types.items()
            if name in position
        ]

    def record(self, cells: Sequence[Any]) -> Any:
        """Return the record of one row."""
        if len(cells) != len(self.names):
            raise ValueError(f"{len(self.names)} columns, but {len(cells)} cells in this row")
        values: dict[str, Any] = {}
        for name, kind, at, convert in self._columns:
            cell = cells[at]
            if cell is None or (self._text and cell == ""):
                # CSV spells empty text and a missing value alike.
                filled = self._text and name in ("pair_id", "reason")
                if name in _FILLED and not filled:
                    raise ValueError(f"{name} is missing")
                values[name] = "" if filled else None
                continue
            try:
                values[name] = convert(cell)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(f"{name} must be {_EXPECTED[kind]}, found {cell!r:.60}") from None
        self._check(values)
        return self._schema.record(**values)


def _check_pair(kind: str, values: dict[str, Any]) -> None:
    check_choice(values["status"], "status", STATUSES)
    if values["weight"] is None:
        raise ValueError("weight must be finite")
    check_nonnegative(values["weight"], "weight")
    check_truth(values.get("truth"))
    if values.get("direction") not in (1, -1, 0, None):
        raise ValueError(f"direction must be 1, -1 or 0, found {values['direction']}")
    if values.get("relation") is not None:
        check_choice(values["relation"], "relation", RELATIONS)
    for name in ("independence_pvalue", "check_pvalue"):
        if values.get(name) is not None:
            check_between(values[name], name, 0.0, 1.0)
    if values["status"] == "ok" and values[_RESULT[kind]] is None:
        raise ValueError(f"the pair was analyzed (status ok), but its {_RESULT[kind]} is missing")


def _check_names(names: Sequence[str], schema: Schema) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two columns of the same name: {listed(twice)}")
    wanted, given = schema.columns, set(names)
    missing = [name for name in wanted if name not in given]
    if not missing:
        return
    other = CLUSTERS if schema.kind == DIRECTIONS.kind else DIRECTIONS
    if given.issuperset(other.columns):
        raise ValueError(f"holds {other.kind}; a file of {schema.kind} is needed")
    joined = wanted[wanted.index(schema.last) + 1 :]
    older = given.issubset(wanted) and tuple(missing) == joined[len(joined) - len(missing) :]
    if not older:
        raise ValueError(
            f"is no table of {schema.kind} as anmmm writes it (schema {SCHEMA_VERSION}): without "
            f"the columns {listed(missing)}"
        )


def _whole(value: Any) -> int:
    # Other programs write whole numbers with gaps as floats.
    number = int(value)
    if number != value or isinstance(value, (bool, str)):
        raise ValueError
    return number


def _finite(value: Any) -> float | None:
    if isinstance(value, (bool, str)):
        raise TypeError
    number = float(value)
    return number if math.isfinite(number) else None


def _instance(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError
    return value


def _whole_of_text(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return _whole(float(text))


_FROM_VALUE: dict[str, Convert] = {
    "int": _whole,
    "float": _finite,
    "bool": partial(_instance, bool),
    "str": partial(_instance, str),
    "ints": lambda value: list(map(_whole, _instance(list, value))),
}
_FROM_TEXT: dict[str, Convert] = {
    "int": _whole_of_text,
    "float": lambda text: _finite(float(text)),
    # A KeyError is no error of numbers, hence the index of a list.
    "bool": lambda text: bool(("false", "true").index(text.lower())),
    "str": str,
    "ints": lambda text: [int(item) for item in text.split()],
}
