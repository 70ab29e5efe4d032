"""Description lengths of a pair in both directions, and their difference.

docs/method/decisions.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from anmmm._categories import as_variables, given_pair
from anmmm._record import Record, computed
from anmmm._threads import both
from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import check_count
from anmmm.evidence.base import BaseEvidence, ColumnEvidence
from anmmm.evidence.code import RESOLUTION, shortest
from anmmm.evidence.common_cause import LARGEST, describe_common_cause
from anmmm.evidence.hidden_code import CommonCause
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models import Additive, ConditionalModel, FitCache, Independent, fit_models
from anmmm.evidence.variable import Describe, Variable
from anmmm.evidence.vectors import VectorEvidence, column_limit_error, describe_vectors
from anmmm.mixture import MAX_MECHANISMS, MixtureFit
from anmmm.preprocessing import Cells, standardize

# Nats saved over independence at which it is as probable as dependence.
INDEPENDENCE_EVEN = 2.0


def sign_of(score: float) -> int:
    """Return the direction that a score favors: its sign, or 0 within `RESOLUTION` of 0."""
    return int(np.sign(score)) if abs(score) > RESOLUTION else 0


class DirectionEvidence(BaseEvidence, Record):
    """Description length of a pair of single variables in one direction, in nats altogether.

    Attributes
    ----------
    total : float
        ``cause + effect``.
    cause : float
        Description length of the cause.
    effect : float
        Description length of the effect given the cause, under the model named `model`.
    model : str
        ``"anm-C"``: C additive noise models sharing Gaussian noise; ``"location-scale"``: one
        mechanism, Gaussian noise of a scale that depends on the cause; with ``"+noise"`` the noise
        has a fitted density; ``"pnl"``: a monotone function of the effect is a curve of the cause
        plus Gaussian noise; ``"monotone"``: it is a monotone curve of the cause plus little noise;
        ``"clusters"``: it is in clusters, which are levels of a curve with noise; ``"ordered"``:
        its values are intervals of a curve with noise, with ``"+link"`` cut by a smooth function;
        ``"count"``: it counts, with a mean that is a curve; ``"categories"``: it has categories,
        whose probabilities are smooth functions; ``"independent"``: the effect does not depend on
        the cause. With ``"+rescaled"`` curves are over the scale on which the cause is Gaussian,
        with ``"+atom"`` and ``"+ranges"`` rows with a frequent value of the effect, or beyond a gap
        of it, are described separately.
    models : dict of str to anmmm.evidence.ConditionalModel
        Every model tried, by its name; `lengths` are theirs.
    n_mechanisms : int
        Number of mechanisms of `model`.
    converged : bool
        Whether the fit of `model` converged.
    marginal : anmmm.evidence.Marginal
        Distribution of the cause.
    nats : ndarray of shape (n_samples,)
        Description length of each observation, of both variables under `model`, without the cost
        of parameters.
    cells : Cells
        The cause at its own resolution.
    points : ndarray of shape (n_samples, n_columns)
        The cause, or the indicators of its categories, standardized.
    check : HSICTest
        Test of the cause and the residuals of `model`, computed lazily. A small p-value warns that
        no model of the list fits. See `anmmm.evidence.check_model`.
    is_related : bool
        Whether a model may be chosen under which the effect depends on the cause.
    """

    marginal: Marginal
    models: dict[str, ConditionalModel]
    cells: Cells
    points: FloatArray
    is_related: bool = True

    @computed
    def chosen(self) -> ConditionalModel:
        """The shortest model, the first one of equals."""
        return self.effect_parts[0].chosen

    @computed
    def cause_parts(self) -> tuple[ColumnEvidence, ...]:
        """The marginal description of the cause."""
        return _only(Independent.of(self.marginal))

    @computed
    def effect_parts(self) -> tuple[ColumnEvidence, ...]:
        """The effect given the cause."""
        models = self.models
        if not self.is_related:
            models = {Independent.NAME: models[Independent.NAME]}
        from_cause = not isinstance(shortest(models.values()), Independent)
        return (ColumnEvidence(0, (), from_cause, models),)

    @computed
    def marginal_parts(self) -> tuple[ColumnEvidence, ...]:
        """The marginal description of the effect."""
        return _only(self.models[Independent.NAME])

    @computed
    def causes(self) -> FloatArray:
        """Return `points`."""
        return self.points

    @property
    def is_categorical(self) -> bool:
        """Whether the cause has categories without an order."""
        return bool(self.points.shape[1] > 1)

    @property
    def lengths(self) -> dict[str, float]:
        """Description length of the effect under every model tried."""
        return {name: model.length for name, model in self.models.items()}

    @property
    def mixtures(self) -> tuple[MixtureFit, ...]:
        """Fits with 1, 2, … mechanisms."""
        return tuple(m.fit for m in self.models.values() if type(m) is Additive)


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
    forward, backward : DirectionEvidence or VectorEvidence
        The parts; `VectorEvidence` for several columns or given common causes.
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
        Both variables as effects of a hidden common cause; None if that was not tried: for
        independent variables, for several columns, or if it is switched off.
    """

    direction: int
    score: float
    forward_score: float
    backward_score: float
    forward: DirectionEvidence | VectorEvidence
    backward: DirectionEvidence | VectorEvidence
    common_cause: CommonCause | None = None

    @classmethod
    def of(cls, forward: Any, backward: Any) -> Self:
        """Compare the totals of both directions."""
        n = len(forward.nats)
        score = (backward.total - forward.total) / n
        return cls(
            direction=sign_of(score),
            score=score,
            forward_score=forward.total / n,
            backward_score=backward.total / n,
            forward=forward,
            backward=backward,
        )

    @property
    def is_vector(self) -> bool:
        """Whether a variable has several columns."""
        return max(self.forward.n_effects, self.backward.n_effects) > 1

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
        return math.sqrt(len(differences)) * float(differences.std())

    @property
    def dependence(self) -> float:
        """Nats per observation that the shortest of all models saves over independence."""
        saved = max(each.independent - each.total for each in (self.forward, self.backward))
        return saved / len(self.forward.nats)

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
    def shortest(self) -> DirectionEvidence | VectorEvidence:
        """The parts of the shorter direction, of equals the first."""
        return self.backward if self.backward.total < self.forward.total else self.forward

    @property
    def winner(self) -> DirectionEvidence | VectorEvidence | CommonCause | None:
        """The shortest description of all: a common cause, or the parts of a direction."""
        return self.common_cause if self.confounded else self.chosen

    @property
    def chosen(self) -> DirectionEvidence | VectorEvidence | None:
        """The parts of the shorter direction; None if both are equally long."""
        return {1: self.forward, -1: self.backward}.get(self.direction)


