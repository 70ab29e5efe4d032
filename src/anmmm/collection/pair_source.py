"""What a source of pairs is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

from anmmm.datasets import Pair


@runtime_checkable
class PairSource(Protocol):
    """A collection of pairs, read while it is iterated."""

    @property
    def name(self) -> str:
        """Path, or type of the object."""

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs in the order of the source.

        A pair that cannot be read is a `Pair` with a `problem`. `SourceError` is raised only if
        the remaining pairs cannot be read or distinguished.
        """

    def __length_hint__(self) -> int:
        """Return the number of pairs, or NotImplemented if it is unknown."""


class Pairs:
    """A source whose pairs a function reads; their number may be unknown, None."""

    def __init__(self, name: str, n_pairs: int | None, read: Callable[[], Iterator[Pair]]) -> None:
        self.name = name
        self._n_pairs = n_pairs
        self._read = read

    def __iter__(self) -> Iterator[Pair]:
        return self._read()

    def __length_hint__(self) -> int:
        return NotImplemented if self._n_pairs is None else self._n_pairs
