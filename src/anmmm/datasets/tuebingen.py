"""Folders of cause-effect pairs in the layout of the Tübingen collection.

A pair whose file is missing or broken has a `problem`, so no bad file ends the iteration.
"""

from __future__ import annotations

import errno
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from anmmm._categories import Column
from anmmm._tables import SeenIds, SourceError, Table, check_header, read_text
from anmmm._tables.text import decode
from anmmm._text import brief
from anmmm._typing import StrPath
from anmmm.datasets.pair import Pair, make_pair
from anmmm.datasets.tuebingen_groups import group_of, weight_of

META = "pairmeta.txt"
TEXT_SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".dat"})
_FIELDS = "id cause_first cause_last effect_first effect_last [weight]"
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Entry:
    """File of a pair, and its line of the meta file; columns count from 0."""

    pair_id: str
    path: Path
    first: range | None = None
    second: range | None = None
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None

    @property
    def number(self) -> int | None:
        """The number in the id, None without one."""
        digits = self.pair_id.removeprefix("pair")
        return int(digits) if digits.isdecimal() else None

    def read(self, header: bool | None) -> Pair:
        """Read the pair; a file that cannot be read is its problem."""
        known: dict[str, Any] = {"truth": self.truth, "weight": self.weight, "group": self.group}
        try:
            # A broken link, or a pipe, for which reading would wait.
            if not self.path.is_file():
                raise FileNotFoundError(errno.ENOENT, "no such file")
            table = read_text(self.path, header)
            first, second = self._columns(table)
            x = _variable(table, first)
            y = _variable(table, second)
        except OSError as error:
            return Pair.unreadable(self.pair_id, f"{self.path.name}: {error.strerror}", **known)
        except SourceError as error:
            return Pair.unreadable(self.pair_id, error.without_folder(), **known)
        if table.has_header and len(first) == len(second) == 1:
            known["names"] = str(first[0]), str(second[0])
        return make_pair(self.pair_id, x, y, **known)

    def _columns(self, table: Table) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
        """Return the names of the columns of both variables."""
        if self.first is None or self.second is None:
            chosen = [name for name in table.names if name not in table.row_numbers]
            if len(chosen) != 2:
                problem = f"expected 2 columns, found {len(chosen)}; {META} chooses columns"
                raise SourceError(table.name, None, problem)
            return chosen[:1], chosen[1:]
        needed = max(self.first.stop, self.second.stop)
        if needed > len(table.names):
            problem = f"{META} names column {needed}, but the file has {len(table.names)}"
            raise SourceError(table.name, None, problem)
        first = table.names[self.first.start : self.first.stop]
        second = table.names[self.second.start : self.second.stop]
        return first, second


class PairFolder(Sequence[Pair]):
    """The pairs of a folder, each read from its file when it is accessed.

    `load_pairs` and `load_sample` return one. Index it with a position, a slice or the id of a
    pair, or iterate over it.

    Attributes
    ----------
    path : Path
        The folder.
    ids : tuple of str
        Identifiers of the pairs, in order.
    """

    def __init__(self, path: Path, entries: Sequence[Entry], header: bool | None = None) -> None:
        self.path = path
        self.name = str(path)
        self.entries = tuple(entries)
        self.ids = tuple(entry.pair_id for entry in self.entries)
        self._header = header

    def __len__(self) -> int:
        return len(self.entries)

    def __length_hint__(self) -> int:
        return len(self)

    def __iter__(self) -> Iterator[Pair]:
        return (entry.read(self._header) for entry in self.entries)

    @overload
    def __getitem__(self, key: int | str) -> Pair: ...
    @overload
    def __getitem__(self, key: slice) -> PairFolder: ...
    def __getitem__(self, key: int | str | slice) -> Pair | PairFolder:
        if isinstance(key, slice):
            return PairFolder(self.path, self.entries[key], self._header)
        if isinstance(key, str):
            if key not in self.ids:
                raise KeyError(f"{self.path} has no pair {key!r}")
            key = self.ids.index(key)
        return self.entries[key].read(self._header)

    def __repr__(self) -> str:
        return f"<{len(self)} pairs in {self.path}>"


def load_pairs(path: StrPath, *, header: bool | str | None = "auto") -> PairFolder:
    r"""Open a folder of variable pairs, such as the Tübingen cause-effect pairs.

    Parameters
    ----------
    path : path-like
        Folder with one text file per pair and ``pairmeta.txt``, whose lines read ``id cause_first
        cause_last effect_first effect_last [weight]`` with columns counted from 1. Without
        ``pairmeta.txt`` every ``.txt``, ``.csv``, ``.tsv`` or ``.dat`` file of two columns, beside
        an unnamed one of row numbers, is a pair of unknown truth and weight 1; descriptions
        (``*_des.txt``, ``README*``) are ignored.
    header : "auto", True or False
        Whether the first line of every pair's file names the columns, as in
        `anmmm.collection.as_pairs`. A file that contradicts it is a pair with a `problem`.

    Returns
    -------
    PairFolder
        Sequence of `Pair`, read one at a time. The id is the name of the file without its suffix.
        In each pair x is the earlier column or block of columns and y the later, and truth is -1
        if the cause is the later one. Rows with a missing value *in these columns* are dropped and
        counted. Columns of a file with a header keep their names. A pair that cannot be read has a
        `problem`. `group` is the data set of the pair if
        all ids and weights of ``pairmeta.txt`` are those of the Tübingen collection, else None.

    Raises
    ------
    OSError
        If the folder does not exist or has no pair.
    SourceError
        A ValueError: if ``pairmeta.txt`` is broken (``file:line: problem``), or two pairs
        have one id.

    References
    ----------
    J. M. Mooij, J. Peters, D. Janzing, J. Zscheischler, B. Schölkopf, "Distinguishing cause from
    effect using observational data: methods and benchmarks", JMLR 17(32), 2016.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from anmmm.datasets import load_pairs
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "heat.txt").write_text("0 1\n1 3\n2 4\n")
    >>> [(pair.pair_id, pair.y.tolist(), pair.truth) for pair in load_pairs(folder.name)]
    [('heat', [1.0, 3.0, 4.0], None)]
    >>> folder.cleanup()
    """
    folder = Path(path)
    if not folder.is_dir():
        raise OSError(errno.ENOENT, "no such folder", str(folder))
    is_headed = check_header(header)
    if (folder / META).is_file():
        entries = _entries_of_meta(folder)
    else:
        # A broken link is a pair that cannot be read.
        files = [file for file in folder.iterdir() if is_pair_file(file) and not file.is_dir()]
        entries = entries_of_files(folder, files)
        if not entries:
            raise OSError(errno.ENOENT, f"no {META} and no pair file in this folder", str(folder))
    return PairFolder(folder, entries, is_headed)


