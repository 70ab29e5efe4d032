import inspect
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

import anmmm
from anmmm._words import Table, known_arguments, spelled, unknown_name, with_error

# What takes arguments by name, and what is to be read before its other arguments.
PUBLIC = {
    name: thing
    for name in anmmm.__all__
    if inspect.isfunction(thing := getattr(anmmm, name))
    or (isinstance(thing, type) and issubclass(thing, BaseEstimator))
}
FIRST = {"evaluate": ("f3",), "orient": ([(0, 1)], np.eye(12)[:, :2])}
# Words of other libraries, and misspelled ones.
WRONG = {
    "n_clusters": "n_mechanisms",
    "n_components": "n_mechanisms",
    "n_mechanism": "n_mechanisms",
    "seed": "random_state",
    "rng": "random_state",
    "n_workers": "n_jobs",
    "verbose": "progress",
    "lam": "fit_options",
    "fit_option": "fit_options",
    "max_iters": "max_iter",
}


@pytest.mark.parametrize("unknown", [None, math.nan])
def test_an_unknown_error_is_left_out(unknown):
    assert with_error(0.5, 0.25) == "0.500 ± 0.250"
    assert with_error(0.5, unknown) == "0.500"


def test_what_is_no_unicode_has_backslashes():
    assert spelled("a\udcffé") == "a\\udcffé"


def test_a_table_widens_its_columns_where_cells_need_it():
    table = Table({"name": "<6", "n": ">3"})
    lines = ["name             n", "a                1", "longer name  10000"]
    assert table.lines([("a", "1"), ("longer name", "10000")]) == lines
    assert [table.header(), table.line("a", "1")] == ["name      n", "a         1"]
    assert table.lines([]) == ["name      n"]


@pytest.mark.parametrize("name", PUBLIC)
def test_an_unknown_argument_is_refused_by_name_and_with_the_one_that_was_meant(name):
    function, before = PUBLIC[name], FIRST.get(name, ())
    with pytest.raises(TypeError, match="'not_known'"):
        function(*before, not_known=1)
    # Those without options of their own leave it to Python.
    if name in ("hsic", "hsic_test", "description_lengths", "warm_up", *FIRST):
        return
    known = inspect.signature(function).parameters
    meant = {
        wrong: right for wrong, right in WRONG.items() if right in known and wrong not in known
    }
    assert meant
    for wrong, right in meant.items():
        message = rf"^unknown argument '{wrong}'; did you mean {right}\?$"
        with pytest.raises(TypeError, match=message):
            function(**{wrong: 1})


@pytest.mark.parametrize(
    "function",
    [
        lambda **o: anmmm.infer_direction(range(12), range(12), criterion="hsic", **o),
        lambda **o: anmmm.cluster_mechanisms(range(12), range(12), **o),
        lambda **o: anmmm.infer_directions("sample", criterion="hsic", **o),
        lambda **o: anmmm.cluster_pairs("sample", **o),
        lambda **o: anmmm.GPPOMObjective([[0.0]] * 9, [[0.0]] * 9, **o),
        lambda **o: anmmm.GPPOM(**o).fit([[0.0], [1.0]] * 9, [0.0, 2.0] * 9),
        lambda **o: anmmm.CausalDirection(criterion="hsic", **o).fit([[0.0, 1.0], [1.0, 0.0]] * 9),
        lambda **o: anmmm.MechanismClustering(**o).fit([[0.0, 1.0], [1.0, 0.0]] * 9),
    ],
)
def test_an_unknown_option_of_a_fit_is_refused_with_the_one_that_was_meant(function):
    with pytest.raises(TypeError, match=r"unknown option of a fit 'maxiter'; did you mean max_ite"):
        function(fit_options={"maxiter": 3})
    with pytest.raises(TypeError, match="fit_options must be a FitOptions or a mapping"):
        function(fit_options=3)


def test_a_name_that_is_like_none_is_answered_by_all():
    message = unknown_name("argument", "q", ["alpha", "null"])
    assert message == "unknown argument 'q'; known: alpha, null"

    @known_arguments
    def function(x, *, alpha=0.05):
        """Text."""
        return x, alpha

    assert (function(1, alpha=2), function.__doc__) == ((1, 2), "Text.")
    assert list(inspect.signature(function).parameters) == ["x", "alpha"]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        function(alpha=1)


def test_long_phases_are_logged(caplog, rng):
    x = rng.normal(size=60)
    frame = pd.DataFrame({"a": x, "b": np.tanh(2 * x) + 0.2 * rng.normal(size=60)})
    with caplog.at_level("INFO", logger="anmmm"):
        anmmm.infer_graph(frame)
        anmmm.infer_directions(frame, columns="all").to_list()
    said = [record.getMessage() for record in caplog.records]
    assert "graph: 2 columns of 60 rows" in said
    assert "graph: 1 edges found; testing the residuals" in said
    assert "directions: 1 pairs from pandas.DataFrame" in said
