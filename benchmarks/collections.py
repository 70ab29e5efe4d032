"""Collections of pairs: throughput, scheduling, memory, files, kills.

``python -m benchmarks.collections --help`` lists the programs.
"""

from __future__ import annotations

import argparse
import cProfile
import itertools
import os
import pstats
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet

from anmmm.collection import as_pairs, infer_directions
from anmmm.collection.checkpoint import count_rows
from anmmm.collection.records import PairResult
from anmmm.collection.schema import DIRECTIONS
from anmmm.collection.sinks import write_rows
from anmmm.collection.stream import stream
from anmmm.datasets import Pair, make_anm_mixture


@dataclass
class Stub:
    """A row without analysis; `rest` seconds of waiting stand for one."""

    entropy: int = 0
    rest: float = 0.0

    schema = DIRECTIONS
    keep_results = rows_hold_observations = False
    screened = None

    def run_metadata(self):
        return {}

    def prepare(self):
        pass

    def __call__(self, index, pair):
        if self.rest:
            time.sleep(self.rest)
        return row_of(index, pair.pair_id)

    def failed(self, pair, status, reason):
        return PairResult(pair.pair_id, status, reason)


class Pairs:
    """Pairs made when they are read."""

    def __init__(self, count, n):
        self.count, self.n = count, n

    def __iter__(self):
        for number in range(self.count):
            x, y, _ = make_anm_mixture("f3", self.n, random_state=number)
            yield Pair(f"pair{number}", x, y)

    def __length_hint__(self):
        return self.count

    def fingerprint(self):
        return {"count": self.count, "n": self.n}


def row_of(index, pair_id):
    return PairResult(
        pair_id,
        "ok",
        n=100,
        n_used=100,
        direction=1,
        score=index / 7,
        forward_score=index / 3,
        backward_score=index / 11,
        converged=True,
        model="anm-2",
        n_mechanisms=2,
        seconds=0.02 + index * 1e-9,
    )


def stubbed(pairs, n_jobs, checkpoint=None, rest=0.0):
    return stream(Stub(rest=rest), pairs, n_jobs=n_jobs, random_state=0, checkpoint=checkpoint)


def throughput(options):
    """Pairs a second with one and with two workers, equal rows."""
    pairs = list(Pairs(options.pairs, options.samples))
    # Workers load the compiled code once.
    for _ in infer_directions(pairs[:20], n_jobs=2, random_state=0):
        pass
    rows_by = {}
    for n_jobs in (1, 2):
        begin, cpu = time.perf_counter(), cpu_seconds()
        rows = infer_directions(pairs, n_jobs=n_jobs, random_state=0).to_list()
        wall = time.perf_counter() - begin
        rows_by[n_jobs] = [{**row.to_dict(), "seconds": 0.0} for row in rows]
        inside = sum(row.seconds for row in rows)
        print(
            f"n_jobs={n_jobs}: {len(rows) / wall:7.1f} pairs/s, {1e3 * inside / len(rows):.1f} ms "
            f"a pair inside, {100 * inside / n_jobs / wall:.1f} % of the workers' time, "
            f"driver {cpu_seconds() - cpu:.1f} s CPU"
        )
    print("rows are equal:", rows_by[1] == rows_by[2])


