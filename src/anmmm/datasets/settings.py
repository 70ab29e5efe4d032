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

    `mechanism` is one of ``MECHANISMS`` for a mixture, one of ``FAMILIES`` for a single mechanism,
    `options` are those of `make_anm_mixture` or `make_single_mechanism`.
    """

    name: str
    mechanism: str
    options: dict[str, Any] = field(default_factory=dict)

    def draw(
        self, n_samples: int = 100, *, random_state: RandomState = None
    ) -> tuple[FloatArray, ...]:
        """Draw cause and effect, (n_samples,) each."""
        make: Any = make_single_mechanism if self.mechanism in FAMILIES else make_anm_mixture
        drawn = make(self.mechanism, n_samples, random_state=random_state, **self.options)
        return drawn[0], drawn[1]


MIXTURES: dict[str, dict[str, Any]] = {
    "": {},
    "-c3": {"theta_ranges": THREE},
    "-c4": {"theta_ranges": FOUR},
    "-sigma0.01": {"noise_std": 0.01},
    "-sigma0.1": {"noise_std": 0.1},
    "-a0.25": {"proportions": (0.25, 0.75)},
    "-a0.75": {"proportions": (0.75, 0.25)},
}
# The first cause is the default.
SINGLE: dict[str, dict[str, Any]] = {
    "": {},
    **{f"-{cause}": {"cause": cause} for cause in list(CAUSES)[1:]},
}

SETTINGS: dict[str, Setting] = {}
for mechanisms, variations in ((MECHANISMS, MIXTURES), (FAMILIES, SINGLE)):
    for mechanism in mechanisms:
        for suffix, options in variations.items():
            name = mechanism + suffix
            SETTINGS[name] = Setting(name, mechanism, options)

# All names, for messages.
SETTINGS_TEXT = (
    f"{', '.join(MECHANISMS)}, each also with {', '.join(list(MIXTURES)[1:])}; "
    f"{', '.join(FAMILIES)}, each also with {', '.join(list(SINGLE)[1:])}"
)
