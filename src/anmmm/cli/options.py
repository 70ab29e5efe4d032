"""Options of several commands, named as the arguments of the library, and their values."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds options, in the order of the help."""

    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given; the other ones have the library's defaults."""
    return {name: value for name, value in options.items() if value not in (None, ())}


def as_number(text: str) -> int | str:
    """Return a whole number, or a word for the library to check."""
    return int(text) if text.isdecimal() else text


def _cells(text: str) -> list[str]:
    """Return the cells of a line of CSV."""
    try:
        return next(csv.reader([text]))
    except csv.Error as error:
        raise click.BadParameter(f"must be a line of CSV; found {text!r} ({error})") from None


def as_names(text: str) -> list[str]:
    """Return the names in a line of CSV."""
    names = _cells(text)
    if not all(names):
        raise click.BadParameter(f"must be names of columns, such as a,b; found {text!r}")
    return names


def as_two_names(text: str) -> tuple[str, ...]:
    """Return the two names in a line of CSV."""
    names = tuple(_cells(text))
    if len(names) != 2 or not all(names):
        raise click.BadParameter(f"must be two names, such as a,b; found {text!r}")
    return names


def as_shard(text: str) -> tuple[int, int]:
    """Return the number of a shard, from 1, and how many there are."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal()):
        raise click.BadParameter(f"must be I/N, such as 2/8, found {text!r}")
    return int(number), int(count)


def all_or_pairs(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Any:
    """Return ``--pairs`` for `as_pairs`: pairs of names, ``"all"``, or None."""
    if texts == ("all",):
        return "all"
    return [as_two_names(text) for text in texts] or None


plot_option = click.option(
    "--plot", metavar="FILE", help="Draw the result to this file, .png, .pdf or .svg."
)
missing_option = click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    default="raise",
    show_default=True,
    help="Whether missing values are an error, or rows with them are left out.",
)
header_option = click.option(
    "--header/--no-header",
    default=None,
    help="Whether the first line of a text table names the columns.  [default: it does if none of "
    "its cells is a number; with a warning, if these look like names, such as years]",
)
categories_option = click.option(
    "--categories",
    type=as_names,
    metavar="A,B,...",
    help="Columns of a table whose values are categories, such as numeric codes.",
)
source_options = [
    click.option(
        "--pairs",
        multiple=True,
        callback=all_or_pairs,
        metavar="A,B|all",
        help="Columns of a table that make a pair, repeatable; all: every two that hold numbers or "
        "categories.",
    ),
    categories_option,
    header_option,
]
column_options = [
    click.argument("pair", nargs=-1, metavar="[X Y]"),
    header_option,
    missing_option,
]
jobs_option = click.option(
    "-j",
    "--n-jobs",
    type=int,
    help="Processes; -1 is one per core. Results do not depend on it.  [default: 1]",
)
mechanisms_option = click.option(
    "-k",
    "--n-mechanisms",
    type=as_number,
    metavar="NUMBER|auto",
    default="auto",
    show_default=True,
    help="Number of mechanisms; auto chooses it.",
)
force_option = click.option("--force", is_flag=True, help="Replace existing files.")
collection_options = [
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the rows to this file: .csv or .parquet.",
    ),
    force_option,
    jobs_option,
    click.option(
        "--resume",
        is_flag=True,
        help="Start or continue a run to the same FILE; a complete FILE stays as it is. "
        "[default: compute all]",
    ),
    *source_options,
    missing_option,
    click.option(
        "--shard",
        type=as_shard,
        metavar="I/N",
        help="Only every N-th pair, from the I-th on; the N shards are all pairs.",
    ),
    click.option(
        "--skip",
        multiple=True,
        metavar="ID",
        help="Leave out the pair of this id, such as one that ends its worker; repeatable.",
    ),
]
common_cause_option = click.option(
    "--common-cause/--no-common-cause",
    default=None,
    help="Whether to try a hidden common cause of both variables (a confounder). Without it "
    "confounded pairs may get a sure direction.  [default: try it]",
)
prior_option = click.option(
    "--prior",
    metavar="learned|flat",
    help="learned: lengths are weighed with plain features, as learned from real pairs. flat: "
    "the lengths alone decide.  [default: learned]",
)
decision_options = [
    click.option(
        "--criterion",
        metavar="NAME",
        help="Quantity that decides the direction: evidence (description length), the default; or "
        "the dependence of latent and cause: hsic, hsic_ratio.",
    ),
    common_cause_option,
    prior_option,
]
max_samples_option = click.option(
    "--max-samples",
    type=click.IntRange(min=10),
    help="Cut larger pairs to a random subsample of this many rows.  [default: all rows]",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead."
)
common_options = [
    click.option(
        "--random-state",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Random seed.",
    ),
    json_option,
]
