"""Folders of cause-effect pairs in the layout of the Tübingen collection.

A pair whose file is missing or broken has a `problem`, so no bad file ends the iteration.
"""

from __future__ import annotations

import errno
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

import numpy as np

from anmmm._signals import unless_signal
from anmmm._text import brief
from anmmm._typing import FloatArray, StrPath
from anmmm.datasets.errors import SourceError
from anmmm.datasets.files import FromFiles, SeenIds, refuse_irregular
from anmmm.datasets.pair import Pair
from anmmm.datasets.text import TextTable, check_header, read_table
from anmmm.datasets.tuebingen_groups import group_of, weight_of

META = "pairmeta.txt"
TEXT_SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".dat"})
# File systems allow names of 255 bytes.
_FILE_NAME = re.compile(r"[^/\\]{1,250}", re.DOTALL)
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

    def read(self, header: bool | None) -> Pair:
        try:
            refuse_irregular(self.path)
            table = read_table(self.path, header=header)
            first, second = self._columns(table)
            values = table.numbers([*first, *second])
        except FileNotFoundError:
            return self._unreadable(f"{self.path.name}: no such file")
        except unless_signal(OSError) as error:
            return self._unreadable(f"{self.path.name}: {error.strerror}")
        except SourceError as error:
            # Without the folder, which is the same for all rows.
            return self._unreadable(str(SourceError(self.path.name, error.place, error.problem)))
        # Missing values of other columns do not matter.
        complete = values[~np.isnan(values).any(axis=1)]
        return Pair(
            self.pair_id,
            _variable(complete[:, : len(first)]),
            _variable(complete[:, len(first) :]),
            self.truth,
            self.weight,
            self.group,
            n_dropped=len(values) - len(complete),
            missing=f"{self.path.name} lacks values" if len(complete) < len(values) else "",
        )

    def _columns(self, table: TextTable) -> tuple[range, range]:
        if self.first is None or self.second is None:
            columns = [c for c in range(table.n_columns) if c not in table.row_numbers()]
            if len(columns) != 2:
                problem = f"expected 2 columns, found {len(columns)}; {META} chooses columns"
                raise SourceError(table.path, None, problem)
            return range(columns[0], columns[0] + 1), range(columns[1], columns[1] + 1)
        needed = max(self.first.stop, self.second.stop)
        if needed > table.n_columns:
            raise SourceError(
                table.path,
                None,
                f"{META} names column {needed}, but the file has {table.n_columns}",
            )
        return self.first, self.second

    def _unreadable(self, problem: str) -> Pair:
        return Pair.unreadable(
            self.pair_id, problem, truth=self.truth, weight=self.weight, group=self.group
        )


class PairFolder(Sequence[Pair], FromFiles):
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

    kind = "folder"

    def __init__(self, path: Path, entries: Sequence[_Entry], header: bool | None = None) -> None:
        self.path, self.name = path, str(path)
        self._entries, self._header = tuple(entries), header
        self.files = tuple(entry.path for entry in self._entries)
        self.options = {"header": header}

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
    if not folder.exists():
        raise OSError(errno.ENOENT, "no such folder", str(folder))
    if not folder.is_dir():
        raise OSError(errno.ENOTDIR, "not a folder", str(folder))
    if meta is not False:
        refuse_irregular(folder / META)
    there, header = (folder / META).is_file(), check_header(header)
    if meta and not there:
        raise OSError(errno.ENOENT, f"the folder has no {META}", str(folder))
    if not (there if meta is None else meta):
        return PairFolder(folder, _loose(folder), header)
    entries = _from_meta(folder, read_table(folder / META, comments=True))
    grouped = _grouped(entries) if _is_collection(entries) else entries
    return PairFolder(folder, grouped, header)


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
    entries, seen = [], SeenIds(pairs.name)
    for entry in pairs._entries:
        number = _number(entry)
        pair_id = entry.pair_id if number is None else f"pair{number:04d}"
        seen.add(pair_id, entry.path.name, "the collection has each id once")
        entries.append(replace(entry, pair_id=pair_id))
    return PairFolder(pairs.path, _grouped(entries))


def _number(entry: _Entry) -> int | None:
    """Return the number in the id of a pair, None without one."""
    match = _NUMBERED.fullmatch(entry.pair_id)
    return int(match[1]) if match else None


def _grouped(entries: Sequence[_Entry]) -> list[_Entry]:
    return [replace(entry, group=group_of(_number(entry))) for entry in entries]


def _is_collection(entries: Sequence[_Entry]) -> bool:
    """Return whether ids and weights are those of the collection, and not all weights are 1."""
    weights = [weight_of(_number(entry)) for entry in entries]
    return any(weight != 1.0 for weight in weights) and all(
        # The collection rounds to three or four digits.
        weight is not None and math.isclose(entry.weight, weight, abs_tol=1.5e-3)
        for entry, weight in zip(entries, weights, strict=True)
    )


def _from_meta(folder: Path, meta: TextTable) -> list[_Entry]:
    if meta.n_columns not in (5, 6):
        raise SourceError(
            meta.path,
            meta.lines[0],
            "expected 'id cause_first cause_last effect_first effect_last [weight]', found "
            f"{meta.n_columns} fields",
        )
    numbers = meta.numbers(range(1, meta.n_columns))
    files = {file.name: file for file in sorted(folder.iterdir())}
    entries: list[_Entry] = []
    seen = SeenIds(meta.path)
    for cells, line, values in zip(meta.rows, meta.lines, numbers, strict=True):
        try:
            cause, effect = _block(values[0], values[1]), _block(values[2], values[3])
            if cause.start < effect.stop and effect.start < cause.stop:
                raise ValueError("cause and effect share a column")
            if not _FILE_NAME.fullmatch(cells[0]):
                raise ValueError(
                    "the id must be the name of a file in this folder, without its suffix; found "
                    f"{brief(cells[0])}"
                )
            weight = float(values[4]) if len(values) > 4 else 1.0
            if not (math.isfinite(weight) and weight >= 0.0):
                raise ValueError(f"the weight must be a number >= 0, found {cells[5]!r}")
        except ValueError as error:
            raise SourceError(meta.path, line, str(error)) from None
        path = _data_file(folder, files, cells[0])
        seen.add(path.stem, f"line {line}", "keep one of these lines")
        cause_first = cause.start < effect.start
        first, second = (cause, effect) if cause_first else (effect, cause)
        entries.append(_Entry(path.stem, path, first, second, 1 if cause_first else -1, weight))
    return entries


def _block(first: float, last: float) -> range:
    if not (first >= 1 and last >= first and first.is_integer() and last.is_integer()):
        raise ValueError(
            f"columns count from 1, the last not before the first; found {first:g} to {last:g}"
        )
    return range(int(first) - 1, int(last))


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


def _variable(block: FloatArray) -> FloatArray:
    """Return a contiguous array, a vector if the block has one column."""
    return np.ascontiguousarray(block[:, 0] if block.shape[1] == 1 else block)
