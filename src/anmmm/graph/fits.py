"""Numbers that fits of a table left behind: counted, and kept in a checkpoint."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from anmmm.collection.checkpoint import Checkpoint

# What was fitted: a name, then columns and sets of columns.
Task = tuple[Any, ...]
# Nats, or columns.
Number = float | list[int]


class FitLog:
    """Results of fits by task, for each digest of the data that they depend on.

    `bar`, a progress bar, counts new fits, and `checkpoint` keeps them, if there are any.
    """

    def __init__(self, bar: Any = None, checkpoint: Checkpoint | None = None) -> None:
        self.bar = bar
        self.checkpoint = checkpoint
        self.known: dict[str, dict[Task, Number]] = defaultdict(dict)
        for key, result in () if checkpoint is None else checkpoint.items():
            # Other keys are those of rows of a collection.
            if key.startswith("["):
                digest, *parts = json.loads(key)
                task = tuple(frozenset(part) if isinstance(part, list) else part for part in parts)
                self.known[digest][task] = result

    def add(self, digest: str, new: Mapping[Task, Number]) -> None:
        """Count new results, and write them to the checkpoint."""
        if self.bar is not None:
            self.bar.update(len(new))
        if self.checkpoint is None:
            return
        for task, result in new.items():
            parts = [sorted(part) if isinstance(part, frozenset) else part for part in task]
            self.checkpoint.add(json.dumps([digest, *parts]), result)
