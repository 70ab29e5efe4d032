"""What an experiment is: units of work, each measured by itself, and a report of all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
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
class Study:
    """One table or figure of the paper."""

    title: str
    # The work, given the scale and the folder of real pairs: arguments of `measure`.
    units: Callable[[Scale, str | None], list[dict[str, Any]]]
    # Records of one unit, all with the same columns; runs in a worker process.
    measure: Callable[..., list[Record]]
    # Markdown tables of all records, and remarks.
    report: Callable[[list[Record]], tuple[list[str], list[str]]]
    # A Matplotlib figure of all records.
    draw: Callable[[list[Record]], Any]


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
