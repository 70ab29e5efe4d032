"""
Which observations share a mechanism
====================================

Ozone and temperature were measured each day at two places in Switzerland, and the label of the place was lost. The cause is
the temperature at both places. Which observations come from the same place?
"""

# %%
# The pooled data, without the places:

from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms
from anmmm.datasets import load_bafu_air
from anmmm.plotting import plot_mechanisms

temperature, ozone, place = load_bafu_air()
result = cluster_mechanisms(temperature, ozone, n_mechanisms=2, random_state=0)
result

# %%
# One curve for each mechanism. Hollow points are uncertain: their mechanism has a probability below 0.8.

ax = plot_mechanisms(
    temperature, ozone, result, x_label="temperature (°C)", y_label="ozone (µg/m³)"
)

# %%
# The labels come from the latent θ of each observation, which is kept independent of the cause. Mechanisms are horizontal bands:

ax = plot_mechanisms(temperature, result.latent, result.labels, y_label="latent Θ")

# %%
# The truth, last
# ---------------
# The adjusted Rand index is 1 where labels agree and 0 where they agree as chance does.

print(f"adjusted Rand index {adjusted_rand_score(place, result.labels):.2f}")
doubtful = result.probabilities.max(axis=1) < 0.8
without = adjusted_rand_score(place[~doubtful], result.labels[~doubtful])
print(f"{doubtful.mean():.0%} of the observations are uncertain; without them {without:.2f}")

# %%
# The two curves overlap, so no method can find the place of every day. With ``n_mechanisms="auto"`` their number is also chosen.
# Accuracy on data with known labels: :doc:`/results/quality`.
