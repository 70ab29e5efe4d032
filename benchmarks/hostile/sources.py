"""Files that change while they are read: the rows of the file as it was, or a refusal."""

import numpy as np
from stubs import run

from anmmm.collection import SourceError, as_pairs

PAIRS = 60


def text(rng, first=0, count=PAIRS):
    lines = ["SampleID,A,B"]
    for number in range(first, first + count):
        x, y = np.round(rng.normal(size=(2, 12)), 2)
        lines.append(f"p{number},{' '.join(map(str, x))},{' '.join(map(str, y))}")
    return "\n".join(lines).encode() + b"\n"


def cases(rng, count, folder):
    for number in range(count):
        path = folder / f"{number}.csv"
        before = text(rng)
        path.write_bytes(before)
        whole = run(as_pairs(path)).to_list()
        kind = ("cut", "grown", "other", "removed", "same")[number % 5]
        at = int(rng.integers(PAIRS))
        what = f"case {number}: {kind} after row {at}"
        rows = []
        try:
            with run(as_pairs(path), checkpoint=folder / f"{number}.c") as stream:
                for row in stream:
                    rows.append(row)
                    if len(rows) - 1 != at:
                        continue
                    if kind == "cut":
                        path.write_bytes(before[: int(rng.integers(len(before)))])
                    elif kind == "grown":
                        path.write_bytes(before + text(rng, PAIRS, 3).split(b"\n", 1)[1])
                    elif kind == "other":
                        path.write_bytes(text(rng))
                    elif kind == "removed":
                        path.unlink()
                    else:
                        path.write_bytes(before)
        except SourceError as error:
            told = path.name in str(error)
            yield what, None if told and kind != "same" else f"refused: {error}"
        except Exception as error:
            yield what, f"{type(error).__name__}: {error}"
        else:
            right = rows == whole and kind == "same"
            yield what, None if right else f"{len(rows)} rows, and nothing said"
