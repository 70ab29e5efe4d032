"""
The graph of a table
====================

Which column of a table causes which, how sure that is, and which rows share a mechanism.
"""

# %%
# Six columns of 400 rows. Who is a carrier changes how ``level`` depends on ``dose``, and ``pressure`` on ``age``; no column has it.

import numpy as np
import pandas as pd

from anmmm import infer_graph, orient
from anmmm.plotting import plot_effect, plot_graph

rng = np.random.default_rng(0)
dose, age, weight = rng.uniform(-2, 2, (3, 400))
noise = 0.2 * rng.normal(size=(3, 400))
carrier = rng.random(400) < 0.45
level = np.where(carrier, np.sin(1.5 * dose), 1 - dose) + noise[0]
pressure = np.where(carrier, age**2 - 1, 1.2 * age) + noise[1]
risk = np.tanh(2 * pressure) + 0.5 * weight + 0.5 * np.sin(2 * dose) + noise[2]
table = pd.DataFrame(
    {"risk": risk, "level": level, "pressure": pressure, "weight": weight, "dose": dose, "age": age}
)

# %%
# An edge has the nats that it saves, and the confidence that it is there and goes this way.

graph = infer_graph(table)
graph

# %%
# Causes are above their effects. The wider an edge, the more nats it saves; edges that are not sure would be dashed. Shaded
# columns have mechanisms that one hidden variable switches.

ax = plot_graph(graph)

# %%
# The hidden variable has a label for each row. They are the carriers, but for some rows that lie where the curves cross:

groups = graph.mixing[0].labels
agree = np.mean(groups == carrier)
max(agree, 1 - agree)

# %%
# The fitted effect along one of its causes, with one standard deviation of the noise. Mechanisms have colors:

ax = plot_effect(graph, "pressure", "age")

# %%
# ``orient`` directs what another method left open, as PC and GES leave the edges of a chain:

orient([("dose", "--", "level"), ("age", "--", "pressure"), ("pressure", "--", "risk")], table)

# %%
# Graphs of networkx, pandas, polars and causal-learn are taken and returned in their own form: :doc:`/guide/graphs`,
# :doc:`/guide/interop`.