def stages(options):
    """Milliseconds of one core for each stage of a pair: read, decide (by kind of code), write."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "pairs.parquet"), Path(folder, "rows.parquet")
        write_drawn(source, options.pairs, options.samples)
        begin = time.process_time()
        pairs = list(as_pairs(source))
        read = time.process_time() - begin
        decide(pairs[:50])
        begin = time.process_time()
        rows = decide(pairs)
        decided = time.process_time() - begin
        begin = time.process_time()
        write_rows(output, rows, DIRECTIONS)
        written = time.process_time() - begin
    profile = cProfile.Profile(time.process_time)
    profile.runcall(decide, pairs)
    # Python's own calls take longer in a profile; those of kernels hardly do.
    calls = pstats.Stats(profile).stats.items()
    kernels = sum(own for (file, *_), (_, _, own, *_) in calls if "_kernels" in file)
    for name, seconds in (
        ("read", read),
        ("decide", decided),
        ("  compiled kernels and LAPACK", kernels),
        ("  Python, and NumPy on small arrays", decided - kernels),
        ("write", written),
    ):
        each = seconds / len(pairs)
        print(f"{name:38s}{1e3 * each:8.3f} ms {1.0 / each:10.0f} pairs/s")


def decide(pairs):
    return infer_directions(pairs, n_jobs=1, random_state=0).to_list()


def scheduling(options):
    """Cost of handing out pairs: those of 20 ms that only wait, so that cores do not matter."""
    list(stubbed(Pairs(20, 100), 2))
    begin = time.perf_counter()
    rows = list(stubbed(Pairs(options.pairs, 100), 2, rest=0.02))
    wall = time.perf_counter() - begin
    ideal = 0.02 * len(rows) / 2
    print(f"two workers: {wall:.2f} s for {ideal:.2f} s of work: {100 * (wall / ideal - 1):.1f} %")


def memory(options):
    """Peak memory of the driver after the first tenth and at the end."""
    begin = time.perf_counter()
    first = None
    for count, _ in enumerate(stubbed(Pairs(options.pairs, 100), 2), start=1):
        if count == options.pairs // 10:
            first = peak_megabytes()
    wall = time.perf_counter() - begin
    print(
        f"{options.pairs} pairs in {wall:.0f} s ({options.pairs / wall:.0f} pairs/s): peak "
        f"{first:.0f} MB after a tenth, {peak_megabytes():.0f} MB at the end"
    )


def sinks(options):
    """Rows a second to each format, and to a checkpoint and back."""
    rows = [row_of(index, f"pair{index}") for index in range(options.rows)]
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".jsonl", ".parquet"):
            path = Path(folder, f"rows{suffix}")
            begin = time.perf_counter()
            write_rows(path, rows, DIRECTIONS)
            wall = time.perf_counter() - begin
            size = path.stat().st_size / len(rows)
            print(f"{suffix:9} {len(rows) / wall:9.0f} rows/s, {size:5.0f} bytes a row")
        pairs = list(Pairs(options.rows // 10, 100))
        for name in ("written", "resumed"):
            path = Path(folder, "checkpoint")
            begin = time.perf_counter()
            list(stubbed(pairs, 1, checkpoint=path))
            wall = time.perf_counter() - begin
            size = path.stat().st_size / len(pairs)
            print(f"checkpoint {name} {len(pairs) / wall:.0f} rows/s, {size:.0f} bytes a row")


def write_nested(path, values, n_pairs, n_samples):
    """Write pairs of the same values for x and y, a row a pair."""
    offsets = np.arange(0, len(values) + 1, n_samples, dtype=np.int32)
    lists = pyarrow.ListArray.from_arrays(offsets, values)
    ids = [f"pair{number}" for number in range(n_pairs)]
    table = pyarrow.table({"pair_id": ids, "x": lists, "y": lists})
    parquet.write_table(table, path, row_group_size=10_000)


def written_sources(folder, n_pairs, n_samples):
    """Write the same pairs in each form; yields what it is called, and the source."""
    values = np.random.default_rng(0).standard_normal(n_pairs * n_samples)
    nested, long, text = (folder / f"pairs.{end}" for end in ("nested.pq", "long.pq", "csv"))
    write_nested(nested, values, n_pairs, n_samples)
    yield "Parquet, nested", as_pairs(nested)
    ids = np.repeat([f"pair{number}" for number in range(n_pairs)], n_samples)
    table = pyarrow.table({"pair_id": ids, "x": values, "y": values})
    parquet.write_table(table, long, row_group_size=20_000 * n_samples)
    yield "Parquet, long", as_pairs(long)
    with text.open("w") as file:
        file.write("SampleID,A,B\n")
        for number, row in enumerate(values.reshape(n_pairs, n_samples)[: n_pairs // 10]):
            cells = " ".join(map(repr, row.tolist()))
            file.write(f"pair{number},{cells},{cells}\n")
    yield "CSV with a pair a line", as_pairs(text)
    wide = values[: n_samples * min(1000, n_pairs)].reshape(n_samples, -1)
    yield "all pairs of a table", as_pairs(wide, columns="all")


def sources(options):
    """Pairs that each kind of file gives per second of processor time, best of three walks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, source in written_sources(Path(folder), options.pairs, options.samples):
            rates = []
            for _ in range(3):
                begin = time.process_time()
                count = sum(1 for _ in itertools.islice(source, options.pairs))
                rates.append(count / (time.process_time() - begin))
            print(f"| {name} | {max(rates):,.0f} |")


