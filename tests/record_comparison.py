"""Records that compare by identity, by what they hold."""

from dataclasses import asdict

from numpy.testing import assert_allclose, assert_equal


def assert_parameters(fit, weights, scales, center, means, covs, atol):
    """Check the parameters of a mixture."""
    found = fit.weights, fit.scales, fit.center, fit.mean, fit.factor @ fit.factor.mT
    for one, other in zip(found, (weights, scales, center, means, covs), strict=True):
        assert_allclose(one, other, rtol=1e-6, atol=atol)


def assert_same(one, other):
    """Two records of one class hold the same, array by array; private fields aside."""
    assert type(one) is type(other)
    assert_equal(*({k: v for k, v in asdict(x).items() if k[0] != "_"} for x in (one, other)))
