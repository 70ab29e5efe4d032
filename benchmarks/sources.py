"""Pairs of 100 observations a second that each kind of file gives.

``python -m benchmarks.sources`` prints pairs per second of processor time, best of three walks.
"""

import itertools
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from anmmm.collection import as_pairs

N_PAIRS, N_SAMPLES, ROW_GROUP = 100_000, 100, 20_000


def write(folder):
    """Write the same pairs in each form; yields what is to be opened, and how many to take."""
    x, y = np.random.default_rng(0).normal(size=(2, N_PAIRS * N_SAMPLES))
    starts = pa.array(np.arange(0, len(x) + 1, N_SAMPLES), pa.int32())
    lists = {
        name: pa.ListArray.from_arrays(starts, pa.array(v))
        for name, v in zip("xy", (x, y), strict=True)
    }
    ids = [f"pair{number}" for number in range(N_PAIRS)]
    nested, long, text = (folder / f"pairs.{end}" for end in ("nested.pq", "long.pq", "csv"))
    pq.write_table(pa.table({"pair_id": ids, **lists}), nested, row_group_size=ROW_GROUP)
    table = pa.table({"pair_id": np.repeat(ids, N_SAMPLES), "x": x, "y": y})
    pq.write_table(table, long, row_group_size=ROW_GROUP * N_SAMPLES)
    with text.open("w") as file:
        file.write("SampleID,A,B\n")
        for number in range(N_PAIRS // 10):
            rows = slice(number * N_SAMPLES, (number + 1) * N_SAMPLES)
            cells = (" ".join(map(repr, values[rows].tolist())) for values in (x, y))
            file.write(",".join([ids[number], *cells]) + "\n")
    yield "Parquet, nested", as_pairs(nested)
    yield "Parquet, long", as_pairs(long)
    yield "CSV with a pair a line", as_pairs(text)
    wide = x[: N_SAMPLES * 1000].reshape(N_SAMPLES, 1000)
    yield "all pairs of a table", as_pairs(wide, columns="all")


def main():
    """Print a row a source; the best of three walks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, source in write(Path(folder)):
            rates = []
            for _ in range(3):
                start = time.process_time()
                count = sum(1 for _ in itertools.islice(source, N_PAIRS))
                rates.append(count / (time.process_time() - start))
            print(f"| {name} | {max(rates):,.0f} |")


if __name__ == "__main__":
    main()
