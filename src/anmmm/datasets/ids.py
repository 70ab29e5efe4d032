"""Ids of pairs: no two pairs of a source may share one."""

from __future__ import annotations

from anmmm.datasets.errors import SourceError

__all__ = ["SeenIds"]


class SeenIds:
    """Refuses an id that comes a second time, and says where it came first.

    Results are told apart by their ids, so those of two pairs with one id could not be. Some 200
    bytes for each id seen: 20 MB for 10^5 pairs.

    Parameters
    ----------
    path : str
        The file or folder, for messages.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._places: dict[str, str] = {}

    def add(self, pair_id: str, place: str, advice: str = "give every pair its own") -> None:
        """Note an id.

        Parameters
        ----------
        pair_id : str
        place : str
            Where it stands, e.g. ``"line 7"``; every id has another place.
        advice : str
            What to do about a second one.

        Raises
        ------
        SourceError
            If the id came before; names both places.
        """
        first = self._places.setdefault(pair_id, place)
        if first is not place:
            raise SourceError(
                self._path, place, f"the pair id {pair_id!r} was used in {first} already; {advice}"
            )
