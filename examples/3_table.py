"""
A table for a colleague
=======================

Twelve named columns with text, ordered levels and gaps: which pairs are related, in which direction, how sure is that, and what is the
causal graph?
"""

# %%
# A greenhouse, 400 plants. No column has to be encoded: text and category types are categories, ordered ones keep their order,
# booleans are numbers. Some readings are missing.

import numpy as np
import pandas as pd

from anmmm import infer_directions, infer_graph

rng = np.random.default_rng(1)
n = 400
light = rng.gamma(4.0, 2.0, n)
variety = rng.choice(["Alma", "Bella", "Corso"], n)
water = rng.uniform(0.0, 3.0, n)
temperature = 15.0 + 1.2 * light + 0.8 * rng.normal(size=n)
humidity = 80.0 - 12.0 * np.log(temperature) + 6.0 * np.sqrt(water) + rng.normal(size=n)
height = np.tanh(water - 1.0) * 8.0 + light + 0.7 * rng.normal(size=n)
leaves = rng.poisson(np.exp(0.5 + 0.12 * height))
table = pd.DataFrame(
    {
        "light": light,
        "variety": variety,
        "water": water,
        "temperature": temperature,
        "humidity": humidity,
        "height": height,
        "leaves": leaves,
        "pot": pd.Categorical(
            rng.choice(["small", "medium", "large"], n), ["small", "medium", "large"], ordered=True
        ),
        "shaded": rng.random(n) < 0.3,
        "price": 2.0 + 0.02 * height**2 + 0.3 * rng.standard_t(4, n),
        "batch": rng.choice(["spring", "autumn"], n),
        "noise": rng.normal(size=n),
    }
)
table.loc[rng.choice(n, 20, replace=False), "humidity"] = np.nan
table.loc[rng.choice(n, 5, replace=False), "variety"] = None
table.head(3).T

# %%
# All 66 pairs, the surest first. Rows with a missing value are left out of the pairs that they concern; without
# ``missing="drop"`` such pairs would be unusable, with the missing value in their notes.

rows = infer_directions(table, pairs="all", missing="drop")
columns = ["x", "y", "relation", "confidence"]
rows.to_pandas().nlargest(10, "confidence")[columns]

# %%
rows.summary()

# %%
# The map has a cell for each cause (row) and effect (column).

ax = rows.plot()

# %%
# Arrows of pairs are ancestors: light also "causes" the price. The graph of the whole table has the direct ones.

graph = infer_graph(table, missing="drop")
print(graph)

# %%
ax = graph.plot()

# %%
# For the colleague: ``graph.write("graph.csv")``, ``rows.write("pairs.csv")``, or on the command line
#
# .. code-block:: console
#
#    $ anmmm directions plants.csv --pairs all --missing drop -o rows.csv
#    $ anmmm graph plants.csv --missing drop --report graph.html
