"""Work on pairs that takes no time, for tests of what happens around it; workers import it."""

import os
import signal
import time

import numpy as np

from anmmm.collection.records import PairResult
from anmmm.collection.run import run_pairs
from anmmm.collection.task import PairTask
from anmmm.datasets import Pair


class Stub(PairTask):
    """Rows that depend on seed, position and data alone.

    ``dies``: positions whose worker process kills itself; ``rest``: seconds of each; ``log``: file
    to which every computed position is appended; ``parent``: a process that must not die.
    """

    dies: tuple = ()
    rest: float = 0.0
    log: str = ""
    parent: int = 0

    record = PairResult

    def facts(self):
        return {"random_state": self.seed, **self.options}

    def prepare(self):
        pass

    def analyze(self, index, pair):
        raise NotImplementedError

    def __call__(self, index, pair):
        if self.log:
            with open(self.log, "a") as file:
                file.write(f"{index}\n")
        if self.rest:
            time.sleep(self.rest)
        if index in self.dies:
            assert os.getpid() != self.parent
            os.kill(os.getpid(), signal.SIGKILL)
        seed = np.random.SeedSequence(self.seed, spawn_key=(index,)).generate_state(1)[0]
        score = float(seed) / 7 + float(np.sum(pair.x))
        found = {"n": np.size(pair.x), "direction": 1, "seconds": self.rest + 1e-6}
        return PairResult(pair.pair_id, "ok", score=score, **found)


def pairs(count, n=10):
    """Generated pairs, never all in memory."""
    base = np.arange(float(n))
    for number in range(count):
        yield Pair(f"p{number}", base + number, base)


class Source:
    """Generated pairs, as a source of known length."""

    name = "stub"

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return pairs(self.count)

    def __length_hint__(self):
        return self.count


def run(source, **options):
    """Return the rows that `Stub` makes; takes the options of both."""
    names = ("n_jobs", "checkpoint", "shard", "skip", "progress")
    given = {"n_jobs": 1} | {name: options.pop(name) for name in names if name in options}
    return run_pairs(Stub(options.pop("given", {}), **options), source, **given)
