"""One mechanism whose noise has a scale that depends on the cause."""

from __future__ import annotations

import numpy as np

from anmmm._kernels.location_scale import location_scale
from anmmm._kernels.packed import N_INNER, Design
from anmmm._typing import FloatArray
from anmmm.mixture.em import VARIANCE_FLOOR
from anmmm.mixture.fits import LocationScaleFit, MixtureFit
from anmmm.mixture.splines import SplineBasis


def fit_location_scale(
    basis: SplineBasis,
    y: FloatArray,
    single: MixtureFit,
    *,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-5,
    max_iter: int = 60,
) -> LocationScaleFit:
    """Fit one mechanism with a noise scale that depends on the cause, from one with constant noise.

    Notes
    -----
    docs/method/decisions.md, eq. 9. O(N r²) an iteration.
    """
    mean, log_scale = np.empty_like(basis.prior), np.empty_like(basis.prior)
    scales = np.array([single.noise_variance, single.scales[1], 1.0])
    evidence, complexity, n_iter = location_scale(
        Design(basis.design, basis.prior, basis.n_null),
        y,
        floor,
        N_INNER,
        tol * len(y),
        max_iter,
        scales,
        mean,
        log_scale,
    )
    return LocationScaleFit(
        curve=basis.design @ mean,
        scale=np.exp(basis.design @ log_scale),
        mean=mean,
        log_scale=log_scale,
        splines=basis.splines,
        evidence=evidence,
        complexity=complexity,
        n_iter=n_iter,
        converged=n_iter < max_iter,
    )
