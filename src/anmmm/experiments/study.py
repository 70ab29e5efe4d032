"""What an experiment is: units of work, each measured by itself, and a report of all of them.

Units come from the experiment's own file, records go to `anmmm.experiments.run`, which computes,
keeps and writes them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """How many data sets, draws and seeds an experiment takes; the numbers of the paper."""

    # A setting of a figure of directions, a column of Table 1, draws from each real pair, and
    # seeds of each fit to the two places' ozone.
    n_datasets: int = 50
    n_clusterings: int = 100
    n_repetitions: int = 50
    n_seeds: int = 5

    @classmethod
    def quick(cls) -> Scale:
        """Return a scale that shows whether everything works, in minutes."""
        return cls(n_datasets=3, n_clusterings=8, n_repetitions=1, n_seeds=1)


@dataclass(frozen=True)
class Unit:
    """A piece of work, found again by its key; `arguments` tell the experiment what to draw."""

    key: str
    arguments: dict[str, Any]

    @classmethod
    def of(cls, **arguments: Any) -> Unit:
        """Make a unit whose key is its arguments."""
        return cls(" ".join(map(str, arguments.values())), arguments)


@dataclass(frozen=True)
class Study:
    """One table or figure of the paper, by its name on the command line."""

    name: str
    title: str
    # Of the tidy table, one row a record.
    columns: Sequence[str]
    # The work, given the scale and the folder of real pairs.
    units: Callable[[Scale, Path | None], list[Unit]]
    # Records of one unit; runs in a worker process.
    measure: Callable[[Unit], list[Record]]
    # Markdown tables of all records, and remarks.
    report: Callable[[list[Record]], tuple[list[str], list[str]]]
    # A Matplotlib figure of all records.
    draw: Callable[[list[Record]], Any]
    # Whether it needs the folder of real pairs.
    needs_data: bool = False


def attempt(compute: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Record]:
    """Run one method: its outcome, None if it failed, and the cells of seconds and problem.

    A failure is a remark of the record and not the end of the experiment.
    """
    start = time.perf_counter()
    try:
        outcome, problem = compute(*args, **kwargs), ""
    except ImportError:
        # Not a property of the data: every unit would fail alike.
        raise
    except Exception as error:
        outcome, problem = None, f"{type(error).__name__}: {error}"
    return outcome, {"seconds": time.perf_counter() - start, "problem": problem}
