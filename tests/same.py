"""Records that compare by identity, by what they hold."""

from dataclasses import asdict

from numpy.testing import assert_equal


def assert_same(one, other):
    """Two records of one class hold the same, array by array; private fields aside."""
    assert type(one) is type(other)
    assert_equal(*({k: v for k, v in asdict(x).items() if k[0] != "_"} for x in (one, other)))
