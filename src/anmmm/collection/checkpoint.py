"""Finished rows of a collection, kept on disk so that a killed run loses none."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from anmmm._hash import content_hash
from anmmm._runlog import CheckpointError, RunLog
from anmmm.collection.schema import SCHEMA_VERSION, Schema
from anmmm.datasets import Pair

# A source whose content alone is another may share pairs with the one before.
_CONTENT = re.compile(r"source(\.\w+)*\.(size|sha256|pairs)")


class Checkpoint:
    """Rows of one run on disk: those of an earlier run to be taken, new ones to be added.

    `header` is what determines the rows; an ``entropy`` of None takes that of the file. Rows of
    status ``"error"`` are not taken: such a fault may be the machine's.
    """

    def __init__(
        self, path: str | os.PathLike[str], schema: Schema, header: Mapping[str, Any]
    ) -> None:
        self._schema, self._values = schema, schema.reader()
        self._has_identity = header.get("source") is not None
        # Rows of other data than the source holds now, or of a version with fewer columns.
        self.n_outdated = 0
        self._log = RunLog(path)
        try:
            entropy = header["entropy"] or (self._log.header or {}).get("entropy")
            self.entropy = int(entropy or secrets.randbits(128))
            kind = [schema.kind, SCHEMA_VERSION]
            self._log.begin(
                {"schema": kind, **header, "entropy": str(self.entropy)}, may_differ=_CONTENT
            )
        except BaseException:
            self._log.close()
            raise
        self.n_resumed = self._log.n_finished
        self.close = self._log.close

    def find(self, index: int, pair: Pair) -> Any:
        """Return the row of the pair at this position, or None if there is none of these data."""
        row = self._log.find(index)
        if row is None:
            return None
        mark, values = row
        if len(values) < len(self._schema.columns):
            # Computed again, so that the rows are those of an undisturbed run.
            self.n_outdated += 1
            return None
        if mark == digest(pair):
            return self._schema.row(values)
        if self._has_identity:
            self.n_outdated += 1
            return None
        raise CheckpointError(
            f"{self._log.path}: pair {pair.pair_id!r} at position {index} of the source is not the "
            f"one that was computed ({values[0]!r}); use another checkpoint, or delete it"
        )

    def add(self, rows: list[tuple[int, Pair, Any]]) -> None:
        """Add finished rows, with the positions and pairs that they are of."""
        self._log.add(
            (index, "" if row.status == "error" else digest(pair), self._values(row))
            for index, pair, row in rows
        )


def count_rows(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Return how many rows another run takes, and how many of status "error" it tries again."""
    with RunLog(path) as log:
        return log.n_finished, log.n_failed


def digest(pair: Pair) -> str:
    """Return 16 hexadecimal digits that differ where anything differs that a row depends on."""
    parts = (pair.pair_id, pair.problem, pair.truth, pair.weight, pair.group, pair.n_dropped)
    variables = (np.asanyarray(variable) for variable in (pair.x, pair.y))
    return content_hash(parts, *variables)[:16]
