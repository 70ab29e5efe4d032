"""causal-learn: the sign beside its own ANM, our test in PC, and a CPDAG oriented and searched."""

import numpy as np
import pandas as pd
import pytest
from known_pairs import CHAIN, chain, ten_pairs

pytest.importorskip("causallearn")

from causallearn.search.ConstraintBased.PC import pc
from causallearn.search.FCMBased.ANM.ANM import ANM
from causallearn.search.ScoreBased.GES import ges

from anmmm import hsic_test, infer_graph, orient
from anmmm.graph.forms import read_graph
from anmmm.interop import causal_learn

FRAME = pd.DataFrame(chain())
NAMES = list(FRAME.columns)


def searched(**options):
    """What PC finds by our test."""
    test = causal_learn.register_hsic()
    return pc(FRAME.to_numpy(), 0.01, test, show_progress=False, **options)


def test_the_sign_is_that_of_the_anm_of_causal_learn():
    name, x, y = list(ten_pairs())[7]
    theirs = ANM().cause_or_effect(x[:, None], y[:, None])
    ours = causal_learn.ANMMM().cause_or_effect(x[:, None], y[:, None])
    assert theirs[0] > theirs[1], name
    assert ours[0] > 0.9 > ours[1]
    assert sum(ours) == pytest.approx(1.0)


def test_our_test_runs_in_pc():
    ends = searched(node_names=NAMES).G.graph
    skeleton = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(np.triu(ends) != 0)}
    assert skeleton == CHAIN


@pytest.mark.parametrize("search", ["pc", "ges"])
def test_story_a_cpdag_is_oriented(search):
    names = {"node_names": NAMES}
    graph = searched(**names) if search == "pc" else ges(FRAME.to_numpy(), **names)["G"]
    result = orient(graph, FRAME)
    assert type(result) is type(graph)
    if search == "pc":
        assert set(read_graph(result).marked("->")) == CHAIN


def arrows_found(**knowledge):
    return set(read_graph(searched(**knowledge)).marked("->"))


@pytest.mark.parametrize("columns", [None, [1, 2, 3]])
@pytest.mark.parametrize("form", ["array", "frame"])
def test_knowledge_of_an_array_acts_under_the_default_names(form, columns):
    array = FRAME.to_numpy()
    table = array if form == "array" else pd.DataFrame(array)
    graph = infer_graph(table, columns=columns)
    arrows = {(f"X{cause + 1}", f"X{effect + 1}") for cause, effect in graph.directed}
    assert arrows >= {("X2", "X3"), ("X3", "X4")}
    knowledge = causal_learn.background_knowledge(graph)
    assert not arrows_found() & arrows
    assert arrows_found(background_knowledge=knowledge) >= arrows


def test_whole_numbers_that_are_names_stay_names():
    frame = pd.DataFrame(dict(zip((2020, 2021, 2022), FRAME.to_numpy().T, strict=False)))
    knowledge = causal_learn.background_knowledge(infer_graph(frame))
    names = {node.get_name() for pair in knowledge.required_rules_specs for node in pair}
    assert names <= {"2020", "2021", "2022"}


def test_the_registered_test_is_hsic():
    from causallearn.utils.cit import CIT

    data = FRAME.to_numpy()
    test = CIT(data, causal_learn.register_hsic())
    assert test(0, 3) == hsic_test(data[:, 0], data[:, 3], null="permutation").pvalue
    assert test(3, 0) == test(0, 3)
    assert test(0, 2, [1]) > 0.01
