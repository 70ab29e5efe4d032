"""What an experiment is: units of work, each measured by itself, and a report of all of them.

Units come from the experiment's own file, records go to `anmmm.experiments.run`, which computes,
keeps and writes them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "Measured",
    "Record",
    "Report",
    "Scale",
    "Study",
    "Table",
    "Unit",
    "attempt",
    "needed",
]

Record = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is run.

    Attributes
    ----------
    n_datasets : int
        Data sets a setting of a table or figure of directions (50 in the paper).
    n_clusterings : int
        Data sets a column of Table 1 (100 in the paper).
    n_repetitions : int
        Draws of 90 points from each real pair (50 in the paper).
    n_seeds : int
        Seeds of each fit to the two places' ozone.
    """

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
    """A piece of work: one data set, measured by every method.

    Attributes
    ----------
    key : str
        Name within its experiment, by which finished work is found again.
    arguments : dict
        Plain values that tell the experiment what to draw.
    """

    key: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes
    ----------
    title : str
    header : sequence of str
    rows : sequence of sequence of str
    note : str
        What a reader must know to read it.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Report:
    """What is written about an experiment: tables, and remarks on what failed."""

    tables: Sequence[Table]
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class Study:
    """One table or figure of the paper.

    Attributes
    ----------
    name : str
        As the command line has it.
    title : str
    columns : sequence of str
        Columns of the tidy table, one row a record.
    units : callable
        ``units(scale, data)``: the work, given a `Scale` and the folder of real pairs or None.
    measure : callable
        ``measure(unit)``: records of one unit; runs in a worker process.
    report : callable
        ``report(records)``: a `Report`.
    draw : callable
        ``draw(records, data)``: a Matplotlib figure.
    needs_data : bool
        Whether it needs the Tübingen folder.
    """

    name: str
    title: str
    columns: Sequence[str]
    units: Callable[[Scale, Path | None], list[Unit]]
    measure: Callable[[Unit], list[Record]]
    report: Callable[[list[Record]], Report]
    draw: Callable[[list[Record], Path | None], Any]
    needs_data: bool = False


@dataclass
class Measured:
    """Records of one unit while it is measured.

    Parameters
    ----------
    common : mapping
        Cells that all records of the unit share.
    """

    common: Mapping[str, Any]
    records: list[Record] = field(default_factory=list)

    def add(self, method: str, *, value: float | None, **cells: Any) -> None:
        """Keep one outcome."""
        self.records.append({**self.common, "method": method, "value": value, **cells})


def attempt(compute: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, float, str]:
    """Run one method; a failure is a remark of the record and not the end of the experiment.

    Parameters
    ----------
    compute : callable
    *args, **kwargs
        What it is called with.

    Returns
    -------
    outcome : Any
        None where it failed.
    seconds : float
    problem : str
        The exception, or nothing.
    """
    start = time.perf_counter()
    try:
        outcome, problem = compute(*args, **kwargs), ""
    except ImportError:
        # Not a property of the data: every unit would fail alike.
        raise
    except Exception as error:
        outcome, problem = None, f"{type(error).__name__}: {error}"
    return outcome, time.perf_counter() - start, problem


def needed(data: Path | None, name: str) -> Path:
    """Return the folder of real pairs that a study cannot do without.

    Parameters
    ----------
    data : Path or None
    name : str
        Of the study.

    Raises
    ------
    ValueError
        If there is none.
    """
    if data is None:
        raise ValueError(
            f"{name} needs the folder of the Tübingen pairs; give it with data (--data)"
        )
    return data
