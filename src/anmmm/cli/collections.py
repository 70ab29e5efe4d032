"""The commands on many pairs: directions, mechanisms and accuracies, and a page about rows."""

from __future__ import annotations

from typing import Any

import click

from anmmm.cli.messages import InputError, has_terminal, say, show
from anmmm.cli.options import (
    collection_options,
    common_options,
    decision_options,
    force_option,
    given,
    jobs_option,
    max_samples_option,
    mechanisms_option,
    source_options,
    with_options,
)


@click.command()
@click.argument("source")
@with_options(*collection_options, *decision_options, max_samples_option)
@with_options(*common_options)
def directions(source: str, **options: Any) -> None:
    """Infer the direction of every pair of SOURCE.

    SOURCE is "sample" for the real and drawn pairs that come with the package, a folder of pairs in
    the layout of the Tübingen collection, a table with --pairs all, or another source
    (docs/guide/collections.md). Prints one line per pair, with the relations that are plausible,
    unless -o writes them to a file; then the number of related pairs, and the accuracy if true
    directions are known. With --json, prints one document {"rows": [...], "summary": {...}}.

    With -o, finished pairs are kept in FILE.checkpoint until FILE is complete, however the run
    ends. --resume continues from them, with the same options. If there are none it starts, and if
    FILE is complete it computes nothing, whatever FILE was computed from. Without --resume an
    existing FILE is replaced only with --force.
    """
    from anmmm.cli.run import run_collection
    from anmmm.collection import infer_directions

    run_collection(infer_directions, source, **options)


@click.command("clusters")
@click.argument("source")
@mechanisms_option
@click.option(
    "--cause",
    metavar="NAME",
    help="Which column is the cause: x, y, or auto: the true one if it is known, else inferred.  "
    "[default: auto]",
)
@with_options(*collection_options, *common_options)
def clusters(source: str, **options: Any) -> None:
    """Label the observations of every pair of SOURCE with their mechanisms.

    SOURCE, -o and --resume are as in "anmmm directions". Prints one line per pair with the size of
    each mechanism; the rows of -o and --json include the label of each observation.
    """
    from anmmm.cli.run import run_collection
    from anmmm.collection import cluster_pairs

    run_collection(cluster_pairs, source, **options)


@click.command("evaluate")
@click.argument("source")
@with_options(*decision_options, max_samples_option, jobs_option, *common_options)
def evaluate_command(source: str, as_json: bool, **options: Any) -> None:
    """Measure how good the decisions of a criterion are.

    SOURCE has pairs of known direction: "sample", or a folder with pairmeta.txt, as in "anmmm
    directions".
    """
    from anmmm._files import to_json_document
    from anmmm.evaluation import evaluate

    result = evaluate(source, progress=has_terminal(), **given(options))
    if as_json:
        click.echo(to_json_document(result.to_dict()))
    else:
        show(str(result))


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
    "--n-plots",
    type=int,
    default=12,
    show_default=True,
    help="Number of the most certain pairs to show, and of the least certain ones.",
)
def report_command(
    rows: str, output: str, force: bool, source: str | None, n_plots: int, **options: Any
) -> None:
    """Write one HTML page about ROWS, a file of "anmmm directions -o".

    Counts and accuracies, what was assumed, which decisions to trust, the most and the least
    certain pairs, and the notes. With --source, named as in "anmmm directions", the pairs are
    drawn. The page needs no other file and no network.
    """
    from anmmm.cli.output import PAGES, check_file
    from anmmm.collection import as_pairs
    from anmmm.report import write_report

    if source is None and set(options.values()) != {None}:
        raise InputError("--pairs, --categories and --header are for --source")
    check_file(output, PAGES, rows, source, force=force)
    pairs = None if source is None else as_pairs(source, **options)
    write_report(rows, output, source=pairs, n_plots=n_plots, progress=has_terminal(), force=force)
    say(f"report written to {output}")
