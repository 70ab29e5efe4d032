"""Driver of SciPy's L-BFGS-B: history, status."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import Bounds, minimize

from anmmm._record import Record
from anmmm._typing import FloatArray

# Correction pairs, and coordinates beyond which the smaller number is used: SciPy's own part of an
# iteration grows with coordinates times pairs, and took as long as an evaluation.
MEMORY = 20
SMALL_MEMORY = 5
LARGEST_MEMORY = 100_000

ValueAndGrad = Callable[[FloatArray], tuple[float, FloatArray]]


class Outcome(Record):
    """End of one descent."""

    z: FloatArray  # best point seen
    value: float  # J there
    n_iter: int
    n_evaluations: int
    n_failed_evaluations: int  # that returned +inf
    status: str  # converged, max_iter, max_evaluations, line_search or cholesky_failed
    message: str  # SciPy's message
    history: FloatArray  # (n_iter + 1,), J at the start and after each iteration

    @property
    def converged(self) -> bool:
        """Whether the descent ended by its tolerance."""
        return self.status == "converged"


def minimize_from(
    value_and_grad: ValueAndGrad,
    start: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    *,
    units: FloatArray | None = None,
    max_iter: int = 1000,
    tol: float = 1e-7,
    gradient_tol: float = 1e-5,
) -> Outcome:
    """Descend from one starting vector; `units`: L-BFGS sees ``z / units``; J may be +inf."""
    units = np.ones_like(start) if units is None else units
    descent = _Descent(value_and_grad, units)
    lower = bounds[0] / units
    upper = bounds[1] / units
    result = minimize(
        descent.evaluate,
        start / units,
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(lower, upper),
        callback=descent.record,
        options={
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "ftol": tol,
            "gtol": gradient_tol,
            "maxcor": MEMORY if len(start) <= LARGEST_MEMORY else SMALL_MEMORY,
        },
    )
    step = np.clip(result.x - result.jac, lower, upper) - result.x
    # J also decreases little if steps shrink at the edge of the domain, which is not a minimum.
    flat = bool(np.abs(step).max(initial=0.0) <= gradient_tol)
    at_edge = descent.n_failed > descent.failed_before and not flat
    return Outcome(
        z=descent.best_z,
        value=float(descent.best_value),
        n_iter=int(result.nit),
        n_evaluations=int(result.nfev),
        n_failed_evaluations=descent.n_failed,
        status=_status(int(result.status), int(result.nit), max_iter, at_edge),
        message=str(result.message),
        history=np.asarray(descent.history),
    )


class _Descent:
    """The objective and callback that SciPy calls: J in units, and its history."""

    def __init__(self, value_and_grad: ValueAndGrad, units: FloatArray) -> None:
        self._value_and_grad = value_and_grad
        self._units = units
        self.best_value = np.inf
        self.best_z = units
        self.history: list[float] = []
        self.n_failed = 0
        # Failed evaluations before the last finished iteration, and up to its end.
        self.failed_before = self._failed_after = 0

    def evaluate(self, scaled: FloatArray) -> tuple[float, FloatArray]:
        z = scaled * self._units
        value, gradient = self._value_and_grad(z)
        history = self.history
        if not np.isfinite(value):
            if not history:
                raise FloatingPointError(
                    "the objective cannot be evaluated at the starting point: its covariance is "
                    "not numerically positive definite, HSIC is zero, or a weight is so large that "
                    "it overflows; raise noise_floor or hsic_floor, lower lam or the priors, or "
                    "give another init"
                )
            self.n_failed += 1
            # SciPy's line search interpolates: with infinity its next step is NaN, and it stops.
            # A finite value that no Armijo test accepts shortens the step instead.
            return history[-1] + max(1.0, abs(history[-1])), np.zeros_like(z)
        if value < self.best_value:
            self.best_value = value
            self.best_z = z
        if not history:
            history.append(value)
        return value, gradient * self._units

    def record(self, intermediate_result: object) -> None:
        # SciPy passes the result to a callback whose argument has this name.
        self.failed_before, self._failed_after = self._failed_after, self.n_failed
        self.history.append(float(intermediate_result.fun))  # type: ignore[attr-defined]


def _status(code: int, n_iter: int, max_iter: int, at_edge: bool) -> str:
    if code == 1:
        return "max_iter" if n_iter >= max_iter else "max_evaluations"
    if at_edge:
        return "cholesky_failed"
    return "converged" if code == 0 else "line_search"