# Compares two checked variables, (n_samples,) or (n_samples, n_features).
Compare = Callable[[FloatArray, FloatArray], EvidenceResult]


def evidence(x: ArrayLike, y: ArrayLike, *, max_mechanisms: int = MAX_MECHANISMS) -> EvidenceResult:
    """Compare the description lengths of a pair in both directions.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        The two variables, at least 10 observations; of several columns, at most 16 in all and at
        least 10 observations for each. Text and columns of a category type are categories.
    max_mechanisms : int
        Most mechanisms tried.

    Returns
    -------
    EvidenceResult
        Exchanging x and y exactly negates the score.

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.

    Notes
    -----
    Deterministic. Linear in the number of observations, except for two sorts. The order of the
    columns of a variable does not matter: docs/method/decisions.md, "Several columns".

    Examples
    --------
    >>> from anmmm.datasets import make_anm_mixture
    >>> from anmmm.evidence import evidence
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> result = evidence(x, y)
    >>> result.direction, result.forward.model
    (1, 'anm-2')
    """
    first, second, categorical, _ = as_variables(*given_pair(x, y))
    most = check_count(max_mechanisms, "max_mechanisms", maximum=len(first))
    if problem := column_limit_error(first, second):
        raise ValueError(problem)
    return compare(first, second, most, categorical=categorical)


def compare(
    x: FloatArray,
    y: FloatArray,
    max_mechanisms: int = MAX_MECHANISMS,
    *,
    categorical: tuple[bool, bool] = (False, False),
    describe: Describe = Variable.of,
    common_cause: bool = False,
) -> EvidenceResult:
    """Compare checked variables (n_samples, n_features) as `evidence` does.

    `categorical`: whether each variable is one column of categories without an order. `describe`
    makes a variable of one column, standardized and in the user's unit. `common_cause`: try a
    hidden one too, unless both variables are independent.
    """
    first, second = standardize(x)[0], standardize(y)[0]
    if first.shape[1] > 1 or second.shape[1] > 1:
        return EvidenceResult.of(*describe_vectors(first, second, max_mechanisms))

    def variable(values: FloatArray, raw: FloatArray, named: bool) -> Variable:
        values = values[:, 0]
        return Variable.of_categories(values) if named else describe(values, raw[:, 0])

    one, other = both(
        lambda: variable(first, x, categorical[0]),
        lambda: variable(second, y, categorical[1]),
        len(x),
    )
    result = compare_variables(one, other, max_mechanisms)
    if not common_cause or result.independent or len(x) > LARGEST:
        return result
    return replace(result, common_cause=describe_common_cause(one, other, result.shortest.total))


def compare_variables(
    one: Variable, other: Variable, max_mechanisms: int = MAX_MECHANISMS
) -> EvidenceResult:
    """Compare variables in both directions, without a common cause."""
    forward, backward = both(
        lambda: _describe(one, other, max_mechanisms),
        lambda: _describe(other, one, max_mechanisms),
        len(one.cells.values),
    )
    result = EvidenceResult.of(forward, backward)
    if result.dependence * len(forward.nats) > INDEPENDENCE_EVEN:
        return result
    # Both totals are then the same.
    unrelated = (replace(each, is_related=False) for each in (forward, backward))
    return EvidenceResult.of(*unrelated)


def _only(model: ConditionalModel) -> tuple[ColumnEvidence, ...]:
    return (ColumnEvidence(0, (), False, {model.name: model}),)


def _describe(cause: Variable, effect: Variable, max_mechanisms: int) -> DirectionEvidence:
    models = fit_models(FitCache(cause, effect, max_mechanisms))
    return DirectionEvidence(cause.marginal, models, cause.cells, cause.points)
