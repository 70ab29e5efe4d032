"""What every source of pairs can do; the runner and its checkpoints rely on nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from anmmm.datasets import Pair

# Python's way for a length hint to say "unknown", which the type of the method does not know.
UNKNOWN_LENGTH: int = NotImplemented


@runtime_checkable
class PairSource(Protocol):
    """A collection of pairs, read while it is walked."""

    @property
    def name(self) -> str:
        """What a reader knows it by: the path, or the kind of object."""

    def __iter__(self) -> Iterator[Pair]:
        """Walk the pairs in the order of the source.

        A pair that cannot be read is a `Pair` with a `problem`. `SourceError` is raised in
        mid-walk only where the rest cannot be read or told apart.
        """

    def __length_hint__(self) -> int:
        """Return the number of pairs, or NotImplemented where only the walk would tell."""

    def fingerprint(self) -> dict[str, Any] | None:
        """Return what tells this source from another, for checkpoints.

        Returns
        -------
        dict or None
            Plain values that JSON can hold, and no absolute path, so that a moved file keeps it.
            None where the next walk may be through other pairs. A checkpoint compares the pairs
            themselves too.
        """