def entries_of_files(folder: Path, files: Iterable[Path]) -> list[Entry]:
    """Return a pair of unknown truth for each file of a folder, pair2 before pair10."""

    def natural_order(path: Path) -> list[Any]:
        parts = _DIGITS.split(path.name)
        return [int(part) if part.isdecimal() else part for part in parts]

    seen = SeenIds(str(folder))
    entries = []
    for path in sorted(files, key=natural_order):
        seen.add(path.stem, path.name, "rename one of these files")
        entries.append(Entry(path.stem, path))
    return entries


def _entries_of_meta(folder: Path) -> list[Entry]:
    """Return the pairs of ``pairmeta.txt``, with data sets if it is that of the collection."""
    path = folder / META
    text = decode(path.read_bytes(), str(path))
    entries: list[Entry] = []
    seen = SeenIds(str(path))
    for line, row in enumerate(text.split("\n"), start=1):
        cells = row.split()
        if not cells or cells[0].startswith("#"):
            continue
        try:
            entry = _entry(folder, cells)
        except ValueError as error:
            raise SourceError(str(path), line, str(error)) from None
        seen.add(entry.pair_id, f"line {line}", "keep one of these lines")
        entries.append(entry)
    if not entries:
        raise SourceError(str(path), None, "the file is empty")
    weights = [weight_of(entry.number) for entry in entries]
    is_collection = any(weight != 1.0 for weight in weights) and all(
        # The collection rounds to three or four digits.
        weight is not None and math.isclose(entry.weight, weight, abs_tol=1.5e-3)
        for entry, weight in zip(entries, weights, strict=True)
    )
    if not is_collection:
        return entries
    return [replace(entry, group=group_of(entry.number)) for entry in entries]


def _entry(folder: Path, cells: list[str]) -> Entry:
    """Return the pair of a line of ``pairmeta.txt``."""
    if len(cells) not in (5, 6):
        raise ValueError(f"expected '{_FIELDS}', found {len(cells)} fields")
    try:
        columns = [int(cell) for cell in cells[1:5]]
    except ValueError:
        raise ValueError(f"columns must be whole numbers, found {cells[1:5]}") from None
    for first, last in (columns[:2], columns[2:]):
        if not 1 <= first <= last:
            problem = "columns count from 1, the last not before the first; found "
            raise ValueError(f"{problem}{first} to {last}")
    cause = range(columns[0] - 1, columns[1])
    effect = range(columns[2] - 1, columns[3])
    if cause.start < effect.stop and effect.start < cause.stop:
        raise ValueError("cause and effect share a column")
    weight = float(cells[5]) if len(cells) == 6 else 1.0
    if not (math.isfinite(weight) and weight >= 0.0):
        raise ValueError(f"the weight must be a number >= 0, found {cells[5]!r}")
    if "/" in cells[0] or "\\" in cells[0]:
        problem = "the id must be the name of a file in this folder, without its suffix; found "
        raise ValueError(f"{problem}{brief(cells[0])}")
    path = folder / f"{cells[0]}.txt"
    if not path.exists() and not cells[0].startswith("pair"):
        path = folder / f"pair{cells[0]}.txt"
    if cause.start < effect.start:
        return Entry(path.stem, path, cause, effect, 1, weight)
    return Entry(path.stem, path, effect, cause, -1, weight)


def is_pair_file(path: StrPath) -> bool:
    """Return whether a file of this name is a pair of a folder without ``pairmeta.txt``."""
    path = Path(path)
    return (
        path.suffix.lower() in TEXT_SUFFIXES
        and path.name != META
        and not path.name.startswith(".")
        and not path.name.lower().startswith("readme")
        and not path.stem.endswith("_des")
    )


def _variable(table: Table, names: Sequence[Hashable]) -> Column:
    """Return columns of numbers as one variable."""
    columns, faults = table.read(names)
    for name in names:
        if name in faults:
            raise faults[name]
        if columns[name].levels is not None:
            problem = f"{name} holds text, which is not numbers"
            raise SourceError(table.name, None, problem)
    if len(names) == 1:
        return columns[names[0]]
    return Column(np.column_stack([columns[name].values for name in names]))
