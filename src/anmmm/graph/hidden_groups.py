"""Search for hidden groups of rows, which determine the mechanisms of several columns together.

A hidden variable (see `anmmm.graph.groups`) costs an edge for each of its columns. Hidden variables
are tried one after another, each from a pair of columns. For each the graph is searched again,
given what its columns tell: any column may join it or leave it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from anmmm._typing import FloatArray
from anmmm.collection.checkpoint import content_hash
from anmmm.evidence.models import ConditionalModel
from anmmm.graph.groups import (
    SAVING,
    Group,
    GroupedColumn,
    fit_group,
    fit_single,
    with_column,
)
from anmmm.graph.sample import NOTHING
from anmmm.graph.score import (
    FIT_BATCH,
    MIN_SCREEN_NATS,
    CauseSets,
    Fit,
    Key,
    LocalScore,
)
from anmmm.graph.search import Arrow, Challenge, Parents, Rules, challenge_all, changed, climb

# Pairs of columns that are fitted together, and pairs for which the graph is searched.
N_FITTED_PAIRS = 4
N_SEARCHED_PAIRS = 3
# Most searches of the graph for a pair.
N_SEARCHES = 4
# Nats that a pair may cost: the edges of the graph may save them later.
MAX_PAIR_LOSS = 15.0

# Two columns with their causes.
Pair = tuple[Key, Key]


class GroupedGraph(NamedTuple):
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
        before = math.fsum(self.score.length(node, parents[node]) for node in causes)
        n_fewer = sum(len(parents[node]) - len(causes[node]) for node in causes)
        return before - length + self.rules.min_gain * (n_fewer - len(causes))

    def nats(self, parents: Parents, groups: Sequence[Group]) -> float:
        """Return the nats of a graph with groups, and the price of its edges and groups."""
        grouped = {node for group in groups for node in group.members}
        nats = [group.length for group in groups]
        for node, causes in enumerate(parents):
            if node not in grouped:
                nats.append(self.score.length(node, causes))
        n_edges = sum(map(len, parents)) + len(grouped)
        return math.fsum(nats) + self.rules.min_gain * n_edges

    def best_pairs(self, parents: Parents, columns: Sequence[int]) -> list[Group]:
        """Return pairs of columns that one hidden variable may determine, the best first."""
        pairs = list(self._candidates(parents, columns))
        self._fit_singles(key for pair in pairs for key in pair)
        pairs = [pair for pair in pairs if self._may_belong(pair, parents)]
        work = partial(_pair_length, singles=self.singles)
        tasks = [(*first, *second) for first, second in pairs]
        lengths = self.score.compute("pair", work, tasks, FIT_BATCH)
        gains: dict[Pair, float] = {}
        for pair, length in zip(pairs, lengths, strict=True):
            gain = self.gain(dict(pair), length, parents)
            # The second column joins the first: both orders are pairs.
            if gain > max(-MAX_PAIR_LOSS, gains.get(pair[::-1], -math.inf)):
                gains.pop(pair[::-1], None)
                gains[pair] = gain
        groups = []
        for first, second in sorted(gains, key=lambda pair: -gains[pair])[:N_FITTED_PAIRS]:
            start = with_column(self.score, self.singles[first], *second)
            groups.append(fit_group(self.score, start.causes, start.probabilities))
        groups.sort(key=lambda group: -self.gain(group.causes, group.length, parents))
        return groups[:N_SEARCHED_PAIRS]

    def _fit_singles(self, keys: Iterable[Key]) -> None:
        """Fit columns alone that were not yet."""
        new = [key for key in dict.fromkeys(keys) if key not in self.singles]
        groups = self.score.map(fit_single, new, 1)
        self.singles.update(zip(new, groups, strict=True))

    def _candidates(self, parents: Parents, columns: Sequence[int]) -> Iterator[Pair]:
        """Yield all pairs, those that an edge joins with it and without it."""
        required = self.rules.required
        for i, j in permutations(columns, 2):
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

    def with_further_group(self, best: GroupedGraph) -> GroupedGraph | None:
        """Add a group to a graph; None if none saves nats."""
        grouped = {node for group in best.groups for node in group.members}
        is_categorical = self.score.sample.categorical
        ungrouped = []
        for node in range(len(is_categorical)):
            if not is_categorical[node] and node not in grouped:
                ungrouped.append(node)
        for pair in self.best_pairs(best.parents, ungrouped):
            grown = self.refined(changed(best.parents, pair.causes), [*best.groups, pair])
            if grown.nats < best.nats - SAVING:
                return grown
        return None

    def refined(self, parents: Parents, groups: list[Group]) -> GroupedGraph:
        """Search the graph given the groups, fit the groups to the graph, while that saves nats."""
        best = GroupedGraph(parents, groups, math.inf)
        for _ in range(N_SEARCHES):
            score = GroupedScore(self.score, best.groups, self.rules.min_gain)
            parents = climb(score, best.parents, self.rules)
            groups = list(score.regrouped(parents))
            before = best
            after = GroupedGraph(parents, groups, self.nats(parents, groups))
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


class GroupedScore(LocalScore):
    """The score of columns, given what groups tell of their hidden variables; no value is missing.

    `is_fixed`: whether columns may not join or leave groups.
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
        parts: list[Any] = [base.digest, sizes, is_fixed, min_gain]
        for group in groups:
            for node, member in group.members.items():
                parts += [node, member.likelihood]
        super().__init__(base.sample, base.n_jobs, base.log, content_hash(*parts))

    def _describe(
        self, node: int, causes: frozenset[int], incomplete: frozenset[int]
    ) -> GroupedFit:
        """Fit a column to each group that it may join, which has to save `min_gain` nats."""
        places = list(range(len(self.groups)))
        if self.is_fixed:
            places = [place for place in places if node in self.groups[place].members]
        elif self.sample.categorical[node]:
            places = []
        is_bound = self.is_fixed and bool(places)
        best = GroupedFit(math.inf if is_bound else self.base.length(node, causes))
        for place in places:
            model = with_column(self.base, self.groups[place], node, causes).members[node]
            model = model.plus(self.min_gain)
            if model.length < best.length:
                best = GroupedFit(model.length, place, model)
        return best

    def model(
        self, node: int, causes: Collection[int], beside: Collection[int] = ()
    ) -> ConditionalModel:
        """Return the model of a column given its causes, in the group that it joins if any."""
        model: ConditionalModel | None = self.fitted(node, frozenset(causes), NOTHING).model
        return model or self.base.model(node, causes)

    def needs_all_candidates(self, node: int, causes: frozenset[int]) -> bool:
        """Return whether the column is in a group: without one, the base has screened it."""
        return bool(self.fitted(node, causes, NOTHING).place >= 0)

    def fit_all(self, fits: Iterable[Fit]) -> None:
        """Fit the columns without groups first."""
        new = [fit for fit in fits if ("length", *fit) not in self.known]
        bound = {node for group in self.groups for node in group.members if self.is_fixed}
        self.base.fit_all(fit for fit in new if fit[0] not in bound)
        super().fit_all(new)

    def regrouped(self, parents: Parents) -> Iterator[Group]:
        """Fit the groups of columns that these are in a graph."""
        joining = [dict[int, frozenset[int]]() for _ in self.groups]
        for node, causes in enumerate(parents):
            place = self.fitted(node, causes, NOTHING).place
            if place >= 0:
                joining[place][node] = causes
        for group, members in zip(self.groups, joining, strict=True):
            if len(members) > 1:
                yield fit_group(self.base, members, group.probabilities)


def search_hidden_groups(
    score: LocalScore, rules: Rules, parents: Parents, challenges: dict[Arrow, Challenge]
) -> tuple[LocalScore, Parents, dict[Arrow, Challenge], list[Group]]:
    """Add hidden groups to a graph while that saves nats, and search it anew given them."""
    group_search = GroupSearch(score, rules)
    best = GroupedGraph(parents, [], group_search.nats(parents, []))
    while (after := group_search.with_further_group(best)) is not None:
        best = after
    if not best.groups:
        return score, parents, challenges, []
    while True:
        grouped_score = GroupedScore(score, best.groups, rules.min_gain, is_fixed=True)
        challenges, shorter = challenge_all(grouped_score, best.parents, rules)
        # Lengths given the groups are of one column at a time; the groups are fitted anew to a
        # graph that differs in several.
        after = None if shorter is None else group_search.refined(shorter, best.groups)
        if after is None or after.nats > best.nats - SAVING:
            return grouped_score, best.parents, challenges, best.groups
        best = after
