"""Options that several commands share, and what commands do with options."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anmmm._words import counted
from anmmm.cli.source import header_option, source_options
from anmmm.cli.text import readable

if TYPE_CHECKING:
    from anmmm.cli.input import Columns

Command = TypeVar("Command", bound=Callable[..., Any])


def number_or_word(context: click.Context, option: click.Parameter, value: str) -> int | str:
    """Take a whole number, or a word, which the library accepts or refuses; a callback."""
    try:
        return int(value)
    except ValueError:
        return value


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given; the library knows the defaults of the others."""
    return {name: value for name, value in options.items() if value is not None}


def say(message: str) -> None:
    """Print a message to standard error."""
    click.echo(readable(message), err=True)


def report_unused(lam: float | None) -> None:
    """Say that ``--lam`` has no effect, if it was given."""
    if lam is not None:
        say("--lam is not used: the criterion evidence decides without a latent")


def report_dropped(columns: Columns) -> None:
    """Say how many rows were left out."""
    if columns.n_dropped:
        say(f"{counted(columns.n_dropped, 'row')} with a missing value left out")


def ignore_convergence() -> None:
    """Leave a fit that did not converge to the text that is printed."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)


def refinement(refine: bool | None) -> str | None:
    """Return what the library calls ``--refine``, ``--no-refine`` and neither."""
    return {None: "auto", True: "em", False: None}[refine]


column_options = [
    click.option(
        "--x", metavar="NAME|NUMBER", help="First column: name in the header, or number from 1."
    ),
    click.option("--y", metavar="NAME|NUMBER", help="Second column."),
    header_option,
    click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing value."),
]
criterion_option = click.option(
    "--criterion",
    metavar="NAME",
    help="What is compared between the directions: evidence (description length), "
    "the default; or the dependence of latent and cause: hsic, hsic_ratio, pvalue.",
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Processes; -1 is one a core. The results do not depend on it.",
)
mechanisms_option = click.option(
    "-k",
    "--mechanisms",
    "n_mechanisms",
    callback=number_or_word,
    metavar="NUMBER|auto",
    default="2",
    show_default=True,
    help="Number of mechanisms; auto chooses it.",
)
refine_option = click.option(
    "--refine/--no-refine",
    default=None,
    help="Refine the clusters of the latent by EM on smooth mechanisms, or print them as they are. "
    "[default: refine, unless one mechanism is far more likely]",
)
collection_options = [
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the rows to this file: .csv, .jsonl or .parquet.",
    ),
    click.option(
        "-j",
        "--jobs",
        type=int,
        help="Processes; -1 is one a core. The results do not depend on it.  [default: 1]",
    ),
    click.option(
        "--resume",
        is_flag=True,
        help="Go on with a run to the same FILE: begin, continue, or leave FILE as it is where it "
        "is complete.  [default: compute all, replace FILE]",
    ),
    *source_options,
    click.option(
        "--shard",
        metavar="I/N",
        help="Only every N-th pair, from the I-th on; the N shards are the whole.",
    ),
    click.option("--dask", metavar="ADDRESS", help="Work on this Dask cluster, tcp://HOST:PORT."),
    click.option(
        "--timings",
        is_flag=True,
        help="Fill the column seconds; two runs then no longer write the same file.",
    ),
]
confidence_options = [
    click.option(
        "--resamples",
        type=click.IntRange(min=0),
        help="Random halves to score too, for the confidence; 10 are calibrated. The criterion "
        "evidence has a confidence without them.  [default: 0]",
    ),
    click.option(
        "--min-confidence",
        type=float,
        help="Between 0.5 and 1: leave a decision of less confidence undecided.",
    ),
]
max_samples_option = click.option(
    "--max-samples",
    type=click.IntRange(min=10),
    help="Cut larger pairs to a random subsample of this many rows.  [default: all rows]",
)
plot_option = click.option(
    "--plot", metavar="FILE", help="Draw the result to this file, .png, .pdf or .svg."
)
common_options = [
    click.option(
        "--lam",
        type=float,
        help="Weight of the independence of latent and cause in the fit of the latent.",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead."),
]


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds options, listed in the help in this order."""

    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
