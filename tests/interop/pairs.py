"""Ten pairs of known direction, which every adapter is to tell alike."""

import numpy as np

from anmmm.datasets import make_anm_mixture, make_single_mechanism

MIXTURES = [("f2", 1), ("f3", 1), ("f4", 1), ("f2", 2), ("f3", 2), ("f4", 2)]
SINGLE = [("AN", 1), ("AN", 2), ("LS", 1), ("LS", 2)]


def ten_pairs():
    """Name, cause and effect of each."""
    for name, seed in MIXTURES:
        x, y, _ = make_anm_mixture(name, 150, random_state=seed)
        yield f"{name}-{seed}", np.ravel(x), np.ravel(y)
    for family, seed in SINGLE:
        x, y = make_single_mechanism(family, 150, random_state=seed)[:2]
        yield f"{family}-{seed}", np.ravel(x), np.ravel(y)


def chain(n=300, seed=0):
    """A table of a -> b -> c -> d, of which a CPDAG directs nothing."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-2, 2, n)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=n)
    c = b**2 + 0.5 * b + 0.2 * rng.normal(size=n)
    d = np.sin(2 * c) + 0.2 * rng.normal(size=n)
    return {"a": a, "b": b, "c": c, "d": d}


CHAIN = {("a", "b"), ("b", "c"), ("c", "d")}
