"""The error about sources of pairs that cannot be read."""

from __future__ import annotations


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
        A line, ``"row 12"`` or ``"row group 3"``; None for the whole file. Lines and rows count
        from 1, row groups from 0 as in Parquet's own tools. The attribute of a line is
        ``"line 7"``.
    problem : str
        The fault and its remedy, without the place.
    """

    def __init__(self, path: str, place: int | str | None, problem: str) -> None:
        if isinstance(place, int):
            place = f"line {place}"
        super().__init__(path, place, problem)
        self.path, self.place, self.problem = path, place, problem

    def __str__(self) -> str:
        if self.place is None:
            return f"{self.path}: {self.problem}"
        if self.place.startswith("line "):
            # As editors and compilers write it.
            return f"{self.path}:{self.place.removeprefix('line ')}: {self.problem}"
        return f"{self.path}: {self.place}: {self.problem}"
