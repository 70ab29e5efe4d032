"""Pairs of columns of one table."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from copy import copy
from itertools import chain, combinations, repeat
from typing import Any

import joblib
import numpy as np

from anmmm._categories import is_constant, missing_of
from anmmm._text import brief, listed
from anmmm._warning import warn_caller
from anmmm.collection.sources.columns import Columns, Table
from anmmm.collection.sources.others import Explainers, as_numbers
from anmmm.collection.sources.protocol import make_pair
from anmmm.collection.sources.screen import dependence_pvalues, left_out
from anmmm.datasets import Pair, SourceError
from anmmm.datasets.files import FromFiles

ROW_NUMBERS = "unnamed, numbers the rows"


class TablePairs(FromFiles):
    """Pairs of columns of a table, made during iteration; see `as_pairs`."""

    kind = "table"

    def __init__(self, table: Table, columns: Any, categories: Any = None) -> None:
        self._table = table
        named = [] if categories is None else table.columns_of(categories, "categories")
        self._declared = {*named}
        self.name, self.files = table.name, table.files
        # None for all pairs.
        self._chosen: list[tuple[Hashable, Hashable]] | None = None
        if isinstance(columns, str) and columns == "all":
            self._used = _all_to_pair(table, self._declared)
        else:
            self._chosen = _chosen(columns, table)
            self._used = list(dict.fromkeys(chain.from_iterable(self._chosen)))
            columns = joblib.hash(repr(self._chosen))
        refuse_same_spelling(self._used, table.name)
        self.options = table.options | {"columns": columns}
        if categories is not None:
            self.options |= {"categories": sorted(map(str, {*table.categories, *named}))}
        self._explained = False
        self._rate: float | None = None

    def prepared(self, explain: bool, rate: float | None) -> TablePairs:
        """Return the same pairs; if all, with columns that explain them, or marked by a screen."""
        other = copy(self)
        other._explained, other._rate = explain and self.has_all, rate
        other.options = self.options | {"explain": other._explained or None, "screen": rate}
        return other

    @property
    def has_all(self) -> bool:
        """Whether these are all pairs of the columns."""
        return self._chosen is None

    @property
    def ids(self) -> list[str]:
        """Ids of chosen pairs; of all pairs, only the longest."""
        if self._chosen is not None:
            return [column_pair_id(*pair) for pair in self._chosen]
        longest = sorted(map(str, self._used), key=len)[-2:]
        return [column_pair_id(*longest)]

    @property
    def variables(self) -> list[str]:
        """Names of the columns used."""
        return [str(name) for name in self._used]

    def __iter__(self) -> Iterator[Pair]:
        """Read the columns used, then make the pairs."""
        columns, found = self._table.values(self._used, self._declared)
        faults = {name: _problem(fault) for name, fault in found.items()}
        nothing = np.empty(0)
        explainers = Explainers(columns if self._explained else {})
        pairs = combinations(self._used, 2) if self._chosen is None else self._chosen
        for (first, second), pvalue in zip(pairs, self._pvalues(columns), strict=False):
            yield make_pair(
                column_pair_id(first, second),
                columns.get(first, nothing),
                columns.get(second, nothing),
                problem=faults.get(first) or faults.get(second, ""),
                names=(str(first), str(second)),
                others=explainers.of(first, second) if pvalue is None else None,
                screened=pvalue,
            )

    def _pvalues(self, columns: Columns) -> Iterator[float | None]:
        """Yield the p-value of each pair that the screen leaves out, None for the other pairs."""
        if self._rate is None:
            return repeat(None)
        values = [as_numbers(columns[name]) if name in columns else None for name in self._used]
        categorical = [name in columns and columns[name].dtype.hasobject for name in self._used]
        pvalues = dependence_pvalues(values, categorical)
        is_out = left_out(pvalues, self._rate)
        return (float(each) if out else None for each, out in zip(pvalues, is_out, strict=True))

    def __length_hint__(self) -> int:
        """Return the number of pairs."""
        return math.comb(len(self._used), 2) if self._chosen is None else len(self._chosen)


def _all_to_pair(table: Table, declared: set[Hashable]) -> list[Hashable]:
    """Return the columns that ``"all"`` pairs; warn of the other columns."""
    known = {*table.numeric, *table.categories, *declared}
    problems = {name: "no numbers" for name in table.names if name not in known}
    problems |= {name: ROW_NUMBERS for name in table.row_numbers if name not in declared}
    columns, faults = table.values([n for n in table.names if n not in problems], declared)
    for name, values in columns.items():
        present = values[~missing_of(values)]
        if not len(present):
            problems[name] = "no values"
        elif is_constant(present):
            problems[name] = "constant"
    for name, fault in faults.items():
        # A bad cell among numbers is a problem of its pairs.
        if name in table.texts:
            problems[name] = fault.problem.removeprefix(f"column {name!r} holds ").split(";")[0]
    paired = [name for name in table.names if name not in problems]
    if len(paired) < 2:
        raise SourceError(
            table.name,
            None,
            f"all pairs need 2 or more columns of numbers or categories that vary, found "
            f"{len(paired)} among {listed(table.names)}",
        )
    by_kind: dict[str, list[Hashable]] = {}
    for name, problem in problems.items():
        by_kind.setdefault(problem, []).append(name)
    left_out = "; ".join(f"{listed(names)} ({kind})" for kind, names in by_kind.items())
    if left_out:
        warn_caller(f"{table.name}: columns left out of all pairs: {left_out}", UserWarning)
    return paired


def _problem(fault: SourceError) -> str:
    """Return the text of a fault, without the folder of the file."""
    if fault.place is None:
        return fault.problem
    return str(SourceError(os.path.basename(fault.path), fault.place, fault.problem))


def column_pair_id(*names: Hashable) -> str:
    """Return the id of a pair of columns, ``a,b``, or of more of them, as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def refuse_same_spelling(names: Iterable[Hashable], table: str) -> None:
    """Refuse names that files and ids of pairs could not tell apart."""
    spelled: dict[str, Hashable] = {}
    for name in names:
        # As in a line of CSV.
        first = spelled.setdefault("" if name is None else str(name), name)
        if first is not name:
            raise SourceError(
                table,
                None,
                f"the columns {brief(first)} and {brief(name)} have the same spelling, so results "
                "could not tell them apart; rename one",
            )


def _chosen(columns: Any, table: Table) -> list[tuple[Hashable, Hashable]]:
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise TypeError(
            f"columns must be 'all' or a list of pairs of names, e.g. [('a', 'b')]; found "
            f"{brief(columns)}"
        )
    if not columns:
        raise ValueError("columns must hold at least one pair of names, found none")
    pairs: dict[tuple[Hashable, Hashable], None] = {}
    for item in columns:
        if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
            raise TypeError(
                f"columns must hold pairs of names, e.g. ('a', 'b'); found {brief(item)}"
            )
        first, second = (table.column(name, "columns") for name in item)
        if first == second:
            raise ValueError(f"columns names {brief(first)} twice in one pair; x and y must differ")
        if (first, second) in pairs:
            raise ValueError(f"columns has the pair {brief((first, second))} twice")
        pairs[first, second] = None
    return list(pairs)
