"""Where a descent on the collapsed bound begins.

Standardized data and a name come in; latents, inducing points and scales go out. The true latent is
some function of the rank of an observation among those of the same cause, so starts rank residuals.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from anmmm._typing import FloatArray
from anmmm.collapsed.bound import CollapsedBound
from anmmm.collapsed.result import BoundParameters

# Degree of the polynomial that residuals are taken from.
DEGREE = 3
# Neighbors on either side among which a residual is ranked.
NEIGHBORS = 15
# Scales of the start: a function of unit variance that is nearly linear in the latent and bends
# over a standard deviation of the cause.
GAMMA_LATENT, GAMMA_X, NOISE, VARIANCE = 0.1, 0.5, 0.05, 0.1
# Share of its deviation that the latent has where it is hardly used at first, and the noise then.
FAINT, NOISE_UNUSED = 0.1, 0.5
# The cause hardly moves a function that begins as the effect's own density.
GAMMA_IGNORED = 1e-2


def starts_of(bound: CollapsedBound, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Return flat vectors to descend from, by name.

    Parameters
    ----------
    bound : CollapsedBound
    rng : Generator
        For ``"random"``, and for latent dimensions beyond those that residuals have.

    Returns
    -------
    dict of str to ndarray of shape (n_params,)
        ``"quantile"``: Gaussian quantiles of the rank of each residual among neighbors in X;
        ``"unused"``: the same, hardly used, all else being noise; ``"output"``: Gaussian quantiles
        of each output itself, or without X its principal component; ``"random"``: a draw.
    """
    X, Y = bound.X, bound.Y
    drawn = rng.standard_normal((len(Y), bound.n_latent))
    residuals = _components(_residuals(X, Y), bound.n_latent)
    outputs = _components(Y, bound.n_latent)
    ranked = _filled(drawn, [_local_scores(X, one) for one in residuals.T])
    # Without X the quantiles of the output are the first start already.
    whole = [_scores(one) if X.shape[1] else one for one in outputs.T]
    return {
        "quantile": _start(bound, ranked, VARIANCE, NOISE),
        "output": _start(bound, _filled(drawn, whole), VARIANCE, NOISE),
        "unused": _start(bound, FAINT * ranked, 1.0 - FAINT**2, NOISE_UNUSED),
        "random": _start(bound, drawn, VARIANCE, NOISE),
    }


def alone_start(bound: CollapsedBound, alone: BoundParameters) -> FloatArray:
    """Return the flat vector at which Y given X is nearly as it is by itself.

    Parameters
    ----------
    bound : CollapsedBound
        With X.
    alone : BoundParameters
        Of a fit of Y without X, of as many latent dimensions.

    Returns
    -------
    ndarray of shape (n_params,)
        Inducing points of `alone`, each at several quantiles of the first input.
    """
    X, M = bound.X, bound.n_inducing
    latent = np.resize(alone.inducing, (M, bound.n_latent))
    # Copies of a latent point are to differ in the inputs.
    turns = np.arange(M) // len(alone.inducing)
    shares = np.linspace(0.1, 0.9, turns[-1] + 1) if turns[-1] else np.array([0.5])
    ordered = np.argsort(X[:, 0], kind="stable")
    rows = ordered[(shares * (len(X) - 1)).astype(np.intp)]
    gamma = np.concatenate([alone.gamma, np.full(X.shape[1], GAMMA_IGNORED)])
    return bound.pack(
        BoundParameters(
            mean=alone.mean,
            variance=alone.variance,
            inducing=np.hstack([latent, X[rows[turns]]]),
            amplitude=alone.amplitude,
            noise=alone.noise,
            gamma=gamma,
        )
    )


def _filled(drawn: FloatArray, columns: list[FloatArray]) -> FloatArray:
    """Replace the first columns of what was drawn."""
    mean = drawn.copy()
    for k, column in enumerate(columns):
        mean[:, k] = column
    return mean


def _start(bound: CollapsedBound, mean: FloatArray, variance: float, noise: float) -> FloatArray:
    X, q = bound.X, bound.n_latent
    return bound.pack(
        BoundParameters(
            mean=mean,
            variance=np.full(mean.shape, variance),
            inducing=_spread(np.hstack([mean, X]), q, bound.n_inducing),
            amplitude=1.0,
            noise=noise,
            gamma=np.concatenate([np.full(q, GAMMA_LATENT), np.full(X.shape[1], GAMMA_X)]),
        )
    )


def _residuals(X: FloatArray, Y: FloatArray) -> FloatArray:
    powers = [np.ones((len(Y), 1)), *(X**degree for degree in range(1, DEGREE + 1))]
    basis = np.hstack(powers)
    return np.asarray(Y - basis @ np.linalg.lstsq(basis, Y, rcond=None)[0])


def _components(R: FloatArray, most: int) -> FloatArray:
    """Principal components of standard deviation 1, as many as vary."""
    centered = R - R.mean(axis=0)
    U, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    kept = min(most, int((sizes > 1e-9 * np.sqrt(len(R))).sum()))
    # The sign that the decomposition gives is the processor's choice.
    signs = np.sign(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])])
    return np.asarray((U * signs)[:, :kept] * np.sqrt(len(R)))


def _scores(values: FloatArray) -> FloatArray:
    """Gaussian quantiles of ranks; ties have the same."""
    ordered = np.sort(values)
    below, above = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.asarray(ndtri((below + above) / (2.0 * len(values))))


def _local_scores(X: FloatArray, values: FloatArray) -> FloatArray:
    """Gaussian quantiles of ranks among neighbors along the first principal direction of X."""
    if X.shape[1] == 0:
        return _scores(values)
    order = np.argsort(_components(X, 1)[:, 0], kind="stable")
    n, width = len(values), min(2 * NEIGHBORS + 1, len(values))
    ordered, ranked = values[order], np.empty(len(values))
    for i in range(n):
        low = min(max(0, i - NEIGHBORS), n - width)
        near = ordered[low : low + width]
        share = ((near < ordered[i]).sum() + 0.5 * (near == ordered[i]).sum()) / width
        ranked[order[i]] = ndtri(share)
    return ranked


def _spread(points: FloatArray, q: int, count: int) -> FloatArray:
    """Choose inducing points: quantiles of the latent within groups of equal first input."""
    n, d = points.shape
    n_groups = 1 if d == q else min(count, max(1, round(np.sqrt(count))))
    order = np.arange(n) if d == q else np.argsort(points[:, q], kind="stable")
    chosen = []
    for group, size in zip(
        np.array_split(order, n_groups),
        [len(part) for part in np.array_split(np.arange(count), n_groups)],
        strict=True,
    ):
        by_latent = group[np.argsort(points[group, 0], kind="stable")]
        places = (np.arange(size) + 0.5) / size * len(by_latent)
        chosen.append(points[by_latent[places.astype(np.intp)]])
    return np.concatenate(chosen)
