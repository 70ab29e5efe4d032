"""The commands on many pairs."""

from __future__ import annotations

from typing import Any

import click

from anmmm.cli.options import (
    collection_options,
    common_options,
    decision_options,
    mechanisms_option,
    plot_option,
    refine_option,
    with_options,
)


@click.command()
@click.argument("source")
@click.option(
    "--explain/--no-explain",
    default=None,
    help="With --pairs all: mark pairs without further dependence given one or two other "
    "columns; adds a third to five quarters of the time.  [default: explain]",
)
@click.option(
    "--screen",
    type=float,
    metavar="RATE",
    help="With --pairs all: test all pairs for dependence first, and analyze only those that "
    "pass at this false discovery rate, such as 0.05.",
)
@plot_option("a map of all pairs of a table")
@with_options(*collection_options, *decision_options, *common_options)
def directions(source: str, **options: Any) -> None:
    """Infer the direction of every pair of SOURCE.

    SOURCE is "sample" for the real and drawn pairs that come with the package, a folder of pairs in
    the layout of the Tübingen collection, a table with --pairs all, or another source
    (docs/guide/collections.md). Prints one line per pair, with the relations that are
    plausible; then the number of related pairs, and the accuracy if true directions are known. With
    --json, prints one document {"rows": [...], "summary": {...}}.

    With -o, finished pairs are kept in FILE.checkpoint until FILE is complete, also if Ctrl-C, a
    scheduler (SIGTERM) or a closed terminal (SIGHUP) ends the run. --resume continues from them. If
    there are none it starts, and if FILE is complete it computes nothing, whatever FILE was
    computed from. Without --resume an existing FILE is replaced only with --force. With -o, pairs
    are printed only if their number is known and at most 1000.
    """
    from anmmm.cli.run import CollectionRun
    from anmmm.cli.tables import DirectionsTable
    from anmmm.collection import infer_directions

    CollectionRun.of(source, options).run(infer_directions, options, DirectionsTable)


@click.command("clusters")
@click.argument("source")
@mechanisms_option
@refine_option
@click.option(
    "--cause",
    metavar="NAME",
    help="Which column is the cause: x or y; truth, that of the source; inferred; auto, the truth "
    "if it is known, else inferred.  [default: auto]",
)
@with_options(*collection_options, *common_options)
def clusters(source: str, **options: Any) -> None:
    """Label the observations of every pair of SOURCE with their mechanisms.

    SOURCE, -o and --resume are as in "anmmm directions". Prints one line per pair with the size of
    each mechanism; -o and --json include the label of each observation.
    """
    from anmmm.cli.run import CollectionRun
    from anmmm.cli.tables import ClustersTable
    from anmmm.collection import cluster_pairs

    CollectionRun.of(source, options).run(cluster_pairs, options, ClustersTable)
