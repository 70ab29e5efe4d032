"""Folders of cause-effect pairs in the layout of the Tübingen collection.

A pair whose file is missing or broken has a `problem`, so no bad file ends the iteration.
"""

from __future__ import annotations

import errno
import math
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from anmmm._categories import Column
from anmmm._signals import unless_signal
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
_NUMBERED = re.compile(r"(?:pair)?0*(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class _Entry:
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
        match = _NUMBERED.fullmatch(self.pair_id)
        return int(match[1]) if match else None

    def read(self, header: bool | None) -> Pair:
        """Read the pair; a file that cannot be read is its problem."""
        known: dict[str, Any] = {"truth": self.truth, "weight": self.weight, "group": self.group}
        try:
            # A broken link, or a pipe, for which reading would wait.
            if not self.path.is_file():
                raise FileNotFoundError(errno.ENOENT, "no such file")
            x, y = self._variables(read_text(self.path, header))
        except unless_signal(OSError) as error:
            return Pair.unreadable(self.pair_id, f"{self.path.name}: {error.strerror}", **known)
        except SourceError as error:
            return Pair.unreadable(self.pair_id, error.without_folder(), **known)
        return make_pair(self.pair_id, x, y, **known)

    def _variables(self, table: Table) -> tuple[Column, Column]:
        """Return both variables, each of one or several columns."""
        if self.first is None or self.second is None:
            chosen = [name for name in table.names if name not in table.row_numbers]
            if len(chosen) != 2:
                problem = f"expected 2 columns, found {len(chosen)}; {META} chooses columns"
                raise SourceError(table.name, None, problem)
            return _variable(table, chosen[:1]), _variable(table, chosen[1:])
        needed = max(self.first.stop, self.second.stop)
        if needed > len(table.names):
            problem = f"{META} names column {needed}, but the file has {len(table.names)}"
            raise SourceError(table.name, None, problem)
        first = [table.names[place] for place in self.first]
        second = [table.names[place] for place in self.second]
        return _variable(table, first), _variable(table, second)


class PairFolder(Sequence[Pair]):
    """The pairs of a folder, each read from its file when it is accessed.

    Index it with a position, a slice or the id of a pair, or iterate over it.

    Parameters
    ----------
    path : Path
        The folder.
    entries : sequence
        Descriptions of the pairs, made by `load_pairs`.
    header : bool, optional
        As in `load_pairs`.
    """

    def __init__(self, path: Path, entries: Sequence[_Entry], header: bool | None = None) -> None:
        self.path = path
        self.name = str(path)
        self._entries = tuple(entries)
        self._header = header
        self.files = tuple(entry.path for entry in self._entries)

    @property
    def ids(self) -> tuple[str, ...]:
        """Identifiers of the pairs, in order."""
        return tuple(entry.pair_id for entry in self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __length_hint__(self) -> int:
        return len(self)

    def __iter__(self) -> Iterator[Pair]:
        return (entry.read(self._header) for entry in self._entries)

    @overload
    def __getitem__(self, key: int | str) -> Pair: ...
    @overload
    def __getitem__(self, key: slice) -> PairFolder: ...
    def __getitem__(self, key: int | str | slice) -> Pair | PairFolder:
        if isinstance(key, slice):
            return PairFolder(self.path, self._entries[key], self._header)
        if isinstance(key, str):
            if key not in self.ids:
                raise KeyError(f"{self.path} has no pair {key!r}")
            key = self.ids.index(key)
        return self._entries[key].read(self._header)

    def __repr__(self) -> str:
        return f"<{len(self)} pairs in {self.path}>"


def load_pairs(
    path: StrPath, *, meta: bool | None = None, header: bool | str | None = "auto"
) -> PairFolder:
    """Open a folder of variable pairs in Tübingen layout.

    Parameters
    ----------
    path : path-like
        Folder with one text file per pair and ``pairmeta.txt``, whose lines read ``id cause_first
        cause_last effect_first effect_last [weight]`` with columns counted from 1. Without
        ``pairmeta.txt`` every ``.txt``, ``.csv``, ``.tsv`` or ``.dat`` file of two columns, beside
        an unnamed one of row numbers, is a pair of unknown truth and weight 1; descriptions
        (``*_des.txt``, ``README*``) are ignored.
    meta : bool, optional
        Whether ``pairmeta.txt`` is required (True) or ignored (False); by default it is used if it
        exists.
    header : "auto", True or False
        Whether the first line of every pair's file names the columns, as in
        `anmmm.collection.as_pairs`. A file that contradicts it is a pair with a `problem`.

    Returns
    -------
    PairFolder
        Sequence of `Pair`, read one at a time. The id is the name of the file without its suffix.
        In each pair x is the earlier column or block of columns and y the later, and truth is -1
        if the cause is the later one. Rows with a missing value *in these columns* are dropped and
        counted. A pair that cannot be read has a `problem`. `group` is set if all ids and weights
        of ``pairmeta.txt`` are those of the Tübingen collection, and None otherwise.

    Raises
    ------
    OSError
        If the folder does not exist or has no pair, or a required ``pairmeta.txt`` is missing or
        not a regular file.
    SourceError
        A ValueError: if ``pairmeta.txt`` is broken (``file:line: problem``), or two pairs
        have one id.

    References
    ----------
    J. M. Mooij, J. Peters, D. Janzing, J. Zscheischler, B. Schölkopf, "Distinguishing cause from
    effect using observational data: methods and benchmarks", JMLR 17(32), 2016.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise OSError(errno.ENOENT, "no such folder", str(folder))
    is_headed = check_header(header)
    has_meta = (folder / META).is_file()
    if meta and not has_meta:
        raise OSError(errno.ENOENT, f"the folder has no {META}", str(folder))
    if meta is False or not has_meta:
        return PairFolder(folder, _loose(folder), is_headed)
    entries = _from_meta(folder)
    if _is_collection(entries):
        entries = [replace(entry, group=group_of(entry.number)) for entry in entries]
    return PairFolder(folder, entries, is_headed)


def load_tuebingen(path: StrPath) -> PairFolder:
    """Open the Tübingen cause-effect pairs.

    The files of the collection have two digits (``pair01.txt``) or four; the ids here have four.

    Parameters
    ----------
    path : path-like
        Folder with ``pairmeta.txt`` and the files.

    Returns
    -------
    PairFolder
        As `load_pairs`. Six pairs of the collection are multivariate, with two-dimensional x or y.
        `group` is the data set of a pair, by its number only.

    Raises
    ------
    OSError, ValueError
        As `load_pairs`; also if the folder has no ``pairmeta.txt``.
    """
    pairs = load_pairs(path, meta=True)
    entries = []
    seen = SeenIds(pairs.name)
    for entry in pairs._entries:
        pair_id = entry.pair_id if entry.number is None else f"pair{entry.number:04d}"
        seen.add(pair_id, entry.path.name, "the collection has each id once")
        entries.append(replace(entry, pair_id=pair_id, group=group_of(entry.number)))
    return PairFolder(pairs.path, entries)


def _is_collection(entries: Sequence[_Entry]) -> bool:
    """Return whether ids and weights are those of the collection, and not all weights are 1."""
    weights = [weight_of(entry.number) for entry in entries]
    return any(weight != 1.0 for weight in weights) and all(
        # The collection rounds to three or four digits.
        weight is not None and math.isclose(entry.weight, weight, abs_tol=1.5e-3)
        for entry, weight in zip(entries, weights, strict=True)
    )


def _from_meta(folder: Path) -> list[_Entry]:
    """Return the pairs of ``pairmeta.txt``."""
    path = folder / META
    text = decode(path.read_bytes(), str(path))
    files = {file.name: file for file in sorted(folder.iterdir())}
    entries: list[_Entry] = []
    seen = SeenIds(str(path))
    for line, row in enumerate(text.split("\n"), start=1):
        cells = row.split()
        if not cells or cells[0].startswith("#"):
            continue
        try:
            entry = _entry(folder, files, cells)
        except ValueError as error:
            raise SourceError(str(path), line, str(error)) from None
        seen.add(entry.pair_id, f"line {line}", "keep one of these lines")
        entries.append(entry)
    if not entries:
        raise SourceError(str(path), None, "the file is empty")
    return entries


def _entry(folder: Path, files: dict[str, Path], cells: list[str]) -> _Entry:
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
    path = _data_file(folder, files, cells[0])
    if cause.start < effect.start:
        return _Entry(path.stem, path, cause, effect, 1, weight)
    return _Entry(path.stem, path, effect, cause, -1, weight)


def _data_file(folder: Path, files: dict[str, Path], pair_id: str) -> Path:
    stems = [f"pair{pair_id}", pair_id]
    if pair_id.isdecimal():
        stems += [f"pair{int(pair_id):04d}", f"pair{int(pair_id):02d}", f"pair{int(pair_id)}"]
    if pair_id.lower().startswith("pair"):
        # The first one is the name in the message about a missing file.
        stems.reverse()
    names = [f"{stem}{suffix}" for stem in stems for suffix in (".txt", ".csv")]
    return next((files[name] for name in names if name in files), folder / names[0])


def _loose(folder: Path) -> list[_Entry]:
    # A broken link is a pair that cannot be read.
    paths = [path for path in folder.iterdir() if is_pair_file(path) and not path.is_dir()]
    if not paths:
        raise OSError(errno.ENOENT, f"no {META} and no pair file in this folder", str(folder))
    # Natural order: pair2 before pair10.
    paths.sort(key=lambda path: [int(t) if t.isdecimal() else t for t in _DIGITS.split(path.name)])
    seen = SeenIds(str(folder))
    for path in paths:
        seen.add(path.stem, path.name, "rename one of these files")
    return [_Entry(path.stem, path) for path in paths]


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
