"""Decide pairs by several methods, by turns, and tell times beside shares of right decisions.

In each round every method and the bound decide the same pair, one after the other in an order
shuffled anew, so that load on the machine hits all alike. Times are CPU seconds of this process.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import process_time

import numpy as np

from anmmm.datasets import make_anm_mixture, make_single_mechanism
from benchmarks.peers.bound import PEERS as BOUNDS
from benchmarks.peers.deciders import Decide, Decider
from benchmarks.peers.measure import Cell, Runner, play_round, quiet_collector
from benchmarks.peers.protocol import Contender, FloatArray
from benchmarks.peers.report import environment, median_and_quartiles, no_unit, unit_of_time
from benchmarks.studies.common import mean_and_error

__all__ = ["Drawn", "Outcome", "decide_all", "draw", "markdown"]

SINGLE = ("AN", "LS", "MN-U")
MIXTURE = "f1"
FAMILIES = (*SINGLE, MIXTURE)
# To draw a function of a Gaussian process at N points takes O(N³).
SMOOTH, MOST_SMOOTH = ("AN", "LS"), 2000
BOUND_SIZE = 1000
# What is foreseen for one call is measured where so many calls stay within the limit.
PROBES = 5


@dataclass(frozen=True)
class Drawn:
    """A pair, and its truth: 1 where x causes y, -1 where y causes x."""

    family: str
    x: FloatArray
    y: FloatArray
    truth: int


@dataclass
class Outcome:
    """What became of one method at one size."""

    cell: Cell
    # Of every pair: 1 where it is right, 0.5 where it is undecided, 0 where it is wrong.
    right: list[float] = field(default_factory=list)


def draw(n_samples: int, seeds: Sequence[int]) -> list[Drawn]:
    """Draw pairs of all families that can be drawn; those of odd seeds are turned around."""
    pairs = []
    for seed in seeds:
        for family in FAMILIES:
            if family in SMOOTH and n_samples > MOST_SMOOTH:
                continue
            if family == MIXTURE:
                x, y, _ = make_anm_mixture(family, n_samples, random_state=seed)
            else:
                x, y = make_single_mechanism(family, n_samples, random_state=seed)
            pairs.append(Drawn(family, y, x, -1) if seed % 2 else Drawn(family, x, y, 1))
    return pairs


def decide_all(
    deciders: Sequence[Decider], sizes: Sequence[int], seeds: Sequence[int], *, limit: float
) -> dict[int, tuple[list[str], dict[str, Outcome]]]:
    """Families of the pairs, and outcomes by the method's name, for each size.

    A method is left out of a size where all pairs are foreseen to take more seconds than `limit`.
    """
    decides = {decider: decider.build() for decider in deciders if decider.available()}
    # Number of observations and seconds a pair there.
    known: dict[Decider, tuple[int, float]] = {}
    outcomes = {}
    for n in sizes:
        pairs = draw(n, seeds)
        at_size = {BOUNDS[0].name: Outcome(Cell())}
        at_size |= {decider.name: Outcome(Cell(note=decider.absent)) for decider in deciders}
        playing = {}
        for decider, decide in decides.items():
            seconds = _foresee(decider, n, *known[decider]) if decider in known else 0.0
            if seconds < limit / PROBES:
                # The first call imports, and compiles what there is to compile.
                _seconds(decide, pairs[0])
                seconds = _seconds(decide, pairs[0])
                known[decider] = n, seconds
            if seconds * len(pairs) > limit:
                at_size[decider.name].cell.note = f"not run (about {_two_digits(seconds)} s a pair)"
            else:
                playing[decider] = decide
        _rounds(playing, pairs, at_size)
        outcomes[n] = ([pair.family for pair in pairs], at_size)
        print(f"N = {n} is done", file=sys.stderr)
    return outcomes


def _two_digits(seconds: float) -> str:
    return f"{seconds:.2g}" if seconds < 10.0 else f"{seconds:.0f}"


def _foresee(decider: Decider, n: int, n_known: int, seconds: float) -> float:
    return seconds * (n / n_known) ** decider.exponent


def _seconds(decide: Decide, pair: Drawn) -> float:
    begin = process_time()
    decide(pair.x, pair.y)
    return process_time() - begin


def _rounds(
    decides: dict[Decider, Decide], pairs: Sequence[Drawn], outcomes: dict[str, Outcome]
) -> None:
    """Let every method, and the bound, decide every pair, a pair a round."""
    bound = BOUNDS[0]
    cells: dict[Contender, Cell] = {bound: outcomes[bound.name].cell}
    runners: dict[Contender, Runner] = {bound: _runner(_evaluate_bound(), pairs)}
    for decider, decide in decides.items():
        outcome = outcomes[decider.name]
        cells[decider] = outcome.cell
        runners[decider] = _runner(_judged(decide, outcome.right), pairs)
    shuffler = random.Random(0)
    with quiet_collector():
        for _ in pairs:
            # No seconds: one call each.
            play_round(runners, cells, 0.0, shuffler)


def _runner(evaluate: Callable[[Drawn], object], pairs: Sequence[Drawn]) -> Runner:
    # On the wall's clock a machine with other work shows that work.
    return Runner(evaluate, iter(pairs), clock=process_time)


def _judged(decide: Decide, right: list[float]) -> Callable[[Drawn], None]:
    def judge(pair: Drawn) -> None:
        right.append(0.5 + 0.5 * float(np.sign(decide(pair.x, pair.y))) * pair.truth)

    return judge


def _evaluate_bound() -> Callable[[Drawn], object]:
    empty = np.zeros((BOUND_SIZE, 1))
    evaluate = BOUNDS[0].build(empty, empty)
    return lambda pair: evaluate(np.zeros(0))


def markdown(
    outcomes: dict[int, tuple[list[str], dict[str, Outcome]]], seeds: Sequence[int]
) -> str:
    """One table a size, ratios first, and what it was measured with."""
    lines: list[str] = []
    for n, (families, at_size) in outcomes.items():
        lines += [f"N = {n}, {len(families)} pairs:", "", *_table(families, at_size), ""]
    lines += [
        f"Seeds {seeds[0]} to {seeds[-1]}, those that are odd turned around. Times are CPU time a "
        "pair; median over the pairs, with lower and upper quartile; ÷ is their ratio to one potrf "
        f"+ potri of N = {BOUND_SIZE} of the same round. Right ± standard error; undecided counts "
        "half.",
        "",
        f"Measured with {environment()}.",
    ]
    return "\n".join(lines)


def _table(families: list[str], at_size: dict[str, Outcome]) -> list[str]:
    names = ("", "÷ potrf + potri", "time a pair", "right", *FAMILIES)
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for name, outcome in at_size.items():
        cell = outcome.cell
        if cell.seconds:
            row = [
                median_and_quartiles(cell.ratios, no_unit),
                median_and_quartiles(cell.seconds, unit_of_time),
                *_shares(families, outcome.right),
            ]
        else:
            row = [cell.note] + [""] * (len(names) - 2)
        lines.append("| " + " | ".join([name, *row]) + " |")
    return lines


def _shares(families: list[str], right: list[float]) -> list[str]:
    """Of all pairs, then of each family."""
    if not right:
        return [""] * (1 + len(FAMILIES))
    of, values = np.array(families), np.array(right)
    parts = [values[of == family] for family in FAMILIES]
    return [mean_and_error(values)] + [
        mean_and_error(part) if len(part) else "not drawn" for part in parts
    ]
