"""Another unit, zero, sign or order of the data: the same decision, the same score."""

import numpy as np

from anmmm.evidence import evidence
from test_invariance import KINDS, OTHER_UNITS, TOLERANCE, drawn


def cases(rng, count, folder):
    for _ in range(count):
        kind, other = KINDS[rng.integers(len(KINDS))], str(rng.choice(sorted(OTHER_UNITS)))
        n, seed = int(rng.integers(10, 250)), int(rng.integers(2**31))
        what = f"{kind.__name__}, {other}, n = {n}, seed {seed}"
        x, y = drawn(kind, seed, n)
        here = evidence(x, y)
        there = evidence(*OTHER_UNITS[other](x, y, np.random.default_rng(seed)))
        length = 1.0 + abs(here.forward_score) + abs(here.backward_score)
        moved = abs(here.score - there.score) / length
        if here.direction != there.direction:
            yield what, f"decides {here.direction} and {there.direction}"
        else:
            yield what, None if moved <= TOLERANCE else f"the score moves by {moved:.1e}"
