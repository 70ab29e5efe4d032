"""Finished units of a study, kept on disk while the others are computed.

One line of JSON a unit, appended as soon as it is measured, below a line that says what run it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anmmm.experiments.study import Record, Unit

__all__ = ["OtherRunError", "Progress"]


class OtherRunError(ValueError):
    """The folder holds work of a run with other settings."""


class Progress:
    """Append-only file of finished units.

    Parameters
    ----------
    path : Path
        Made if it does not exist.
    header : mapping
        What must be equal for the kept work to be used: version, scale, data.

    Raises
    ------
    OtherRunError
        If the file is of a run with another header; says what differs.
    OSError
        If the file cannot be read or written.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self.finished: dict[str, list[Record]] = {}
        plain: dict[str, Any] = json.loads(json.dumps(header))
        size = self._read(plain) if path.exists() else 0
        self._file = path.open("ab")
        # A line that a crash cut short is written anew.
        self._file.truncate(size)
        if size == 0:
            self._append(plain)

    def _read(self, header: dict[str, Any]) -> int:
        size = 0
        for number, line in enumerate(_whole_lines(self.path)):
            try:
                entry = json.loads(line)
            except ValueError:
                entry = None
            if not isinstance(entry, dict) or (number and "key" not in entry):
                raise OtherRunError(
                    f"{self.path}:{number + 1}: this is no record of finished work; remove the "
                    f"file, or choose another folder"
                )
            if number == 0:
                self._compare(entry, header)
            else:
                self.finished[entry["key"]] = entry["records"]
            size += len(line)
        return size

    def _compare(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        names = [name for name in {**found, **wanted} if found.get(name) != wanted.get(name)]
        if names:
            told = "; ".join(f"{n} is {found.get(n)} there and {wanted.get(n)} now" for n in names)
            raise OtherRunError(
                f"{self.path} is of another run: {told}; choose another folder, or remove the file"
            )

    def add(self, unit: Unit, records: list[Record]) -> None:
        """Keep the records of a unit; they are on disk when this returns."""
        self.finished[unit.key] = records
        self._append({"key": unit.key, "records": records})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _append(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _whole_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from (line for line in file if line.endswith(b"\n"))
