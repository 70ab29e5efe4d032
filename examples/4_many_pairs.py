"""
Thousands of pairs: kill, resume, report
========================================

Many pairs in one file: analyze all of them, lose the machine in between, continue, and write one page that says which decisions to trust. Here are 300
pairs, so that this page builds in seconds; with ten thousand the commands are the same.
"""

# %%
# A collection
# ------------
# One row a pair, with the variables as lists. Every other pair is exchanged, and a fifth are unrelated variables.

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from anmmm.collection import read_rows, summarize
from anmmm.datasets import make_single_mechanism
from anmmm.evaluation import decision_rates
from anmmm.plotting import plot_decision_rates
from anmmm.report import write_report

folder = Path(tempfile.mkdtemp())
kinds, pairs, truths = ("AN-s", "LS-s", "MN-U", "binary"), {}, []
for seed in range(240):
    x, y = make_single_mechanism(kinds[seed % 4], 80, random_state=seed)
    turned = seed // 4 % 2 == 1
    pairs[f"pair{seed}"] = (y, x) if turned else (x, y)
    truths.append(-1 if turned else 1)
for seed in range(60):
    pairs[f"noise{seed}"] = tuple(np.random.default_rng(seed).normal(size=(2, 80)))
    truths.append(0)
columns = {"pair_id": list(pairs), "target": truths}
columns |= {name: [pair[axis] for pair in pairs.values()] for axis, name in enumerate("xy")}
pq.write_table(pa.table(columns), folder / "pairs.parquet")

# %%
# Start, and kill
# ---------------
# Finished rows are in ``rows.parquet.checkpoint`` at once. We wait for the first of them, and kill the process.

command = [sys.executable, "-m", "anmmm", "directions", "pairs.parquet", "-o", "rows.parquet"]
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
run = subprocess.Popen(command, cwd=folder, **quiet)
log = folder / "rows.parquet.checkpoint-wal"
while run.poll() is None and not (log.exists() and log.stat().st_size > 100_000):
    time.sleep(0.05)
run.kill()
run.wait()
sorted(path.name for path in folder.glob("rows.parquet*"))

# %%
# Resume
# ------
# The same line with ``--resume`` continues. It may stand in a job script that starts again and again.

done = subprocess.run(
    [*command, "--resume"], cwd=folder, capture_output=True, text=True, check=True
)
print(done.stderr.splitlines()[-1])
print(*done.stdout.splitlines()[-4:], sep="\n")

# %%
# The rows in pandas. Five answers are possible; a confidence of 0.9 or more is sure.

frame = pd.read_parquet(folder / "rows.parquet")
frame[["pair_id", "relation", "score", "confidence", "certainty", "truth"]].iloc[[0, 1, 4, -1]]

# %%
# In Python ``infer_directions("pairs.parquet", n_jobs=-1, checkpoint="c").write("rows.parquet")`` does it all, and

rows = list(read_rows(folder / "rows.parquet"))
summarize(rows)

# %%
# Which decisions to trust
# ------------------------
# How often the most confident decisions are right, where directions are known:

known = [row for row in rows if row.truth]
ax = plot_decision_rates(
    decision_rates([row.confidence for row in known], [row.direction == row.truth for row in known])
)

# %%
# The report is one HTML file with counts, accuracy, and the most and least certain pairs drawn:

report = write_report(
    folder / "rows.parquet", folder / "report.html", source=folder / "pairs.parquet", n_plots=3
)
report.n_drawn

# %%
# More: :doc:`/guide/many`, :doc:`/guide/sources`, :doc:`/guide/report`.
