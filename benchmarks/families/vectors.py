"""Pairs whose variables have two to four columns: smooth curves of W x, correlated noise."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator

from benchmarks.families.base import CAUSE, Family, Pair, Rows

CAUSES = ("gaussian", "uniform", "bimodal")
KINDS = ("additive", "location-scale", "mixture")
SHAPES = (
    np.tanh,
    np.sin,
    lambda u: u**2 / 2,
    lambda u: u + u**3 / 4,
    np.abs,
    lambda u: np.exp(-(u**2)),
)


def draw(rng: Rows, kind: str, cause: str) -> Pair:
    """Draw columns (n, 2 to 4) of a cause and of an effect."""
    n_causes, n_effects = rng.plain.integers(2, 5, size=2)
    raw = rng.plain.normal(size=(rng.n, n_causes))
    if cause == "uniform":
        raw = rng.plain.uniform(-np.sqrt(3), np.sqrt(3), size=(rng.n, n_causes))
    if cause == "bimodal":
        sides = rng.plain.choice([-1.0, 1.0], size=(rng.n, 1)) * rng.plain.choice(
            [-1.0, 1.0], size=n_causes
        )
        raw = 0.9 * sides + 0.44 * raw
    x = raw @ (np.eye(n_causes) + 0.3 * rng.plain.normal(size=(n_causes, n_causes)))
    x /= x.std(axis=0)
    mix = np.eye(n_effects) + 0.4 * rng.plain.normal(size=(n_effects, n_effects))
    noise = rng.plain.normal(size=(rng.n, n_effects)) @ mix
    noise *= rng.plain.uniform(0.2, 0.5, size=n_effects) / noise.std(axis=0)
    effect = curves(rng.plain, x, n_effects)
    if kind == "location-scale":
        along = rng.plain.normal(size=n_causes)
        noise *= np.exp(0.7 * np.tanh(x @ along / np.linalg.norm(along)))[:, np.newaxis]
    if kind == "mixture":
        second = curves(rng.plain, x, n_effects) + rng.plain.choice([-1.0, 1.0], size=n_effects)
        effect = np.where(rng.plain.uniform(size=(rng.n, 1)) < 0.5, effect, second)
    return x, effect + noise


def curves(rng: Generator, x: np.ndarray, n_effects: int) -> np.ndarray:
    """Draw a curve of a weighted sum of all causes for each effect."""
    weights = 1.5 * rng.normal(size=(x.shape[1], n_effects)) / np.sqrt(x.shape[1])
    inside = x @ weights + rng.uniform(-1.0, 1.0, size=n_effects)
    shapes = rng.integers(len(SHAPES), size=n_effects)
    columns = np.column_stack([SHAPES[k](u) for k, u in zip(shapes, inside.T, strict=True)])
    return np.asarray(columns / columns.std(axis=0))


def _stream(seed: int, n: int, kind: str, cause: str) -> tuple[int, int, int]:
    return seed, KINDS.index(kind), CAUSES.index(cause)


VECTORS = [
    Family(
        f"vectors/{kind}, {cause}",
        partial(draw, kind=kind, cause=cause),
        CAUSE,
        partial(_stream, kind=kind, cause=cause),
    )
    for kind in KINDS
    for cause in CAUSES
]
