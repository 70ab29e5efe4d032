"""Hidden variables that switch the mechanisms of several columns together.

A hidden variable of two values tells which of two curves over its causes each column of a set
follows. Its values are not fixed but summed over: a row costs
``-log sum_k p_k prod_j p(column j | its causes, k)``. A column is fitted by the EM of
`anmmm.mixture`, to which the others give the log-likelihood of either value. A set costs an edge
for each of its columns. Sets are tried one after another, each from a pair of columns. For each the
graph is searched again, given what its columns tell: any column may join it or leave it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import chain, combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray
from anmmm.collection.checkpoint import content_hash
from anmmm.evidence.code import gaussian_nats, shortest
from anmmm.evidence.models import ConditionalModel
from anmmm.evidence.models.gaussian import Weighted
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import bases_over
from anmmm.graph.lengths import MIN_HINT, Lengths
from anmmm.graph.search import Arrow, Challenge, Parents, Rules, challenge_all, changed, climb
from anmmm.mixture import MixtureFit, SplineBasis, smallest_noise
from anmmm.mixture.em import fit_mixture
from anmmm.mixture.starts import soften
from anmmm.preprocessing import standardize

N_VALUES = 2
# EM of a column, rounds of all columns of a set, and nats that a round or a set has to save.
TOLERANCE, MAX_ITER, MAX_ROUNDS, SAVING = 1e-4, 200, 20, 0.1
# Iterations for the weights of the values, and the smallest weight.
WEIGHT_ITER, SMALLEST = 20, 1e-12
# Pairs that are fitted together, pairs of which the graph is searched, and searches for each. A
# pair may cost a few nats that the edges of the graph save later.
N_TRIED, N_PAIRS, N_SEARCHES, FAR = 4, 3, 4, 15.0
# Models that take as much memory as the columns of a set of causes.
MODELS_A_BASIS = 8
# Mean change of probabilities below which a set is the same.
SAME_ROWS = 0.02
# Fractions of the rows that are below a cut of what one curve leaves, to start two from.
CUTS = (0.2, 0.5, 0.8)


class HiddenGroups(Record):
    """A hidden variable that determines the mechanism of several nodes.

    Attributes
    ----------
    nodes : tuple
        Names of the nodes.
    n_groups : int
        Number of its values.
    labels : ndarray of shape (n_samples,)
        Most probable group of each row; 0 is the largest group.
    probabilities : ndarray of shape (n_samples, n_groups)
        Probability of each group.
    agreement : float
        Smallest adjusted mutual information of two nodes' labels, each from its own column.
    pvalue : float
        Largest p-value of Fisher's exact test of two nodes' labels: of all permutations of one.
    gain : float
        Nats that it saves over the nodes' shortest models without it.
    """

    nodes: tuple[Hashable, ...]
    n_groups: int
    labels: IntArray
    probabilities: FloatArray
    agreement: float
    pvalue: float
    gain: float


class Switched(Weighted):
    """Mechanisms whose weights in each row other columns tell.

    `likelihood` (n_samples, n_mechanisms) is the log-likelihood of the effect under each.
    """

    likelihood: FloatArray

    @classmethod
    def of(cls, variable: Variable, fit: MixtureFit, rest: FloatArray) -> Switched:
        """Encode an effect by a fit and the log-likelihoods `rest` of the other columns."""
        cells, scale = variable.cells, math.sqrt(fit.noise_variance)
        likelihood = np.empty_like(rest)
        for k, curve in enumerate(fit.curves.T):
            nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, curve, scale)
            likelihood[:, k] = -nats
        weights = softmax(_log_weights(likelihood + rest) + rest, axis=1)
        conditional = -logsumexp(np.log(np.maximum(weights, SMALLEST)) + likelihood, axis=1)
        cost = fit.curve_cost + 0.5 * math.log(len(rest))
        return cls(conditional, cost, cells, fit, weights, likelihood)


def _log_weights(likelihood: FloatArray) -> FloatArray:
    """Return the logarithms of the weights that fit log-likelihoods (n_samples, n_values) best."""
    densities = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    weights = np.full(densities.shape[1], 1.0 / densities.shape[1])
    for _ in range(WEIGHT_ITER):
        weights *= (densities / (densities @ weights)[:, np.newaxis]).mean(axis=0)
    return np.log(np.maximum(weights, SMALLEST))


class Group(Record):
    """Columns that one hidden variable switches, with the causes that they were fitted to."""

    members: dict[int, Switched]
    causes: dict[int, frozenset[int]]

    @computed
    def likelihood(self) -> FloatArray:
        """Log-likelihood of each value, (n_samples, n_values)."""
        return np.asarray(sum(each.likelihood for each in self.members.values()))

    @computed
    def joint_likelihood(self) -> FloatArray:
        """Log-likelihood of each value with its weight, (n_samples, n_values)."""
        return np.asarray(_log_weights(self.likelihood) + self.likelihood)

    @computed
    def probabilities(self) -> FloatArray:
        """Probability of each value, (n_samples, n_values)."""
        return np.asarray(softmax(self.joint_likelihood, axis=1))

    @computed
    def value(self) -> FloatArray:
        """Probability of the first value, standardized, (n_samples, 1); zeros if it is constant."""
        first = self.probabilities[:, :1]
        return standardize(first)[0] if np.ptp(first) > 0.0 else np.zeros_like(first)

    @computed
    def length(self) -> float:
        """Nats of all columns, and of the parameters."""
        n, C = map(int, self.likelihood.shape)
        nats = logsumexp(self.joint_likelihood, axis=1).sum()
        weights = 0.5 * (C - 1) * math.log(n) - math.lgamma(C + 1)
        return weights - float(nats) + math.fsum(each.cost for each in self.members.values())

    def rest(self, node: int) -> FloatArray:
        """Log-likelihood of each value by all other columns, (n_samples, n_values)."""
        own = self.members.get(node)
        return self.likelihood if own is None else self.likelihood - own.likelihood

    def is_like(self, other: Group) -> bool:
        """Return whether another set has the same columns and nearly the same probabilities."""
        change = np.abs(self.probabilities - other.probabilities).mean()
        return self.members.keys() == other.members.keys() and bool(change < SAME_ROWS)


class Fitter:
    """Fits of columns of which other columns tell the mechanism."""

    def __init__(self, lengths: Lengths, rules: Rules) -> None:
        self.lengths, self.rules = lengths, rules
        self.variables = lengths.sample.variables
        cached = lru_cache(lengths.most_models)
        self._bases = lru_cache(max(lengths.most_models // MODELS_A_BASIS, 1))(self._bases_over)
        self.single = cached(self._single)
        self.residuals = cached(self._residuals)

    def _bases_over(self, causes: frozenset[int]) -> list[tuple[SplineBasis, float]]:
        if not causes:
            return [(SplineBasis.constant(len(self.lengths.sample.values)), 0.0)]
        bases = bases_over([self.variables[at] for at in sorted(causes)])
        return [(basis, price) for basis, price, is_rescaled in bases if not is_rescaled]

    def fit(
        self, node: int, causes: frozenset[int], start: FloatArray, rest: FloatArray
    ) -> Switched:
        """Fit a column from probabilities, given the log-likelihoods of the other columns."""
        variable, found = self.variables[node], []
        for basis, price in self._bases(causes):
            fit = fit_mixture(
                basis,
                variable.cells.values,
                starts=[start],
                label_likelihood=rest,
                noise_variance=0.5 / N_VALUES**2,
                floor=smallest_noise(variable.cells),
                tol=TOLERANCE,
                max_iter=MAX_ITER,
            )
            found.append(Switched.of(variable, fit, rest).plus(price))
        return shortest(found)

    def joined(self, group: Group, node: int, causes: frozenset[int]) -> Group:
        """Add a column to a set, or fit it anew."""
        model = self.fit(node, causes, group.probabilities, group.rest(node))
        return Group({**group.members, node: model}, {**group.causes, node: causes})

    def _single(self, node: int, causes: frozenset[int]) -> Group:
        """Fit a column without any other column: a set of one."""
        variable, (basis, price) = self.variables[node], self._bases(causes)[0]
        y = variable.cells.values
        floor = smallest_noise(variable.cells)
        single = fit_mixture(basis, y, starts=np.ones((1, len(y), 1)), floor=floor)
        left = y - single.curves[:, 0]
        cuts = [left > np.quantile(left, part) for part in CUTS]
        # For curves that cross in the middle, or where their causes have their means.
        cuts.append(np.abs(left) > np.median(np.abs(left)))
        cuts += [left * column > 0.0 for column in basis.design[:, 1 : basis.n_null].T]
        starts = np.stack([soften(np.eye(N_VALUES)[cut.astype(int)]) for cut in cuts])
        fit = fit_mixture(basis, y, starts=starts, floor=floor, tol=TOLERANCE)
        model = Switched.of(variable, fit, np.zeros((len(y), N_VALUES))).plus(price)
        return Group({node: model}, {node: causes})

    def joint(self, causes: dict[int, frozenset[int]], start: FloatArray) -> Group:
        """Fit a set of columns in turn, from probabilities (n_samples, n_values)."""
        rest = np.log(np.maximum(start, SMALLEST))
        group = Group({j: self.fit(j, each, start, rest) for j, each in causes.items()}, causes)
        for _ in range(MAX_ROUNDS):
            before = group
            for j, each in causes.items():
                group = self.joined(group, j, each)
            if group.length > before.length - SAVING:
                return shortest([before, group])
        return group

    def gain(self, group: Group, parents: Parents) -> float:
        """Return the nats that a set saves, with those of the edges that it replaces."""
        before = math.fsum(self.lengths(j, parents[j]) for j in group.members)
        fewer = sum(len(parents[j]) - len(causes) for j, causes in group.causes.items())
        return before - group.length + self.rules.min_gain * (fewer - len(group.members))

    def _residuals(self, node: int, causes: frozenset[int]) -> FloatArray:
        """Return all that may show a hidden variable, standardized: (n_samples, n_targets)."""
        residuals = self.lengths.residuals(node, causes)
        if not residuals.any():
            return residuals
        return np.hstack([residuals, self.single(node, causes).value])

    def hint(self, node: int, causes: frozenset[int], seed: Group) -> float:
        """Guess the nats that a column in a set saves, by the residuals of its model."""
        correlations = seed.value[:, 0] @ self.residuals(node, causes) / len(seed.value)
        return float(0.5 * len(seed.value) * (correlations**2).max()) - 1.0

    def pairs(self, parents: Parents, free: Sequence[int]) -> list[Group]:
        """Return pairs of columns that one hidden variable may switch, the best first."""
        tried: dict[Any, tuple[float, Group]] = {}
        required = self.rules.required
        for one, other in permutations(free, 2):
            kept = parents[one], parents[other]
            cut = kept[0] - {other}, kept[1] - {one}
            is_fixed = cut == kept or required[one, other] or required[other, one]
            for causes in [kept] if is_fixed else [kept, cut]:
                seed = self.single(one, causes[0])
                if cut == kept and self.hint(other, causes[1], seed) < MIN_HINT:
                    continue
                group = self.joined(seed, other, causes[1])
                key, gain = frozenset(group.causes.items()), self.gain(group, parents)
                if gain > tried.get(key, (-FAR, group))[0]:
                    tried[key] = gain, group
        best = sorted(tried.values(), key=lambda each: -each[0])[:N_TRIED]
        fitted = [self.joint(group.causes, group.probabilities) for _, group in best]
        return sorted(fitted, key=lambda group: -self.gain(group, parents))[:N_PAIRS]

    def nats(self, parents: Parents, groups: Sequence[Group]) -> float:
        """Return the nats of a graph with sets, and what its edges and sets have to save."""
        switched = {j for group in groups for j in group.members}
        nats = [self.lengths(j, each) for j, each in enumerate(parents) if j not in switched]
        nats += [group.length for group in groups]
        n_edges = sum(map(len, parents)) + len(switched)
        return math.fsum(nats) + self.rules.min_gain * n_edges


class GroupedLengths(Lengths):
    """Lengths of columns given their causes, and what sets tell of their hidden variables.

    `is_fixed`: whether columns may not join or leave sets.
    """

    def __init__(self, fitter: Fitter, groups: Sequence[Group], *, is_fixed: bool = False) -> None:
        lengths = fitter.lengths
        models = [(j, group.members[j].likelihood) for group in groups for j in group.members]
        sizes = [len(group.members) for group in groups]
        parts = [sizes, is_fixed, fitter.rules.min_gain, *chain.from_iterable(models)]
        digest = content_hash(lengths.digest, *parts)
        super().__init__(lengths.sample, 1, lengths.fits, digest)
        self.fitter, self.groups, self.is_fixed = fitter, tuple(groups), is_fixed
        self._joined = lru_cache(self.most_models)(self._join)
        self.model = self._model

    def _join(self, node: int, causes: frozenset[int]) -> tuple[float, int, Switched | None]:
        """Return the length of a column, and the set that it joins: its place and model, or -1.

        A set has to save `min_gain` nats on each column.
        """
        own = [at for at, group in enumerate(self.groups) if node in group.members]
        is_free = not self.is_fixed and not self.sample.categorical[node]
        length = math.inf if own and self.is_fixed else self.fitter.lengths(node, causes)
        place, chosen = -1, None
        for at in range(len(self.groups)) if is_free else own:
            model = self.fitter.joined(self.groups[at], node, causes).members[node]
            model = model.plus(self.fitter.rules.min_gain)
            if model.length < length:
                length, place, chosen = model.length, at, model
        return length, place, chosen

    def _model(self, node: int, causes: frozenset[int]) -> ConditionalModel:
        model: ConditionalModel | None = self._joined(node, causes)[2]
        return model or self.fitter.lengths.model(node, causes)

    def measured(self, node: int, causes: frozenset[int]) -> float:
        """Return the length of a column given its causes, in the set that it joins if any."""
        return float(self._joined(node, causes)[0])

    def candidates(self, node: int, causes: frozenset[int]) -> frozenset[int]:
        """Return the columns that may save anything beside the causes of a column."""
        if self._joined(node, causes)[1] < 0:
            # The graph that the search starts from had any first cause tried, without sets.
            return self.fitter.lengths.hinted(node, causes)
        return frozenset(range(len(self.sample.categorical))) - {node, *causes}

    def regrouped(self, parents: Parents) -> list[Group]:
        """Fit the sets of columns that these are in a graph."""
        chosen = [self._joined(j, causes)[1] for j, causes in enumerate(parents)]
        found = []
        for at, group in enumerate(self.groups):
            causes = {j: parents[j] for j, place in enumerate(chosen) if place == at}
            if len(causes) > 1:
                found.append(self.fitter.joint(causes, group.probabilities))
        return found


class Mixed(NamedTuple):
    """A graph, its sets, and the nats of both with what edges and sets have to save."""

    parents: Parents
    groups: list[Group]
    nats: float


def search_mixed(
    lengths: Lengths, rules: Rules, parents: Parents, challenges: dict[Arrow, Challenge]
) -> tuple[Lengths, Parents, dict[Arrow, Challenge], list[Group]]:
    """Add hidden variables to a graph while that saves nats, and search it anew given them."""
    fitter = Fitter(lengths, rules)
    best = Mixed(parents, [], fitter.nats(parents, []))
    while (after := _with_another(fitter, best)) is not None:
        best = after
    if not best.groups:
        return lengths, parents, challenges, []
    while True:
        grouped = GroupedLengths(fitter, best.groups, is_fixed=True)
        challenges, shorter = challenge_all(grouped, best.parents, rules)
        # Lengths given the sets are of one column at a time; the sets are fitted anew to a graph
        # that differs in several.
        after = None if shorter is None else _settled(fitter, shorter, best.groups)
        if after is None or after.nats > best.nats - SAVING:
            return grouped, best.parents, challenges, best.groups
        best = after


def _with_another(fitter: Fitter, best: Mixed) -> Mixed | None:
    """Add a set to a graph; None if none saves nats."""
    taken = {j for group in best.groups for j in group.members}
    is_categorical = fitter.lengths.sample.categorical
    free = [j for j, is_name in enumerate(is_categorical) if not is_name and j not in taken]
    for pair in fitter.pairs(best.parents, free):
        found = _settled(fitter, changed(best.parents, pair.causes), [*best.groups, pair])
        if found.nats < best.nats - SAVING:
            return found
    return None


def _settled(fitter: Fitter, parents: Parents, groups: list[Group]) -> Mixed:
    """Search the graph given the sets, and fit the sets to the graph, while that saves nats."""
    best = Mixed(parents, groups, math.inf)
    for _ in range(N_SEARCHES):
        grouped = GroupedLengths(fitter, best.groups)
        parents = climb(grouped, best.parents, fitter.rules)
        groups = grouped.regrouped(parents)
        before, after = best, Mixed(parents, groups, fitter.nats(parents, groups))
        if after.nats > before.nats - SAVING:
            break
        best = after
        is_same = parents == before.parents and len(groups) == len(before.groups)
        if is_same and all(map(Group.is_like, groups, before.groups)):
            break
    return best


def mixing_of(group: Group, names: Sequence[Hashable], lengths: Lengths) -> HiddenGroups:
    """Return a set of columns as it is reported, by the names of the columns."""
    from scipy.stats import fisher_exact
    from sklearn.metrics import adjusted_mutual_info_score

    own = [each.likelihood.argmax(axis=1) for each in group.members.values()]
    pairs = list(combinations(own, 2))
    # Rows of each two labels of 0 and 1.
    counts = [np.bincount(2 * a + b, minlength=4).reshape(2, 2) for a, b in pairs]
    order = np.argsort(-group.probabilities.sum(axis=0), kind="stable")
    probabilities = group.probabilities[:, order]
    return HiddenGroups(
        nodes=tuple(names[j] for j in group.members),
        n_groups=len(order),
        labels=probabilities.argmax(axis=1),
        probabilities=probabilities,
        agreement=min(float(adjusted_mutual_info_score(*pair)) for pair in pairs),
        pvalue=max(float(fisher_exact(each)[1]) for each in counts),
        gain=math.fsum(map(lengths, group.causes, group.causes.values())) - group.length,
    )
