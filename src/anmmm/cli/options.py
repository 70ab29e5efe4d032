"""Options of several commands, and their values for the library."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TypeVar

import click

from anmmm.cli.messages import InputError

Command = TypeVar("Command", bound=Callable[..., Any])


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds options, in the order of the help."""

    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given; the other ones have the library's defaults."""
    return {name: value for name, value in options.items() if value is not None}


def number_or_word(context: click.Context, option: click.Parameter, value: str) -> int | str:
    """Return a whole number, or a word for the library to check; a callback."""
    try:
        return int(value)
    except ValueError:
        return value


def parsed_by(parse: Callable[[Any, str], Any]) -> Callable[[Any, click.Parameter, Any], Any]:
    """Return a callback: ``parse(value, "--option")`` of an option that is given, else None."""

    def parse_given(context: click.Context, option: click.Parameter, value: Any) -> Any:
        return None if value in (None, ()) else parse(value, option.opts[0])

    return parse_given


def parse_names(text: str, option: str) -> list[str]:
    """Return the names in a line of CSV."""
    names = next(csv.reader([text]), [])
    if not all(names) or not names:
        raise InputError(f"{option} must be names of columns, such as a,b; found {text!r}")
    return names


def parse_edges(texts: tuple[str, ...], option: str) -> list[tuple[str, ...]]:
    """Return pairs of names, each a line of CSV."""
    return _two_names(texts, f"{option} must be two names, cause and effect, such as a,b")


def _two_names(texts: tuple[str, ...], fault: str) -> list[tuple[str, ...]]:
    pairs = [tuple(names) for names in csv.reader(texts)]
    for text, names in zip(texts, pairs, strict=False):
        if len(names) != 2 or not all(names):
            raise InputError(f"{fault}; found {text!r}")
    return pairs


def parse_pairs(texts: tuple[str, ...]) -> Any:
    """Return ``--pairs`` for `as_pairs`: lines of CSV with two names, or ``all``."""
    if texts == ("all",):
        return "all"
    if "all" in texts:
        raise InputError("--pairs all pairs every two columns; omit it, or the other --pairs")
    return _two_names(texts, "--pairs must be two names, such as a,b, or all")


def plot_option(drawn: str = "the result") -> Callable[[Command], Command]:
    """Return the option ``--plot``; `drawn` is what it draws."""
    text = f"Draw {drawn} to this file, .png, .pdf or .svg."
    return click.option("--plot", metavar="FILE", help=text)


missing_option = click.option(
    "--drop-missing", is_flag=True, help="Leave out rows with a missing value."
)
header_option = click.option(
    "--header/--no-header",
    default=None,
    help="Whether the first line of a text table names the columns.  [default: it does if none of "
    "its cells is a number; with a warning, if these look like names, such as years]",
)
categories_option = click.option(
    "--categories",
    callback=parsed_by(parse_names),
    metavar="A,B,...",
    help="Columns of a table whose values are categories, such as numeric codes.",
)
source_options = [
    click.option(
        "--pairs",
        multiple=True,
        callback=parsed_by(lambda texts, option: parse_pairs(texts)),
        metavar="A,B|all",
        help="Columns of a table that make a pair, repeatable; all: every two that hold numbers or "
        "categories.",
    ),
    categories_option,
    header_option,
]
column_options = [
    click.argument("pair", nargs=-1, metavar="[X Y]"),
    click.option(
        "--x",
        metavar="NAME|NUMBER",
        help="The same as X: name in the header, or number from 1 if no name is digits.",
    ),
    click.option("--y", metavar="NAME|NUMBER", help="The same as Y."),
    header_option,
    missing_option,
]
jobs_option = click.option(
    "-j",
    "--jobs",
    "n_jobs",
    type=int,
    help="Processes; -1 is one per core. Results do not depend on it.  [default: 1]",
)
mechanisms_option = click.option(
    "-k",
    "--n-mechanisms",
    callback=number_or_word,
    metavar="NUMBER|auto",
    default="2",
    show_default=True,
    help="Number of mechanisms; auto chooses it.",
)
refine_option = click.option(
    "--refine/--no-refine",
    default=None,
    help="Refine the clusters of the latent by a mixture of curves, or print them unrefined. "
    "[default: refine, unless one mechanism is much more likely]",
)
force_option = click.option("--force", is_flag=True, help="Replace existing files.")
collection_options = [
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the rows to this file: .csv, .jsonl or .parquet.",
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
        metavar="I/N",
        help="Only every N-th pair, from the I-th on; the N shards are all pairs.",
    ),
    click.option("--dask", metavar="ADDRESS", help="Work on this Dask cluster, tcp://HOST:PORT."),
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
decision_options = [
    click.option(
        "--criterion",
        metavar="NAME",
        help="Quantity that decides the direction: evidence (description length), the default, "
        "which takes no --lam; or the dependence of latent and cause: hsic, hsic_ratio.",
    ),
    click.option(
        "--min-confidence",
        type=float,
        help="Between 0.5 and 1: decisions of less confidence become undecided.",
    ),
    common_cause_option,
    click.option(
        "--prior",
        metavar="learned|flat",
        help="learned: lengths are weighed with plain features, as learned from real pairs. flat: "
        "the lengths alone decide.  [default: learned]",
    ),
    click.option(
        "--max-samples",
        type=click.IntRange(min=10),
        help="Cut larger pairs to a random subsample of this many rows.  [default: all rows]",
    ),
]
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead."
)
common_options = [
    click.option(
        "--lam",
        "fit_options",
        type=float,
        callback=parsed_by(lambda lam, option: {"lam": lam}),
        help="Weight of the independence of latent and cause in the fit of the latent.",
    ),
    click.option(
        "--seed",
        "random_state",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Random seed.",
    ),
    json_option,
]
