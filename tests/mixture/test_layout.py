"""Curves on the pieces of a spline: against the columns, the oracle and the fits by columns."""

from functools import partial

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import _vectors as vectors
from anmmm._kernels.mixture import SHORT_RUN, fit_curves
from anmmm._kernels.pieces import CUBIC
from anmmm._kernels.posterior import Problem
from anmmm.datasets import make_anm_mixture
from anmmm.mixture import em
from anmmm.mixture.em import fit_mixture
from anmmm.mixture.layout import ColumnLayout, Job
from anmmm.mixture.splines import SplineBasis, _cubes
from drawn import standard, standard_mixture
from record_comparison import assert_parameters

CAUSES = {
    "even": lambda rng, n: rng.uniform(size=n),
    "long tails": lambda rng, n: rng.standard_t(1.5, size=n),
    "one value often": lambda rng, n: np.where(rng.uniform(size=n) < 0.8, 0.0, rng.normal(size=n)),
    "five values": lambda rng, n: rng.integers(5, size=n),
    "two values": lambda rng, n: np.arange(n) % 2,
}


@njit
def _exponential(values, out):
    for at in range(0, len(values), 8):
        vectors.store(out, at, vectors.exponential(vectors.load(values, at)))


def test_exponential_of_eight():
    values = -np.concatenate([np.logspace(-20, 3, 189), [0.0, np.inf, 708.0]])
    out = np.empty(192)
    _exponential(values, out)
    assert_allclose(out, np.where(values < -708.0, 0.0, np.exp(values)), rtol=4e-16)
    _exponential(np.full(8, np.nan), out)
    assert np.all(np.isnan(out[:8]))


@pytest.mark.parametrize("n", [12, 100, 1013])
def test_columns_on_pieces_are_the_columns(rng, n):
    for draw in CAUSES.values():
        basis = SplineBasis.of(standard(draw(rng, n)))
        slots, places, r = basis.layout.rows, basis.layout.places, len(basis.prior)
        planes = slots.pieces.planes.reshape(r, CUBIC, -1)
        assert len(np.unique(places)) == n
        assert_array_equal(np.flatnonzero(slots.present), np.sort(places))
        assert np.abs(slots.u).max() < 1.0 + 1e-9
        piece = np.searchsorted(slots.ends, places, side="right") - 1
        powers = slots.u[places, np.newaxis] ** np.arange(CUBIC)
        found = np.einsum("np,jpn->nj", powers, planes[:, :, piece])
        # Columns are differences of cubes, which lose digits where some points lie far out.
        of = basis.splines
        summed = np.abs(_cubes(basis.layout.x[:, np.newaxis], of.knots)) @ np.abs(
            of.combine[2:, 2:]
        )
        lost = 20.0 * np.finfo(float).eps * summed.max(initial=0.0)
        assert_allclose(found, basis.design, atol=max(lost, 1e-6))


@pytest.mark.parametrize("C", [1, 3])
def test_em_on_pieces_matches_the_oracle(rng, monkeypatch, C):
    monkeypatch.setattr(em, "N_INNER", 1)
    n, more, first = 60, 2, np.array([0.3, 1.0, 1.0, 1.0, 1.0])
    x, y, _ = standard_mixture(3, n)
    basis = SplineBasis.of(x)
    starts = rng.dirichlet(np.ones(C), size=(2 if C > 1 else 1, n))
    steps = partial(oracle.mixture_steps, SHORT_RUN + more, basis.design, y, basis.prior, 2)
    found = [steps(start, first) for start in starts]
    fit = fit_mixture(basis, y, starts=starts, scales=first, tol=-np.inf, max_iter=more)
    assert (fit.n_iter, fit.converged) == (more, False)
    bound, R, *parameters = found[fit.start]
    weights, scales, _, means, _ = parameters
    assert_allclose(fit.bound, bound, rtol=1e-8)
    assert_allclose(fit.probabilities, R, atol=1e-7)
    assert_allclose(fit.curves, basis.design @ means.T, atol=1e-7)
    assert_parameters(fit, *parameters, atol=1e-8)
    squared = (y[:, np.newaxis] - fit.curves) ** 2 / scales[0]
    each = np.exp(-0.5 * squared) @ weights / np.sqrt(2 * np.pi * scales[0])
    assert_allclose(fit.curve_cost + fit.bound, np.log(each).sum(), rtol=1e-9)


def test_starts_that_fall_behind_are_left_and_would_not_have_won(rng):
    x, y, labels = standard_mixture(5, 200)
    basis = SplineBasis.of(x)
    starts = rng.dirichlet(np.ones(2), size=(6, 200))
    starts[2] = 0.1 + 0.8 * np.eye(2)[labels]

    def short_bounds(chosen):
        """The start that would be continued, and the bounds of all short runs."""
        layouts, effects = (basis.layout,) * 2, (y, y)
        job = Job.of(layouts, effects, chosen, (len(basis.prior), 3 + basis.n_null, 0))
        job.fits.scales[:] = 1.0
        problem = Problem(basis.prior, basis.n_null, 1, 1e-6, 1e-6, 0, -np.inf)
        return fit_curves(problem, *job)[0], job.starts.history.copy()

    winner, together = short_bounds(starts)
    assert winner == 2
    assert 0 < np.count_nonzero(together[:, -1] == 0.0) < len(starts)
    for one, some in zip(starts, together, strict=True):
        alone = short_bounds(one[np.newaxis])[1][0]
        ran = some != 0.0
        assert ran[:3].all()
        assert_allclose(some[ran], alone[ran], rtol=1e-12)
        assert alone[-1] <= together[winner, -1] + 1e-9


@pytest.mark.parametrize(("n", "C"), [(40, 1), (40, 4), (4500, 2)])
def test_fit_on_pieces_is_the_fit_by_columns(rng, n, C):
    x, y, _ = make_anm_mixture("f2", n, random_state=4)
    x, y = standard(np.round(x, 2)), standard(y)[:, 0]
    # Two starts of one curve would be equal, and rounding would choose.
    starts = list(rng.dirichlet(np.ones(C), size=(2 if C > 1 else 1, n)))
    one = fit_mixture(SplineBasis.of(x), y, starts=starts)
    basis = SplineBasis.of(x)
    vars(basis)["layout"] = ColumnLayout.of(basis.columns, n)
    other = fit_mixture(basis, y, starts=starts)
    assert (one.n_iter, one.start, one.converged) == (other.n_iter, other.start, other.converged)
    for name in ("bound", "curve_cost", "criterion"):
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-8)
    assert_allclose(one.probabilities, other.probabilities, atol=1e-6)
    assert_allclose(one.curves, other.curves, atol=1e-6)
