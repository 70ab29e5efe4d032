"""Variables of unusual distributions, pairs with categories, and what is made of them in tests."""

import numpy as np

from anmmm.datasets.families import CAUSES, gaussian_process
from anmmm.datasets.synthetic import draw_anm_mixture
from anmmm.evidence.variable import Variable
from anmmm.gppom.objective import GPPOMObjective
from anmmm.preprocessing import standardize


def chain(n=300, seed=0):
    """A table of a -> b -> c -> d, of which a CPDAG directs nothing."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-2, 2, n)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=n)
    c = b**2 + 0.5 * b + 0.2 * rng.normal(size=n)
    d = np.sin(2 * c) + 0.2 * rng.normal(size=n)
    return {"a": a, "b": b, "c": c, "d": d}


def standard(values):
    """Return columns (n, d) of mean 0 and variance 1."""
    return standardize(np.asarray(values, dtype=float).reshape(len(values), -1))[0]


def standard_mixture(seed=0, n=100, mechanism="f3", **options):
    """Draw a standardized mixture: cause (n, 1), effect (n,), labels."""
    sample = draw_anm_mixture(mechanism, n, random_state=seed, **options)
    return standard(sample.x), standard(sample.y)[:, 0], sample.labels


def variable_of(values):
    """Return a column as a variable of evidence."""
    return Variable.of(standard(values)[:, 0], values)


def objective_of(X, Y, **options):
    """Return the objective of fits with these options."""
    return GPPOMObjective(X, Y, fit_options=options)


def make_categories(role, n_samples, *, shape="gaussian", random_state=None):
    """Draw cause and effect, one of which is text, ``"a"``, ``"b"`` and so on: the `role`."""
    rng = np.random.default_rng(random_state)
    k = int(rng.integers(3, 7))
    names = np.array(list("abcdef")[:k])
    if role == "effect":
        x = CAUSES[shape](rng, n_samples)
        utility = 2.5 * np.column_stack([gaussian_process(x, rng) for _ in range(k)])
        return x, names[(utility + rng.gumbel(size=utility.shape)).argmax(axis=1)]
    group = rng.choice(k, n_samples, p=rng.dirichlet(np.full(k, 5.0)))
    centers, scale = 1.5 * rng.standard_normal(k), rng.uniform(0.3, 0.8)
    return names[group], centers[group] + scale * CAUSES[shape](rng, n_samples)


def write_columns(path, *columns, header="", delimiter=","):
    """Write columns as text with every digit, under a header if given; return the path."""
    rows = zip(*(np.asarray(column).tolist() for column in columns), strict=True)
    lines = [header] * bool(header) + [delimiter.join(map(str, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def zeros(share, others):
    return lambda rng, n: np.where(rng.random(n) < share, 0.0, others(rng, n))


def clusters(centers, spread):
    return lambda rng, n: rng.choice(centers, n) + spread * rng.normal(size=n)


def gaussian(rng, n):
    return rng.normal(size=n)


MARGINS = {
    "Gaussian": gaussian,
    "70 % zeros, exponential": zeros(0.7, lambda rng, n: rng.exponential(size=n)),
    "30 % zeros, lognormal": zeros(0.3, lambda rng, n: rng.lognormal(size=n)),
    "rain: 50 % zeros, in tenths": lambda rng, n: np.round(
        zeros(0.5, lambda rng, n: rng.gamma(0.7, 10.0, n))(rng, n), 1
    ),
    "clipped on both sides": lambda rng, n: np.clip(rng.normal(size=n), -0.5, 0.5),
    "clipped below": lambda rng, n: np.maximum(rng.normal(size=n), -1.0),
    "in tenths": lambda rng, n: np.round(rng.normal(size=n), 1),
    "heaped at tens": lambda rng, n: (
        lambda tens, x: np.where(tens, 10.0 * np.round(x / 10.0), np.round(x))
    )(rng.random(n) < 0.6, 50.0 * rng.normal(size=n)),
    "ages": lambda rng, n: np.round(np.clip(rng.normal(45.0, 18.0, n), 18.0, 90.0)),
    "Zipf's counts": lambda rng, n: rng.zipf(1.5, n).astype(float),
    "rounded lognormal": lambda rng, n: np.round(rng.lognormal(2.0, 1.5, n)),
    "Poisson, mean 0.3": lambda rng, n: rng.poisson(0.3, n).astype(float),
    "Poisson, mean 200": lambda rng, n: rng.poisson(200.0, n).astype(float),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "Cauchy, square with its sign": lambda rng, n: (lambda x: x * np.abs(x))(
        rng.standard_cauchy(n)
    ),
    "lognormal, σ = 3": lambda rng, n: rng.lognormal(0.0, 3.0, n),
    "beta(0.1, 0.1)": lambda rng, n: rng.beta(0.1, 0.1, n),
    "arcsine": lambda rng, n: np.sin(rng.uniform(0.0, 2.0 * np.pi, n)),
    "two scales": lambda rng, n: np.where(rng.random(n) < 0.5, 0.01, 1.0) * rng.normal(size=n),
    "three clusters": clusters([0.0, 1.0, 5.0], 0.1),
    "four clusters": clusters([0.0, 1.0, 2.5, 7.0], 0.05),
    "1 % at -999": lambda rng, n: np.where(rng.random(n) < 0.01, -999.0, rng.normal(size=n)),
}


def seen_through(f, n=1000, seed=100):
    """A curve of a hidden number with noise, the first variable seen through a function."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(-1.0, 1.0, n)
    return f(np.sin(2.0 * t) + 0.2 * rng.normal(size=n)), t**2 + 0.5 * t + 0.1 * rng.normal(size=n)
