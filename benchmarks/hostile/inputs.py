"""Strange values handed to functions: a finite result, or an error that names an argument."""

import decimal
import fractions
import re

import numpy as np

from anmmm import (
    GPPOM,
    ANMMixture,
    CausalDirection,
    FitOptions,
    cluster_mechanisms,
    hsic,
    hsic_test,
    infer_direction,
    infer_directions,
)
from anmmm.evidence import evidence

QUICK = {"fit_options": {"max_iter": 3}}
FUNCTIONS = {
    "infer_direction": lambda x, y: infer_direction(x, y).score,
    "infer_direction hsic": lambda x, y: infer_direction(x, y, criterion="hsic", **QUICK).score,
    "infer_direction drop": lambda x, y: infer_direction(x, y, missing="drop").score,
    "evidence": lambda x, y: evidence(x, y).score,
    "cluster_mechanisms": lambda x, y: cluster_mechanisms(x, y, 2, **QUICK).labels,
    "predict": lambda x, y: _labels(x, y),
    "GPPOM": lambda x, y: GPPOM(max_iter=3).fit(x, y).latent_,
    "ANMMixture": lambda x, y: ANMMixture(max_iter=5).fit(x, y).probabilities_,
    "CausalDirection": lambda x, y: CausalDirection().fit(x, y).score_,
    "GPPOM again": lambda x, y: _refit(GPPOM(max_iter=3), x, y),
    "CausalDirection again": lambda x, y: _refit(CausalDirection(), x, y),
    "hsic": hsic,
    "hsic_test": lambda x, y: hsic_test(x, y).pvalue,
    "infer_directions": lambda x, y: _row(x, y),
    "FitOptions": lambda x, y: FitOptions(max_iter=x, tol=y) and 0.0,
}


# Clusters of the first call that needs them.
FITTED = []


def _row(x, y):
    (row,) = infer_directions({"a": (x, y)}, n_jobs=1)
    if row.status == "error":
        raise AssertionError(f"a row of status error: {row.reason}")
    return 0.0 if row.score is None else row.score


def _labels(x, y):
    """Label new observations by clusters of others."""
    if not FITTED:
        cause = np.linspace(0.0, 1.0, 30)
        FITTED.append(cluster_mechanisms(cause, np.where(np.arange(30) % 2, cause, -cause), 2))
    return FITTED[0].predict(x, y)


def _refit(estimator, x, y):
    """Fit twice; a second fit that fails changes nothing."""
    X = np.linspace(0.0, 1.0, 12)[:, np.newaxis]
    estimator.fit(X, X[:, 0] ** 2)
    before = dict(vars(estimator))
    try:
        estimator.fit(x, y)
    except (TypeError, ValueError):
        if vars(estimator) != before:
            raise AssertionError("a fit that fails leaves a part of it") from None
        raise
    return 0.0


def base(rng, n):
    return {
        0: lambda: rng.normal(size=n),
        1: lambda: rng.poisson(2.0, n).astype(float),
        2: lambda: rng.integers(0, 2, n).astype(float),
        3: lambda: np.exp(rng.normal(0.0, 8.0, n)),
        4: lambda: rng.standard_cauchy(n),
        5: lambda: np.repeat(rng.normal(), n),
        6: lambda: np.round(rng.normal(size=n), 1),
        7: lambda: rng.choice([-1e300, 1e300, 0.0, 5e-324], n),
    }[int(rng.integers(8))]()


def strange(rng, n):
    """One variable of some kind."""
    values = base(rng, n)
    makers = (
        lambda: values,
        lambda: values * 10.0 ** float(rng.integers(-300, 300)),
        lambda: values + 10.0 ** float(rng.integers(0, 18)),
        lambda: np.where(rng.random(n) < 0.1, rng.choice([np.nan, np.inf, -np.inf, 1e20]), values),
        lambda: values.tolist(),
        lambda: tuple(values),
        lambda: values[:, np.newaxis],
        lambda: values[np.newaxis],
        lambda: np.column_stack([values, rng.normal(size=n)]),
        lambda: values.astype(np.float16),
        lambda: values.astype(np.longdouble),
        lambda: np.clip(values, -1e9, 1e9).astype(np.int64),
        lambda: values.astype(bool),
        lambda: values.astype(complex),
        lambda: values.astype(str),
        lambda: values.astype(object),
        lambda: [decimal.Decimal(str(v)) for v in values],
        lambda: [fractions.Fraction(v) if np.isfinite(v) else v for v in values],
        lambda: np.ma.masked_array(values, rng.random(n) < 0.1),
        lambda: np.arange(n).astype("M8[s]"),
        lambda: [None, *values[1:]],
        lambda: ["1", *values[1:]],
        lambda: (v for v in values),
        lambda: set(values.tolist()),
        lambda: dict(enumerate(values)),
        lambda: memoryview(values),
        lambda: values[::-2] if n > 40 else values[::-1],
        lambda: np.broadcast_to(values[:1], n),
        lambda: rng.choice([None, 3.0, "abc", b"x", object], 1)[0],
        lambda: 2**53 + np.arange(n),
        lambda: [10**30 + int(i) for i in range(n)],
        lambda: values[: max(1, n // 2)],
    )
    chosen = int(rng.integers(len(makers)))
    return chosen, makers[chosen]()


def cases(rng, count, folder):
    names = list(FUNCTIONS)
    for number in range(count):
        n = int(rng.choice([1, 9, 10, 11, 30, 61]))
        name = names[number % len(names)]
        (i, x), (j, y) = strange(rng, n), strange(rng, n)
        what = f"case {number}: {name} of kinds {i} and {j}, n = {n}"
        with np.errstate(all="ignore"):
            try:
                value = np.asarray(FUNCTIONS[name](x, y), dtype=float)
            except (TypeError, ValueError) as error:
                named = re.search(r"\b([xXyY]|lam|max_iter|tol)\b", str(error))
                yield what, None if named else f"names no argument: {error}"
            except Exception as error:
                yield what, f"{type(error).__name__}: {error}"
            else:
                yield what, None if np.isfinite(value).all() else "a result that is not finite"
