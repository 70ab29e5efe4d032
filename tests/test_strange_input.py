"""Whatever estimators and functions are handed, an error names the argument."""

import numpy as np
import pytest

from anmmm import (
    GPPOM,
    ANMMixture,
    CausalDirection,
    FitOptions,
    GPPOMObjective,
    MechanismClustering,
    cluster_mechanisms,
    hsic,
    hsic_test,
    infer_direction,
)
from anmmm.evidence import evidence
from anmmm.gppom import fit_gppom

GOOD = np.sin(np.arange(20.0)) + 0.1 * np.arange(20.0)
SHORT = {"max_iter": 2}

ENTRIES = {
    "GPPOM": lambda x, y: GPPOM(max_iter=2).fit(x, y),
    "ANMMixture": lambda x, y: ANMMixture(max_iter=2).fit(x, y),
    "CausalDirection": lambda x, y: CausalDirection().fit(x, y),
    "MechanismClustering": lambda x, y: MechanismClustering(fit_options=SHORT).fit(x, y),
    "infer_direction": infer_direction,
    "cluster_mechanisms": lambda x, y: cluster_mechanisms(x, y, **SHORT),
    "hsic": hsic,
    "hsic_test": hsic_test,
    "evidence": evidence,
    "GPPOMObjective": GPPOMObjective,
    "fit_gppom": lambda x, y: fit_gppom(x, y, lam=1.0, options=FitOptions(**SHORT)),
}
# Without y these take the two columns of X as the pair.
PAIR_IN_X = {"CausalDirection", "MechanismClustering"}
# Without a cause these are latent variable models of y.
WITHOUT_X = {"GPPOM", "GPPOMObjective", "fit_gppom"}
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


@pytest.mark.parametrize("place", ["x", "y", "both"])
@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("name", ENTRIES)
def test_an_error_names_the_argument(name, strange, place):
    if name in PAIR_IN_X and strange == "None" and place == "y":
        pytest.skip("y may be left out")
    if name in WITHOUT_X and strange == "None" and place == "x":
        pytest.skip("x may be left out")
    good, bad = GOOD[:, np.newaxis], STRANGE[strange]
    x, y = {"x": (bad, good), "y": (good, bad), "both": (bad, bad)}[place]
    # As a word of its own, so that no letter of another word will do.
    wanted = r"\b[xX]\b" if place == "x" else r"\b[yY]\b" if place == "y" else r"\b[xXyY]\b"
    with pytest.raises((TypeError, ValueError), match=wanted):
        ENTRIES[name](x, y)


@pytest.mark.parametrize("strange", sorted(STRANGE.keys() - {"no rows"}))
def test_new_observations_are_checked_too(strange):
    X, bad = GOOD[:, np.newaxis], STRANGE[strange]
    mixture, clusters = ANMMixture().fit(X, GOOD), MechanismClustering(1).fit(X, GOOD)
    with pytest.raises((TypeError, ValueError), match=r"\bX\b"):
        mixture.curves(bad)
    for ask in (mixture.membership, clusters.predict):
        for arguments in ((bad, GOOD), (X, bad), (bad, bad)):
            with pytest.raises((TypeError, ValueError), match=r"\b[xXyY]\b"):
                ask(*arguments)
