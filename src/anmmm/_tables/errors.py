"""The error about sources of pairs that cannot be read."""

from __future__ import annotations

import os


class SourceError(ValueError):
    """A source of pairs cannot be read, or not to its end.

    The text is ``file:line: problem`` if the place is a line, ``file: place: problem`` for another
    place, and ``file: problem`` otherwise. A single pair that cannot be read is not an error but a
    `Pair` with a `problem`.

    Parameters
    ----------
    path : str
        File or type of object, as the caller named it.
    place : int, str or None
        A line, or ``"row 12"`` or ``"row group 3"``; None for the whole file. Lines and rows count
        from 1, row groups from 0 as in Parquet's own tools. The attribute of a line is
        ``"line 7"``.
    problem : str
        The fault and its remedy, without the place.
    """

    def __init__(self, path: str, place: int | str | None, problem: str) -> None:
        if isinstance(place, int):
            place = f"line {place}"
        super().__init__(path, place, problem)
        self.path = path
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        if self.place is None:
            return f"{self.path}: {self.problem}"
        if self.place.startswith("line "):
            # As editors and compilers write it.
            return f"{self.path}:{self.place.removeprefix('line ')}: {self.problem}"
        return f"{self.path}: {self.place}: {self.problem}"

    def without_folder(self) -> str:
        """Return the text with the name of the file alone."""
        return str(SourceError(os.path.basename(self.path), self.place, self.problem))


class SeenIds:
    """Refuses duplicate ids of pairs; some 200 bytes for each id."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._places: dict[str, str] = {}

    def add(self, pair_id: str, place: str, advice: str = "give every pair its own") -> None:
        """Note an id and its place, e.g. ``"line 7"``."""
        first = self._places.setdefault(pair_id, place)
        if first is not place:
            raise SourceError(
                self._path, place, f"the pair id {pair_id!r} was used in {first} already; {advice}"
            )
