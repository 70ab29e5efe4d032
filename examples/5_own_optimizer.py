"""
Your own optimizer on the objective
===================================

`anmmm.GPPOMObjective` is the paper's objective J with its exact gradient on one flat vector. The package descends by
L-BFGS; here are two others.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import Bounds, minimize

from anmmm import GPPOMObjective, Hyperparameters
from anmmm.datasets import make_anm_mixture
from anmmm.preprocessing import standardize

x, y, labels = make_anm_mixture("f3", n_samples=100, random_state=1)
X, Y = (standardize(variable[:, np.newaxis])[0] for variable in (x, y))

# %%
# One flat vector
# ---------------
# The latent of each observation, then the logarithms of the hyperparameters. It starts at the residuals of a cubic.

objective = GPPOMObjective(X, Y, fit_options={"lam": 1.0})
residual = y - np.polyval(np.polyfit(x, y, 3), x)
start = Hyperparameters(
    amplitude=1.0, beta=10.0, gamma_x=np.array([0.5]), gamma_theta=np.array([0.5])
)
z0 = objective.pack(((residual - residual.mean()) / residual.std())[:, np.newaxis], start)
value, gradient = objective.value_and_grad(z0)
print(
    f"{objective.n_params} parameters, J = {value:.2f}, |gradient| = {np.abs(gradient).max():.2f}"
)

# %%
# The gradient agrees with central differences:

directions = np.random.default_rng(0).normal(size=(3, len(z0)))
for d in directions:
    h = 1e-5
    ahead, behind = (objective.value_and_grad(z0 + sign * h * d)[0] for sign in (1, -1))
    print(f"{gradient @ d:+.6f}  {(ahead - behind) / (2 * h):+.6f}")

# %%
# Adam, by hand
# -------------


def adam(evaluate, z, *, rate=0.03, n_iter=400):
    """Descend by Adam, within the bounds of the hyperparameters."""
    lower, upper = objective.layout.bounds
    first, second, values = np.zeros_like(z), np.zeros_like(z), []
    for step in range(1, n_iter + 1):
        value, gradient = evaluate(z)
        values.append(value)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        move = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        z = np.clip(z - rate * move, lower, upper)
    return z, np.array(values)


_, by_adam = adam(objective.value_and_grad, z0)

# %%
# Any optimizer of SciPy
# ----------------------
# ``jac=True``: the function returns value and gradient together.

histories = {"Adam": by_adam}
for method in ("L-BFGS-B", "TNC"):
    values = []

    def recorded(z, values=values):
        """Record each value."""
        value, gradient = objective.value_and_grad(z)
        values.append(value)
        return value, gradient

    box = Bounds(*objective.layout.bounds)
    minimize(recorded, z0, jac=True, method=method, bounds=box, options={"maxfun": 400})
    histories[method] = np.minimum.accumulate(values)

ax = plt.figure(figsize=(6, 3), layout="constrained").gca()
for name, values in histories.items():
    ax.plot(np.asarray(values) - min(map(min, histories.values())) + 1e-3, label=name)
ax.set(xlabel="evaluations", ylabel="J above the lowest", yscale="log")
_ = ax.legend(frameon=False)

# %%
# ``objective.terms(z)`` has the summands, ``objective.unpack(z)`` latent and hyperparameters. The equations:
# :doc:`/method/mathematics`.
