"""How many mechanisms: 1, 2, … are fitted, each from starts made of the fits before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anmmm._typing import FloatArray
from anmmm.mixture.em import VARIANCE_FLOOR, fit_mixture
from anmmm.mixture.fits import LocationScaleFit, MixtureFit
from anmmm.mixture.location_scale import fit_location_scale
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import residual_starts, start_rows

MAX_MECHANISMS = 4
# Nats by which the criterion of two mechanisms may be above that of one before three are not tried.
# Two may cut three curves badly; on seeds 10020 to 10031 no larger number won beyond it.
BEHIND_ONE = 5.0


def fit_single(
    basis: SplineBasis,
    y: FloatArray,
    *,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> tuple[MixtureFit, LocationScaleFit]:
    """Fit one mechanism with constant noise, and with a noise scale that depends on the cause."""
    start = np.ones((len(y), 1))
    single = fit_mixture(basis, y, 1, starts=[start], floor=floor, tol=tol, max_iter=max_iter)
    return single, fit_location_scale(basis, y, single, floor=floor)


def choose_mixture(
    basis: SplineBasis,
    y: FloatArray,
    *,
    n_mechanisms: int | None = None,
    max_mechanisms: int = MAX_MECHANISMS,
    extra_starts: Sequence[FloatArray] = (),
    first: tuple[MixtureFit, LocationScaleFit] | None = None,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> list[MixtureFit]:
    """Fit 1, 2, … mechanisms, each from starts made of the fits before it.

    Ends at `n_mechanisms`, or else at `max_mechanisms`, after the first number above 2 that does
    not lower the criterion, or after 2 if it is far above that of 1. `extra_starts` are
    responsibilities, each used for its own number; `first` is what `fit_single` gave for these
    data. The others are as in `fit_mixture`.
    """
    if first is None:
        first = fit_single(basis, y, floor=floor, tol=tol, max_iter=max_iter)
    single, spread = first
    fits, rows = [single], start_rows(basis, y)
    last = max_mechanisms if n_mechanisms is None else n_mechanisms
    for n in range(2, last + 1):
        starts: Sequence[FloatArray] | FloatArray
        starts = residual_starts(basis, y, n, fits[-1], single, spread, rows)
        if more := [start for start in extra_starts if start.shape[1] == n]:
            starts = [*starts, *more]
        fits.append(
            fit_mixture(
                basis,
                y,
                n,
                starts=starts,
                rows=rows,
                noise_variance=single.noise_variance / n**2,
                floor=floor,
                tol=tol,
                max_iter=max_iter,
            )
        )
        behind = BEHIND_ONE if n == 2 else 0.0
        if n_mechanisms is None and fits[-1].criterion > fits[-2].criterion + behind:
            break
    return fits


def is_auto(n_mechanisms: Any) -> bool:
    """Tell ``"auto"`` from a number; any other string is refused."""
    if not isinstance(n_mechanisms, str):
        return False
    if n_mechanisms != "auto":
        raise ValueError(f"n_mechanisms must be a whole number or 'auto', found {n_mechanisms!r}")
    return True
