"""Whole decisions by several methods, side by side: ``python -m benchmarks.peers.decisions``.

Prints, as Markdown, one table for each number of observations: the time of a pair by each method,
as a ratio to one LAPACK ``potrf + potri`` of N = 1000 in the same run and absolutely, and how many
of the same pairs it gets right. Methods whose library is missing are shown as such:
``pip install causal-learn lingam`` for all of them.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from benchmarks.peers.__main__ import stay_on_one_core


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.decisions", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[100, 300, 1000, 10_000], metavar="N"
    )
    parser.add_argument("--first-seed", type=int, default=20_000)
    parser.add_argument("--count", type=int, default=40, help="seeds (default: 40)")
    parser.add_argument(
        "--limit",
        type=float,
        default=60.0,
        help="leave a method out of sizes where all pairs take more seconds (default: 60)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE.md", help="write the tables here instead of printing them"
    )
    options = parser.parse_args(arguments)
    if min(options.sizes) < 10:
        parser.error("--sizes must be 10 or more")
    if options.first_seed < 0 or options.count < 1:
        parser.error("--first-seed must be 0 or more, --count 1 or more")
    if options.limit <= 0:
        parser.error("--limit must be positive")
    if options.output and not Path(options.output).absolute().parent.is_dir():
        parser.error(f"there is no folder for {options.output}")
    options.sizes = sorted(set(options.sizes))
    return options


def main(arguments: list[str] | None = None) -> None:
    """Measure and report."""
    options = parse(arguments)
    stay_on_one_core()
    from benchmarks.peers.deciders import DECIDERS
    from benchmarks.peers.deciding import decide_all, markdown

    for decider in DECIDERS:
        if not decider.available():
            print(f"{decider.name}: {decider.absent}, left out", file=sys.stderr)
    # Of fits that did not converge, and of libraries about themselves.
    warnings.simplefilter("ignore")
    seeds = range(options.first_seed, options.first_seed + options.count)
    text = markdown(decide_all(DECIDERS, options.sizes, seeds, limit=options.limit), seeds)
    if options.output:
        Path(options.output).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
