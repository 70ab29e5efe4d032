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
from anmmm.graph.groups import Group
from anmmm.graph.hidden_groups import search_hidden_groups
from anmmm.graph.score import MIN_ROWS, ROWS_PER_PARENT, LocalScore
from anmmm.graph.search import Arrow, Challenge, Parents, Rules, arrows, search


class EdgeConfidence(NamedTuple):
    """The kind of an edge, the confidence in it, and a note."""

    kind: str
    confidence: float
    note: str = ""


class FoundGraph(Record):
    """A graph with the models of its columns, the losses of its edges, and hidden variables.

    `score` is given what the hidden groups tell, `ungrouped` is not.
    """

    score: LocalScore
    ungrouped: LocalScore
    rules: Rules
    parents: Parents
    models: list[ConditionalModel]
    challenges: dict[Arrow, Challenge]
    groups: list[Group]
    common_causes: CommonCauses

    @computed
    def edges(self) -> dict[Arrow, EdgeConfidence]:
        """The kind of each edge, and the confidence in it by the nats that graphs lose."""
        edges: dict[Arrow, EdgeConfidence] = {}
        for arrow in arrows(self.parents):
            challenge = self.challenges[arrow]
            kind = ARROW if challenge.is_directed else LINE
            confidence = challenge.confidence * (1.0 - self.hidden_probability(arrow))
            edges[arrow] = EdgeConfidence(kind, confidence)
        for arrow, shared in self.common_causes.replacing.items():
            edges[arrow] = EdgeConfidence(BOTH, cause_probability(shared.saved))
        return edges

    def hidden_probability(self, arrow: Arrow) -> float:
        """Return the probability that a hidden common cause replaces an edge."""
        return cause_probability(self.common_causes.saved.get(arrow, -math.inf))

    @property
    def length(self) -> float:
        """Nats of all columns, those of hidden variables included."""
        members = {node for group in self.groups for node in group.members}
        nats = [group.length for group in self.groups]
        nats += [model.length for node, model in enumerate(self.models) if node not in members]
        nats += [-shared.gain for shared in self.common_causes.replacing.values()]
        return math.fsum(nats)


def find_graph(score: LocalScore, rules: Rules) -> FoundGraph:
    """Search the graph, then hidden groups, then common causes, with no more causes than rows."""
    max_parents = max(len(score.sample.values) // ROWS_PER_PARENT, 1)
    rules = replace(rules, max_parents=min(rules.max_parents, max_parents))
    for node, causes in enumerate(rules.start):
        if not score.is_comparable({node} | causes):
            raise ValueError(
                f"{score.sample.names[node]} and its required causes have values in too few common "
                f"rows (fewer than {MIN_ROWS}, or constant); require fewer edges"
            )
    parents, challenges = search(score, rules)
    grouped_score = score
    groups: list[Group] = []
    # The columns of a group have to be in the same rows.
    if rules.hidden_groups and not score.sample.incomplete:
        grouped_score, parents, challenges, groups = search_hidden_groups(
            score, rules, parents, challenges
        )
    members = {node: model for group in groups for node, model in group.members.items()}
    common_causes = CommonCauses({}, {})
    if rules.common_cause:
        parents, common_causes = find_common_causes(grouped_score, parents, rules, members)
    models = [members.get(node) or score.model(node, causes) for node, causes in enumerate(parents)]
    return FoundGraph(
        score=grouped_score,
        ungrouped=score,
        rules=rules,
        parents=parents,
        models=models,
        challenges=challenges,
        groups=groups,
        common_causes=common_causes,
    )
