"""
Orienting a graph
=================

PC and GES leave edges without a direction where conditional independence says nothing. Each such edge is a pair, and its
observations may say more.
"""

# %%
# A chain ``dose → level → effect``. Conditional independence knows no direction of a chain.

import numpy as np
import pandas as pd

from anmmm import orient
from anmmm.plotting import plot_graph

rng = np.random.default_rng(5)
dose = rng.uniform(-2, 2, 300)
level = np.tanh(2 * dose) + 0.2 * rng.normal(size=300)
effect = level**2 + 0.5 * level + 0.2 * rng.normal(size=300)
frame = pd.DataFrame({"dose": dose, "level": level, "effect": effect})

# %%
# ``--`` is an edge without a direction, between columns of the frame. The table has the reason of each edge: ``data`` is the
# decision on its pair.

result = orient([("dose", "--", "level"), ("level", "--", "effect")], frame)
result

# %%
# The directed edges, the cause first:

result.directed

# %%
# Arrows are directed edges; lines would be edges that stayed open.

ax = plot_graph(result)

# %%
# Only sure pairs decide by default (``min_confidence=0.9``). Graphs of networkx, pandas, polars and causal-learn are taken and
# returned in their own form: :doc:`/guide/graphs`, :doc:`/guide/interop`.
