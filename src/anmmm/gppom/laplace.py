"""How sure the fitted Θ is: Laplace's approximation at the end of a fit.

An objective and its minimum come in; the covariance of each θ, and the probability of each of some
centers, go out. docs/method/uncertainty.md says what they are worth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from scipy.special import softmax

from anmmm._typing import FloatArray
from anmmm.gppom.curvature import Curvature
from anmmm.gppom.objective import GPPOMObjective
from anmmm.gppom.result import LatentUncertainty

# Coordinates of Θ up to which the whole Hessian is decomposed: 2 s there, and it grows with N³.
LARGEST_WHOLE = 1500
# Beyond, directions of the smallest curvature that are looked for, and to what share.
DIRECTIONS, ACCURACY = 10, 1e-3
# Shares of the largest eigenvalue that are rounding.
FLAT = 1e-11


def latent_uncertainty(objective: GPPOMObjective, z: FloatArray) -> LatentUncertainty:
    """Approximate the law of Θ at a minimum of J by a normal distribution.

    Parameters
    ----------
    objective : GPPOMObjective
        With a free Θ, and with the weights of the fit (`FitOptions.grown`).
    z : ndarray of shape (n_params,)
        `FitResult.parameters`.

    Returns
    -------
    LatentUncertainty

    Raises
    ------
    ValueError
        If Θ comes from an MLP, whose weights have the uncertainty.
    FloatingPointError
        If the covariance is not positive definite at this point, or the curvature overflows.

    Notes
    -----
    exp(-J) is taken for the density of Θ, at the hyperparameters of the fit. Up to 1500 numbers in
    Θ the whole Hessian is decomposed, O(N³); beyond, its diagonal and the 10 directions of the
    smallest curvature stand for it, by products with vectors of O(N r²).

    Examples
    --------
    >>> from anmmm.datasets import make_anm_mixture
    >>> from anmmm.gppom import FitOptions, GPPOMObjective, fit_gppom, latent_uncertainty
    >>> from anmmm.preprocessing import standardize
    >>> x, y, _ = make_anm_mixture("f3", n_samples=60, random_state=0)
    >>> X, Y = standardize(x.reshape(-1, 1))[0], standardize(y.reshape(-1, 1))[0]
    >>> fit = fit_gppom(X, Y, lam=1.0, options=FitOptions())
    >>> latent_uncertainty(GPPOMObjective(X, Y), fit.parameters).variance.shape
    (60, 1)
    """
    if objective.layout.latent_map != "free":
        raise ValueError(
            f"latent_map={objective.layout.latent_map!r} makes Θ from weights, and the law of Θ is "
            "approximated where it is free; fit with latent_map='free'"
        )
    # Numbers beyond every scale overflow in their squares; what comes of it is looked at.
    with np.errstate(over="ignore", invalid="ignore"):
        curvature = Curvature(objective, z)
        if curvature.n_samples * curvature.n_latent <= LARGEST_WHOLE:
            return _whole(curvature)
        return _by_directions(curvature)


def _checked(hessian: FloatArray) -> FloatArray:
    """Return what it is given, unless a number in it is infinite or NaN."""
    if not np.all(np.isfinite(hessian)):
        raise FloatingPointError(
            "the curvature of J overflows at this point: Θ or a hyperparameter is too large"
        )
    return hessian


def _whole(curvature: Curvature) -> LatentUncertainty:
    n, q = curvature.n_samples, curvature.n_latent
    values, vectors = np.linalg.eigh(_checked(curvature.matrix()))
    rounding = FLAT * np.abs(values).max()
    kept = values > rounding
    vectors = vectors[:, kept].reshape(n, q, -1)
    vectors = (vectors - vectors.mean(axis=0)) / np.sqrt(values[kept])
    return LatentUncertainty(
        covariance=np.einsum("ndk,nek->nde", vectors, vectors),
        smallest=float(values[0] / max(np.abs(values).mean(), np.finfo(float).tiny)),
        n_negative=int((values < -rounding).sum()),
        n_flat=int((np.abs(values) <= rounding).sum()),
    )


def _by_directions(curvature: Curvature) -> LatentUncertainty:
    n, q = curvature.n_samples, curvature.n_latent
    main = np.einsum("ndd->nd", _checked(curvature.main()))
    # Where a θ alone is at no minimum, its scale is what is left of it.
    root = np.sqrt(np.maximum(np.abs(main), FLAT * np.abs(main).max()))

    def scaled(v: FloatArray) -> FloatArray:
        return np.asarray(curvature.times(v.reshape(n, q) / root) / root).ravel()

    operator = LinearOperator((n * q, n * q), matvec=scaled, dtype=np.float64)
    # Of no symmetry that the data may have, and the same each time.
    start = np.random.default_rng(0).standard_normal(n * q)
    try:
        values, vectors = eigsh(operator, DIRECTIONS, which="SA", tol=ACCURACY, v0=start)
    except ArpackNoConvergence as found:
        values, vectors = found.eigenvalues, found.eigenvectors
    kept = values > FLAT
    moved = vectors.reshape(n, q, -1) / root[:, :, np.newaxis]
    moved = moved - moved.mean(axis=0)
    # What the directions leave has the curvature of the diagonal, 1 in these units; those of no
    # minimum are left out with their share of it.
    weights = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0) - 1.0
    covariance = np.einsum("ndk,nek,k->nde", moved, moved, weights)
    own = 1.0 / root**2
    own = own * (1.0 - 2.0 / n) + own.mean(axis=0) / n
    covariance[:, np.arange(q), np.arange(q)] += own
    return LatentUncertainty(
        covariance=covariance,
        smallest=float(values.min(initial=1.0)),
        n_negative=int((values < -FLAT).sum()),
        n_flat=int((np.abs(values) <= FLAT).sum()),
        n_directions=len(values),
    )


def mechanism_probabilities(
    latent: FloatArray, covariance: FloatArray, labels: NDArray[np.intp], n_mechanisms: int
) -> FloatArray:
    """Probability of each mechanism (n_samples, n_mechanisms), from Θ, its uncertainty and labels.

    Parameters
    ----------
    latent : ndarray of shape (n_samples, n_latent)
        Fitted Θ.
    covariance : ndarray of shape (n_samples, n_latent, n_latent)
        Of `LatentUncertainty`.
    labels : ndarray of int, shape (n_samples,)
        Mechanisms, from 0.
    n_mechanisms : int
        Their number; one without observations has probability 0.

    Notes
    -----
    docs/method/uncertainty.md, eq. 6. O(N C q³).
    """
    seen = np.unique(labels)
    centers = np.array([latent[labels == c].mean(axis=0) for c in seen])
    within = latent - centers[np.searchsorted(seen, labels)]
    spread = covariance + within.T @ within / len(latent)
    away = latent[:, np.newaxis] - centers
    # Where a direction has neither spread nor uncertainty, it tells nothing apart.
    inverse = np.linalg.pinv(spread, hermitian=True)
    squares = np.einsum("ncd,nde,nce->nc", away, inverse, away)
    probabilities = np.zeros((len(latent), n_mechanisms))
    probabilities[:, seen] = softmax(-0.5 * squares, axis=1)
    return probabilities
