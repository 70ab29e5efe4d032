"""
Orienting a graph
=================

PC and GES leave edges without a direction where conditional independence says nothing. Each such edge is a pair, and its
observations may say more.
"""

# %%
# A chain ``dose → level → response``, and a covariate. Conditional independence knows no direction of a chain.

import numpy as np

from anmmm import orient
from anmmm.plotting import plot_graph

rng = np.random.default_rng(5)
names = ["dose", "level", "response", "age"]
dose, age = rng.uniform(-2, 2, 300), rng.uniform(0, 1, 300)
level = np.tanh(2 * dose) + 0.2 * rng.normal(size=300)
response = level**2 + 0.5 * level + 0.2 * rng.normal(size=300)
data = np.column_stack([dose, level, response, age])

# %%
# Numbers are columns of the array; with a data frame they are names. ``--`` is an edge without a direction.

result = orient([(0, "--", 1), (1, "--", 2)], data)
result

# %%
# What decided: ``data`` is the pair itself, ``rule`` what the graph then implies.

for row in result.decisions:
    print(f"{names[int(row.source)]} {row.edge} {names[int(row.target)]}  by {row.by}, "
          f"confidence {row.confidence:.3f}")  # fmt: skip

# %%
# Arrows are directed edges; lines would be edges that stayed open.

ax = plot_graph(result)

# %%
# Only sure pairs decide by default (``min_confidence=0.9``). Graphs of networkx, pandas, polars and causal-learn are taken and
# returned in their own form: :doc:`/guide/graphs`, :doc:`/guide/interop`.
