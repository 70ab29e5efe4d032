"""Numbers of any magnitude give a result without a warning, or an error that names the column."""

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import anmmm
from anmmm.datasets import make_anm_mixture

X, Y, _ = make_anm_mixture("f3", 100, random_state=1)
Z = np.tanh(X) + 0.1 * np.random.default_rng(0).normal(size=100)


def mixed(values):
    return values * np.where(np.arange(100) % 2 == 0, 1e-300, 1e300)


def with_value(value, step=100):
    return lambda values: np.where(np.arange(100) % step == 3, value, values)


FORMS = {
    "codes": with_value(-999.0, step=9),
    "denormal": lambda values: 1e-320 * values,
    "few denormal digits": lambda values: 1e-322 * values,
    "tiny": lambda values: 1e-300 * values,
    "huge": lambda values: 1e300 * values,
    "the largest": lambda values: values / np.abs(values).max() * 1.79e308,
    "one huge value": with_value(1e308),
    "offset": lambda values: 1e12 + 1e-3 * values,
    "huge offset": lambda values: 1e300 + 1e286 * values,
    "mixed": mixed,
}
DOORS = {
    "infer_direction": anmmm.infer_direction,
    "hsic_test": anmmm.hsic_test,
    "infer_graph": lambda x, y: anmmm.infer_graph(np.column_stack([x, y, Z])),
}
REFUSED = (
    r"(x|y|column [01]) (is constant up to rounding|holds values as large)|needs 2 or more columns"
)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("form", FORMS)
def test_no_magnitude_warns(form, door):
    changed_x, changed_y = FORMS[form](X), FORMS[form](Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Columns that graphs leave out are named.
        warnings.filterwarnings("ignore", r"\d column")
        for x, y in ((X, changed_y), (changed_x, Y), (changed_x, changed_y)):
            try:
                DOORS[door](x, y)
            except ValueError as error:
                problem = str(error)
            else:
                continue
            assert form in ("one huge value", "offset")
            assert re.search(REFUSED, problem)
