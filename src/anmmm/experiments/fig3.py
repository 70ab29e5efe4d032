"""Figure 3: direction of two-mechanism mixtures f1 to f4 at three sample sizes."""

from __future__ import annotations

from anmmm.experiments.synthetic import Panel, direction_study

SIZES = (50, 100, 200)
FUNCTIONS = {
    "f1": "f1 = 1 / (1.5 + θX²)",
    "f2": "f2 = 2 X^(θ - 0.25)",
    "f3": "f3 = exp(-θX)",
    "f4": "f4 = tanh(θX)",
}

STUDY = direction_study(
    "fig3",
    "Figure 3: direction against sample size",
    [
        Panel(title, "N", [(str(size), name, size) for size in SIZES])
        for name, title in FUNCTIONS.items()
    ],
)
