"""The whole search: the graph, then hidden groups, then common causes of the ends of edges."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from anmmm._record import Record, computed
from anmmm.direction.hypotheses import cause_probability
from anmmm.evidence.models import ConditionalModel
from anmmm.graph.common_causes import CommonCauses, find_common_causes
from anmmm.graph.forms import ARROW, BOTH, LINE
from anmmm.graph.hidden_groups import Group, search_hidden_groups
from anmmm.graph.score import MIN_ROWS, ROWS_PER_PARENT, LocalScore
from anmmm.graph.search import Arrow, Challenge, Parents, Rules, arrows, search


class Found(Record):
    """A graph with the models of its columns, the losses of its edges, and hidden variables.

    `score` is given what the hidden groups tell, `ungrouped` is not.
    """

    score: LocalScore
    ungrouped: LocalScore
    phases: Phases
    rules: Rules
    parents: Parents
    models: list[ConditionalModel]
    challenges: dict[Arrow, Challenge]
    groups: list[Group]
    common_causes: CommonCauses
    length: float

    @computed
    def edges(self) -> dict[Arrow, tuple[str, float]]:
        """The kind of each edge, and the confidence in it by the nats that graphs lose."""
        edges: dict[Arrow, tuple[str, float]] = {}
        for arrow in arrows(self.parents):
            challenge = self.challenges[arrow]
            kind = ARROW if challenge.is_directed else LINE
            hidden = cause_probability(self.common_causes.saved.get(arrow, -math.inf))
            edges[arrow] = kind, challenge.confidence * (1.0 - hidden)
        for arrow, shared in self.common_causes.found.items():
            edges[arrow] = BOTH, cause_probability(shared.saved)
        return edges


class Phases(NamedTuple):
    """What is searched beside the graph."""

    hidden_groups: bool
    common_cause: bool


def find_graph(score: LocalScore, rules: Rules, phases: Phases) -> Found:
    """Search the graph, then hidden groups, then common causes, with no more causes than rows."""
    max_parents = max(len(score.sample.values) // ROWS_PER_PARENT, 1)
    rules = replace(rules, max_parents=min(rules.max_parents, max_parents))
    for j, causes in enumerate(rules.start):
        if not score.is_comparable(j, causes, causes):
            raise ValueError(
                f"{score.sample.names[j]} and its required causes have values in too few common "
                f"rows (fewer than {MIN_ROWS}, or constant); require fewer edges"
            )
    parents, challenges = search(score, rules)
    grouped_score = score
    groups: list[Group] = []
    # The columns of a group have to be in the same rows.
    if phases.hidden_groups and not score.sample.incomplete:
        grouped_score, parents, challenges, groups = search_hidden_groups(
            score, rules, parents, challenges
        )
    members = {j: model for group in groups for j, model in group.members.items()}
    common_causes = CommonCauses({}, {})
    if phases.common_cause:
        parents, common_causes = find_common_causes(grouped_score, parents, rules, members)
    models = [members.get(j) or score.model(j, causes) for j, causes in enumerate(parents)]
    parts = [group.length for group in groups]
    parts += [model.length for j, model in enumerate(models) if j not in members]
    parts += [-shared.gain for shared in common_causes.found.values()]
    return Found(
        score=grouped_score,
        ungrouped=score,
        phases=phases,
        rules=rules,
        parents=parents,
        models=models,
        challenges=challenges,
        groups=groups,
        common_causes=common_causes,
        length=math.fsum(parts),
    )
