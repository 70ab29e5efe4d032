"""Experiments run, resume, and write their tables and figures.

Studies come in; for each a tidy CSV, a Markdown report and its figure as PNG and PDF go out.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

import joblib
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from anmmm._files import atomic_writer, write_csv
from anmmm._hash import content_hash
from anmmm._runlog import RunLog
from anmmm._threads import single_thread
from anmmm._version import __version__
from anmmm._warm import warm_up
from anmmm._workers import starting_workers, worker_options
from anmmm.baselines import DIRECTION_BASELINES
from anmmm.collection.stream import check_jobs
from anmmm.datasets import make_anm_mixture
from anmmm.experiments.directions import BASELINES
from anmmm.experiments.study import Record, Scale, Study, Unit
from anmmm.experiments.tables import failures
from anmmm.plotting import matplotlib_module, written_by

STUDIES = ("table1", "fig3", "fig4", "fig5", "fig6")
_DPI = 150


@dataclass(frozen=True)
class Reproduced:
    """What `reproduce` wrote for one table or figure.

    Attributes
    ----------
    name, title : str
    text : str
        The report in Markdown.
    remarks : tuple of str
    files : tuple of Path
        Records (CSV), report (Markdown), figure (PNG, PDF).
    """

    name: str
    title: str
    text: str
    remarks: tuple[str, ...]
    files: tuple[Path, ...]


def reproduce(
    names: Sequence[str] = STUDIES,
    output: str | os.PathLike[str] = "reproduction",
    *,
    data: str | os.PathLike[str] | None = None,
    quick: bool = False,
    n_jobs: int = 1,
    progress: bool = False,
    done: Callable[[Reproduced], None] | None = None,
) -> list[Reproduced]:
    """Run experiments of the paper and write their tables and figures.

    Parameters
    ----------
    names : sequence of {"table1", "fig3", "fig4", "fig5", "fig6"}
    output : path-like
        Folder, made if need be. Finished work is kept in it, one file a study: the same call goes
        on where an interrupted one stopped, and only writes the report anew when all is done.
    data : path-like, optional
        Folder of the Tübingen pairs, for figure 5.
    quick : bool
        Few data sets each: to see that everything works, not to quote.
    n_jobs : int
        Processes; -1 is one a core. The results do not depend on it, times apart.
    progress : bool
        Whether to show progress bars on standard error.
    done : callable, optional
        Called with each `Reproduced` as soon as it is written.

    Returns
    -------
    list of Reproduced
        In the order of `names`.

    Raises
    ------
    ImportError
        If an optional library is missing (``pip install "anmmm[baselines,plot]"``), before anything
        is computed.
    ValueError
        If a name is unknown, a folder is missing, or `output` holds work of a run with other
        settings.
    OSError
        If a folder cannot be read or written.
    """
    unknown = sorted(set(names) - set(STUDIES))
    if unknown:
        raise ValueError(f"unknown experiment {', '.join(unknown)}; there are {', '.join(STUDIES)}")
    check_jobs(n_jobs)
    studies: list[Study] = [
        import_module(f"anmmm.experiments.{name}").STUDY for name in dict.fromkeys(names)
    ]
    folder, scale = Path(output), Scale.quick() if quick else Scale()
    data = None if data is None else Path(data)
    _require(studies, data)
    # Once here, and not in every worker at the same time.
    warm_up()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for study in studies:
        records = _records(study, folder, scale, data, n_jobs, progress)
        reproduced = _write(study, records, folder)
        written.append(reproduced)
        if done is not None:
            done(reproduced)
    return written


def _require(studies: Sequence[Study], data: Path | None) -> None:
    """Raise now what would otherwise be raised after hours."""
    matplotlib_module("figure")
    if any(study.name in ("fig3", "fig4", "fig5") for study in studies):
        x, y, _ = make_anm_mixture("f3", 30, random_state=0)
        for name in BASELINES:
            DIRECTION_BASELINES[name]().direction(x, y, random_state=0)
    for study in studies:
        study.units(Scale.quick(), data)


def _records(
    study: Study, folder: Path, scale: Scale, data: Path | None, n_jobs: int, progress: bool
) -> list[Record]:
    units = study.units(scale, data)
    header = {
        "experiment": study.name,
        "version": __version__,
        "scale": asdict(scale),
        "data": _identity(data) if study.needs_data and data else None,
    }
    finished: list[list[Record] | None] = [None] * len(units)
    with RunLog(folder / f"{study.name}.progress") as log:
        log.begin(header)
        for at, unit in enumerate(units):
            row = log.find(at)
            if row is not None and row[0] == unit.key:
                finished[at] = row[1]
        missing = [at for at, records in enumerate(finished) if records is None]
        bar = tqdm(
            total=len(units),
            initial=len(units) - len(missing),
            desc=study.name,
            unit="data set",
            file=sys.stderr,
            # A line now and then where it is not read as it grows.
            mininterval=0.1 if sys.stderr.isatty() else 30.0,
            disable=not progress,
        )
        options = {"return_as": "generator_unordered", **worker_options()}
        with bar, joblib.Parallel(n_jobs=n_jobs, **options) as parallel:
            with starting_workers():
                work = parallel(
                    joblib.delayed(_measure)(study.name, at, units[at]) for at in missing
                )
            for at, records in work:
                log.add([(at, units[at].key, records)])
                finished[at] = records
                bar.update()
    # In the order of the units, whatever order they were finished in.
    return [record for records in finished for record in records or ()]


def _measure(name: str, at: int, unit: Unit) -> tuple[int, list[Record]]:
    study: Study = import_module(f"anmmm.experiments.{name}").STUDY
    # As everywhere in the package's collections: digits do not depend on the number of cores.
    with single_thread(), warnings.catch_warnings():
        # Baselines stop early on single data sets; what counts is the score they then give.
        for category in (ConvergenceWarning, RuntimeWarning, UserWarning):
            warnings.simplefilter("ignore", category)
        return at, study.measure(unit)


def _identity(folder: Path) -> str:
    """Hash of the pairs' files, so that another collection is not taken for this one."""
    files = sorted(folder.glob("pair*.txt"))
    return content_hash(*((file.name, file.read_bytes()) for file in files))[:16]


def _write(study: Study, records: list[Record], folder: Path) -> Reproduced:
    tables, remarks = study.report(records)
    remarks = [*remarks, *failures(records)]
    table = folder / f"{study.name}.csv"
    write_csv(table, study.columns, records)
    figure = study.draw(records)
    pictures = [folder / f"{study.name}.{suffix}" for suffix in ("png", "pdf")]
    for picture in pictures:
        with atomic_writer(picture, binary=True) as file:
            kind = picture.suffix[1:]
            figure.savefig(file, dpi=_DPI, format=kind, metadata=written_by(kind))
    parts = [f"## {study.title}", f"![{study.title}]({study.name}.png)", *tables]
    if remarks:
        parts.append("\n".join(f"- {remark}" for remark in remarks))
    text = "\n\n".join(parts) + "\n"
    page = folder / f"{study.name}.md"
    with atomic_writer(page) as file:
        file.write(text)
    return Reproduced(study.name, study.title, text, tuple(remarks), (table, page, *pictures))
