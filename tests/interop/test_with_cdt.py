"""cdt: the same calls on its own models and on ours."""

import numpy as np
import pandas as pd
import pytest
from known_pairs import ten_pairs

pytest.importorskip("cdt")

from cdt.causality.pairwise import CDS, RECI
from cdt.causality.pairwise.model import PairwiseModel

from anmmm.interop.cdt import ANMMM

PAIRS = list(ten_pairs())


def test_it_has_the_methods_of_a_pairwise_model():
    methods = {name for name in vars(PairwiseModel) if not name.startswith("_")}
    assert methods <= set(dir(ANMMM))


def test_its_sign():
    # By design the sign of its base class: "1 if a->b and -1 if b->a".
    x = np.random.default_rng(0).uniform(-1, 1, 300)
    y = np.tanh(3 * x) + 0.1 * np.random.default_rng(1).normal(size=300)
    for model in (CDS(), ANMMM()):
        forward = model.predict_proba((x[:, None], y[:, None]))
        backward = model.predict_proba((y[:, None], x[:, None]))
        assert np.sign(forward) == -np.sign(backward), type(model)


def test_its_calls_on_data_sets():
    frame = pd.DataFrame({"A": [x for _, x, _ in PAIRS[:3]], "B": [y for _, _, y in PAIRS[:3]]})
    theirs = RECI().predict(frame.copy())
    ours = ANMMM().predict(frame)
    assert type(theirs) is type(ours) is list
    assert len(theirs) == len(ours) == 3
    assert min(ours) > 0.0
