"""Lengths and models of both directions of a pair, nothing decided."""

from __future__ import annotations

from anmmm._columns import takes_pairs
from anmmm._typing import ArrayLike
from anmmm.evidence import EvidenceResult, evidence


@takes_pairs
def description_lengths(x: ArrayLike, y: ArrayLike) -> EvidenceResult:
    """Describe a pair in both directions, by every model, without deciding between them.

    The quantities that `anmmm.infer_direction` compares by default, for decision rules of your
    own: no confidence, no test, no least score.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        The two variables, at least 10 observations; of several columns, at most 16 in all and at
        least 10 observations for each. Or a frame and two names of its columns.

    Returns
    -------
    EvidenceResult
        ``forward`` is x as the cause, ``backward`` the reverse, each with ``total``, ``cause`` and
        ``effect`` in nats for all observations. Of single variables, each has ``lengths`` of the
        effect under every model by name, and ``models``, the fitted ones.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be used; the message names the variable.

    See Also
    --------
    anmmm.evidence.evidence : The same, with further options.

    Examples
    --------
    >>> from anmmm import description_lengths
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> both = description_lengths(x, y)
    >>> forward = both.forward
    >>> forward.model, min(forward.lengths, key=forward.lengths.get)
    ('anm-2', 'anm-2')
    >>> forward.total == forward.cause + forward.effect
    True
    >>> both.backward.total > forward.total
    True
    """
    return evidence(x, y)
