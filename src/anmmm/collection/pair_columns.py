"""Pairs of columns of one table."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any

from anmmm._tables import SourceError, Table
from anmmm._text import brief, listed
from anmmm._warning import warn_caller
from anmmm.collection.pair_source import Pairs
from anmmm.datasets import Pair
from anmmm.datasets.pair import make_pair


def column_pairs(table: Table, pairs: Any, categories: Any = None) -> Pairs:
    """Return pairs of columns of a table, made during iteration; see `as_pairs`."""
    declared = [] if categories is None else table.columns_of(categories, "categories")
    # None for all pairs.
    chosen = None
    if isinstance(pairs, str) and pairs == "all":
        used = _columns_to_pair(table, declared)
        n_pairs = math.comb(len(used), 2)
    else:
        chosen = _chosen(pairs, table)
        used = list(dict.fromkeys(chain.from_iterable(chosen)))
        n_pairs = len(chosen)
    return Pairs(table.name, n_pairs, partial(_read, table, declared, used, chosen))


def _read(
    table: Table,
    declared: Sequence[Hashable],
    used: Sequence[Hashable],
    chosen: Sequence[tuple[Hashable, Hashable]] | None,
) -> Iterator[Pair]:
    """Read the columns used, then make the pairs."""
    columns, faults = table.values(used, declared)
    for first, second in combinations(used, 2) if chosen is None else chosen:
        pair_id = column_pair_id(first, second)
        names = (str(first), str(second))
        fault = faults.get(first) or faults.get(second)
        if fault is None:
            yield make_pair(pair_id, columns[first], columns[second], names=names)
        else:
            problem = fault.problem if fault.place is None else fault.without_folder()
            yield Pair.unreadable(pair_id, problem, names=names)


def _columns_to_pair(table: Table, declared: Sequence[Hashable]) -> list[Hashable]:
    """Return the columns that ``"all"`` pairs; warn of the other columns."""
    columns, faults = table.values(table.names, declared)
    problems: dict[Hashable, str] = {}
    for name in table.row_numbers:
        if name not in declared:
            problems[name] = "unnamed, numbers the rows"
    for name, fault in faults.items():
        # A bad cell among numbers is a problem of its pairs; other faults concern whole columns.
        if fault.place is None:
            problems[name] = fault.problem.removeprefix(f"column {name!r} holds ").split(";")[0]
    for name, column in columns.items():
        if column.missing.all():
            problems[name] = "no values"
        elif column.is_constant():
            problems[name] = "constant"
    paired = [name for name in table.names if name not in problems]
    if len(paired) < 2:
        problem = (
            "all pairs need 2 or more columns of numbers or categories that vary, found "
            f"{len(paired)} among {listed(table.names)}"
        )
        raise SourceError(table.name, None, problem)
    if problems:
        parts = []
        for problem in dict.fromkeys(problems.values()):
            names = [name for name in table.names if problems.get(name) == problem]
            parts.append(f"{listed(names)} ({problem})")
        text = f"{table.name}: columns left out of all pairs: {'; '.join(parts)}"
        warn_caller(text, UserWarning)
    return paired


def column_pair_id(first: Hashable, second: Hashable) -> str:
    """Return the id of a pair of columns, ``a,b``, as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([first, second])
    return line.getvalue()


def _chosen(pairs: Any, table: Table) -> list[tuple[Hashable, Hashable]]:
    """Return the columns of a list of pairs of names."""
    if isinstance(pairs, str) or not isinstance(pairs, Sequence) or not pairs:
        raise TypeError(
            f"pairs must be 'all' or a list of pairs of names, e.g. [('a', 'b')]; found "
            f"{brief(pairs)}"
        )
    chosen = []
    for item in pairs:
        if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
            raise TypeError(f"pairs must hold pairs of names, e.g. ('a', 'b'); found {brief(item)}")
        first = table.column(item[0], "pairs")
        second = table.column(item[1], "pairs")
        if first == second:
            raise ValueError(f"pairs names {brief(first)} twice in one pair; x and y must differ")
        chosen.append((first, second))
    for pair, count in Counter(chosen).items():
        if count > 1:
            raise ValueError(f"pairs names {brief(pair)} twice")
    return chosen
