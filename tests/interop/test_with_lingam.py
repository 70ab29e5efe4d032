"""lingam: which way round its matrices are, and a search that is told our directions."""

import numpy as np
import pandas as pd
import pytest
from known_pairs import CHAIN, chain

pytest.importorskip("lingam")

import lingam
from lingam.utils import make_prior_knowledge
from sklearn.ensemble import RandomForestRegressor

from anmmm import infer_graph, orient
from anmmm.interop import lingam as adapter

TABLE = pd.DataFrame(chain())


def test_its_adjacency_is_effect_cause():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=300)
    data = np.column_stack([x, 2 * x + rng.uniform(size=300)])
    model = lingam.DirectLiNGAM()
    model.fit(data)
    assert model.adjacency_matrix_[1, 0] != 0.0
    assert model.adjacency_matrix_[0, 1] == 0.0


def test_prior_knowledge_is_that_of_lingam():
    graph = infer_graph(TABLE, within=sorted(CHAIN))
    paths = [("abcd".index(u), "abcd".index(v)) for u, v in CHAIN]
    back = [path[::-1] for path in paths]
    theirs = make_prior_knowledge(4, paths=paths, no_paths=back)
    assert np.array_equal(adapter.prior_knowledge(graph, list("abcd")), theirs)


def test_story_a_search_keeps_to_our_directions():
    graph = infer_graph(TABLE, within=sorted(CHAIN))
    knowledge = adapter.prior_knowledge(graph, list(TABLE.columns))
    model = lingam.DirectLiNGAM(prior_knowledge=knowledge)
    model.fit(TABLE)
    assert model.causal_order_ == [0, 1, 2, 3]
    # Without being told, it takes these curves for something else.
    alone = lingam.DirectLiNGAM()
    alone.fit(TABLE)
    assert alone.causal_order_ != [0, 1, 2, 3]


def test_story_an_order_of_resit_is_checked_by_pairs():
    model = lingam.RESIT(RandomForestRegressor(20, max_depth=4, random_state=0))
    model.fit(TABLE)
    effects, causes = np.nonzero(model.adjacency_matrix_)
    skeleton = [(TABLE.columns[u], TABLE.columns[v]) for u, v in zip(causes, effects, strict=True)]
    result = orient(skeleton, TABLE)
    assert CHAIN & {(u, v) for u, mark, v in result if mark == "->"}
