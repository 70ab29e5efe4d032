"""Whatever estimators and functions are handed, an error names the argument."""

from itertools import product

import numpy as np
import pytest

import anmmm
from anmmm.evidence import evidence
from anmmm.gppom import fit_gppom

GOOD = np.sin(np.arange(20.0)) + 0.1 * np.arange(20.0)
SHORT = {"max_iter": 2}

ENTRIES = {
    "GPPOM": lambda x, y: anmmm.GPPOM(max_iter=2).fit(x, y),
    "ANMMixture": lambda x, y: anmmm.ANMMixture(max_iter=2).fit(x, y),
    "CausalDirection": lambda x, y: anmmm.CausalDirection().fit(x, y),
    "MechanismClustering": lambda x, y: anmmm.MechanismClustering(fit_options=SHORT).fit(x, y),
    "infer_direction": anmmm.infer_direction,
    "cluster_mechanisms": lambda x, y: anmmm.cluster_mechanisms(x, y, fit_options=SHORT),
    "hsic": anmmm.hsic,
    "hsic_test": anmmm.hsic_test,
    "evidence": evidence,
    "GPPOMObjective": anmmm.GPPOMObjective,
    "fit_gppom": lambda x, y: fit_gppom(x, y, fit_options=anmmm.FitOptions(**SHORT)),
}
# What may be left out: without y these take the two columns of X as the pair; without a cause
# they are latent variable models of y.
OPTIONAL = {
    "CausalDirection": "y",
    "MechanismClustering": "y",
    "GPPOM": "x",
    "GPPOMObjective": "x",
    "fit_gppom": "x",
}
STRANGE = {
    "empty list": [],
    "empty tuple": (),
    "empty rows": [[], []],
    "one empty row": [[]],
    "no rows": np.empty((0, 1)),
    "no columns": np.empty((20, 0)),
    "three dimensions": np.zeros((5, 4, 1)),
    "ragged": [[1.0, 2.0], [3.0]],
    "scalar": 3.0,
    "bool": True,
    "None": None,
    "empty string": "",
    "string": "abc",
    "strings": ["a"] * 20,
    "bytes": b"abc",
    "empty dict": {},
    "dict": {"a": 1},
    "set": {1, 2},
    "object": object(),
    "NaN": np.full((20, 1), np.nan),
    "infinite": np.full((20, 1), np.inf),
    "Nones": [None] * 20,
    "complex": 1j * np.ones((20, 1)),
    "dates": np.arange(20).astype("M8[D]"),
}


def refused(function, *arguments, names):
    # As a word of its own, so that no letter of another word will do.
    with pytest.raises((TypeError, ValueError), match=rf"\b[{names}{names.upper()}]\b"):
        function(*arguments)


@pytest.mark.parametrize("strange", STRANGE)
def test_an_error_names_the_argument(strange):
    good, bad = GOOD[:, np.newaxis], STRANGE[strange]
    for name, function in ENTRIES.items():
        if (strange, OPTIONAL.get(name)) != ("None", "x"):
            refused(function, bad, good, names="x")
        if (strange, OPTIONAL.get(name)) != ("None", "y"):
            refused(function, good, bad, names="y")
        refused(function, bad, bad, names="xy")


def test_new_observations_are_checked_too():
    X = GOOD[:, np.newaxis]
    mixture = anmmm.ANMMixture().fit(X, GOOD)
    clusters = anmmm.MechanismClustering(1).fit(X, GOOD)
    for strange, bad in STRANGE.items():
        if strange == "no rows":
            continue
        refused(mixture.curves, bad, names="x")
        for model, method in product((mixture, clusters), ("predict", "predict_proba", "score")):
            ask = getattr(model, method)
            refused(ask, bad, GOOD, names="xy")
            refused(ask, bad, bad, names="xy")
            # Without an effect a mixture has its shares.
            if strange != "None" or model is clusters or method == "score":
                refused(ask, X, bad, names="xy")
