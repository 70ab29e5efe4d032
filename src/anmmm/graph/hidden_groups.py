"""Hidden groups of rows, which determine the mechanisms of several columns together.

A hidden variable of two values determines which of two curves over its causes each of its columns
follows. Its values are not fixed but summed over: a row costs
``-log sum_k p_k prod_j p(column j | its causes, k)``. A column is fitted by the EM of
`anmmm.mixture`, to which the other columns give the log-likelihood of either value. A hidden
variable costs an edge for each of its columns. Hidden variables are tried one after another, each
from a pair of columns. For each the graph is searched again, given what its columns tell: any
column may join it or leave it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.collection.checkpoint import content_hash
from anmmm.evidence.code import gaussian_nats, shortest
from anmmm.evidence.models import ConditionalModel
from anmmm.evidence.models.gaussian import Weighted
from anmmm.evidence.variable import Variable
from anmmm.graph.sample import NOTHING
from anmmm.graph.score import (
    FIT_BATCH,
    MIN_SCREEN_NATS,
    CauseSets,
    ColumnModels,
    Fit,
    Key,
    LocalScore,
)
from anmmm.graph.search import Arrow, Challenge, Parents, Rules, challenge_all, changed, climb
from anmmm.mixture.em import fit_mixture, smallest_noise
from anmmm.mixture.fits import MixtureFit
from anmmm.mixture.starts import soften
from anmmm.preprocessing import standardize

N_VALUES = 2
# Relative gain of an iteration of EM for a column, and most iterations.
EM_TOLERANCE = 1e-4
EM_MAX_ITER = 200
# Most rounds in which the columns of a group are fitted in turn.
MAX_ROUNDS = 20
# Nats that a round, or a group, has to save.
SAVING = 0.1
# Iterations for the weights of the values, and the smallest weight.
WEIGHT_ITER = 20
MIN_WEIGHT = 1e-12
# Pairs of columns that are fitted together, and pairs for which the graph is searched.
N_FITTED_PAIRS = 4
N_SEARCHED_PAIRS = 3
# Most searches of the graph for a pair.
N_SEARCHES = 4
# Nats that a pair may cost: the edges of the graph may save them later.
MAX_PAIR_LOSS = 15.0
# Mean change of probabilities below which a group is the same.
SAME_ROWS = 0.02
# Fractions of the rows that are below a cut of the residual of one curve, to start two from.
CUTS = (0.2, 0.5, 0.8)


class GroupedColumn(Weighted):
    """Mechanisms whose weights in each row depend on the other columns of the group.

    `likelihood` (n_samples, n_mechanisms) is the log-likelihood of the effect under each.
    """

    likelihood: FloatArray

    @classmethod
    def of(cls, variable: Variable, fit: MixtureFit, others: FloatArray) -> GroupedColumn:
        """Encode an effect by a fit and the log-likelihoods of the other columns."""
        cells = variable.cells
        scale = math.sqrt(fit.noise_variance)
        likelihood = np.empty_like(others)
        for k, curve in enumerate(fit.curves.T):
            nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, curve, scale)
            likelihood[:, k] = -nats
        weights = softmax(_log_weights(likelihood + others) + others, axis=1)
        conditional = -logsumexp(np.log(np.maximum(weights, MIN_WEIGHT)) + likelihood, axis=1)
        cost = fit.curve_cost + 0.5 * math.log(len(others))
        return cls(conditional, cost, cells, fit, weights, likelihood)


def _log_weights(likelihood: FloatArray) -> FloatArray:
    """Return the logarithms of the weights that fit log-likelihoods (n_samples, n_values) best."""
    densities = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    weights = np.full(densities.shape[1], 1.0 / densities.shape[1])
    for _ in range(WEIGHT_ITER):
        weights *= (densities / (densities @ weights)[:, np.newaxis]).mean(axis=0)
    return np.log(np.maximum(weights, MIN_WEIGHT))


class Group(Record):
    """Columns that one hidden variable determines, with the causes that they were fitted to."""

    members: dict[int, GroupedColumn]
    causes: dict[int, frozenset[int]]

    @computed
    def likelihood(self) -> FloatArray:
        """Log-likelihood of each value, (n_samples, n_values)."""
        return np.asarray(sum(member.likelihood for member in self.members.values()))

    @computed
    def joint_likelihood(self) -> FloatArray:
        """Log-likelihood of each value with its weight, (n_samples, n_values)."""
        return np.asarray(_log_weights(self.likelihood) + self.likelihood)

    @computed
    def probabilities(self) -> FloatArray:
        """Probability of each value, (n_samples, n_values)."""
        return np.asarray(softmax(self.joint_likelihood, axis=1))

    @computed
    def first_value(self) -> FloatArray:
        """Probability of the first value, standardized, (n_samples, 1); zeros if it is constant."""
        first = self.probabilities[:, :1]
        return standardize(first)[0] if np.ptp(first) > 0.0 else np.zeros_like(first)

    @computed
    def length(self) -> float:
        """Nats of all columns, and of the parameters."""
        n, n_values = map(int, self.likelihood.shape)
        nats = logsumexp(self.joint_likelihood, axis=1).sum()
        weights = 0.5 * (n_values - 1) * math.log(n) - math.lgamma(n_values + 1)
        return weights - float(nats) + math.fsum(member.cost for member in self.members.values())

    def likelihood_without(self, node: int) -> FloatArray:
        """Log-likelihood of each value by all other columns, (n_samples, n_values)."""
        member = self.members.get(node)
        return self.likelihood if member is None else self.likelihood - member.likelihood

    def is_similar(self, other: Group) -> bool:
        """Return whether another group has the same columns and nearly the same probabilities."""
        change = np.abs(self.probabilities - other.probabilities).mean()
        return self.members.keys() == other.members.keys() and bool(change < SAME_ROWS)


def fit_column(
    score: LocalScore, node: int, causes: frozenset[int], start: FloatArray, others: FloatArray
) -> GroupedColumn:
    """Fit a column from probabilities, given the log-likelihoods of the other columns."""
    variable = score.sample.variable(node)
    models = []
    for basis, price in score.sample.bases(causes):
        fit = fit_mixture(
            basis,
            variable.cells.values,
            starts=[start],
            label_likelihood=others,
            noise_variance=0.5 / N_VALUES**2,
            floor=smallest_noise(variable.cells),
            tol=EM_TOLERANCE,
            max_iter=EM_MAX_ITER,
        )
        models.append(GroupedColumn.of(variable, fit, others).plus(price))
    return shortest(models)


def with_column(score: LocalScore, group: Group, node: int, causes: frozenset[int]) -> Group:
    """Add a column to a group, or fit it anew."""
    others = group.likelihood_without(node)
    model = fit_column(score, node, causes, group.probabilities, others)
    return Group({**group.members, node: model}, {**group.causes, node: causes})


def fit_single(score: LocalScore, key: Key) -> Group:
    """Fit two curves to a column without any other column: a group of one."""
    node, causes = key
    variable = score.sample.variable(node)
    basis, price = score.sample.bases(causes)[0]
    y = variable.cells.values
    floor = smallest_noise(variable.cells)
    one_curve = fit_mixture(basis, y, starts=np.ones((1, len(y), 1)), floor=floor)
    residual = y - one_curve.curves[:, 0]
    cuts = [residual > np.quantile(residual, part) for part in CUTS]
    # For curves that cross in the middle, or where their causes have their means.
    cuts.append(np.abs(residual) > np.median(np.abs(residual)))
    cuts += [residual * column > 0.0 for column in basis.design[:, 1 : basis.n_null].T]
    starts = np.stack([soften(np.eye(N_VALUES)[cut.astype(int)]) for cut in cuts])
    fit = fit_mixture(basis, y, starts=starts, floor=floor, tol=EM_TOLERANCE)
    model = GroupedColumn.of(variable, fit, np.zeros((len(y), N_VALUES))).plus(price)
    return Group({node: model}, {node: causes})


def fit_group(score: LocalScore, causes: Mapping[int, frozenset[int]], start: FloatArray) -> Group:
    """Fit the columns of a group in turn, from probabilities (n_samples, n_values)."""
    others = np.log(np.maximum(start, MIN_WEIGHT))
    members = {j: fit_column(score, j, sets, start, others) for j, sets in causes.items()}
    group = Group(members, dict(causes))
    for _ in range(MAX_ROUNDS):
        before = group
        for j, sets in causes.items():
            group = with_column(score, group, j, sets)
        if group.length > before.length - SAVING:
            return shortest([before, group])
    return group


# Two columns with their causes.
Pair = tuple[Key, Key]


class Grouped(NamedTuple):
    """A graph, its hidden groups, and the nats of both with the price of edges and groups."""

    parents: Parents
    groups: list[Group]
    nats: float


class GroupSearch:
    """Search for the hidden groups of a graph."""

    def __init__(self, score: LocalScore, rules: Rules) -> None:
        self.score = score
        self.rules = rules
        # Columns fitted alone, and what may show that they belong to a group.
        self.singles: dict[Key, Group] = {}
        self.residuals: dict[Key, FloatArray] = {}

    def gain(self, causes: CauseSets, length: float, parents: Parents) -> float:
        """Return the nats that a group saves, with those of the edges that it replaces."""
        before = math.fsum(self.score.length(j, parents[j]) for j in causes)
        n_fewer = sum(len(parents[j]) - len(sets) for j, sets in causes.items())
        return before - length + self.rules.min_gain * (n_fewer - len(causes))

    def nats(self, parents: Parents, groups: Sequence[Group]) -> float:
        """Return the nats of a graph with groups, and the price of its edges and groups."""
        grouped = {j for group in groups for j in group.members}
        nats = [self.score.length(j, sets) for j, sets in enumerate(parents) if j not in grouped]
        nats += [group.length for group in groups]
        n_edges = sum(map(len, parents)) + len(grouped)
        return math.fsum(nats) + self.rules.min_gain * n_edges

    def pairs(self, parents: Parents, free: Sequence[int]) -> list[Group]:
        """Return pairs of columns that one hidden variable may determine, the best first."""
        pairs = list(self._candidates(parents, free))
        keys = dict.fromkeys(key for pair in pairs for key in pair)
        new = [key for key in keys if key not in self.singles]
        self.singles.update(zip(new, self.score.map(fit_single, new, 1), strict=True))
        pairs = [pair for pair in pairs if self._may_belong(pair, parents)]
        work = partial(_pair_length, singles=self.singles)
        lengths = self.score.compute("pair", work, [(*i, *j) for i, j in pairs], FIT_BATCH)
        best: dict[Any, tuple[float, Pair]] = {}
        for pair, length in zip(pairs, lengths, strict=True):
            gain = self.gain(dict(pair), length, parents)
            columns = frozenset(pair)
            if gain > best.get(columns, (-MAX_PAIR_LOSS, pair))[0]:
                best[columns] = gain, pair
        chosen = sorted(best.values(), key=lambda item: -item[0])[:N_FITTED_PAIRS]
        groups = []
        for _, (first, second) in chosen:
            start = with_column(self.score, self.singles[first], *second)
            groups.append(fit_group(self.score, start.causes, start.probabilities))
        groups.sort(key=lambda group: -self.gain(group.causes, group.length, parents))
        return groups[:N_SEARCHED_PAIRS]

    def _candidates(self, parents: Parents, free: Sequence[int]) -> Iterator[Pair]:
        """Yield all pairs, those that an edge joins with it and without it."""
        required = self.rules.required
        for i, j in permutations(free, 2):
            yield (i, parents[i]), (j, parents[j])
            is_joined = j in parents[i] or i in parents[j]
            if is_joined and not required[i, j] and not required[j, i]:
                yield (i, parents[i] - {j}), (j, parents[j] - {i})

    def _may_belong(self, pair: Pair, parents: Parents) -> bool:
        """Guess by the residuals of its model whether the second column may join the first one."""
        first, second = pair
        if first[0] in parents[second[0]] or second[0] in parents[first[0]]:
            return True
        if second not in self.residuals:
            residuals = self.score.residuals(*second)
            if residuals.any():
                residuals = np.hstack([residuals, self.singles[second].first_value])
            self.residuals[second] = residuals
        value = self.singles[first].first_value[:, 0]
        correlations = value @ self.residuals[second] / len(value)
        return bool(0.5 * len(value) * (correlations**2).max() - 1.0 >= MIN_SCREEN_NATS)

    def with_another(self, best: Grouped) -> Grouped | None:
        """Add a group to a graph; None if none saves nats."""
        taken = {j for group in best.groups for j in group.members}
        is_categorical = self.score.sample.categorical
        free = [j for j, is_name in enumerate(is_categorical) if not is_name and j not in taken]
        for pair in self.pairs(best.parents, free):
            found = self.settled(changed(best.parents, pair.causes), [*best.groups, pair])
            if found.nats < best.nats - SAVING:
                return found
        return None

    def settled(self, parents: Parents, groups: list[Group]) -> Grouped:
        """Search the graph given the groups, fit the groups to the graph, while that saves nats."""
        best = Grouped(parents, groups, math.inf)
        for _ in range(N_SEARCHES):
            models = GroupedModels(self.score, best.groups, self.rules.min_gain)
            parents = climb(models.score(), best.parents, self.rules)
            groups = list(models.regrouped(parents))
            before = best
            after = Grouped(parents, groups, self.nats(parents, groups))
            if after.nats > before.nats - SAVING:
                break
            best = after
            is_same = parents == before.parents and len(groups) == len(before.groups)
            if is_same and all(map(Group.is_similar, groups, before.groups)):
                break
        return best


def _pair_length(
    score: LocalScore,
    first: int,
    causes_of_first: frozenset[int],
    second: int,
    causes_of_second: frozenset[int],
    singles: Mapping[Key, Group],
) -> float:
    """Return the length of a column that was fitted alone, and of another one that joins it."""
    single = singles[first, causes_of_first]
    return float(with_column(score, single, second, causes_of_second).length)


class GroupedFit(NamedTuple):
    """The length of a column, and the group that it joins: its place, or -1, and the model."""

    length: float
    place: int = -1
    model: GroupedColumn | None = None


class GroupedModels(ColumnModels):
    """Models of columns given their causes, and what groups tell of their hidden variables.

    No value is missing. `is_fixed`: whether columns may not join or leave groups.
    """

    def __init__(
        self,
        base: LocalScore,
        groups: Sequence[Group],
        min_gain: float,
        *,
        is_fixed: bool = False,
    ) -> None:
        self.base = base
        self.groups = tuple(groups)
        self.min_gain = min_gain
        self.is_fixed = is_fixed
        sizes = [len(group.members) for group in groups]
        parts: list[Any] = [base.models.digest, sizes, is_fixed, min_gain]
        for group in groups:
            for node, member in group.members.items():
                parts += [node, member.likelihood]
        super().__init__(base.sample, content_hash(*parts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave fits out of pickles."""
        work = partial(GroupedModels, is_fixed=self.is_fixed)
        return work, (self.base, self.groups, self.min_gain)

    def score(self) -> LocalScore:
        """Return the score by these models."""
        return LocalScore(self, self.base.n_jobs, self.base.log)

    def _fit(self, node: int, causes: frozenset[int], incomplete: frozenset[int]) -> GroupedFit:
        """Fit a column to each group that it may join, which has to save `min_gain` nats."""
        own = [place for place, group in enumerate(self.groups) if node in group.members]
        is_free = not self.is_fixed and not self.sample.categorical[node]
        is_bound = bool(own) and self.is_fixed
        best = GroupedFit(math.inf if is_bound else self.base.length(node, causes))
        for place in range(len(self.groups)) if is_free else own:
            model = with_column(self.base, self.groups[place], node, causes).members[node]
            model = model.plus(self.min_gain)
            if model.length < best.length:
                best = GroupedFit(model.length, place, model)
        return best

    def model(
        self, node: int, causes: frozenset[int], incomplete: frozenset[int]
    ) -> ConditionalModel:
        """Return the model of a column given its causes, in the group that it joins if any."""
        model: ConditionalModel | None = self.fitted(node, causes, incomplete).model
        return model or self.base.model(node, causes)

    def needs_all_candidates(self, node: int, causes: frozenset[int]) -> bool:
        """Return whether the column is in a group: without one, the base has screened it."""
        return bool(self.fitted(node, causes, NOTHING).place >= 0)

    def prepare(self, fits: Iterable[Fit]) -> None:
        """Fit the columns without groups."""
        bound = {j for group in self.groups for j in group.members if self.is_fixed}
        self.base.fit((j, causes, causes) for j, causes, _ in fits if j not in bound)

    def regrouped(self, parents: Parents) -> Iterator[Group]:
        """Fit the groups of columns that these are in a graph."""
        places = [self.fitted(j, causes, NOTHING).place for j, causes in enumerate(parents)]
        for place, group in enumerate(self.groups):
            causes = {j: parents[j] for j, joined in enumerate(places) if joined == place}
            if len(causes) > 1:
                yield fit_group(self.base, causes, group.probabilities)


def search_hidden_groups(
    score: LocalScore, rules: Rules, parents: Parents, challenges: dict[Arrow, Challenge]
) -> tuple[LocalScore, Parents, dict[Arrow, Challenge], list[Group]]:
    """Add hidden groups to a graph while that saves nats, and search it anew given them."""
    groups = GroupSearch(score, rules)
    best = Grouped(parents, [], groups.nats(parents, []))
    while (after := groups.with_another(best)) is not None:
        best = after
    if not best.groups:
        return score, parents, challenges, []
    while True:
        given = GroupedModels(score, best.groups, rules.min_gain, is_fixed=True).score()
        challenges, shorter = challenge_all(given, best.parents, rules)
        # Lengths given the groups are of one column at a time; the groups are fitted anew to a
        # graph that differs in several.
        after = None if shorter is None else groups.settled(shorter, best.groups)
        if after is None or after.nats > best.nats - SAVING:
            return given, best.parents, challenges, best.groups
        best = after
