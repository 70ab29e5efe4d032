"""Description lengths of a pair in both directions, and their difference.

docs/method/decisions.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from anmmm._categories import as_variables, given_pair
from anmmm._columns import takes_pairs, variable_names
from anmmm._record import Record
from anmmm._threads import both
from anmmm._typing import ArrayLike, FloatArray
from anmmm.evidence.code import RESOLUTION
from anmmm.evidence.common_cause import MAX_ROWS, CommonCause, describe_common_cause
from anmmm.evidence.directions import DirectionEvidence
from anmmm.evidence.models import FitCache, fit_models
from anmmm.evidence.variable import Describe, Variable
from anmmm.evidence.vectors import column_limit_error, describe_vectors
from anmmm.preprocessing import standardize

# Nats saved over independence at which it is as probable as dependence.
INDEPENDENCE_EVEN = 2.0


def sign_of(score: float) -> int:
    """Return the direction that a score favors: its sign, or 0 within `RESOLUTION` of 0."""
    return int(np.sign(score)) if abs(score) > RESOLUTION else 0


class EvidenceResult(Record):
    """Description lengths of a pair in both directions.

    Attributes
    ----------
    direction : int
        1: x causes y; -1: y causes x; 0: equal, which is a score of at most 1e-5 either way.
    score : float
        ``backward_score - forward_score``, nats per observation; positive means x causes y.
    forward_score, backward_score : float
        Total description length per observation. Forward is the hypothesis that x causes y.
    forward, backward : DirectionEvidence
        The description of each direction.
    nats : float
        ``backward.total - forward.total``, the score in nats for all observations.
    error : float
        Standard error of `nats`, from the variance of the observations' differences.
    dependence : float
        Nats per observation that the shortest of all models saves over independence; 0 if none
        does.
    independent : bool
        Whether independence is chosen in both directions: no model saves 2 nats.
    common_cause : CommonCause or None
        Both variables as effects of a hidden common cause; None if that is much longer than the
        shorter direction, or was not tried.
    is_common_cause_tried : bool
        Not of independent variables, of several columns, or if it is switched off.
    """

    forward: DirectionEvidence
    backward: DirectionEvidence
    common_cause: CommonCause | None = None
    is_common_cause_tried: bool = False

    @property
    def direction(self) -> int:
        """The sign of the score, 0 within `RESOLUTION`."""
        return sign_of(self.score)

    @property
    def score(self) -> float:
        """``backward_score - forward_score``."""
        return self.nats / len(self.forward.nats)

    @property
    def forward_score(self) -> float:
        """Total length of x → y per observation."""
        return self.forward.total / len(self.forward.nats)

    @property
    def backward_score(self) -> float:
        """Total length of y → x per observation."""
        return self.backward.total / len(self.forward.nats)

    @property
    def is_vector(self) -> bool:
        """Whether a variable has several columns."""
        return self.forward.is_vector

    @property
    def nats(self) -> float:
        """``backward.total - forward.total``."""
        return self.backward.total - self.forward.total

    @property
    def error(self) -> float:
        """Standard error of `nats`: ``√N`` times the deviation of the observations' differences.

        Notes
        -----
        Q. H. Vuong, "Likelihood ratio tests for model selection and non-nested hypotheses",
        Econometrica 57 (1989), his ω̂: no further fit is needed.
        """
        differences = self.backward.nats - self.forward.nats
        centered = differences - np.add.reduce(differences) / len(differences)
        return math.sqrt(centered @ centered)

    @property
    def dependence(self) -> float:
        """Nats per observation that the shortest of all models saves over independence."""
        forward_saved = self.forward.independent - self.forward.total
        backward_saved = self.backward.independent - self.backward.total
        return max(forward_saved, backward_saved) / len(self.forward.nats)

    @property
    def independent(self) -> bool:
        """Whether independence is chosen in both directions."""
        return self.forward.is_independent and self.backward.is_independent

    @property
    def saved_by_common_cause(self) -> float:
        """Nats that a hidden common cause saves over the shorter direction; negative for none."""
        if self.common_cause is None:
            return -math.inf
        return self.shortest.total - self.common_cause.length

    @property
    def confounded(self) -> bool:
        """Whether a hidden common cause is the shortest description."""
        return self.saved_by_common_cause > RESOLUTION * len(self.forward.nats)

    @property
    def shortest(self) -> DirectionEvidence:
        """The parts of the shorter direction, of equals the first."""
        return self.backward if self.backward.total < self.forward.total else self.forward

    @property
    def winner(self) -> DirectionEvidence | CommonCause | None:
        """The shortest description of all: a common cause, or the parts of a direction."""
        return self.common_cause if self.confounded else self.chosen

    @property
    def chosen(self) -> DirectionEvidence | None:
        """The parts of the shorter direction; None if both are equally long."""
        if self.direction == 0:
            return None
        return self.forward if self.direction == 1 else self.backward


@takes_pairs
def description_lengths(x: ArrayLike, y: ArrayLike) -> EvidenceResult:
    """Describe a pair in both directions, by every model, without deciding between them.

    The quantities that `anmmm.infer_direction` compares by default, for decision rules of your
    own: no common cause, no prior, no confidence.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        The two variables, at least 10 observations; of several columns, at most 16 in all and at
        least 10 observations for each. Text and columns of a category type are categories. Or a
        frame and two names of its columns.

    Returns
    -------
    EvidenceResult
        ``forward`` is x as the cause, ``backward`` the reverse, each with ``total``, ``cause`` and
        ``effect`` in nats for all observations. Of single variables, each has ``lengths`` of the
        effect under every model by name, and ``models``, the fitted ones. Exchanging x and y
        exactly negates the score.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be used; the message names the variable.

    Notes
    -----
    Deterministic. Linear in the number of observations, except for two sorts. The order of the
    columns of a variable does not matter: docs/method/decisions.md, "Several columns".

    Examples
    --------
    >>> from anmmm import description_lengths
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> lengths = description_lengths(x, y)
    >>> forward = lengths.forward
    >>> forward.model, min(forward.lengths, key=forward.lengths.get)
    ('anm-2', 'anm-2')
    >>> forward.total == forward.cause + forward.effect
    True
    >>> lengths.backward.total > forward.total
    True
    """
    names = variable_names(x, y)
    columns = given_pair(x, y, names)
    x_columns, y_columns, categorical, _ = as_variables(*columns, names=names)
    if problem := column_limit_error(x_columns, y_columns):
        raise ValueError(problem)
    return compare(x_columns, y_columns, categorical=categorical)


def compare(
    x: FloatArray,
    y: FloatArray,
    *,
    categorical: tuple[bool, bool] = (False, False),
    describe: Describe = Variable.of,
    common_cause: bool = False,
) -> EvidenceResult:
    """Compare checked variables (n_samples, n_features) as `description_lengths` does.

    `categorical`: whether each variable is one column of categories without an order. `describe`
    makes a variable of one column, standardized and in the user's unit. `common_cause`: try a
    hidden one too, unless both variables are independent.
    """
    z_x = standardize(x)[0]
    z_y = standardize(y)[0]
    if z_x.shape[1] > 1 or z_y.shape[1] > 1:
        return EvidenceResult(*describe_vectors(z_x, z_y))

    def variable(values: FloatArray, raw: FloatArray, is_categorical: bool) -> Variable:
        column = values[:, 0]
        return Variable.of_categories(column) if is_categorical else describe(column, raw[:, 0])

    x_variable, y_variable = both(
        lambda: variable(z_x, x, categorical[0]),
        lambda: variable(z_y, y, categorical[1]),
        len(x),
    )
    result = compare_variables(x_variable, y_variable)
    if not common_cause or result.independent or len(x) > MAX_ROWS:
        return result
    cause = describe_common_cause(x_variable, y_variable, result.shortest.total)
    return replace(result, common_cause=cause, is_common_cause_tried=True)


def compare_variables(x: Variable, y: Variable) -> EvidenceResult:
    """Compare variables in both directions, without a common cause."""
    forward, backward = both(
        lambda: _describe(x, y),
        lambda: _describe(y, x),
        len(x.cells.values),
    )
    result = EvidenceResult(forward, backward)
    if result.dependence * len(forward.nats) > INDEPENDENCE_EVEN:
        return result
    # Both totals are then the same.
    return EvidenceResult(
        replace(forward, effect_parts=forward.marginal_parts),
        replace(backward, effect_parts=backward.marginal_parts),
    )


def _describe(cause: Variable, effect: Variable) -> DirectionEvidence:
    models = fit_models(FitCache(cause, effect))
    return DirectionEvidence.of(cause.marginal, cause.points, models)
