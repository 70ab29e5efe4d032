"""
Ten thousand pairs: kill, resume, report
========================================

Analyze many pairs in one file, lose the machine in between, continue, and write a page that shows which decisions to trust. This page uses 300
pairs, so that it builds in seconds. For ten thousand, set ``n_pairs`` to 10 000: the commands are the same, and the last section has the time.
"""

# %%
# A collection
# ------------
# One row a pair, with the variables as lists. Of half of the related pairs, x is the effect. A fifth of all pairs are unrelated.

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from anmmm import infer_directions
from anmmm.collection import read_rows, summarize
from anmmm.datasets import make_single_mechanism
from anmmm.plotting import plot_decision_rates
from anmmm.report import write_report

folder = Path(tempfile.mkdtemp())
n_pairs = 300
n_related = n_pairs * 4 // 5
kinds, pairs, truths = ("AN", "AN-s", "LS-s", "MN-U"), {}, []
for seed in range(n_related):
    x, y = make_single_mechanism(kinds[seed % 4], 80, random_state=seed)
    turned = seed // 4 % 2 == 1
    pairs[f"pair{seed}"] = (y, x) if turned else (x, y)
    truths.append(-1 if turned else 1)
for seed in range(n_pairs - n_related):
    pairs[f"noise{seed}"] = tuple(np.random.default_rng(seed).normal(size=(2, 80)))
    truths.append(0)
columns = {"pair_id": list(pairs), "truth": truths}
columns |= {name: [pair[axis] for pair in pairs.values()] for axis, name in enumerate("xy")}
pq.write_table(pa.table(columns), folder / "pairs.parquet")

# %%
# Start, and kill
# ---------------
# Finished rows are in ``rows.parquet.checkpoint`` at once. Wait for the first of them, and kill the process. ``-j -1`` would use all cores.

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
# The same command with ``--resume`` continues. Put it into a job script: it begins, continues, or does nothing if the file is complete.

done = subprocess.run(
    [*command, "--resume"], cwd=folder, capture_output=True, text=True, check=True
)
print(*done.stderr.splitlines()[-2:], sep="\n")
print(*done.stdout.splitlines()[-4:], sep="\n")

# %%
# The rows in pandas. A relation is one of five; a confidence of 0.9 or more is sure.

frame = pd.read_parquet(folder / "rows.parquet")
frame[["pair_id", "relation", "score", "confidence", "plausible", "truth"]].iloc[[0, 1, 4, -1]]

# %%
# The same in Python: ``infer_directions("pairs.parquet", n_jobs=-1, checkpoint="c").write("rows.parquet")``. Read the file back, and
# summarize it:

rows = list(read_rows(folder / "rows.parquet"))
summarize(rows)

# %%
# Which decisions to trust
# ------------------------
# How often the most confident decisions are right, where directions are known:

ax = plot_decision_rates(rows)

# %%
# The report is one HTML file with counts, accuracies, and plots of the most and the least certain pairs:

write_report(
    folder / "rows.parquet", folder / "report.html", source=folder / "pairs.parquet", n_plots=3
)
(folder / "report.html").stat().st_size

# %%
# Ten thousand
# ------------
# Time grows in proportion to the number of pairs, and is divided by the number of cores. Analyze 40 pairs without workers to predict it:

few = list(infer_directions(dict(list(pairs.items())[:40])))
seconds = np.mean([row.seconds for row in few])
print(
    f"{1000 * seconds:.0f} ms a pair, 10 000 pairs in {10_000 * seconds / 60:.0f} minutes on one core"
)

# %%
# Memory does not grow: rows are written one by one. For several machines, give each a part and a file of its own with ``--shard 3/8``,
# and concatenate the files. Measured throughput: :doc:`/results/benchmarks`. More: :doc:`/guide/many`, :doc:`/guide/collections`.
