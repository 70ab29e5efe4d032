"""CSV files with one pair a line, as the Cause Effect Pairs challenge and cdt write them.

Lines of any length come in one at a time; a `Pair` goes out for each.

Layout: I. Guyon, A. Statnikov, B. Bakir Batu (eds.), "Cause Effect Pairs in Machine Learning",
Springer 2019; D. Kalainathan, O. Goudet, R. Dutta, "Causal Discovery Toolbox", JMLR 21(37), 2020.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._validation import brief, check_truth
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH
from anmmm.collection.sources.records import described_pair
from anmmm.datasets import Pair, SourceError
from anmmm.datasets.fingerprints import file_identity
from anmmm.datasets.ids import SeenIds
from anmmm.datasets.text import as_number

__all__ = ["PairCsv", "is_pair_csv"]

HEADER = ("sampleid", "a", "b")
_BOM = b"\xef\xbb\xbf"

# A first line of this layout is far shorter; one of numbers may have no end.
_FIRST = 1 << 16


class PairCsv:
    """The pairs of a CSV file ``SampleID,A,B`` with blank-separated numbers in its cells.

    Parameters
    ----------
    path : path-like
        The file, in UTF-8.
    targets : path-like or mapping, optional
        Truth by id: a CSV file whose first two columns are ``SampleID`` and ``Target``, or a
        mapping; 1 for A → B, -1 for B → A, 0 for neither. Read at once. A pair that it does not
        name has truth None.

    Raises
    ------
    OSError
        If a file cannot be opened.
    SourceError
        If the pair file has another header or no pair, or a line of the targets is wrong.

    Notes
    -----
    Memory: the longest line, and what `SeenIds` keeps.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        targets: str | os.PathLike[str] | Mapping[Any, Any] | None = None,
    ) -> None:
        self._path = Path(path)
        self.name = os.fspath(path)
        self._targets = targets
        with self._path.open("rb") as file:
            first = file.readline(_FIRST)
            if not first:
                raise SourceError(self.name, None, "the file is empty")
            if b"\0" in first:
                problem = "this is not a text file (it holds zero bytes)"
                raise SourceError(self.name, None, problem)
            if not _is_header(first):
                found = first[:60].decode("utf-8", "replace").strip()
                raise SourceError(
                    self.name, "line 1", f"expected the header SampleID,A,B, found {found!r}"
                )
            if not any(piece.strip() for piece in file):
                raise SourceError(self.name, None, "a header, but no pair after it")
        if isinstance(targets, Mapping):
            self._truth = {}
            seen = SeenIds("targets")
            for key, value in targets.items():
                seen.add(str(key), f"the key {brief(key)}", "give every pair its own key")
                self._truth[str(key)] = _truth(value, str(key))
        else:
            self._truth = {} if targets is None else _read_targets(targets)

    def __iter__(self) -> Iterator[Pair]:
        """Read the file line by line; a line that cannot be used is a pair with a `problem`.

        Raises
        ------
        SourceError
            If an id comes twice.
        """
        seen = SeenIds(self.name)
        with self._path.open("rb") as file:
            next(file, None)
            for number, line in enumerate(file, start=2):
                if not line.isspace():
                    pair = self._pair(line, f"{self._path.name}:{number}", f"line {number}")
                    seen.add(pair.pair_id, f"line {number}")
                    yield pair

    def __length_hint__(self) -> int:
        """Return NotImplemented: only the walk tells the number of lines."""
        return UNKNOWN_LENGTH

    def fingerprint(self) -> dict[str, Any]:
        """Return the identities of the file and of its targets; see `file_identity`."""
        targets: Any = None
        if isinstance(self._targets, Mapping):
            targets = hashlib.sha256(repr(sorted(self._truth.items())).encode()).hexdigest()
        elif self._targets is not None:
            targets = file_identity(self._targets, "targets")
        return file_identity(self._path, "cdt", targets=targets)

    def _pair(self, line: bytes, place: str, pair_id: str) -> Pair:
        """Read a line; until its id is known, the pair goes by its line."""
        truth = None
        try:
            # Cells of numbers have no comma, so all others belong to the id.
            cells = line.decode("utf-8").rsplit(",", 2)
            if len(cells) != 3:
                raise ValueError(f"expected 3 cells SampleID,A,B, found {len(cells)}")
            raw_id = cells[0].strip()
            if "," in raw_id and not (raw_id.startswith('"') and raw_id.endswith('"')):
                raise ValueError("expected 3 cells SampleID,A,B, found more")
            if not _unquoted(raw_id):
                raise ValueError("the SampleID is missing")
            pair_id = _unquoted(raw_id)
            truth = self._truth.get(pair_id)
            x, y = _numbers(cells[1], "A"), _numbers(cells[2], "B")
        except UnicodeDecodeError:
            return Pair.unreadable(pair_id, f"{place}: the line is not UTF-8 text")
        except ValueError as error:
            return Pair.unreadable(pair_id, f"{place}: {error}", truth=truth)
        return described_pair(pair_id, x, y, truth=truth, place=place)


def is_pair_csv(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins with the header ``SampleID,A,B``.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    bool

    Raises
    ------
    OSError
        If the file cannot be opened.
    """
    with Path(path).open("rb") as file:
        return _is_header(file.readline(_FIRST))


def _is_header(line: bytes) -> bool:
    text = line.removeprefix(_BOM).decode("utf-8", "replace")
    return tuple(_unquoted(cell.strip()).lower() for cell in text.split(",")) == HEADER


def _unquoted(cell: str) -> str:
    if len(cell) >= 2 and cell.startswith('"') and cell.endswith('"'):
        return cell[1:-1].replace('""', '"').strip()
    return cell


def _numbers(cell: str, column: str) -> NDArray[np.float64]:
    words = _unquoted(cell.strip()).split()
    try:
        # Much faster than word by word; Python alone reads 1_000 as a number.
        if "_" not in cell:
            return np.array([float(word) for word in words])
    except ValueError:
        pass
    values = [as_number(word) for word in words]
    if None in values:
        wrong = words[values.index(None)]
        raise ValueError(f"{column} holds {wrong[:40]!r}, which is not a number")
    return np.array(values, dtype=np.float64)


def _truth(value: Any, pair_id: str) -> int | None:
    try:
        return check_truth(value)
    except ValueError as error:
        raise ValueError(f"targets, pair {pair_id!r}: {error}") from None


def _read_targets(path: str | os.PathLike[str]) -> dict[str, int | None]:
    name = os.fspath(path)
    truth: dict[str, int | None] = {}
    seen = SeenIds(name)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, skipinitialspace=True, strict=True)
            header = [cell.strip().lower() for cell in next(reader, [])]
            # The challenge explains its codes inside the header.
            if len(header) < 2 or header[0] != "sampleid" or not header[1].startswith("target"):
                raise SourceError(
                    name, "line 1", f"expected the header SampleID,Target, found {brief(header)}"
                )
            for cells in reader:
                if not any(cell.strip() for cell in cells):
                    continue
                place = f"line {reader.line_num}"
                if len(cells) < 2:
                    raise SourceError(name, place, "expected SampleID,Target, found 1 cell")
                pair_id, target = cells[0].strip(), cells[1].strip()
                seen.add(pair_id, place)
                try:
                    truth[pair_id] = check_truth(
                        target if (found := as_number(target)) is None else found
                    )
                except ValueError as error:
                    raise SourceError(name, place, str(error)) from None
    except UnicodeDecodeError:
        raise SourceError(name, None, "this is not UTF-8 text") from None
    except csv.Error as error:
        raise SourceError(name, f"line {reader.line_num}", str(error)) from None
    return truth
