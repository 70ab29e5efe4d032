"""
With causal-learn and pgmpy
===========================

PC finds which variables are adjacent, and leaves undirected the edges that no test of independence can direct. `orient` directs
these, and returns the same form of graph.
"""

# sphinx_gallery_thumbnail_path = 'images/graph.png'

# %%
# Four columns in a chain with one collider.

import numpy as np
import pandas as pd

from anmmm import orient

rng = np.random.default_rng(0)
n = 500
a = rng.uniform(-2.0, 2.0, n)
b = np.tanh(1.5 * a) + 0.3 * rng.normal(size=n)
c = b**3 + 0.5 * b + 0.3 * rng.normal(size=n)
d = rng.normal(size=n)
e = np.sin(c) + d**2 + 0.2 * rng.normal(size=n)
table = pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})

# %%
# causal-learn: PC with the test of this package, its CPDAG oriented, and still a graph of causal-learn.

from causallearn.search.ConstraintBased.PC import pc

from anmmm.interop.causal_learn import register_hsic

found = pc(
    table.to_numpy(),
    indep_test=register_hsic(),
    node_names=list(table.columns),
    show_progress=False,
)
oriented = orient(found, table)
print("causal-learn:", type(oriented).__name__)
print(oriented.G)

# %%
# pgmpy: its ``PDAG`` stays one.

try:
    from pgmpy.base import PDAG
except ImportError:
    print("pgmpy is not installed")
else:
    pdag = PDAG(
        directed_ebunch=[("d", "e")], undirected_ebunch=[("a", "b"), ("b", "c"), ("c", "e")]
    )
    done = orient(pdag, table)
    print("pgmpy:", type(done).__name__, sorted(done.directed_edges), sorted(done.undirected_edges))
