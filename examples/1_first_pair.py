"""
A first pair
============

Which of two columns is the cause, and how sure is that? Only the two columns are needed. Here they are real: altitude and mean
temperature of German weather stations.
"""

# %%
# The data
# --------
# They come with the package. Your own may be lists, NumPy arrays, or columns of a pandas or polars data frame:
# ``x, y = frame["altitude"], frame["temperature"]``.

from anmmm import infer_direction
from anmmm.datasets import load_sample
from anmmm.plotting import plot_direction

pair = load_sample()["pair0001"]
x, y = pair.x, pair.y
len(x)

# %%
# The decision
# ------------
# The altitude is the more probable cause, but not sure: most real pairs are not. The program does not know the meaning of the columns.

result = infer_direction(x, y)
result

# %%
# The *confidence* is the probability of the direction, among all four relations. From 0.9 on a direction is
# called sure; below, the text has all plausible relations. The *check* tests whether the model fits at all.

print(f"{result.relation}, confidence {result.confidence:.2f}, check p = {result.check_pvalue:.2f}")

# %%
# The picture
# -----------
# On the left x is the cause, on the right y. Above are the description lengths, in nats per observation.

axes = plot_direction(result, x_label="altitude (m)", y_label="temperature (°C)")

# %%
# The same from a file, on the command line:
#
# .. code-block:: console
#
#    $ anmmm direction stations.csv altitude temperature --plot stations.png
#
# Next: :doc:`/guide/outcomes` explains the numbers, :doc:`/guide/fails` what can go wrong.
