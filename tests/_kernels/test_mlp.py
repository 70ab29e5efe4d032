"""The back-constraint backward against central differences; test_objective.py has it forward."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import mlp
from forms import FORMS

# n, n_inputs, n_hidden, n_latent
SHAPES = [(1, 1, 1, 1), (20, 4, 5, 2)]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)
forms = pytest.mark.parametrize(("form", "n_chunks"), FORMS)


def pick(name, form):
    return getattr(mlp, name if form == "serial" else f"{name}_parallel")


@cache
def case(n, n_inputs, n_hidden, n_latent):
    rng = np.random.default_rng(1000 * n + n_hidden)
    inputs = rng.normal(size=(n, n_inputs))
    sizes = (n_inputs, n_hidden), (n_hidden,), (n_hidden, n_latent), (n_latent,)
    return inputs, [rng.normal(size=size) for size in sizes], rng.normal(size=(n, n_latent))


@cache
def true_gradients(shape):
    """Gradients of Σ C ∘ Θ on W1, b1, W2, b2, for a cotangent C."""
    inputs, weights, cotangent = case(*shape)

    def by(index):
        def scalar(block):
            moved = [block if i == index else weight for i, weight in enumerate(weights)]
            return np.sum(cotangent * oracle.mlp(inputs, *moved))

        return oracle.central_difference(scalar, weights[index], step=1e-3)

    return [by(index) for index in range(4)]


def forward(inputs, weights, form="serial", n_chunks=1):
    n, n_hidden, n_latent = len(inputs), len(weights[1]), len(weights[3])
    hidden, theta = np.full((n, n_hidden), np.nan), np.full((n, n_latent), np.nan)
    pick("forward", form)(inputs, mlp.Weights(*weights), hidden, theta, n_chunks)
    return hidden, theta


@pytest.mark.parametrize(("sign", "activation"), [(1.0, 1.0), (-1.0, 0.0)])
def test_forward_saturates_without_overflow(sign, activation):
    inputs = np.array([[sign * 1e8]])
    weights = [np.array([[1e8]]), np.zeros(1), np.array([[3.0]]), np.array([0.5])]
    hidden, theta = forward(inputs, weights)
    assert_array_equal(hidden, [[activation]])
    assert_array_equal(theta, [[0.5 + 3.0 * activation]])


@shapes
@forms
def test_backward_matches_central_differences(shape, form, n_chunks):
    inputs, weights, cotangent = case(*shape)
    hidden, _ = forward(inputs, weights)
    arguments = inputs, weights[2], hidden, cotangent
    before = [array.copy() for array in arguments]
    gradients = [np.full_like(weight, np.nan) for weight in weights]
    pick("backward", form)(*arguments, mlp.Weights(*gradients), n_chunks)
    for actual, expected in zip(gradients, true_gradients(shape), strict=True):
        scale = max(np.abs(expected).max(), 1e-3)
        assert_allclose(actual, expected, rtol=0, atol=1e-9 * scale)
    for array, original in zip(arguments, before, strict=True):
        assert_array_equal(array, original)


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [3, 7, 30])
def test_bits_do_not_depend_on_threads(same_bits_under_each_thread_count, n_chunks):
    inputs, weights, cotangent = case(*SHAPES[-1])

    def run():
        hidden, theta = forward(inputs, weights, "parallel", n_chunks)
        gradients = mlp.Weights(*map(np.empty_like, weights))
        mlp.backward_parallel(inputs, weights[2], hidden, cotangent, gradients, n_chunks)
        return np.concatenate([theta.ravel(), *(gradient.ravel() for gradient in gradients)])

    same_bits_under_each_thread_count(run)
