"""Variables of unusual distributions, pairs with categories, and what is made of them in tests."""

from contextlib import closing
from types import SimpleNamespace

import numpy as np
from benchmarks.families.base import Rows as Rows
from benchmarks.families.direct import categories_from_number, number_from_categories
from benchmarks.families.effects import NAMES as NAMES
from benchmarks.families.effects import draw_effect as draw_effect
from benchmarks.families.marginals import MARGINS as MARGINS

from anmmm.collection.files import written
from anmmm.collection.records import PairResult
from anmmm.datasets import make_anm_mixture
from anmmm.direction.hypotheses import plausible_relations
from anmmm.direction.outcome import BY_DIRECTION
from anmmm.evidence.variable import Variable
from anmmm.gppom.objective import GPPOMObjective
from anmmm.preprocessing import standardize


def chain(n=500, seed=0):
    """A table of a -> b -> c -> d, of which a CPDAG directs nothing."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-2, 2, n)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=n)
    c = b**2 + 0.5 * b + 0.2 * rng.normal(size=n)
    d = np.sin(2 * c) + 0.2 * rng.normal(size=n)
    return {"a": a, "b": b, "c": c, "d": d}


def made_up(direction, probabilities):
    """Return hypotheses of a direction and probabilities that no data gave, or of none."""
    is_known = probabilities is not None
    return SimpleNamespace(
        direction=direction,
        relation=BY_DIRECTION[direction],
        probabilities=probabilities,
        confidence=max(probabilities[:2]) if is_known else None,
        plausible=plausible_relations(probabilities) if is_known else (),
        log_odds=float(direction) if is_known else None,
    )


def standard(values):
    """Return columns (n, d) of mean 0 and variance 1."""
    return standardize(np.asarray(values, dtype=float).reshape(len(values), -1))[0]


def standard_mixture(seed=0, n=100, mechanism="f3", **options):
    """Draw a standardized mixture: cause (n, 1), effect (n,), labels."""
    x, y, labels = make_anm_mixture(mechanism, n, random_state=seed, **options)
    return standard(x), standard(y)[:, 0], labels


def variable_of(values):
    """Return a column as a variable of evidence."""
    return Variable.of(standard(values)[:, 0], values)


def objective_of(X, Y, **options):
    """Return the objective of fits with these options."""
    return GPPOMObjective(X, Y, fit_options=options)


def make_categories(role, n_samples, *, shape="gaussian", random_state=None):
    """Draw cause and effect, one of which is text, ``"a"``, ``"b"`` and so on: the `role`."""
    draw = {"effect": categories_from_number, "cause": number_from_categories}[role]
    return draw(Rows(np.random.default_rng(random_state), n_samples), shape)


def write_rows(path, rows, record=PairResult):
    """Write the rows of a collection to a file."""
    with closing(written(rows, path, record)) as done:
        for _ in done:
            pass


def write_columns(path, *columns, header="", delimiter=","):
    """Write columns as text with every digit, under a header if given; return the path."""
    rows = zip(*(np.asarray(column).tolist() for column in columns), strict=True)
    lines = [header] * bool(header) + [delimiter.join(map(str, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path
