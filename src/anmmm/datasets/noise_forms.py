"""Pairs of one mechanism whose noise comes in before or after it, as a sum or as a factor.

A form's name and a seed come in; cause and effect go out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anmmm._typing import FloatArray, RandomState
from anmmm._validation import check_choice, check_count
from anmmm.datasets.families import own_stream

Function = Callable[[FloatArray], FloatArray]

_FORMS: dict[str, Callable[[Function, FloatArray, FloatArray], FloatArray]] = {
    "f(x)+e": lambda f, x, e: f(x) + e,
    "f(x)*e": lambda f, x, e: f(x) * e,
    "f(x+e)": lambda f, x, e: f(x + e),
    "f(x*e)": lambda f, x, e: f(x * e),
}
NOISE_FORMS = tuple(_FORMS)


def make_noise_form(
    form: str = "f(x)+e", n_samples: int = 1500, *, random_state: RandomState = None
) -> tuple[FloatArray, FloatArray]:
    """Draw cause and effect of a pair by the recipe of CE-Multi.

    Parameters
    ----------
    form : {"f(x)+e", "f(x)*e", "f(x+e)", "f(x*e)"}
        How the noise e enters.
    n_samples : int
        Number of observations.
    random_state : None, int, SeedSequence, BitGenerator, Generator or RandomState
        Source of randomness. With a whole number the forms share no stream of random numbers.

    Returns
    -------
    x, y : ndarray of shape (n_samples,)
        Cause and effect.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range; the text names it.

    Notes
    -----
    Cause and noise are each Gaussian or uniform on (-1, 1), with a scale and a shift drawn from
    N(0, 1). f is linear, ``a x + b``, or a parabola, ``a x² + b``, with a and b from N(0, 1). A
    linear f of sums where cause and noise are both Gaussian has no direction and is drawn anew.

    References
    ----------
    O. Goudet, D. Kalainathan, P. Caillou, I. Guyon, D. Lopez-Paz, M. Sebag, "Learning Functional
    Causal Models with Generative Neural Networks", 2018, which describes the collection.

    Examples
    --------
    >>> x, y = make_noise_form("f(x+e)", 200, random_state=0)
    >>> x.shape, y.shape
    ((200,), (200,))
    """
    form = check_choice(form, "form", NOISE_FORMS)
    n_samples = check_count(n_samples, "n_samples")
    rng = own_stream(random_state, NOISE_FORMS.index(form) + 1)
    while True:
        gaussian = rng.integers(2, size=2).astype(bool)
        is_linear = bool(rng.integers(2))
        if not (is_linear and "+" in form and gaussian.all()):
            break
    x, e = (_variable(rng, n_samples, bool(kind)) for kind in gaussian)
    a, b = rng.standard_normal(2)
    power = 1 if is_linear else 2
    return x, _FORMS[form](lambda v: np.asarray(a * v**power + b), x, e)


def _variable(rng: np.random.Generator, n: int, gaussian: bool) -> FloatArray:
    scale, shift = rng.standard_normal(2)
    drawn = rng.standard_normal(n) if gaussian else rng.uniform(-1.0, 1.0, n)
    return np.asarray(scale * drawn + shift)
