"""Lengths of columns in a checkpoint, by a digest of the table that they depend on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

from anmmm._text import brief
from anmmm.collection.checkpoint import Checkpoint

# A column and its causes.
Key = tuple[int, frozenset[int]]


@dataclass
class Fits:
    """Lengths of an earlier run by digest; `log`, if there is one, keeps new ones too.

    `on_fit` is called with the number of new ones.
    """

    on_fit: Callable[[int], object] = bool
    log: Checkpoint | None = None
    known: dict[str, dict[Key, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Place new rows of the log after those that it has."""
        self._places = count(0 if self.log is None else self.log.n_finished)

    def keep(self, digest: str, new: Mapping[Key, float]) -> None:
        """Count new lengths, and write them to the log."""
        self.on_fit(len(new))
        if self.log is not None and new:
            self.log.add(
                (place, " ".join(map(str, (digest, node, *sorted(causes)))), nats)
                for ((node, causes), nats), place in zip(new.items(), self._places, strict=False)
            )


def read_lengths(log: Checkpoint, largest: float) -> dict[str, dict[Key, float]]:
    """Return the lengths of a log; raise CheckpointError if one has more than `largest` nats."""
    known: dict[str, dict[Key, float]] = defaultdict(dict)
    for key, nats in filter(None, map(log.find, range(log.n_finished))):
        digest, _, text = key.partition(" ")
        columns = text.split()
        are_columns = bool(columns) and all(map(str.isdecimal, columns))
        if not are_columns or not isinstance(nats, float) or not abs(nats) <= largest:
            raise log.damage(f"{brief(key)} and {brief(nats)} are no fit of this table")
        node, *causes = map(int, columns)
        known[digest][node, frozenset(causes)] = nats
    return known
