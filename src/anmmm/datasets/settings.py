"""Synthetic settings by name, for studies and the command line."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from anmmm._record import Record
from anmmm._typing import FloatArray, RandomState
from anmmm.datasets.families import CAUSES, FAMILIES, make_single_mechanism
from anmmm.datasets.synthetic import MECHANISMS, make_anm_mixture

TWO = ((1, 1.1), (3, 3.1))
THREE = (*TWO, (0.5, 0.6))
FOUR = (*THREE, (2, 2.1))


class Setting(Record):
    """A named way to draw pairs of which x is the cause.

    Attributes
    ----------
    name : str
        Key in `SETTINGS`.
    mechanism : str
        One of ``MECHANISMS`` for a mixture, one of ``FAMILIES`` for a single mechanism.
    options : dict
        Keyword arguments of `anmmm.datasets.make_anm_mixture`, or of
        `anmmm.datasets.make_single_mechanism`.
    """

    name: str
    mechanism: str
    options: dict[str, Any] = field(default_factory=dict)

    def draw(
        self, n_samples: int = 100, *, random_state: RandomState = None
    ) -> tuple[FloatArray, ...]:
        """Draw cause and effect.

        Parameters
        ----------
        n_samples, random_state
            See `anmmm.datasets.make_anm_mixture` and `anmmm.datasets.make_single_mechanism`.

        Returns
        -------
        x, y : ndarray of shape (n_samples,)
        """
        make: Any = make_single_mechanism if self.mechanism in FAMILIES else make_anm_mixture
        drawn = make(self.mechanism, n_samples, random_state=random_state, **self.options)
        return drawn[0], drawn[1]


_VARIATIONS: dict[str, dict[str, Any]] = {
    "": {},
    "-c3": {"theta_ranges": THREE},
    "-c4": {"theta_ranges": FOUR},
    "-sigma0.01": {"noise_std": 0.01},
    "-sigma0.1": {"noise_std": 0.1},
    "-a0.25": {"proportions": (0.25, 0.75)},
    "-a0.75": {"proportions": (0.75, 0.25)},
}

# The first cause is the default.
_OTHER_CAUSES: dict[str, dict[str, Any]] = {
    "": {},
    **{f"-{cause}": {"cause": cause} for cause in list(CAUSES)[1:]},
}

_GROUPS = ((tuple(MECHANISMS), _VARIATIONS), (FAMILIES, _OTHER_CAUSES))
SETTINGS: dict[str, Setting] = {
    mechanism + suffix: Setting(mechanism + suffix, mechanism, options)
    for mechanisms, variations in _GROUPS
    for mechanism in mechanisms
    for suffix, options in variations.items()
}


def _text(names: tuple[str, ...], variations: dict[str, dict[str, Any]]) -> str:
    *most, last = list(variations)[1:]
    return f"{', '.join(names)}, each also with {', '.join(most)} or {last}"


# All names, for messages.
SETTINGS_TEXT = "; ".join(_text(*group) for group in _GROUPS)
