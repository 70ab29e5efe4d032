"""
A collection, from Parquet to a report
======================================

Hundreds of pairs in one file: decide all of them, keep the rows, and write one page that says which decisions to trust.
"""

# %%
# A collection
# ------------
# One row a pair, with the variables as lists. Here are 40 pairs, half of them turned around, and ten of unrelated
# variables.

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from anmmm import infer_directions
from anmmm.collection import read_rows, summarize
from anmmm.datasets import make_single_mechanism
from anmmm.evaluation import decision_rates
from anmmm.plotting import plot_decision_rates
from anmmm.report import write_report

folder = Path(tempfile.mkdtemp())
kinds, pairs, truths = ("AN-s", "LS-s", "MN-U", "binary"), {}, []
for seed in range(40):
    x, y = make_single_mechanism(kinds[seed % 4], 80, random_state=seed)
    turned = seed % 2 == 1
    pairs[f"pair{seed}"] = (y, x) if turned else (x, y)
    truths.append(-1 if turned else 1)
for seed in range(10):
    pairs[f"noise{seed}"] = tuple(np.random.default_rng(seed).normal(size=(2, 80)))
    truths.append(0)
columns = {"pair_id": list(pairs), "target": truths}
columns |= {name: [pair[axis] for pair in pairs.values()] for axis, name in enumerate("xy")}
pq.write_table(pa.table(columns), folder / "pairs.parquet")

# %%
# Decide all
# ----------
# Rows are streamed in the order of the source; ``n_jobs=-1`` takes all cores, ``checkpoint=`` lets a killed run go on, and
# ``progress=True`` shows a bar.

infer_directions(folder / "pairs.parquet", n_jobs=1).write(folder / "rows.parquet")
rows = list(read_rows(folder / "rows.parquet"))
rows[0]

# %%
# The file of rows in pandas, without this package (``infer_directions(...).to_pandas()`` is the same):

frame = pd.read_parquet(folder / "rows.parquet")
frame[["pair_id", "relation", "score", "confidence", "truth"]].iloc[[0, 1, 2, -1]]

# %%
# Of all pairs:

summarize(rows)

# %%
# Which decisions to trust
# ------------------------
# Where directions are known: how often the most confident decisions are right.

known = [row for row in rows if row.truth]
ax = plot_decision_rates(
    decision_rates([row.confidence for row in known], [row.direction == row.truth for row in known])
)

# %%
# The report
# ----------
# One HTML file with counts, accuracy where truths are known, and the most and least certain pairs drawn. It needs no
# other file, no script and no network.

report = write_report(
    folder / "rows.parquet", folder / "report.html", source=folder / "pairs.parquet", n_plots=3
)
report.n_drawn

# %%
# From the command line it is
#
# .. code-block:: console
#
#    $ anmmm directions pairs.parquet -o rows.parquet -j -1
#    $ anmmm report rows.parquet --source pairs.parquet
#
# More: :doc:`/guide/collections`, :doc:`/guide/sources`, :doc:`/guide/report`.
