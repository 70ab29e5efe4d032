import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import cluster_mechanisms
from anmmm.collection import cluster_pairs
from anmmm.datasets import Pair, make_anm_mixture

CHEAP = {"fit_options": {"max_iter": 20}}


def mixture(seed, n=40):
    return make_anm_mixture("f3", n, random_state=seed)[:2]


def test_a_row_equals_the_single_analysis():
    x, y = mixture(1)
    (row,) = cluster_pairs([(x, y)], 2, cause="x", random_state=0, **CHEAP)
    assert (row.status, row.n, row.cause_source) == ("ok", 40, "given")
    assert (row.x, row.y, row.cause, row.effect) == ("x", "y", "x", "y")
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        alone = cluster_mechanisms(x, y, 2, random_state=5, **CHEAP)
    assert row.labels == tuple(alone.labels.tolist())
    assert row.sizes == tuple(np.bincount(alone.labels).tolist())
    assert (row.refined, row.converged) == (alone.refined, alone.fit.converged)


def test_rows_do_not_depend_on_workers_or_interruptions(tmp_path):
    source = [mixture(seed) for seed in range(5)]
    options = {"random_state": 3, **CHEAP}
    expected = list(cluster_pairs(source, "auto", **options))
    checkpoint = tmp_path / "c"
    with cluster_pairs(source, "auto", checkpoint=checkpoint, **options) as rows:
        assert rows[0].status == "ok"
    rows = cluster_pairs(source, "auto", n_jobs=2, checkpoint=checkpoint, **options)
    assert list(rows) == expected
    assert rows.n_resumed == 1


def test_the_cause_is_the_true_one_or_inferred():
    x, y = mixture(1)
    noise = np.random.default_rng(0).normal(size=40)
    source = [Pair("true", x, y, -1), Pair("inferred", y, x), Pair("none", noise, noise)]
    source.append(Pair("unrelated", x, noise))
    rows = list(cluster_pairs(source, random_state=0, **CHEAP))
    assert [row.cause for row in rows] == ["y", "y", None, None]
    assert [row.cause_source for row in rows] == ["truth", "inferred", None, None]
    assert (rows[2].status, rows[2].notes) == ("unusable", "the direction is undecided")
    unrelated = ("unusable", "x and y are independent: no mechanisms")
    assert (rows[3].status, rows[3].notes) == unrelated
    given = list(cluster_pairs(source, cause="y", random_state=0, **CHEAP))
    assert [row.cause for row in given[:2]] == ["y", "y"]


def test_unusable_pairs_are_rows_with_a_reason():
    x, y = mixture(1)
    wide = np.column_stack([x, y])
    source = {"constant": (x, np.ones(40)), "wide": (wide, y), "short": (x[:12], y[:12])}
    source["fine"] = (x, y)
    rows = list(cluster_pairs(source, 13, cause="x", random_state=0, **CHEAP))
    assert [row.status for row in rows] == ["unusable"] * 3 + ["ok"]
    assert "constant" in rows[0].notes
    assert "multivariate" in rows[1].notes
    assert "n_mechanisms must be at most n_samples" in rows[2].notes
    assert rows[0].labels is None
    sex = (x > 0.3) * 1.0
    source = [Pair.unreadable("p", "p.txt: no such file"), Pair("q", sex, x, names=("sex", "age"))]
    gone, levels = cluster_pairs(source, cause="y", **CHEAP)
    assert (gone.status, gone.notes, gone.n) == ("unusable", "p.txt: no such file", None)
    assert "the effect sex has 2 distinct values" in levels.notes
