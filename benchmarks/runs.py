"""Tables of finished work that a killed run goes on with: what all runners share."""

from __future__ import annotations

import argparse
import ast
import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from tqdm import tqdm

from anmmm import warm_up

Row = dict[str, Any]
# The method that is ours, among others.
OURS = "anmmm"
# Seconds after which finished rows are written.
WRITE_EVERY = 20.0


def run(
    path: Path, tasks: Sequence[Row], work: Callable[..., Row], keys: Sequence[str], n_jobs: int
) -> pd.DataFrame:
    """Add a row for each task to a Parquet file, in the order of the tasks, and return them.

    tasks: arguments of `work`. keys: columns that tell rows apart; a task whose keys a row of the
    file has is skipped. Rows of other tasks stay, before the new ones.
    """
    done: dict[tuple[Any, ...], Row] = {}
    if path.exists():
        for row in pd.read_parquet(path).to_dict("records"):
            done[tuple(row[key] for key in keys)] = row
    open_tasks = [task for task in tasks if tuple(task[key] for key in keys) not in done]
    written = time.monotonic()
    for row in tqdm(
        joblib.Parallel(n_jobs, return_as="generator")(
            joblib.delayed(_quietly)(work, task) for task in open_tasks
        ),
        total=len(open_tasks),
        disable=None,
    ):
        done[tuple(row[key] for key in keys)] = row
        if time.monotonic() - written > WRITE_EVERY:
            _write(path, list(done.values()))
            written = time.monotonic()
    _write(path, list(done.values()))
    return pd.DataFrame(list(done.values()))


def _quietly(work: Callable[..., Row], task: Row) -> Row:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return task | work(**task)


def _write(path: Path, rows: list[Row]) -> None:
    """Write rows to a new file that then takes the place of the old one."""
    temporary = path.with_name(path.name + ".new")
    pd.DataFrame(rows).to_parquet(temporary, index=False)
    os.replace(temporary, path)


def parser(
    doc: str | None, names: str, methods: Sequence[str], sizes: bool = True
) -> argparse.ArgumentParser:
    """Return the arguments of a runner on drawn data."""
    arguments = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("names", nargs="+", metavar=names)
    if sizes:
        arguments.add_argument(
            "-n", "--n", type=int, nargs="+", default=[300], help="rows of a pair"
        )
    arguments.add_argument("--seeds", type=seed_range, default=range(20), metavar="FIRST:END")
    add_run_options(arguments, methods)
    return arguments


def add_run_options(arguments: argparse.ArgumentParser, methods: Sequence[str]) -> None:
    """Add what all runners have: the method, its options, the output and processes."""
    arguments.add_argument("--method", default=OURS, choices=methods)
    arguments.add_argument(
        "--options",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="arguments of the function, such as common_cause=False",
    )
    arguments.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.parquet")
    arguments.add_argument("-j", "--jobs", type=int, default=1, help="processes")


def read_common(given: argparse.Namespace) -> Row:
    """Return the columns of all tasks: the method, and its options as JSON."""
    options = json.dumps(read_options(given.options), sort_keys=True)
    return {"method": given.method, "options": options}


def seed_range(text: str) -> range:
    """Read seeds as Python reads a slice: 0:60 is 0 to 59."""
    first, colon, end = text.partition(":")
    try:
        seeds = range(int(first), int(end)) if colon else range(int(text))
    except ValueError:
        seeds = range(0)
    if not seeds or seeds[0] < 0:
        raise argparse.ArgumentTypeError(f"expected seeds as FIRST:END, found {text!r}")
    return seeds


@cache
def load_kernels() -> None:
    """Load the kernels, or compile them, once a process: no part of the time of a decision."""
    warm_up()


def read_options(items: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE; a value that is no Python literal is text."""
    options: dict[str, Any] = {}
    for item in items:
        name, _, value = item.partition("=")
        try:
            options[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            options[name] = value
    return options
