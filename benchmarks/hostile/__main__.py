"""A hostile round: strange inputs, files, damage, kills and faults, by area.

    python -m benchmarks.hostile                        # all areas, a quarter of an hour
    python -m benchmarks.hostile --quick                # few cases of each, half a minute
    python -m benchmarks.hostile files caches           # some of them
    python -m benchmarks.hostile inputs --count 5000 --seed 7

Prints the cases tried and mishandled in each area and what was wrong with each, and exits with 1 if
any was mishandled. Each area is a file with ``cases(rng, count, folder)``, which yields what was
done and what was wrong with how it ended, None if nothing.
"""

import argparse
import os
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path

# What the tests of the package have for such cases.
TESTS = Path(__file__).parents[2] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "collection")]

# Cases of a round by default, and of a quick one.
AREAS = {
    "inputs": (2000, 60),
    "forms": (1000, 60),
    "invariance": (600, 15),
    "files": (1500, 24),
    "checkpoints": (2000, 100),
    "caches": (300, 10),
    "sources": (60, 5),
    "outputs": (200, 22),
    "disks": (120, 24),
    "pages": (300, 8),
    "kills": (12, 1),
    "compiling": (6, 0),
}
SHOWN = 10


def main():
    parser = argparse.ArgumentParser(description="A hostile round.")
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)}")
    parser.add_argument("--count", type=int, help="cases in each area")
    parser.add_argument("--quick", action="store_true", help="few cases in each area")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    unknown = set(arguments.areas) - set(AREAS)
    if unknown:
        parser.error(f"no area {', '.join(sorted(unknown))}; there are {', '.join(AREAS)}")
    import numpy as np
    from tqdm import tqdm

    # Warnings of data that are nearly unusable are said to the user, not mishandled.
    warnings.simplefilter("ignore")
    table, bad = [], 0
    for area in arguments.areas or AREAS:
        count = arguments.count or AREAS[area][arguments.quick]
        rng = np.random.default_rng([arguments.seed, sorted(AREAS).index(area)])
        tried, wrong = 0, []
        with tempfile.TemporaryDirectory() as folder:
            cases = import_module(f"benchmarks.hostile.{area}").cases(rng, count, Path(folder))
            for what, problem in tqdm(cases, area, count, leave=False, disable=None):
                tried += 1
                if problem is not None:
                    wrong.append(f"{what}: {problem}")
        table.append(f"{area:<12}{tried:>8}{len(wrong):>12}")
        print(table[-1], flush=True)
        for line in wrong[:SHOWN]:
            print("   ", line[:400])
        if len(wrong) > SHOWN:
            print(f"    and {len(wrong) - SHOWN} more")
        bad += len(wrong)
    print(f"\n{'area':<12}{'tried':>8}{'mishandled':>12}", *table, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    # One core: results must not hang on how many there are, and rounds run beside other work.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
