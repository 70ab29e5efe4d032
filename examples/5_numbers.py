"""
What a score, a confidence, a check and an abstention mean
==========================================================

Four pairs that were drawn, so that the truth is known, and what is said of each.
"""

import matplotlib.pyplot as plt
import numpy as np

from anmmm import infer_direction

rng = np.random.default_rng(3)
n = 300
x = rng.uniform(-1, 1, n)
hidden = rng.normal(size=n)
pairs = {
    "a curve": (x, np.tanh(3 * x) + 0.2 * rng.normal(size=n)),
    "a Gaussian line": (hidden, hidden + 0.7 * rng.normal(size=n)),
    "unrelated": (x, rng.exponential(size=n)),
    "a hidden cause": (hidden**2 + 0.2 * rng.normal(size=n), hidden + 0.3 * rng.normal(size=n)),
}
results = {name: infer_direction(*pair) for name, pair in pairs.items()}

# %%
panels = plt.subplots(1, 4, figsize=(9, 2.4), layout="constrained")[1]
for ax, (name, pair) in zip(panels, pairs.items(), strict=True):
    result = results[name]
    ax.plot(*pair, "o", markersize=2, color="#0072b2")
    ax.set_title(f"{name}\n{result.relation}, {result.confidence:.2f}", fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])

# %%
# The score
# ---------
# Nats per observation by which the description with x as the cause is shorter. Positive: x causes y. It is no probability: how
# many observations there are and how much they differ is not in it.

for name, result in results.items():
    print(f"{name:16} score {result.score:+.3f}")

# %%
# The confidence
# --------------
# The probability of the direction of the score, calibrated on simulated pairs, a hidden common cause among the alternatives. The Gaussian
# line has no direction that data could show, and a confidence near a half says so.

for name, result in results.items():
    sure = "sure" if result.confidence >= 0.9 else "not sure"
    print(f"{name:16} confidence {result.confidence:.3f}  {sure}")

# %%
# The check
# ---------
# Whether the model fits at all: a p-value. Below 0.01 no model of the list does, and the direction is of little worth, however
# sure. A large one proves nothing: a hidden cause often passes.

for name, result in results.items():
    print(f"{name:16} check p = {result.check_pvalue:.3g}")

# %%
# Abstention
# ----------
# Two kinds come by themselves. *Independent*: no model of the effect gains anything from the cause. *Undecided*: both directions
# take the same number of nats. A third is yours: what is less sure than ``min_confidence`` stays undecided.

x, y = pairs["a Gaussian line"]
careful = infer_direction(x, y, min_confidence=0.9)
print(results["a Gaussian line"].relation, "->", careful.relation)

# %%
# How often each of these is right, by kind of pair: :doc:`/guide/fit-for`. Where all of it fails: :doc:`/guide/fails`.
