"""Options that say what a source of pairs is, and what they mean to the library."""

from __future__ import annotations

import csv
from typing import Any

import click

header_option = click.option(
    "--header/--no-header",
    default=None,
    help="Whether the first line of a text table names the columns.  [default: it does if none of "
    "its cells is a number]",
)
categories_option = click.option(
    "--categories",
    metavar="A,B,...",
    help="Columns of a table whose values are mere names, whatever they look like.",
)
source_options = [
    click.option(
        "--format",
        "source_format",
        metavar="NAME",
        help="Format of the source, where its name does not tell.",
    ),
    click.option(
        "--columns",
        multiple=True,
        metavar="A,B|all",
        help="Columns of a table that make a pair, repeatable; all: every two that hold numbers or "
        "categories.",
    ),
    categories_option,
    click.option("--targets", metavar="FILE", help="True directions of the pairs."),
    header_option,
]


def parse_categories(text: str | None) -> list[str] | None:
    """Return what ``--categories`` means: a line of CSV with names of columns."""
    from anmmm.cli.input import InputError

    if text is None:
        return None
    names = next(csv.reader([text]), [])
    if not all(names) or not names:
        raise InputError(f"--categories must be names of columns, such as a,b; found {text!r}")
    return names


def parse_columns(texts: tuple[str, ...]) -> Any:
    """Return what ``--columns`` means to `as_pairs`: lines of CSV with two names, or ``all``."""
    # Needs the numerical core, which help does without.
    from anmmm.cli.input import InputError

    if not texts:
        return None
    if texts == ("all",):
        return "all"
    if "all" in texts:
        raise InputError(
            "--columns all pairs every two columns; leave it out, or the other --columns"
        )
    pairs = [tuple(names) for names in csv.reader(texts)]
    for text, names in zip(texts, pairs, strict=False):
        if len(names) != 2 or not all(names):
            raise InputError(f"--columns must be two names, such as a,b, or all; found {text!r}")
    return pairs
