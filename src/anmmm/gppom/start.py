"""The start of a fit: Θ from a residual, or given; Ω; MLP weights."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from anmmm._typing import ArrayLike, FloatArray, IntArray
from anmmm._validation import as_matrix
from anmmm.gppom.parameters import Hyperparameters, ParameterLayout

# Standard deviation below which a column is rounding, such as the residual of a y that is a
# polynomial of x.
NEGLIGIBLE = 1e-8


def initial_latent(
    X: FloatArray, Y: FloatArray, n_latent: int, init: ArrayLike, rng: Generator
) -> tuple[FloatArray, str]:
    """Return the initial Θ (n_samples, n_latent), its columns standardized, and its name."""
    if not isinstance(init, str):
        return as_matrix(init, "init", resolved=False), "given"
    components = _principal_components(_residual(X, Y), n_latent)
    missing = n_latent - components.shape[1]
    if missing == 0:
        return components, init
    noise = rng.standard_normal((len(X), missing))
    return np.hstack([components, noise]), f"{init}+noise"


def initial_hyperparameters(n_features_x: int, n_latent: int) -> Hyperparameters:
    """Return the initial Ω: signal variance 1, noise variance 0.1, length scales 1."""
    return Hyperparameters(
        amplitude=1.0,
        beta=10.0,
        gamma_x=np.full(n_features_x, 0.5),
        gamma_theta=np.full(n_latent, 0.5),
    )


def initial_weights(
    layout: ParameterLayout, inputs: FloatArray, theta: FloatArray, rng: Generator
) -> FloatArray:
    """Return flat weights of the MLP under which it starts near a given Θ."""
    W1_shape, b1_shape, _, _ = layout.weight_shapes
    W1 = rng.standard_normal(W1_shape)
    b1 = rng.standard_normal(b1_shape)
    hidden = 1.0 / (1.0 + np.exp(-(inputs @ W1 + b1)))
    design = np.hstack([hidden, np.ones((len(inputs), 1))])
    ridge = 1e-3 * len(inputs) * np.eye(design.shape[1])
    output = np.linalg.solve(design.T @ design + ridge, design.T @ theta)
    return np.concatenate([W1.ravel(), b1, output[:-1].ravel(), output[-1]])


def evenly_spaced_rows(X: FloatArray, Y: FloatArray, size: int) -> IntArray:
    """Return `size` rows, evenly spaced in the order of the columns of X, then Y."""
    order = np.lexsort(np.hstack([X, Y]).T[::-1])
    places = ((np.arange(size) + 0.5) * (len(X) / size)).astype(np.intp)
    return order[places]


def nearest_rows(X: FloatArray, Y: FloatArray, rows: IntArray) -> IntArray:
    """Return for each observation the place in `rows` of the nearest one in [X, Y]."""
    # Imported here because it loads slowly and only fits of many observations need it.
    from scipy.spatial import cKDTree

    points = np.hstack([X, Y])
    return np.asarray(cKDTree(points[rows]).query(points)[1], dtype=np.intp)


def _residual(X: FloatArray, Y: FloatArray) -> FloatArray:
    """Return what lines over X leave of Y."""
    columns = [np.ones((len(X), 1)), X]
    basis, _ = np.linalg.qr(np.hstack([c / np.linalg.norm(c, axis=0) for c in columns]))
    return Y - basis @ (basis.T @ Y)


def _principal_components(Z: FloatArray, n_components: int) -> FloatArray:
    centered = Z - Z.mean(axis=0)
    left, singular, _ = np.linalg.svd(centered, full_matrices=False)
    deviations = singular / np.sqrt(len(Z))
    count = min(n_components, int((deviations > NEGLIGIBLE).sum()))
    return np.asarray(left[:, :count] * np.sqrt(len(Z)))
