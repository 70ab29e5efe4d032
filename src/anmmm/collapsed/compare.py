"""Which direction the bounds speak for.

A pair comes in; in each direction a density of the cause and a model of the effect given the cause
are fitted, of one flexible family, and the sums of their bounds go out as a `BoundResult`.
"""

from __future__ import annotations

from typing import Any

from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import as_pair, check_rng
from anmmm.collapsed.fit import BoundOptions, fit_bound
from anmmm.collapsed.result import BoundResult, DirectionBounds
from anmmm.evidence.sign import sign_of
from anmmm.preprocessing import standardize


def latent_bounds(
    x: ArrayLike, y: ArrayLike, *, random_state: RandomState = None, **options: Any
) -> BoundResult:
    """Compare the bounds of a pair in both directions: the criterion ``"latent"``.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        The two variables, at least 10 observations.
    random_state : None, int or Generator
        Seeds the starts that are drawn; all four fits get the same seed.
    **options
        Fields of `BoundOptions`.

    Returns
    -------
    BoundResult
        Exchanging x and y exactly negates the score.

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.

    Notes
    -----
    O(N M²) an evaluation, some hundred of them for each of the four fits. docs/method/latent.md has
    what it assumes, and where it is right.

    Examples
    --------
    >>> from anmmm.collapsed import latent_bounds
    >>> from anmmm.datasets import make_single_mechanism
    >>> x, y = make_single_mechanism("AN", 100, random_state=1)
    >>> latent_bounds(x, y, random_state=0).direction
    1
    """
    first, second = as_pair(x, y)
    checked = BoundOptions.from_keywords(options)
    return compare_bounds(first, second, int(check_rng(random_state).integers(2**63)), checked)


def compare_bounds(
    x: FloatArray, y: FloatArray, seed: int, options: BoundOptions | None = None
) -> BoundResult:
    """Do what `latent_bounds` does for checked variables of shape (n_samples, n_features)."""
    first, second = standardize(x)[0], standardize(y)[0]
    options = options or BoundOptions()
    one, other = (
        fit_bound(variable, options=options, random_state=seed) for variable in (first, second)
    )
    forward, backward = (
        DirectionBounds(
            cause=alone,
            effect=fit_bound(effect, cause, options=options, alone=by_itself, random_state=seed),
        )
        for cause, effect, alone, by_itself in (
            (first, second, one, other),
            (second, first, other, one),
        )
    )
    n = len(first)
    score = backward.total / n - forward.total / n
    return BoundResult(
        direction=sign_of(score),
        score=score,
        forward_score=forward.total / n,
        backward_score=backward.total / n,
        forward=forward,
        backward=backward,
    )
