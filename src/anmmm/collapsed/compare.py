"""Which direction the bounds speak for.

A pair comes in; in each direction a density of the cause and a model of the effect given the cause
are fitted, of one flexible family, and the sums of their bounds go out as a `BoundResult`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anmmm._record import Record
from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import as_pair, check_rng
from anmmm.collapsed.fit import BoundFit, BoundOptions, fit_bound
from anmmm.evidence.sign import sign_of
from anmmm.preprocessing import standardize

__all__ = ["BoundResult", "DirectionBounds", "compare_bounds", "latent_bounds"]


@dataclass(frozen=True, eq=False, repr=False)
class DirectionBounds(Record):
    """Bounds of a pair in one direction.

    Attributes
    ----------
    cause : BoundFit
        Density of the cause, a GP-LVM.
    effect : BoundFit
        The effect given the cause.
    total : float
        Minus both bounds together: an upper bound on the description length of the pair, in nats.
    """

    cause: BoundFit
    effect: BoundFit

    @property
    def total(self) -> float:
        """Minus both bounds together, in nats."""
        return -(self.cause.bound + self.effect.bound)

    @property
    def converged(self) -> bool:
        """Whether both descents ended by their tolerance."""
        return self.cause.converged and self.effect.converged

    @property
    def n_iter(self) -> int:
        """Iterations of the longer descent."""
        return max(self.cause.n_iter, self.effect.n_iter)


@dataclass(frozen=True, eq=False, repr=False)
class BoundResult(Record):
    """Bounds of a pair in both directions.

    Attributes
    ----------
    direction : int
        1: x causes y; -1: y causes x; 0: equal, which is a score of at most 1e-5 either way.
    score : float
        ``backward_score - forward_score``, nats per observation; positive means x causes y.
    forward_score, backward_score : float
        `DirectionBounds.total` per observation. Forward is the hypothesis that x causes y.
    forward, backward : DirectionBounds
        The parts.
    """

    direction: int
    score: float
    forward_score: float
    backward_score: float
    forward: DirectionBounds
    backward: DirectionBounds


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
    forward, backward = (
        DirectionBounds(
            fit_bound(cause, options=options, random_state=seed),
            fit_bound(effect, cause, options=options, random_state=seed),
        )
        for cause, effect in ((first, second), (second, first))
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
