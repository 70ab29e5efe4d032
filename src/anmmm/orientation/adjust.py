"""Common causes out of two variables: what a smooth function of the causes leaves of each."""

from __future__ import annotations

import numpy as np

from anmmm._typing import FloatArray
from anmmm.mixture import ANMMixture


def residual(values: FloatArray, causes: FloatArray) -> FloatArray:
    """Return what a smoothing spline in `causes`, of fitted smoothness, leaves of `values`.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
    causes : ndarray of shape (n_samples, n_causes)

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    smooth = ANMMixture(n_mechanisms=1).fit(causes, values)
    return np.asarray(values - smooth.curves(causes)[:, 0])
