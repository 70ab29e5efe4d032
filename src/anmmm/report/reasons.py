"""Reasons of many rows come in; groups that differ by numbers and names alone go out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# A reason that quotes the data could be another one for every pair.
MOST_GROUPS = 1000
FIRST_IDS = 5

_FOLDERS = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][^\s\\/:;,'\"]+)*[\\/](?=[^\s\\/:;,'\"])")
_NUMBER = re.compile(r"(?<![\w.])(?<!\w-)[-+−]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?(?![\w])")
# Counted things of the package's own messages: one column is a matter of columns.
_ONE = re.compile(
    r"# ((?:incomplete )?(?:column|observation|point|row|sample|second|value))(?=\W|$)"
)


@dataclass
class Group:
    """Rows of one status whose reasons have one pattern."""

    status: str
    pattern: str
    count: int = 0
    first_ids: list[str] = field(default_factory=list)


class Reasons:
    """Counts reasons, one at a time, in memory that has a limit."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], Group] = {}

    def add(self, status: str, reason: str, pair_id: str) -> None:
        """Count one row; beyond `MOST_GROUPS` those of a new kind are counted together."""
        key = (status, pattern_of(reason, pair_id))
        if key not in self._groups and len(self._groups) >= MOST_GROUPS:
            key = (status, "other reasons")
        group = self._groups.setdefault(key, Group(*key))
        group.count += 1
        if len(group.first_ids) < FIRST_IDS:
            group.first_ids.append(pair_id)

    def groups(self) -> list[Group]:
        """Return the groups, the largest first, equal ones in the order of their first rows."""
        return sorted(self._groups.values(), key=lambda group: -group.count)


def pattern_of(reason: str, pair_id: str) -> str:
    """Return what a reason has in common with those of other pairs, whatever their numbers.

    Folders of absolute paths, which are nobody else's business, are left out.

    >>> pattern_of("/home/me/pair7.txt:12: 3 columns, but 2.5e3 wanted", "pair7")
    '‹id›.txt:#: # columns, but # wanted'
    """
    text = _FOLDERS.sub("", reason)
    if pair_id and pair_id in text:
        # Not within a longer word: an id may be a single letter.
        text = re.sub(rf"(?<!\w){re.escape(pair_id)}(?!\w)", "‹id›", text)
    return _ONE.sub(r"# \1s", _NUMBER.sub("#", text)) or "no reason given"
