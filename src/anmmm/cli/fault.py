"""A fault that every pair of a run meets is one of the machine, and the end of the run."""

from __future__ import annotations

import re
from typing import Any

from anmmm.cli.input import InputError

_QUOTED = re.compile(r"(['\"]).*?\1")


class FaultError(InputError):
    """Nothing could be computed for a reason that is not the input's: exit status 1."""

    exit_code = 1


class CommonFault:
    """Looks at rows one at a time for an error that all of them share.

    Unusable pairs have no part in it: they were refused before anything could go wrong.
    """

    def __init__(self) -> None:
        self._count = self._n_pairs = 0
        self._pattern: str | None = None
        self._reason = ""
        self._is_common = True

    def add(self, row: Any) -> None:
        """Look at one row."""
        self._n_pairs += 1
        if not self._is_common or row.status == "unusable":
            return
        if row.status != "error":
            self._is_common = False
            return
        from anmmm.report.reasons import pattern_of

        # A temporary file has another name each time.
        pattern = _QUOTED.sub("…", pattern_of(row.reason, row.pair_id))
        self._is_common = self._pattern in (None, pattern)
        self._pattern, self._reason = pattern, row.reason
        self._count += 1

    def refuse(self, output: str | None) -> None:
        """Raise if the pairs, and more than one where others are unusable, ended in one error."""
        if not self._is_common or self._count < min(2, self._n_pairs) or not self._count:
            return
        written = "" if output is None else f"; {output} is not written"
        usable = " that could be used" if self._count < self._n_pairs else ""
        ending = f"each of the {self._count} pairs{usable} ended in the same error"
        if self._n_pairs == 1:
            ending = "the one pair ended in an error"
        raise FaultError(f"{ending}, {self._reason}{written}")
