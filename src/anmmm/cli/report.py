"""The command that writes a page about rows."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from anmmm._text import counted
from anmmm.cli.messages import InputError, say
from anmmm.cli.options import force_option, source_options, with_options


@click.command("report")
@click.argument("rows", metavar="ROWS")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="report.html",
    show_default=True,
    help="Write the page to this file, .html.",
)
@with_options(force_option)
@click.option("--source", metavar="SOURCE", help="Draw the pairs: where their data are.")
@with_options(*source_options)
@click.option(
    "--plots",
    type=click.IntRange(min=0),
    default=12,
    show_default=True,
    help="Number of the most certain pairs to show, and of the least certain ones.",
)
def report_command(
    rows: str, output: str, force: bool, source: str | None, plots: int, **options: Any
) -> None:
    """Write one HTML page about ROWS, a file of "anmmm directions -o".

    Counts and accuracies, which decisions to trust, the most and the least certain pairs, and why
    pairs have no result. With --source, named as in "anmmm directions", the pairs are drawn. The
    page needs no other file and no network.
    """
    from anmmm.cli.input import echo_warnings, input_errors
    from anmmm.cli.output import PAGES, check_file
    from anmmm.collection import as_pairs
    from anmmm.report import write_report

    for name, value in options.items():
        if source is None and value is not None:
            raise InputError(f"--{name} is for the data of the pairs; name these with --source")
    # A folder of pairs may contain the page, which is not a pair.
    sources = [each for each in (rows, source) if each is not None and not os.path.isdir(each)]
    check_file(output, PAGES, *sources, force=force)
    with input_errors(), echo_warnings():
        pairs = None if source is None else as_pairs(source, **options)
        report = write_report(
            rows,
            output,
            source=pairs,
            n_plots=plots,
            progress=sys.stderr.isatty(),
            force=force,
        )
    if report.n_not_in_source:
        say(f"{counted(report.n_not_in_source, 'pair')} to be drawn not found in {source}")
    drawn = "" if source is None else f", {report.n_drawn} pairs drawn"
    say(f"report of {counted(report.summary.n_pairs, 'row')} written to {output}{drawn}")
