"""Compare the speed of all peers: ``python -m benchmarks.peers``.

Prints, as Markdown, one table of ratios to the lower bound and one of absolute times. Peers whose
library is missing are shown as such: ``pip install jax torch`` for all of them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

# NumPy is imported below, in `main`: these variables count only before it.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[100, 200, 500, 1000, 2000], metavar="N"
    )
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="for each peer at each size (default: 3)"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=10.0,
        help="leave a peer out of sizes where one evaluation takes more seconds (default: 10)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE.md", help="write the tables here instead of printing them"
    )
    parser.add_argument("--plot", metavar="FILE.png", help="draw the times against N")
    options = parser.parse_args(arguments)
    if min(options.sizes) < 2:
        parser.error("--sizes must be 2 or more")
    if options.seconds <= 0 or options.limit <= 0:
        parser.error("--seconds and --limit must be positive")
    # Said now, not after minutes of measuring.
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot needs Matplotlib: pip install matplotlib")
    for path in filter(None, (options.output, options.plot)):
        if not Path(path).absolute().parent.is_dir():
            parser.error(f"there is no folder for {path}")
    options.sizes = sorted(set(options.sizes))
    return options


def stay_on_one_core() -> None:
    """Bind this process and every thread it will start to one core."""
    for variable in THREADS:
        os.environ[variable] = "1"
    # Not every library reads those variables; none can get around this one. macOS has no such call.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main(arguments: list[str] | None = None) -> None:
    """Measure and report."""
    options = parse(arguments)
    stay_on_one_core()
    from benchmarks.peers.measure import DisagreementError, run_all
    from benchmarks.peers.protocol import peers
    from benchmarks.peers.report import markdown, plot

    everybody = peers()
    try:
        cells = run_all(everybody, options.sizes, seconds=options.seconds, limit=options.limit)
    except DisagreementError as error:
        sys.exit(f"stopped, nothing was timed: {error}")
    if not cells:
        sys.exit("no size was small enough for --limit")
    text = markdown(everybody, cells, seconds=options.seconds, limit=options.limit)
    if options.output:
        Path(options.output).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    if options.plot:
        plot(everybody, cells, options.plot)


if __name__ == "__main__":
    main()
