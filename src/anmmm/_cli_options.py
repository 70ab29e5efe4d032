"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = [
    "column_options",
    "common_options",
    "confidence_options",
    "criterion_option",
    "jobs_option",
    "max_samples_option",
    "number_or_word",
    "plot_option",
    "with_options",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def number_or_word(context: click.Context, option: click.Parameter, value: str) -> int | str:
    """Take a whole number, or a word, which the library accepts or refuses; a callback.

    Parameters
    ----------
    context, option
        Not needed; click passes them.
    value : str

    Returns
    -------
    int or str
    """
    try:
        return int(value)
    except ValueError:
        return value


column_options = [
    click.option(
        "--x", metavar="NAME|NUMBER", help="First column: name in the header, or number from 1."
    ),
    click.option("--y", metavar="NAME|NUMBER", help="Second column."),
    click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing value."),
]
criterion_option = click.option(
    "--criterion",
    metavar="NAME",
    help="What is compared between the directions: evidence (description length), "
    "the default for single columns; or the dependence of latent and cause: hsic, hsic_ratio, "
    "pvalue.",
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Processes; -1 is one a core. The results do not depend on it.",
)
confidence_options = [
    click.option(
        "--resamples",
        type=click.IntRange(min=0),
        help="Random halves to score too, for the confidence; 10 are calibrated.  [default: 0]",
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
    """Return a decorator that adds options, listed in the help in this order.

    Parameters
    ----------
    *options : decorator
        As `click.option` makes them.

    Returns
    -------
    decorator
    """

    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
