"""lingam: which way round its matrices are, of graphs and of prior knowledge."""

import numpy as np
import pandas as pd
import pytest
from known_pairs import CHAIN, chain

pytest.importorskip("lingam")

import lingam
from lingam.utils import make_prior_knowledge

from anmmm import infer_graph
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
