"""What the ``fit`` and ``predict`` of all estimators check."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from anmmm._arrays import as_real
from anmmm._text import counted
from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import (
    as_columns,
    as_finite,
    as_matrix,
    as_pair,
    check_aligned,
    check_lengths,
)
from anmmm._warning import default_float_errors

F = TypeVar("F", bound=Callable[..., Any])


class TakesOutputs:
    """Mixin of estimators whose y may have several columns, before ``BaseEstimator``."""

    def __sklearn_tags__(self) -> Any:
        """Declare that y may have several columns."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.multi_output = True
        return tags


def all_or_nothing(fit: F) -> F:
    """Return a method ``fit`` that leaves its estimator as it was when it fails."""

    @wraps(fit)
    def fitting(self: Any, *data: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            with default_float_errors():
                return fit(self, *data, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(F, fitting)


def check_fit_input(
    estimator: Any, X: ArrayLike, y: ArrayLike | None, *, pair: bool
) -> tuple[FloatArray, FloatArray]:
    """Check the data of ``fit``, and count and name columns; `pair`: X may hold both."""
    # First, because scikit-learn's own look at the columns takes an array for granted.
    matrix = as_matrix(_as_two_dimensional(X), "X")
    validate_data(estimator, X, skip_check_array=True)
    if y is not None:
        check_aligned(X, y, ("X", "y"))
        X, y = as_pair(matrix, y, names=("X", "y"))
        estimator.n_outputs_ = y.shape[1]
        return X, y
    lacks_y = f"{type(estimator).__name__} requires y to be passed, but the target y is None"
    if not pair:
        raise ValueError(lacks_y)
    if matrix.shape[1] != 2:
        raise ValueError(
            f"{lacks_y}: without y, X must have the two columns of the pair, found "
            f"{matrix.shape[1]}"
        )
    estimator.n_outputs_ = 0
    return matrix[:, :1].copy(), matrix[:, 1:].copy()


def check_new_input(
    estimator: Any, X: ArrayLike, y: ArrayLike | None
) -> tuple[FloatArray, FloatArray | None]:
    """Check new observations, of the same columns as in the ``fit`` that `check_fit_input` saw."""
    matrix = as_finite(_as_two_dimensional(X), "X")
    validate_data(estimator, X, skip_check_array=True, reset=False)
    if y is None:
        return matrix, None
    other = as_columns(as_real(y, "y"), "y")
    if other.shape[1] != estimator.n_outputs_:
        n_outputs = estimator.n_outputs_
        fitted = f"{counted(n_outputs, 'column')} of y" if n_outputs else "the pair in X"
        found = counted(other.shape[1], "column")
        raise ValueError(f"y has {found}, but fit was given {fitted}")
    other = as_finite(other, "y")
    check_aligned(X, y, ("X", "y"))
    check_lengths(matrix, other, ("X", "y"))
    return matrix, other


def _as_two_dimensional(X: ArrayLike) -> NDArray[Any]:
    array = as_real(X, "X")
    if array.ndim != 2:
        raise ValueError(
            f"X must have two dimensions (n_samples, n_features), found shape {array.shape}. "
            f"Reshape your data with X.reshape(-1, 1) if it has a single feature"
        )
    return array
