"""The largest collapsed bound that several starts lead to.

Standardized data come in; a thin driver of L-BFGS takes every start some way and the best one on;
a `BoundFit` goes out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anmmm._record import Options
from anmmm._typing import FloatArray, RandomState
from anmmm._validation import check_count, check_nonnegative, check_rng
from anmmm.collapsed.bound import NUGGET, CollapsedBound
from anmmm.collapsed.result import BoundFit
from anmmm.collapsed.starts import alone_start, starts_of
from anmmm.gppom.optimize import Outcome, minimize_from
from anmmm.preprocessing import Cells

# Standardized data are not told more exactly than this noise, whatever their resolution.
LEAST_NOISE = 1e-4
# Boxes of the logarithms of variances of q, and of scales: beyond, the kernel is constant or the
# identity to every digit.
LOG_VARIANCE, LOG_SCALE = (-16.0, 6.0), (-9.0, 9.0)
# Pairs of steps that L-BFGS keeps; with more the steps themselves cost as much as evaluations.
MEMORY = 10


@dataclass(frozen=True, eq=False, repr=False)
class BoundOptions(Options):
    """How a bound is maximized.

    Attributes
    ----------
    n_latent : int
        Latent dimensions.
    n_inducing : int
        Inducing points of an effect given a cause, at most one an observation.
    n_inducing_cause : int
        Of a variable by itself, whose inducing points spread over the latent alone.
    nugget, n_chunks
        See `CollapsedBound`.
    n_screen : int
        Iterations of each start, after which the best one alone goes on.
    max_iter : int
        Most iterations of that one, those before included.
    tol : float
        Stop when an iteration raises the bound by less than `tol` times its size.
    """

    OF = "a bound"

    n_latent: int = 1
    n_inducing: int = 30
    n_inducing_cause: int = 15
    nugget: float = NUGGET
    n_chunks: int | None = None
    n_screen: int = 50
    max_iter: int = 400
    tol: float = 1e-6

    def __post_init__(self) -> None:
        """Refuse what no fit can use."""
        for name in ("n_latent", "n_inducing", "n_inducing_cause", "n_screen", "max_iter"):
            check_count(getattr(self, name), name)
        if self.n_chunks is not None:
            check_count(self.n_chunks, "n_chunks")
        for name in ("nugget", "tol"):
            check_nonnegative(getattr(self, name), name)


def fit_bound(
    Y: FloatArray,
    X: FloatArray | None = None,
    *,
    options: BoundOptions | None = None,
    alone: BoundFit | None = None,
    random_state: RandomState = None,
    **keywords: Any,
) -> BoundFit:
    """Maximize the collapsed bound of Y given X, or of Y by itself.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_outputs)
        Standardized (`anmmm.preprocessing.standardize`).
    X : ndarray of shape (n_samples, n_features_x), optional
        Standardized.
    options : BoundOptions, optional
        All options in one.
    alone : BoundFit, optional
        Of Y without X, a further start: no bound given X need be lower than that of Y by itself.
    random_state : None, int or Generator
        Seeds the start that is drawn.
    **keywords
        Or fields of `BoundOptions`.

    Returns
    -------
    BoundFit

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.
    FloatingPointError
        If the bound cannot be evaluated at any start.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm.collapsed import fit_bound
    >>> from anmmm.preprocessing import standardize
    >>> x = np.random.default_rng(0).normal(size=(60, 1))
    >>> fit = fit_bound(standardize(x)[0], random_state=0)
    >>> bool(fit.bound > -86.0)
    True
    """
    options = options or BoundOptions.from_keywords(keywords)
    most = options.n_inducing_cause if X is None else options.n_inducing
    bound = CollapsedBound(
        Y,
        X,
        n_latent=options.n_latent,
        n_inducing=min(most, len(Y)),
        nugget=options.nugget,
        n_chunks=options.n_chunks,
    )
    box = _box(bound)
    outcomes: dict[str, Outcome] = {}
    screened = {}
    starts = starts_of(bound, check_rng(random_state))
    if alone is not None and X is not None:
        starts["alone"] = alone_start(bound, alone.parameters)
    for name, start in starts.items():
        start = np.clip(start, *box)
        if math.isfinite(bound.value_and_grad(start)[0]):
            outcomes[name] = _descend(bound, start, box, options, options.n_screen)
        screened[name] = -outcomes[name].value if name in outcomes else -math.inf
    if not outcomes:
        raise FloatingPointError(
            "the bound cannot be evaluated at any start: the Gram matrix of the inducing points "
            "is singular to rounding; raise nugget or lower n_inducing"
        )
    best = max(outcomes, key=screened.__getitem__)
    outcome, n_iter = outcomes[best], outcomes[best].n_iter
    if outcome.status == "max_iter" and options.max_iter > n_iter:
        outcome = _descend(bound, outcome.z, box, options, options.max_iter - n_iter)
        n_iter += outcome.n_iter
    return BoundFit(
        bound=-outcome.value,
        parameters=bound.unpack(outcome.z),
        start=best,
        screened=screened,
        n_iter=n_iter,
        n_evaluations=bound.n_evaluations,
        n_failed_evaluations=bound.n_failed_evaluations,
        converged=outcome.converged,
    )


def _descend(
    bound: CollapsedBound,
    start: FloatArray,
    box: tuple[FloatArray, FloatArray],
    options: BoundOptions,
    max_iter: int,
) -> Outcome:
    return minimize_from(
        bound.value_and_grad, start, box, max_iter=max_iter, tol=options.tol, memory=MEMORY
    )


def _box(bound: CollapsedBound) -> tuple[FloatArray, FloatArray]:
    """Bounds of the flat vector; the noise is at least what the outputs' resolution makes."""
    lower, upper = np.full(bound.n_params, -np.inf), np.full(bound.n_params, np.inf)
    resolution = max(Cells.of(column).variance for column in bound.Y.T)
    floor = math.log(max(LEAST_NOISE, resolution))
    for limits, end in ((lower, 0), (upper, 1)):
        _, variance, _, scales, gamma = bound.parts(limits)
        variance[:], scales[:], gamma[:] = LOG_VARIANCE[end], LOG_SCALE[end], LOG_SCALE[end]
    bound.parts(lower)[3][1] = floor
    return lower, upper
