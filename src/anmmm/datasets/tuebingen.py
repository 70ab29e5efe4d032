"""Folders of cause-effect pairs in the layout of the Tübingen collection.

A pair whose file is missing or broken has a `problem`, so that no bad file ends the walk.
"""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

import numpy as np

from anmmm._typing import FloatArray, StrPath
from anmmm._validation import brief
from anmmm.datasets.errors import SourceError
from anmmm.datasets.files import FromFiles, SeenIds, refuse_irregular
from anmmm.datasets.pair import Pair
from anmmm.datasets.text import TextTable, read_table
from anmmm.datasets.tuebingen_groups import group_of, weight_of

META = "pairmeta.txt"
TEXT_SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".dat"})
_DIGITS = re.compile(r"(\d+)")
_NUMBERED = re.compile(r"(?:pair)?0*(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class _Entry:
    """Where a pair stands and what the meta file says of it; columns count from 0."""

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
        except OSError as error:
            return self._unreadable(f"{self.path.name}: {error.strerror}")
        except SourceError as error:
            # The folder is known; its repetition in each row of a table would only be noise.
            return self._unreadable(str(SourceError(self.path.name, error.place, error.problem)))
        # Only now: other columns may hold missing values that do not concern this pair.
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
            if table.n_columns != 2:
                raise SourceError(table.path, None, f"expected 2 columns, found {table.n_columns}")
            return range(1), range(1, 2)
        needed = max(self.first.stop, self.second.stop)
        if needed > table.n_columns:
            raise SourceError(
                table.path,
                None,
                f"{META} speaks of column {needed}, but there are {table.n_columns}",
            )
        return self.first, self.second

    def _unreadable(self, problem: str) -> Pair:
        return Pair.unreadable(
            self.pair_id, problem, truth=self.truth, weight=self.weight, group=self.group
        )


class PairFolder(Sequence[Pair], FromFiles):
    """The pairs of a folder, each read from its file when it is asked for.

    Index it with a position, a slice or the id of a pair; iterate over it to walk the collection.

    Parameters
    ----------
    path : Path
        The folder.
    entries : sequence
        One description a pair, as `load_pairs` makes them.
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
    path: StrPath, *, meta: bool | None = None, header: bool | None = None
) -> PairFolder:
    """Open a folder of variable pairs in Tübingen layout.

    Parameters
    ----------
    path : path-like
        Folder with one text file a pair and ``pairmeta.txt``, whose lines read ``id cause_first
        cause_last effect_first effect_last [weight]`` with columns counted from 1. Without
        ``pairmeta.txt`` every ``.txt``, ``.csv``, ``.tsv`` or ``.dat`` file of two columns is a
        pair of unknown truth and weight 1; descriptions (``*_des.txt``, ``README*``) are passed
        over.
    meta : bool, optional
        Whether ``pairmeta.txt`` must be there (True) or is passed over (False); by default it is
        used if it is there.
    header : bool, optional
        Whether the first line of every pair's file names the columns; by default it does if none of
        its cells is a number. A file of which it cannot be right is a `problem`.

    Returns
    -------
    PairFolder
        Sequence of `Pair`, read one at a time. The id is the name of the file without its suffix.
        In each pair x is the earlier column or block of columns and y the later, and truth is -1
        where the cause is the later one. Rows with a missing value *in these columns* are dropped
        and counted. A pair that cannot be read carries its `problem`. `group` is filled where all
        of ``pairmeta.txt`` is as in the Tübingen collection, weights included, and None otherwise.

    Raises
    ------
    OSError
        If there is no such folder or no pair in it, no ``pairmeta.txt`` that must be there, or one
        that is no regular file.
    SourceError
        A ValueError: if ``pairmeta.txt`` is broken (``file:line: what is wrong``), or two pairs
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
    there = (folder / META).is_file()
    if meta and not there:
        raise OSError(errno.ENOENT, f"the folder has no {META}", str(folder))
    if not (there if meta is None else meta):
        return PairFolder(folder, _loose(folder), header)
    entries = _from_meta(folder, read_table(folder / META, comments=True))
    grouped = _grouped(entries) if _is_collection(entries) else entries
    return PairFolder(folder, grouped, header)


def load_tuebingen(path: StrPath) -> PairFolder:
    """Open the Tübingen cause-effect pairs.

    The collection has been published with two digits (``pair01.txt``) and with four; the ids are
    ``pair0001`` and so on here, whichever the files have.

    Parameters
    ----------
    path : path-like
        Folder that holds ``pairmeta.txt`` and the files.

    Returns
    -------
    PairFolder
        As `load_pairs`. Six pairs of the collection are multivariate and keep two-dimensional x
        and y. `group` names the data set that a pair comes from, by its number, whatever
        ``pairmeta.txt`` says of it.

    Raises
    ------
    OSError, ValueError
        As `load_pairs`; also if the folder has no ``pairmeta.txt``, without which the true
        directions are unknown.
    """
    pairs = load_pairs(path, meta=True)
    entries, seen = [], SeenIds(pairs.name)
    for entry in pairs._entries:
        number = _number(entry)
        pair_id = entry.pair_id if number is None else f"pair{number:04d}"
        seen.add(pair_id, entry.path.name, "the collection has it once")
        entries.append(replace(entry, pair_id=pair_id))
    return PairFolder(pairs.path, _grouped(entries))


def _number(entry: _Entry) -> int | None:
    """Return the number of a pair in the collection, as its id tells it."""
    match = _NUMBERED.fullmatch(entry.pair_id)
    return int(match[1]) if match else None


def _grouped(entries: Sequence[_Entry]) -> list[_Entry]:
    return [replace(entry, group=group_of(_number(entry))) for entry in entries]


def _is_collection(entries: Sequence[_Entry]) -> bool:
    """Tell whether the lines of a meta file are those of the collection, weights included."""
    telling = False
    for entry in entries:
        weight = weight_of(_number(entry), entry.first, entry.second, entry.truth)
        # The collection rounds to three or four digits, up or down.
        if weight is None or not math.isclose(entry.weight, weight, abs_tol=1.5e-3):
            return False
        telling = telling or weight < 1.0
    return telling


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
            _check_file_name(cells[0])
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


def _check_file_name(pair_id: str) -> None:
    # The longest name that common file systems take is 255 bytes.
    if not pair_id or os.path.basename(pair_id) != pair_id or "\\" in pair_id or len(pair_id) > 250:
        raise ValueError(
            f"the id must be the name of a file in this folder, without its suffix; found "
            f"{brief(pair_id)}"
        )


def _data_file(folder: Path, files: dict[str, Path], pair_id: str) -> Path:
    stems = [f"pair{pair_id}", pair_id]
    if pair_id.isdecimal():
        stems += [f"pair{int(pair_id):04d}", f"pair{int(pair_id):02d}", f"pair{int(pair_id)}"]
    if pair_id.lower().startswith("pair"):
        # So that a missing file goes by the name that the id suggests.
        stems.reverse()
    names = [f"{stem}{suffix}" for stem in stems for suffix in (".txt", ".csv")]
    return next((files[name] for name in names if name in files), folder / names[0])


def _loose(folder: Path) -> list[_Entry]:
    # A link to nothing is a pair that cannot be read, and no file that may be passed over.
    paths = [path for path in folder.iterdir() if is_pair_file(path) and not path.is_dir()]
    if not paths:
        raise OSError(errno.ENOENT, f"no {META} and no pair file in this folder", str(folder))
    # Pair2 comes before pair10; odd places are the digits.
    paths.sort(key=lambda path: [int(t) if t.isdecimal() else t for t in _DIGITS.split(path.name)])
    seen = SeenIds(str(folder))
    for path in paths:
        seen.add(path.stem, path.name, "rename one of these files")
    return [_Entry(path.stem, path) for path in paths]


def is_pair_file(path: StrPath) -> bool:
    """Tell whether a folder without ``pairmeta.txt`` takes a file of this name for a pair."""
    path = Path(path)
    return (
        path.suffix.lower() in TEXT_SUFFIXES
        and path.name != META
        and not path.name.startswith(".")
        and not path.name.lower().startswith("readme")
        and not path.stem.endswith("_des")
    )


def _variable(block: FloatArray) -> FloatArray:
    """Return a single column as a vector, several as they are; contiguous either way."""
    return np.ascontiguousarray(block[:, 0] if block.shape[1] == 1 else block)
