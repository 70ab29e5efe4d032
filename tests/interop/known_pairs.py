"""Ten pairs of known direction, which every adapter is to tell alike."""

import numpy as np

from anmmm.datasets import make_anm_mixture, make_single_mechanism
from drawn import chain as chain

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


CHAIN = {("a", "b"), ("b", "c"), ("c", "d")}
