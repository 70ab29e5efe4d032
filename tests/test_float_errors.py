"""What the caller does about floating-point errors and warnings changes no result."""

import warnings

import numpy as np
import pytest
from matplotlib import pyplot
from scipy import special
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import anmmm
from anmmm import plotting
from anmmm.datasets import make_anm_mixture
from anmmm.gppom.model import fit_gppom
from anmmm.preprocessing import standardize

pyplot.switch_backend("agg")
X, Y, _ = make_anm_mixture("f3", 80, random_state=1)
# Long tails: their kernels underflow.
T = np.sinh(6.0 * X)
TABLE = np.column_stack([T, Y, np.tanh(X) + 0.1 * Y])
FIT = {"max_iter": 4}
PAIRS = {"a": (T, Y), "b": (Y, T), "c": (X, Y)}


def estimator(made, *methods):
    def run():
        fitted = clone(made).fit(T[:, np.newaxis], Y)
        return [np.asarray(getattr(fitted, each)(T[:, np.newaxis], Y)).tolist() for each in methods]

    return run


def objective(latent_map):
    x, y = (standardize(part[:, np.newaxis])[0] for part in (T, Y))
    made = anmmm.GPPOMObjective(x, y, fit_options={"latent_map": latent_map})
    for scale in (0.1, 30.0, 300.0):
        value, gradient = made.value_and_grad(np.full(made.n_params, scale))
        yield value, gradient.tolist()


def rows(function, n_jobs, **options):
    return [
        {**vars(row), "seconds": 0.0, "result": None}
        for row in function(PAIRS, n_jobs=n_jobs, random_state=0, **options)
    ]


def drawn(plot):
    axes = np.ravel(plot())
    lines = [line.get_xydata().tolist() for ax in axes for line in ax.lines]
    pyplot.close("all")
    return lines


def clustered():
    return anmmm.cluster_mechanisms(T, Y, 2, fit_options=FIT, random_state=0)


def decided(**options):
    return anmmm.infer_direction(T, Y, random_state=0, **options)


DOORS = {
    "direction": lambda: decided().to_dict(),
    "hsic criterion": lambda: decided(criterion="hsic", fit_options=FIT).to_dict(),
    "vectors": lambda: anmmm.infer_direction(TABLE[:, :2], TABLE[:, 2]).to_dict(),
    "description": lambda: str(anmmm.description_lengths(T, Y)),
    "fit_latent": lambda: decided().fit_latent(fit_options=FIT).score,
    "cluster": lambda: clustered().to_dict(),
    "predict": lambda: clustered().predict_proba(10.0 * T, -50.0 * Y).tolist(),
    "hsic": lambda: anmmm.hsic(T, Y),
    "hsic_test": lambda: anmmm.hsic_test(T, Y),
    "gamma": lambda: anmmm.hsic_test(T, T**3, null="gamma"),
    "graph, 2 jobs": lambda: anmmm.infer_graph(TABLE, n_jobs=2).to_dict(),
    "orient": lambda: anmmm.orient([(0, 1), (1, 2)], TABLE),
    "directions, 2 jobs": lambda: rows(anmmm.infer_directions, 2),
    "clusters": lambda: rows(anmmm.cluster_pairs, 1, fit_options=FIT),
    "evaluate": lambda: anmmm.evaluate([(T, Y)]).summary.to_dict(),
    "objective": lambda: list(objective("free")),
    "mlp": lambda: list(objective("mlp")),
    "fit": lambda: fit_gppom(*TABLE.T[:2, :, np.newaxis], fit_options=FIT).objective,
    "mixture": estimator(anmmm.ANMMixture(2), "predict_proba", "score"),
    "estimator of mechanisms": estimator(
        anmmm.MechanismClustering(2, fit_options=FIT), "predict_proba", "score"
    ),
    "gppom": lambda: (
        anmmm.GPPOM(fit_options=FIT).fit(T[:, np.newaxis], Y).predict(T[:, np.newaxis]).tolist()
    ),
    "plot": lambda: drawn(lambda: plotting.plot_direction(decided())),
    "plot of mechanisms": lambda: drawn(lambda: plotting.plot_mechanisms(T, Y, clustered())),
    "plot of a graph": lambda: drawn(lambda: plotting.plot_graph(anmmm.infer_graph(TABLE))),
    "warm_up": anmmm.warm_up,
}
STATES = {
    "raise": lambda: np.errstate(all="raise"),
    "call": lambda: np.errstate(all="call", call=pytest.fail),
    "scipy": lambda: special.errstate(all="raise"),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", DOORS)
def test_results_do_not_depend_on_error_states(name):
    expected = repr(DOORS[name]())
    for state in STATES.values():
        with state(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)
            # The effects of such causes are far from the data on purpose.
            warnings.filterwarnings("ignore", r"\d+ of \d+ causes are farther")
            assert repr(DOORS[name]()) == expected


def test_states_of_the_caller_are_as_before_while_rows_are_read():
    def pairs():
        for pair in PAIRS.values():
            states.append(np.geterr()["under"])
            yield pair

    states, expected, result = [], decided(), decided()
    with np.errstate(all="raise"), special.errstate(all="raise"):
        for _ in anmmm.infer_directions(pairs(), n_jobs=1):
            states.append(np.geterr()["under"])
        # Attributes are computed when they are read.
        for name in ("check_pvalue", "independence_pvalue"):
            assert getattr(result, name) == getattr(expected, name)
    assert states == ["raise"] * 2 * len(PAIRS)
