"""Pairs with categories, drawn for tests."""

import numpy as np

from anmmm.datasets.families import CAUSES, gaussian_process


def make_categories(role, n_samples, *, shape="gaussian", random_state=None):
    """Draw cause and effect, one of which is text, ``"a"``, ``"b"`` and so on: the `role`."""
    rng = np.random.default_rng(random_state)
    k = int(rng.integers(3, 7))
    names = np.array(list("abcdef")[:k])
    if role == "effect":
        x = CAUSES[shape](rng, n_samples)
        utility = 2.5 * np.column_stack([gaussian_process(x, rng) for _ in range(k)])
        return x, names[(utility + rng.gumbel(size=utility.shape)).argmax(axis=1)]
    group = rng.choice(k, n_samples, p=rng.dirichlet(np.full(k, 5.0)))
    centers, scale = 1.5 * rng.standard_normal(k), rng.uniform(0.3, 0.8)
    return names[group], centers[group] + scale * CAUSES[shape](rng, n_samples)
