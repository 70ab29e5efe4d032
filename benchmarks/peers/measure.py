"""Time contenders interleaved, and all peers at all sizes.

Design
------
(a) A *round* gives every peer one *turn*, in an order shuffled anew, and each turn is divided by
    the bound's turn of the same round. Whatever the machine does for longer than a round (another
    job, the clock of the processor) then hits both sides of a ratio.
(b) A turn is as many consecutive calls as fit its share of the budget, because an optimizer calls
    one objective many times and finds its arrays in the cache; the first call of a turn, which
    finds another peer's, is not timed where there is more than one.
(c) The vector changes from call to call, so nothing can be gained by remembering the last one.
"""

from __future__ import annotations

import gc
import itertools
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks.peers.ours import DENSE
from benchmarks.peers.protocol import Peer, constants_of
from benchmarks.speed.common import mixture_objective

__all__ = ["Cell", "DisagreementError", "Runner", "play_round", "quiet_collector", "run_all"]

PROBE_SIZE = 100
N_TURNS = 40
FEWEST_TURNS = 3


class DisagreementError(RuntimeError):
    """A peer does not compute the same J or gradient as `anmmm`."""


@dataclass
class Cell:
    """What became of one peer at one size."""

    # Seconds an evaluation, one entry a turn; empty where it was not run, and `note` says why.
    seconds: list[float] = field(default_factory=list)
    # The same, divided by the bound's turn in the same round.
    ratios: list[float] = field(default_factory=list)
    note: str = ""


@dataclass
class Runner:
    """One contender at one size, ready to be called."""

    evaluate: Callable[[Any], object]
    # What to call it with, one after the other: as many as there are calls.
    points: Iterator[Any]
    # Seconds an evaluation, as far as known, and seconds that its turns took so far.
    estimate: float = float("inf")
    spent: float = 0.0
    clock: Callable[[], float] = perf_counter

    def turn(self, seconds: float) -> float:
        """Call it repeatedly for about so many seconds, once at least; seconds per call."""
        n_calls = max(1, int(seconds / self.estimate))
        started = self.clock()
        if n_calls > 1:
            self.evaluate(next(self.points))
        first = self.clock()
        for _ in range(n_calls):
            self.evaluate(next(self.points))
        ended = self.clock()
        self.spent += ended - started
        return (ended - first) / n_calls


def run_all(
    peers: Sequence[Peer],
    sizes: Sequence[int],
    *,
    seconds: float,
    limit: float,
    warn: Callable[[str], None] = lambda message: print(message, file=sys.stderr),
) -> dict[int, dict[str, Cell]]:
    """Check and time every peer, one of them the bound, at every size; cells by size and name.

    `seconds` is the budget of one peer at one size; an evaluation that is slow against it still has
    3 turns. A peer is left out of a size where one evaluation is foreseen to take more seconds than
    `limit`; sizes, which increase, end before the first at which the dense engine would.
    """
    runnable = [peer for peer in peers if peer.available()]
    with tqdm(
        total=seconds * len(runnable) * len(sizes),
        unit="s",
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
        desc="checking",
        disable=None,
    ) as bar:
        # A small size first: it is fast for everybody, compiles what there is to compile, and
        # foresees the sizes that follow.
        known: dict[str, tuple[int, float]] = {}
        probe = min(PROBE_SIZE, sizes[0])
        for peer, runner in _prepare(runnable, probe).items():
            known[peer.name] = (probe, runner.estimate)

        cells: dict[int, dict[str, Cell]] = {}
        for n in sizes:
            foreseen = {}
            for peer in runnable:
                n_known, known_seconds = known[peer.name]
                foreseen[peer] = known_seconds * (n / n_known) ** peer.exponent
            if foreseen[DENSE] > limit:
                warn(f"N = {n} and above: the dense engine itself would exceed {limit:g} s")
                break
            bar.set_description(f"N = {n}, checking")
            chosen = [peer for peer in runnable if foreseen[peer] <= limit]
            runners = _prepare(chosen, n)
            known.update({peer.name: (n, runner.estimate) for peer, runner in runners.items()})
            bar.set_description(f"N = {n}")
            done = bar.n
            timed = _rounds(runners, seconds, bar.update)
            bar.update(done + seconds * len(runnable) - bar.n)
            cells[n] = {}
            for peer in peers:
                if peer in timed:
                    cells[n][peer.name] = timed[peer]
                elif peer in foreseen:
                    cells[n][peer.name] = Cell(note=f"not run (about {foreseen[peer]:.0f} s)")
                else:
                    cells[n][peer.name] = Cell(note=peer.absent)
    return cells


def _prepare(peers: Sequence[Peer], n_samples: int) -> dict[Peer, Runner]:
    """Build, check against the dense engine, and time one call of every peer."""
    objective, z = mixture_objective(n_samples, engine="dense")
    constants = constants_of(objective)
    rng = np.random.default_rng(1)
    points = [z + 1e-3 * rng.standard_normal(len(z)) for _ in range(5)]
    value, gradient = objective.value_and_grad(z)
    expected = (value, gradient.copy())
    runners = {}
    for peer in peers:
        evaluate = peer.build(objective.X, objective.Y, **constants)
        difference = peer.check(evaluate(z), expected)
        if difference is not None:
            raise DisagreementError(f"{peer.name} at N = {n_samples}: {difference}")
        runner = Runner(evaluate, itertools.cycle(points))
        runner.estimate = runner.turn(0.0)
        runner.spent = 0.0
        runners[peer] = runner
    return runners


def _rounds(
    runners: dict[Peer, Runner], seconds: float, advance: Callable[[float], object]
) -> dict[Peer, Cell]:
    """Give turns until every peer has spent its budget."""
    cells = {peer: Cell() for peer in runners}
    shuffler = random.Random(0)
    with quiet_collector():
        while True:
            active = [
                peer
                for peer, runner in runners.items()
                if runner.spent < seconds or len(cells[peer].seconds) < FEWEST_TURNS
            ]
            if not active:
                return cells
            # The bound takes part in every round, for the others' ratios.
            turns = {peer for peer in runners if peer.bound}.union(active)
            playing = {peer: runner for peer, runner in runners.items() if peer in turns}
            before = sum(min(runner.spent, seconds) for runner in playing.values())
            play_round(playing, cells, seconds / N_TURNS, shuffler)
            after = sum(min(runner.spent, seconds) for runner in playing.values())
            advance(after - before)


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Let the collector walk what is new, as it would for a user.

    And not the many objects of all the libraries that happen to be loaded here.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def play_round(
    runners: Mapping[Any, Runner],
    cells: Mapping[Any, Cell],
    seconds: float,
    shuffler: random.Random,
) -> None:
    """Give everybody, one of them the bound, a turn of so many seconds, and enter it."""
    order = list(runners)
    shuffler.shuffle(order)
    took = {contender: runners[contender].turn(seconds) for contender in order}
    (reference,) = (took[contender] for contender in order if contender.bound)
    for contender in order:
        cells[contender].seconds.append(took[contender])
        cells[contender].ratios.append(took[contender] / reference)
