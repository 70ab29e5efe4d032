"""DoWhy: its test of graphs with our tests of independence, and the learner it loads by name."""

import pandas as pd
import pytest
from known_pairs import chain

pytest.importorskip("dowhy")

from dowhy import gcm
from dowhy.graph_learners.cdt import CDT
from dowhy.graph_learners.lingam import LINGAM

from anmmm.interop.dowhy import independence_test

TABLE = pd.DataFrame(chain())


def test_the_test_of_dowhy_agrees():
    for x, y, given in (("a", "d", None), ("a", "c", "b")):
        columns = TABLE[[x]].to_numpy(), TABLE[[y]].to_numpy()
        others = None if given is None else TABLE[[given]].to_numpy()
        theirs = gcm.independence_test(*columns, conditioned_on=others)
        ours = independence_test(*columns, conditioned_on=others)
        assert (theirs < 0.01) == (ours < 0.01) == (given is None)


def test_the_learner_is_loaded_by_its_name():
    learner = LINGAM(TABLE, "anmmm.interop.dowhy.PairGraph")
    drawn = learner.learn_graph(labels=list(TABLE.columns))
    assert "a -> b" in drawn
    assert "b -> a" not in drawn


def test_the_cdt_learner_of_dowhy_exchanges_cause_and_effect():
    # Why the documentation warns of it; once it is mended there, the warning can go.
    learner = CDT(TABLE[["a", "b"]], "anmmm.interop.dowhy.PairGraph")
    assert "b -> a" in learner.learn_graph(labels=["a", "b"])
