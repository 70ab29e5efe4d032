"""Make the embedded sample: real pairs of the Tübingen collection, and drawn mixtures.

``python -m benchmarks.make_sample SOURCE DESTINATION`` copies the chosen pairs of the folder
SOURCE, their lines of ``pairmeta.txt`` included. A pair of more than 400 rows keeps 400, drawn
without replacement by a seeded generator and left in the order of the file. Cells are copied as
they are written; only blanks and line ends are normalized. The mixtures are drawn by
`make_anm_mixture`, rounded to three decimals, and have no line in ``pairmeta.txt``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from anmmm.datasets import make_anm_mixture
from anmmm.datasets.tuebingen import META

PAIRS = [f"{number:04}" for number in (1, 7, 15, 18, 25, 43, 48, 49, 50, 77, 93, 100)]
MAX_ROWS = 400
SEED = 20160416
MIXTURES = ("f1", "f2", "f3", "f4")
N_DRAWN = 200


def make_sample(source: Path, destination: Path) -> None:
    """Write the sample from the folder of the whole collection."""
    destination.mkdir(parents=True, exist_ok=True)
    meta = {row[0]: row for row in _rows(source / META)}
    _write(destination / META, [meta[number] for number in PAIRS])
    for number in PAIRS:
        rows = _rows(source / f"pair{number}.txt")
        if len(rows) > MAX_ROWS:
            rng = np.random.default_rng([SEED, int(number)])
            kept = np.sort(rng.choice(len(rows), MAX_ROWS, replace=False))
            rows = [rows[index] for index in kept]
        _write(destination / f"pair{number}.txt", rows)
    for name in MIXTURES:
        x, y, _ = make_anm_mixture(name, N_DRAWN, random_state=1)
        drawn = [[f"{a:.3f}", f"{b:.3f}"] for a, b in zip(x, y, strict=True)]
        _write(destination / f"drawn-{name}.txt", drawn)


def _rows(path: Path) -> list[list[str]]:
    """Return the cells of each line that is not empty."""
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _write(path: Path, rows: list[list[str]]) -> None:
    text = "".join(" ".join(row) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m benchmarks.make_sample SOURCE DESTINATION")
    make_sample(Path(sys.argv[1]), Path(sys.argv[2]))
