"""Work on pairs that takes no time, for tests of what happens around it; workers import it."""

import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from anmmm.collection.records import PairResult
from anmmm.collection.schema import DIRECTIONS
from anmmm.collection.stream import stream
from anmmm.datasets import Pair

# For what one pair waits for.
LIMIT = 120.0


class KilledWorker(Exception):
    """What a backend would raise where a worker is gone; dask's has this name."""


@dataclass
class Stub:
    """Rows that depend on entropy, position and data alone.

    ``given``: facts of a checkpoint; ``dies``: positions whose worker process kills itself;
    ``kills``: positions at which the backend says that a worker died; ``sleeps``: seconds by
    position; ``log``: file to which every computed position is appended; ``awaits``: by position,
    how many other positions the log must show before it goes on; ``parent``: a process that must
    not die.
    """

    entropy: int = 0
    given: dict = field(default_factory=dict)
    dies: tuple = ()
    sleeps: dict = field(default_factory=dict)
    rest: float = 0.0
    log: str = ""
    parent: int = 0
    kills: tuple = ()
    awaits: dict = field(default_factory=dict)

    schema = DIRECTIONS
    keep_results = rows_hold_observations = False

    def run_metadata(self):
        return self.given

    def prepare(self):
        pass

    def __call__(self, index, pair):
        if self.log:
            with open(self.log, "a") as file:
                file.write(f"{index}\n")
        self._await(self.awaits.get(index, 0))
        seconds = self.sleeps.get(index, self.rest)
        if seconds:
            time.sleep(seconds)
        if index in self.dies:
            assert os.getpid() != self.parent
            os.kill(os.getpid(), signal.SIGKILL)
        if index in self.kills:
            raise KilledWorker(str(index))
        seed = np.random.SeedSequence(self.entropy, spawn_key=(index,)).generate_state(1)[0]
        found = {"score": float(seed) / 7 + float(np.sum(pair.x)), "subsample_seed": int(seed)}
        found |= {"n": np.size(pair.x), "direction": 1, "seconds": seconds + 1e-6}
        return PairResult(pair.pair_id, "ok", **found)

    def _await(self, others):
        end = time.monotonic() + LIMIT
        while others and len(set(Path(self.log).read_text().split())) <= others:
            if time.monotonic() > end:
                raise TimeoutError(f"waited {LIMIT:g} s in vain for {others} other pairs")
            time.sleep(0.01)

    def failed(self, pair, status, reason):
        return PairResult(pair.pair_id, status, reason)


def pairs(count, n=10):
    """Generated pairs, never all in memory."""
    base = np.arange(float(n))
    for number in range(count):
        yield Pair(f"p{number}", base + number, base)


def values(rows):
    """What rows hold, but the time that they took."""
    return [{**row.to_dict(), "seconds": None} for row in rows]


class Source:
    """Generated pairs with an identity; `reads` counts those that were read."""

    def __init__(self, count, name="stub", n=10):
        self.count, self.name, self.n, self.reads = count, name, n, 0

    def __iter__(self):
        for pair in pairs(self.count, self.n):
            self.reads += 1
            yield pair

    def __length_hint__(self):
        return self.count

    def fingerprint(self):
        return {"name": self.name, "count": self.count}


def run(source, **options):
    """Return a stream of rows made by `Stub`; takes the options of both."""
    given = {"n_jobs": 1, "checkpoint": None, "random_state": 0, "shard": None, "progress": False}
    given |= {name: options.pop(name) for name in given.keys() & options}
    return stream(Stub(**options), source, **given)
