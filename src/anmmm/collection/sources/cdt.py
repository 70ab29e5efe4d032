"""CSV files with one pair per line, as the Cause Effect Pairs challenge and cdt write them.

Not split by the csv module: its limit on the length of a cell is global, and after an unclosed
quote it would read the pairs that follow as one cell.

Layout: I. Guyon, A. Statnikov, B. Bakir Batu (eds.), "Cause Effect Pairs in Machine Learning",
Springer 2019; D. Kalainathan, O. Goudet, R. Dutta, "Causal Discovery Toolbox", JMLR 21(37), 2020.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import joblib
import numpy as np

from anmmm._text import brief
from anmmm._typing import FloatArray, StrPath
from anmmm._validation import check_truth, text_advice
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH, make_pair
from anmmm.datasets import Pair, SourceError
from anmmm.datasets.files import FromFiles, SeenIds
from anmmm.datasets.text import as_number, refuse_binary

HEADER = ("sampleid", "a", "b")
# Bytes that are not UTF-8, under "surrogateescape".
_UNDECODED = re.compile("[\udc80-\udcff]")
_QUOTED = re.compile('"([^"]|"")*"')

# Characters of the first line that are read; a line of numbers may be of any length.
_FIRST = 1 << 16


class PairCsv(FromFiles):
    """The pairs of a CSV file ``SampleID,A,B``; `targets` is the truth by id."""

    kind = "cdt"

    def __init__(
        self,
        path: StrPath,
        targets: StrPath | Mapping[Any, Any] | None = None,
    ) -> None:
        self.name = os.fspath(path)
        self.files = (Path(path),)
        self.options: dict[str, Any] = {}
        with _opened(path) as file:
            first = file.readline(_FIRST)
            if not first:
                raise SourceError(self.name, None, "the file is empty")
            if not _is_header(first):
                start = brief(first[:60].strip())
                raise SourceError(self.name, 1, f"expected the header SampleID,A,B, found {start}")
            if not any(piece.strip() for piece in file):
                raise SourceError(self.name, None, "a header, but no pair after it")
        self._truth: dict[str, int | None] = {}
        if isinstance(targets, Mapping):
            keyed = ((f"the key {brief(key)}", str(key), t) for key, t in targets.items())
            self._truth = _truths("targets", keyed)
            self.options = {"targets": joblib.hash(sorted(self._truth.items()))}
        elif targets is not None:
            self._truth = _truths(os.fspath(targets), _targets_in(targets))
            self.files += (Path(targets),)

    def __iter__(self) -> Iterator[Pair]:
        """Read the file line by line; a line that cannot be used is a pair with a `problem`."""
        seen, name = SeenIds(self.name), os.path.basename(self.name)
        with _opened(self.name) as file:
            next(file, None)
            for number, line in enumerate(file, start=2):
                if not line.isspace():
                    pair = self._pair(line, f"{name}:{number}", f"line {number}")
                    seen.add(pair.pair_id, f"line {number}")
                    yield pair

    def __length_hint__(self) -> int:
        """Return NotImplemented: the number of lines is unknown."""
        return UNKNOWN_LENGTH

    def _pair(self, line: str, place: str, pair_id: str) -> Pair:
        """Return the pair of a line; `pair_id` is its id if the line has none."""
        truth = None
        try:
            if not line.isascii() and _UNDECODED.search(line):
                raise ValueError("the line is not UTF-8 text")
            # Cells of numbers have no commas: further ones belong to the id.
            cells = line.rsplit(",", 2)
            if len(cells) != 3:
                raise ValueError(f"expected 3 cells SampleID,A,B, found {len(cells)}")
            raw_id = cells[0].strip()
            if raw_id.startswith('"') and not _QUOTED.fullmatch(raw_id):
                raise ValueError("a double quote is opened but not closed")
            if "," in raw_id and not raw_id.startswith('"'):
                raise ValueError("expected 3 cells SampleID,A,B, found more")
            if not _unquoted(raw_id):
                raise ValueError("the SampleID is missing")
            pair_id = _unquoted(raw_id)
            truth = self._truth.get(pair_id)
            x, y = _numbers(cells[1], "A"), _numbers(cells[2], "B")
        except ValueError as error:
            return Pair.unreadable(pair_id, f"{place}: {error}", truth=truth)
        return make_pair(pair_id, x, y, truth=truth, place=place)


def is_pair_csv(path: StrPath) -> bool:
    """Return whether a file begins with the header ``SampleID,A,B``."""
    with _opened(path) as file:
        return _is_header(file.readline(_FIRST))


@contextmanager
def _opened(path: StrPath) -> Iterator[IO[str]]:
    """Open a file as text with any line ends; bytes that are not UTF-8 become surrogates."""
    with Path(path).open("rb") as file:
        refuse_binary(file.read(_FIRST), os.fspath(path))
    with Path(path).open(encoding="utf-8-sig", errors="surrogateescape") as text:
        yield text


def _is_header(line: str) -> bool:
    return tuple(_unquoted(cell.strip()).lower() for cell in line.split(",")) == HEADER


def _unquoted(cell: str) -> str:
    if _QUOTED.fullmatch(cell):
        return cell[1:-1].replace('""', '"').strip()
    return cell


def _numbers(cell: str, column: str) -> FloatArray:
    words = _unquoted(cell.strip()).split()
    values = [as_number(word) for word in words]
    if None in values:
        wrong = words[values.index(None)]
        problem = f"{column} holds {wrong[:40]!r}, which is not a number"
        raise ValueError("; ".join(filter(None, (problem, text_advice(wrong, "")))))
    return np.array(values, dtype=np.float64)


def _truths(name: str, targets: Iterable[tuple[str, str, Any]]) -> dict[str, int | None]:
    """Return the truth by id, from tuples of place, id and target."""
    truths: dict[str, int | None] = {}
    seen = SeenIds(name)
    for place, pair_id, target in targets:
        seen.add(pair_id, place)
        try:
            truths[pair_id] = check_truth(target)
        except ValueError as error:
            raise SourceError(name, place, str(error)) from None
    return truths


def _targets_in(path: StrPath) -> Iterator[tuple[str, str, Any]]:
    name = os.fspath(path)
    try:
        with _opened(path) as file:
            reader = csv.reader(file, skipinitialspace=True, strict=True)
            header = [cell.strip().lower() for cell in next(reader, [])]
            # The header of the challenge explains its codes.
            if len(header) < 2 or header[0] != "sampleid" or not header[1].startswith("target"):
                raise SourceError(
                    name, 1, f"expected the header SampleID,Target, found {brief(header)}"
                )
            for cells in reader:
                if not any(cell.strip() for cell in cells):
                    continue
                if len(cells) < 2:
                    problem = "expected SampleID,Target, found 1 cell"
                    raise SourceError(name, reader.line_num, problem)
                pair_id, target = cells[0].strip(), cells[1].strip()
                if _UNDECODED.search(pair_id + target):
                    raise SourceError(name, reader.line_num, "this is not UTF-8 text")
                number = as_number(target)
                yield f"line {reader.line_num}", pair_id, target if number is None else number
    except csv.Error as error:
        raise SourceError(name, reader.line_num, str(error)) from None
