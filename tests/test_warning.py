"""A warning names the line of whoever called, however deep in the package it arises."""

import inspect
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from anmmm import GPPOM, CausalDirection, MechanismClustering, cluster_mechanisms, infer_direction
from anmmm._warning import warn_caller
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import FitOptions
from anmmm.gppom.model import fit_gppom
from drawn import standard

X, Y, _ = make_anm_mixture("f3", 40, random_state=1)
PAIR = np.column_stack([X, Y])
COLUMN = X[:, np.newaxis]
SHORT = {"max_iter": 1}

ENTRIES: dict[str, Callable] = {
    "fit_gppom": lambda: fit_gppom(standard(X), standard(Y), fit_options=FitOptions(max_iter=1)),
    "GPPOM.fit": lambda: GPPOM(fit_options={"max_iter": 1}).fit(COLUMN, Y),
    "infer_direction": lambda: infer_direction(X, Y, criterion="hsic", fit_options={"max_iter": 1}),
    "DirectionResult.fit_latent": lambda: infer_direction(X, Y).fit_latent(fit_options=SHORT),
    "CausalDirection.fit": lambda: CausalDirection(criterion="hsic", fit_options=SHORT).fit(PAIR),
    "cluster_mechanisms": lambda: cluster_mechanisms(X, Y, 2, fit_options={"max_iter": 1}),
    "MechanismClustering.fit": lambda: MechanismClustering(fit_options=SHORT).fit(COLUMN, Y),
    "MechanismClustering.fit_predict": lambda: MechanismClustering(fit_options=SHORT).fit_predict(
        PAIR
    ),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_a_fit_that_did_not_converge_names_the_line_that_asked_for_it(name):
    with warnings.catch_warnings(record=True, action="always") as caught:
        ENTRIES[name]()
    found = [each for each in caught if each.category is ConvergenceWarning]
    assert found
    lines, first = inspect.getsourcelines(ENTRIES[name])
    for each in found:
        assert each.filename == __file__
        assert first <= each.lineno < first + len(lines)


def test_a_warning_without_the_package_above_it_names_its_caller():
    with pytest.warns(UserWarning, match="words") as caught:
        warn_caller("words", UserWarning)
    assert caught[0].filename == __file__
