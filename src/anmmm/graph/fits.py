"""Lengths of columns in a checkpoint, by a digest of the table that they depend on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

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

    def keep(self, digest: str, new: Mapping[Key, float]) -> None:
        """Count new lengths, and write them to the log."""
        self.on_fit(len(new))
        if self.log is None:
            return
        for (node, causes), nats in new.items():
            self.log.add(" ".join(map(str, (digest, node, *sorted(causes)))), nats)


def read_lengths(log: Checkpoint, largest: float) -> dict[str, dict[Key, float]]:
    """Return the lengths of a log; raise CheckpointError if one has more than `largest` nats."""
    known: dict[str, dict[Key, float]] = defaultdict(dict)
    for key, nats in log.items():
        digest, _, text = key.partition(" ")
        columns = text.split()
        if not columns:
            # The row of a collection.
            continue
        are_columns = all(map(str.isdecimal, columns))
        if not are_columns or not isinstance(nats, float) or not abs(nats) <= largest:
            raise log.damage(f"{brief(key)} and {brief(nats)} are no fit of this table")
        node, *causes = map(int, columns)
        known[digest][node, frozenset(causes)] = nats
    return known
