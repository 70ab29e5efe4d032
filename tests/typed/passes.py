"""Uses of the public interface that ``mypy --strict`` accepts, with the types that they have."""

from typing import assert_type

import numpy as np

from anmmm import (
    CausalGraph,
    ClusteringResult,
    DirectionResult,
    FitOptions,
    HSICTest,
    PairClusters,
    PairResult,
    cluster_mechanisms,
    cluster_pairs,
    hsic_test,
    infer_direction,
    infer_directions,
    infer_graph,
)
from anmmm.collection import CollectionSummary, PairResults

x, y = np.zeros(20), np.ones(20)

result = infer_direction(x, y, criterion="hsic", fit_options={"lam": 0.5}, missing="drop")
assert_type(result, DirectionResult)
assert_type(result.confidence, float | None)
if result.relation == "common cause":
    print(result.probabilities)

clusters = cluster_mechanisms(x, y, "auto", refine=True, fit_options=FitOptions(n_latent=2))
assert_type(clusters, ClusteringResult)
print(clusters.predict(x, y).sum())

rows = infer_directions([(x, y)], common_cause=False)
assert_type(rows, PairResults[PairResult])
assert_type(rows[0], PairResult)
assert_type(rows[1:], list[PairResult])
assert_type(rows.summary(), CollectionSummary)
assert_type(list(cluster_pairs([(x, y)])), list[PairClusters])
for row in rows:
    assert_type(row.cause, str | None)

assert_type(hsic_test(x, y, null="gamma"), HSICTest)
assert_type(infer_graph(np.column_stack([x, y])), CausalGraph)

frame = {"age": x, "crp": y}
assert_type(infer_direction(frame, "age", "crp", criterion="hsic"), DirectionResult)
assert_type(infer_direction(frame, ["age"], "crp"), DirectionResult)
assert_type(cluster_mechanisms(frame, "age", "crp", 3), ClusteringResult)
assert_type(infer_direction(x=x, y=y, prior="learned"), DirectionResult)
