"""A variable described given any number of others."""

import numpy as np

from anmmm.evidence import Variable
from anmmm.evidence.vectors import describe_over

N = 200


def test_a_variable_is_described_given_any_others():
    """As a search over graphs needs it: shorter by a cause, not by what adds nothing."""
    rng = np.random.default_rng(0)
    p = rng.normal(size=N)
    u = np.sin(2 * p) + rng.uniform(-1, 1, N)
    v = np.tanh(2 * u) + p**2 + 0.3 * rng.uniform(-1, 1, N)
    columns = [(each - each.mean()) / each.std() for each in (p, u, v, rng.normal(size=N))]
    p, u, effect, noise = map(Variable.of, columns)

    def length(*causes):
        return describe_over(effect, causes, False).length

    assert length(u, p) < min(length(u), length(p)) - 20
    assert length(u, p, noise) > length(u, p) - 2
    assert min(length(u), length(p)) < effect.length
