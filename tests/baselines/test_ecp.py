"""ECP decides as causal-learn's CD-NOD, quietly, and says what it needs."""

import builtins
import sys
import warnings

import numpy as np
import pytest
from benchmarks.studies.baselines import blocks

from anmmm.baselines import ECP


def test_decisions_are_those_of_cdnod():
    module = pytest.importorskip("causallearn.search.ConstraintBased.CDNOD")
    for seed in range(10):
        x, y = blocks(60, seed)
        index = np.arange(60.0)[:, np.newaxis]
        ends = module.cdnod(np.column_stack([x, y]), index, 0.05, "kci").G.graph
        forward = ends[1, 0] == 1 and ends[0, 1] == -1
        backward = ends[0, 1] == 1 and ends[1, 0] == -1
        assert ECP().direction(x, y) == float(forward) - float(backward)


def test_the_order_of_the_observations_is_what_tells():
    pytest.importorskip("causallearn")
    ordered, shuffled = [], []
    for seed in range(12):
        x, y = blocks(100, seed)
        order = np.random.default_rng(seed).permutation(100)
        ordered.append(ECP().direction(x, y))
        shuffled.append(ECP().direction(x[order], y[order]))
    assert np.mean(ordered) > 0.6
    assert np.mean(np.abs(shuffled)) < 0.3


def test_an_index_replaces_the_order():
    pytest.importorskip("causallearn")
    scores = []
    for seed in range(12):
        x, y = blocks(100, seed)
        order = np.random.default_rng(seed).permutation(100)
        scores.append(ECP().direction(x[order], y[order], index=(order >= 50).astype(int)))
    assert np.mean(scores) > 0.6


def test_nothing_is_printed_and_no_global_state_changes(capfd):
    pytest.importorskip("causallearn")
    x, y = blocks(40, 0)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    filters = warnings.filters.copy()
    ECP().direction(x, y)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert warnings.filters == filters
    assert capfd.readouterr() == ("", "")


def test_without_causal_learn_one_sentence_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("causallearn"):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("causallearn")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "causallearn", None)
    monkeypatch.setattr(builtins, "__import__", absent)
    x, y = blocks(40, 0)
    with pytest.raises(ImportError, match=r'ECP needs causal-learn .*"anmmm\[baselines\]"'):
        ECP().direction(x, y)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (np.ones(40), "index is constant"),
        (np.arange(39), "x and index must have the same number"),
        (np.ones((40, 2)) * np.arange(40)[:, np.newaxis], "index has 2 columns"),
    ],
)
def test_an_unusable_index_is_refused_by_name(index, message):
    x, y = blocks(40, 0)
    with pytest.raises(ValueError, match=message):
        ECP().direction(x, y, index=index)
