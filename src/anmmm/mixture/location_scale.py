"""One mechanism whose noise has a scale that depends on the cause."""

from __future__ import annotations

import numpy as np

from anmmm._kernels.mixture import location_scale
from anmmm._typing import FloatArray
from anmmm.mixture.em import N_INNER, VARIANCE_FLOOR
from anmmm.mixture.fits import LocationScaleFit, MixtureFit
from anmmm.mixture.splines import SplineBasis

__all__ = ["fit_location_scale"]


def fit_location_scale(
    basis: SplineBasis,
    y: FloatArray,
    single: MixtureFit,
    *,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-5,
    max_iter: int = 60,
) -> LocationScaleFit:
    """Fit one mechanism with a noise scale that depends on the cause.

    Parameters
    ----------
    basis, y, floor, tol, max_iter
        See `fit_mixture`.
    single : MixtureFit
        Fit of one mechanism with constant noise, to start from.

    Returns
    -------
    LocationScaleFit

    Notes
    -----
    docs/method/decisions.md, eq. 9. O(N r²) an iteration.
    """
    n = len(y)
    curve, log_scale = np.empty(n), np.empty(n)
    scales = np.array([single.noise_variance, single.scales[1], 1.0])
    evidence, complexity, n_iter = location_scale(
        basis.design, y, basis.prior, basis.n_null, floor, N_INNER, tol * n, max_iter, scales,
        curve, log_scale,
    )  # fmt: skip
    return LocationScaleFit(
        curve, np.exp(log_scale), evidence, complexity, n_iter, n_iter < max_iter
    )
