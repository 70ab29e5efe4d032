"""Numbers that fits of a table left behind: counted, and kept in a checkpoint."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anmmm._text import brief
from anmmm.collection.checkpoint import Checkpoint

# What was fitted: a name, then columns and sets of columns.
Task = tuple[Any, ...]
# Nats, or columns.
Number = float | list[int]

# Nats that no table has; a search among longer ones might not end.
MAX_NATS = 1e12


@dataclass
class FitLog:
    """Results of fits by task, for each digest of the data that they depend on.

    `bar`, a progress bar, counts new fits, and `checkpoint` keeps them, if there are any.
    """

    bar: Any = None
    checkpoint: Checkpoint | None = None
    known: dict[str, dict[Task, Number]] = field(default_factory=dict)

    def add(self, digest: str, new: Mapping[Task, Number]) -> None:
        """Count new results, and write them to the checkpoint."""
        if self.bar is not None:
            self.bar.update(len(new))
        if self.checkpoint is None:
            return
        for task, result in new.items():
            parts = [sorted(part) if isinstance(part, frozenset) else part for part in task]
            self.checkpoint.add(json.dumps([digest, *parts]), result)


def read_fits(checkpoint: Checkpoint) -> dict[str, dict[Task, Number]]:
    """Return the results in a checkpoint; raise CheckpointError at what is no result."""
    known: dict[str, dict[Task, Number]] = defaultdict(dict)
    for key, result in checkpoint.items():
        if not key.startswith("["):
            # The row of a collection.
            continue
        is_length = isinstance(result, float) and (abs(result) <= MAX_NATS or result == -math.inf)
        is_columns = isinstance(result, list) and all(isinstance(place, int) for place in result)
        if not is_length and not is_columns:
            raise checkpoint.damage(f"{brief(key)} and {brief(result)} are no fit of this table")
        digest, *parts = json.loads(key)
        task = tuple(frozenset(part) if isinstance(part, list) else part for part in parts)
        known[digest][task] = result
    return known
