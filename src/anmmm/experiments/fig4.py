"""Figure 4: direction of f3 with more mechanisms, other noise and unequal shares, at N = 100."""

from __future__ import annotations

from anmmm.experiments.synthetic import Panel, direction_study

SIZE = 100

STUDY = direction_study(
    "fig4",
    "Figure 4: direction against number of mechanisms, noise and mixing",
    [
        Panel(
            "number of mechanisms",
            "C",
            [("2", "f3", SIZE), ("3", "f3-c3", SIZE), ("4", "f3-c4", SIZE)],
        ),
        Panel(
            "standard deviation of the noise",
            "σ",
            [("0.01", "f3-sigma0.01", SIZE), ("0.05", "f3", SIZE), ("0.1", "f3-sigma0.1", SIZE)],
        ),
        Panel(
            "share of the first mechanism",
            "a₁",
            [("0.25", "f3-a0.25", SIZE), ("0.5", "f3", SIZE), ("0.75", "f3-a0.75", SIZE)],
        ),
    ],
)
