"""Pairs with codes for missing values, slips of a decimal point, and limits of measurement."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from anmmm.datasets import make_anm_mixture
from benchmarks.families.base import CAUSE, NEITHER, UNRELATED, Family, Pair, Rows, by_place

RELATIONS: dict[str, int] = {
    "sigmoid": CAUSE,
    "cubic": CAUSE,
    "mixture": CAUSE,
    "linear Gaussian": NEITHER,
    "unrelated": UNRELATED,
}
# The scale of the values, and what a spoiled one becomes.
CODES: dict[str, tuple[str, Callable[[np.ndarray], object]]] = {
    "-9": ("standard", lambda values: -9.0),
    "-999": ("standard", lambda values: -999.0),
    "10⁹": ("standard", lambda values: 1e9),
    "999 in 1 to 90": ("whole", lambda values: 999.0),
    "× 10 in 50 to 300": ("sizes", lambda values: 10.0 * values),
    "0 in 50 to 300": ("sizes", lambda values: 0.0),
}
LIMIT = "an upper limit"
# Where values are spoiled: `same` in the same rows of both variables.
PLACES = ("cause", "effect", "both", "same")
# A share of 0 is one row.
SHARES = (0.0, 0.02, 0.1, 0.25)


def relation_pair(rng: Rows, relation: str) -> Pair:
    """Draw a pair before it is spoiled."""
    if relation == "mixture":
        x, y, _ = make_anm_mixture(f"f{rng.plain.integers(1, 5)}", rng.n, random_state=rng.plain)
        return x, y
    x, noise = rng.plain.normal(size=(2, rng.n))
    effects = {
        "sigmoid": np.tanh(2.0 * x) + 0.2 * noise,
        "cubic": x**3 / 3.0 + x + 0.7 * noise,
        "linear Gaussian": x + 0.5 * noise,
        "unrelated": noise,
    }
    return x, effects[relation]


def scaled(values: np.ndarray, scale: str) -> np.ndarray:
    """Return values of another scale."""
    if scale == "standard":
        return values.copy()
    unit = (values - values.min()) / np.ptp(values)
    return np.rint(1.0 + 89.0 * unit) if scale == "whole" else 50.0 + 250.0 * unit


def coded(rng: Rows, relation: str, code: str) -> Pair:
    """Draw a pair with a code in a random share of random rows."""
    scale, spoil = CODES[code]
    x, y = (scaled(values, scale) for values in relation_pair(rng, relation))
    place = rng.plain.choice(PLACES)
    count = max(1, round(rng.plain.choice(SHARES) * rng.n))
    first = rng.plain.permutation(rng.n)[:count]
    second = first if place == "same" else rng.plain.permutation(rng.n)[:count]
    if place != "effect":
        x[first] = spoil(x[first])
    if place != "cause":
        y[second] = spoil(y[second])
    return x, y


def limited(rng: Rows, relation: str) -> Pair:
    """Draw a pair whose cause, effect or both end at a limit, for a share of the rows."""
    x, y = relation_pair(rng, relation)
    place = rng.plain.choice(PLACES[:3])
    share = rng.plain.choice(SHARES[1:])
    if place != "effect":
        x = np.minimum(x, np.quantile(x, 1.0 - share))
    if place != "cause":
        y = np.minimum(y, np.quantile(y, 1.0 - share))
    return x, y


CONTAMINATED: list[Family] = []
for _relation, _truth in RELATIONS.items():
    for _code in (*CODES, LIMIT):
        _draw = (
            partial(limited, relation=_relation)
            if _code == LIMIT
            else partial(coded, relation=_relation, code=_code)
        )
        _name = f"contaminated/{_relation}, {_code}"
        CONTAMINATED.append(Family(_name, _draw, _truth, by_place(len(CONTAMINATED))))
