"""Families draw what they say, the same for a seed, and real pairs come in the same form."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from anmmm.datasets.sample import SAMPLE
from benchmarks.families import FAMILIES, chosen
from benchmarks.families.base import CAUSE, COMMON_CAUSE, NEITHER, UNRELATED
from benchmarks.families.mixed import KINDS

GROUPS = {
    "direct": {CAUSE},
    "discrete": {CAUSE},
    "mixtures": {CAUSE},
    "nothing": {UNRELATED, COMMON_CAUSE, NEITHER},
    "confounded": {CAUSE, COMMON_CAUSE},
    "unconfounded": {CAUSE},
    "designed": {CAUSE, NEITHER},
    "trades": {CAUSE, NEITHER},
    "marginals": {CAUSE},
    "vectors": {CAUSE},
    "mixed": {CAUSE, UNRELATED, COMMON_CAUSE, NEITHER},
}


@pytest.mark.parametrize("group", GROUPS)
def test_families_draw_finite_pairs_by_seed(group):
    truths = set()
    for family in chosen(group):
        x, y, truth = family.pair(60, 4)
        again = family.pair(60, 4)
        truths.add(truth)
        assert len(x) == len(y), family.name
        assert group in ("designed", "mixed") or len(x) == 60, family.name
        for values, same in zip((x, y), again, strict=False):
            np.testing.assert_array_equal(values, same, err_msg=family.name)
            assert values.dtype.kind in "UO" or np.isfinite(values).all(), family.name
        first = [family.pair(60, seed)[0] for seed in range(9)]
        assert any(len(np.unique(values)) > 1 for values in first), family.name
    assert truths <= GROUPS[group]


# Digests of the pairs of 60 rows of seed 4, rounded to six digits.
DIGESTS = {
    "trades/5/nitrate and algal growth": "c60c7044",
    "designed/first/disk": "4562b48e",
    "designed/first/zeros by the cause": "80da9df7",
    "confounded/smooth .3 .3": "be6fee35",
}


@pytest.mark.parametrize("name", DIGESTS)
def test_draws_stay_the_same(name):
    digest = hashlib.sha256()
    for values in FAMILIES[name].pair(60, 4)[:2]:
        digest.update(" ".join(f"{value:.5e}" for value in values).encode())
    assert digest.hexdigest()[:8] == DIGESTS[name]


def test_mixed_pairs_have_the_truth_of_their_kind():
    truths = {}
    for seed, kind in enumerate(KINDS):
        truths.setdefault(kind, set()).add(FAMILIES["mixed"].pair(0, seed)[2])
    assert truths["mixture"] == truths["designed"] == {CAUSE}
    assert truths["linear Gaussian"] == truths["designed, neither"] == {NEITHER}
    assert truths["independent"] == {UNRELATED}
    assert truths["common cause"] == {COMMON_CAUSE}


def test_pairs_in_the_layout_of_tuebingen():
    families = chosen(f"tuebingen:{SAMPLE}")
    assert {family.truth for family in families} == {1, -1}
    x, y, _ = families[0].pair(40, families[0].number)
    assert len(x) == len(y) == 40
    assert families[0].name.startswith("tuebingen/pair")


def test_pairs_of_a_table(tmp_path):
    pair = np.column_stack([np.arange(9.0), np.arange(9.0) ** 2])
    np.savez(tmp_path / "pairs.npz", A1=pair, A2=pair[:, ::-1])
    facts = {"id": ["A1", "A2"], "source": "s", "direction": ["x->y", "y->x"], "weight": 0.5}
    pd.DataFrame(facts).to_csv(tmp_path / "pairs.csv", index=False)
    first, second = chosen(f"real:{tmp_path}")
    x, y, truth = first.pair(100, 0)
    np.testing.assert_array_equal(np.column_stack([x, y]), pair)
    assert (truth, second.truth, second.weight, second.data_set) == (1, -1, 0.5, "s")
