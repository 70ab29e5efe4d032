"""Which rows share a mechanism, in the direction of a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anmmm._categories import Variables
from anmmm._text import counted
from anmmm.evidence import EvidenceResult

if TYPE_CHECKING:
    from anmmm.clustering import ClusteringResult


def cluster_effect(
    variables: Variables, names: tuple[str, str], direction: int
) -> ClusteringResult | None:
    """Label the rows by the mechanism of the effect; None if there is a `labels_problem`."""
    if labels_problem(variables, names, direction):
        return None
    # Imported here because decisions have no labels and scikit-learn loads slowly.
    from anmmm.clustering import cluster_mechanisms

    if direction == 1:
        return replace(cluster_mechanisms(variables.x, variables.y, "auto"), names=names)
    result = cluster_mechanisms(variables.y, variables.x, "auto")
    return replace(result, names=(names[1], names[0]))


def labels_problem(variables: Variables, names: tuple[str, str], direction: int) -> str:
    """Return why rows have no mechanism, or nothing."""
    if direction == 0:
        return "there is no direction: rows have a mechanism only if one variable is the effect"
    is_forward = direction == 1
    effect_name = names[1] if is_forward else names[0]
    effect = variables.y if is_forward else variables.x
    if effect.shape[1] > 1:
        column_count = counted(effect.shape[1], "column")
        return f"the effect {effect_name} has {column_count}, but a mechanism is a curve of one"
    for name, is_categorical, levels in zip(
        names, variables.categorical, variables.levels, strict=True
    ):
        if is_categorical or levels is not None:
            return f"{name} holds categories, but a mechanism is a curve of numbers"
    if len(np.unique(effect)) < 3:
        return f"the effect {effect_name} has two values, but a mechanism is a curve"
    return ""


def number_note(clustering: ClusteringResult, models: EvidenceResult | None, direction: int) -> str:
    """Return why labels have another number of mechanisms than the model of the decision."""
    if models is None:
        return ""
    model = models.forward if direction == 1 else models.backward
    if model.n_mechanisms == clustering.n_mechanisms:
        return ""
    return (
        f"labels are of {counted(clustering.n_mechanisms, 'mechanism')}, but the model of the "
        f"decision has {model.n_mechanisms}: mechanisms of labels may differ in noise, and the "
        "cause may choose them"
    )