def files(options):
    """Pairs a second from a Parquet file to the Parquet file of their rows, without inference."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "pairs.parquet"), Path(folder, "rows.parquet")
        values = np.random.default_rng(0).standard_normal(options.pairs * options.samples)
        write_nested(source, values, options.pairs, options.samples)
        for name in (".parquet", ".csv"):
            begin, cpu = time.perf_counter(), cpu_seconds()
            rows = (row_of(at, pair.pair_id) for at, pair in enumerate(as_pairs(source)))
            write_rows(output.with_suffix(name), rows, DIRECTIONS)
            wall, cpu = time.perf_counter() - begin, cpu_seconds() - cpu
            print(
                f"{source.stat().st_size / options.pairs:.0f} bytes a pair, to {name}: "
                f"{options.pairs / wall:.0f} pairs/s ({options.pairs / cpu:.0f} by CPU time)"
            )


def interrupt(options):
    """Seconds from Ctrl-C to the end of a run, and rows that its checkpoint kept."""
    for n_jobs in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", INTERRUPTED, folder, str(n_jobs)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
            for _ in range(options.rows):
                process.stdout.readline()
            os.killpg(process.pid, signal.SIGINT)
            begin = time.perf_counter()
            process.communicate()
            wall = time.perf_counter() - begin
            kept = count_rows(Path(folder, "checkpoint"))[0]
            print(f"n_jobs={n_jobs}: {wall:.2f} s, status {process.returncode}, {kept} rows kept")


INTERRUPTED = """
import sys
from benchmarks.collections import Pairs, infer_directions
path = sys.argv[1] + "/checkpoint"
rows = infer_directions(Pairs(10_000, 100), n_jobs=int(sys.argv[2]), checkpoint=path)
try:
    for row in rows:
        print(row.pair_id, flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


def kills(options):
    """Kill runs at random moments until one ends; its file is that of an undisturbed run."""
    pairs = list(Pairs(options.pairs, 100))
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, output = Path(folder, "checkpoint"), Path(folder, "rows.csv")
        killed = 0
        while True:
            child = os.fork()
            if child == 0:
                stubbed(pairs, 1, checkpoint=checkpoint, rest=0.001).write(output)
                os._exit(0)
            if killed < options.kills:
                time.sleep(draw.uniform(0.01, 2 * options.pairs * 0.001 / options.kills))
                os.kill(child, signal.SIGKILL)
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
                break
            killed += 1
        whole = Path(folder, "whole.csv")
        stubbed(pairs, 1).write(whole)
        lines = count_rows(checkpoint)[0]
        print(
            f"{killed} kills, {lines} rows in the checkpoint for {len(pairs)} pairs, files equal: "
            f"{output.read_bytes() == whole.read_bytes()}"
        )


def commands(options):
    """Run a file of pairs on the command line: rate, memory, a kill and a resume, shards."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, whole, killed = (
            folder / f"{part}.parquet" for part in ("pairs", "whole", "killed")
        )
        write_drawn(source, options.pairs, options.samples)
        base = ["directions", source, "-j", options.jobs]
        seconds, megabytes = watched([*base, "-o", whole])
        print(
            f"{options.pairs} pairs of {options.samples} points: {options.pairs / seconds:.0f} "
            f"pairs/s, {seconds:.0f} s, at most {megabytes:.0f} MB in all processes together"
        )
        watched([*base, "-o", killed], kill_after=seconds / 2)
        done = count_rows(f"{killed}.checkpoint")[0]
        seconds, _ = watched([*base, "-o", killed, "--resume"])
        equal = killed.read_bytes() == whole.read_bytes()
        print(f"killed with {done} rows done, resumed in {seconds:.0f} s; files equal: {equal}")
        if not options.shards:
            return
        parts = []
        for number in range(1, options.shards + 1):
            part = folder / f"part{number}.parquet"
            watched([*base, "-o", part, "--shard", f"{number}/{options.shards}"])
            parts.append(parquet.read_table(part).to_pylist())
        joined = [parts[at % len(parts)][at // len(parts)] for at in range(options.pairs)]
        print("shards joined equal the whole:", joined == parquet.read_table(whole).to_pylist())


def write_drawn(path, n_pairs, n_samples):
    """Write drawn mixtures, a row a pair, some thousands at a time."""
    lists = pyarrow.list_(pyarrow.float64())
    schema = pyarrow.schema({"pair_id": pyarrow.string(), "x": lists, "y": lists})
    with parquet.ParquetWriter(path, schema) as file:
        pairs = iter(Pairs(n_pairs, n_samples))
        while some := list(itertools.islice(pairs, 5000)):
            rows = [{"pair_id": pair.pair_id, "x": pair.x, "y": pair.y} for pair in some]
            file.write_table(pyarrow.Table.from_pylist(rows, schema))


def watched(arguments, kill_after=None):
    """Run a command of anmmm; return its seconds and the most memory of all its processes."""
    command = [sys.executable, "-m", "anmmm", *map(str, arguments)]
    begin, most = time.perf_counter(), 0.0
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    while process.poll() is None:
        most = max(most, session_megabytes(process.pid))
        if kill_after is not None and time.perf_counter() - begin > kill_after:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return kill_after, most
        time.sleep(0.2)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - begin, most


def session_megabytes(session):
    """Resident memory of all processes of a session, by Linux's /proc; shared pages count twice."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = folder.joinpath("stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += int(fields[21]) if int(fields[3]) == session else 0
    return total * resource.getpagesize() / 1e6


def peak_megabytes():
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    programs = parser.add_subparsers(required=True)
    for function, numbers in (
        (throughput, {"pairs": 2000, "samples": 100}),
        (stages, {"pairs": 1000, "samples": 100}),
        (scheduling, {"pairs": 1000}),
        (memory, {"pairs": 100_000}),
        (sinks, {"rows": 100_000}),
        (sources, {"pairs": 100_000, "samples": 100}),
        (files, {"pairs": 100_000, "samples": 100}),
        (interrupt, {"rows": 50}),
        (kills, {"pairs": 2000, "kills": 20, "seed": 0}),
        (commands, {"pairs": 100_000, "samples": 100, "jobs": 2, "shards": 4}),
    ):
        command = programs.add_parser(function.__name__, help=function.__doc__)
        command.set_defaults(function=function)
        for name, default in numbers.items():
            command.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main()
