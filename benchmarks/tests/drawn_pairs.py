"""Data that the assumptions of each baseline fit, and clusters of three shapes."""

import numpy as np

from anmmm.datasets import draw_anm_mixture, make_single_mechanism


def additive(n, seed):
    return make_single_mechanism("AN", n, random_state=seed)


def post_nonlinear(n, seed):
    """``y = exp(x + x² + 0.4 u)``, u uniform: additive noise below an exponential."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.5, 1.5, n)
    return x, np.exp(x + x**2 + 0.4 * rng.uniform(-1.0, 1.0, n))


def invertible_of_uniform(n, seed):
    """``y = x^p`` without noise, x uniform, log p uniform and away from 0."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, x ** np.exp(rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.2))


def linear(n, seed):
    x, noise = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, n))
    return x, x + noise


def blocks(n, seed):
    sample = draw_anm_mixture("f3", n, random_state=seed)
    order = np.argsort(sample.labels, kind="stable")
    return sample.x[order], sample.y[order]


OWN_PAIRS = {
    "anm": additive,
    "pnl": post_nonlinear,
    "igci": invertible_of_uniform,
    "ecp": blocks,
    "lingam": linear,
}


def blobs(n, seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    return (*(3.0 * labels + 0.4 * rng.standard_normal((2, n))), labels)


def lines(n, seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    x = rng.standard_normal(n)
    return x, x + 2.0 * labels + 0.1 * rng.standard_normal(n), labels


SHAPES = {"blobs": blobs, "lines": lines}
