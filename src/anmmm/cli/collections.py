"""The commands on many pairs."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from anmmm.cli.options import (
    collection_options,
    common_options,
    decision_options,
    fit_options,
    given,
    mechanisms_option,
    refine_option,
    refinement,
    with_options,
)


@click.command()
@click.argument("source")
@click.option(
    "--explain/--no-explain",
    default=None,
    help="With --columns all: mark pairs that one or two other columns explain; adds a fifth to "
    "three quarters of the time.  [default: explain]",
)
@click.option(
    "--screen",
    type=float,
    metavar="RATE",
    help="With --columns all: test all pairs for dependence first, and analyze only those that "
    "pass at this false discovery rate, such as 0.05.",
)
@click.option(
    "--sort",
    type=click.Choice(["confidence"]),
    help="Print the surest first, when all are computed.  [default: in the order of SOURCE]",
)
@click.option("--only", type=click.Choice(["sure"]), help="Print only pairs with a sure direction.")
@click.option(
    "--plot",
    metavar="FILE",
    help="Draw a map of all pairs of a table to this file, .png, .pdf or .svg.",
)
@with_options(*collection_options, *decision_options, *common_options)
def directions(source: str, seed: int, **options: Any) -> None:
    """Infer the direction of every pair of SOURCE.

    SOURCE is "sample" for the real and drawn pairs that come with the package, a folder of pairs in
    the layout of the Tübingen collection, a table with --columns all, or another source
    (docs/guide/collections.md). One line a pair, a direction that is not sure as a leaning; at the
    end how many pairs are related, and the accuracy where true directions are known. With --json,
    one document {"rows": [...], "summary": {...}}.

    With -o, finished pairs are kept in FILE.checkpoint until FILE is complete, also when Ctrl-C, a
    scheduler (SIGTERM) or a closed terminal (SIGHUP) ends the run. --resume goes on with them;
    where there are none it begins, and where FILE is complete it says so and computes nothing,
    whatever FILE was computed from. Without --resume a complete FILE is replaced. Pairs are not
    printed beside FILE where there are more than 1000, or where a table of rows does not tell
    before it was read how many there are.
    """
    from anmmm.cli.run import CollectionRun
    from anmmm.cli.tables import DirectionsTable
    from anmmm.collection import infer_directions

    collection = CollectionRun.taking(source, options)

    options |= fit_options(options.pop("lam"))
    options["missing"] = "drop" if options.pop("drop_missing") else "raise"
    collection.run(
        partial(infer_directions, random_state=seed, **given(**options)), DirectionsTable
    )


@click.command("clusters")
@click.argument("source")
@mechanisms_option
@refine_option
@click.option(
    "--cause",
    metavar="NAME",
    help="Which column is the cause: x or y; truth, as the source says; inferred; auto, the truth "
    "where it is known and inferred otherwise.  [default: auto]",
)
@with_options(*collection_options, *common_options)
def clusters(source: str, seed: int, refine: bool | None, **options: Any) -> None:
    """Label the observations of every pair of SOURCE with their mechanisms.

    SOURCE is as in "anmmm directions". One line a pair with the size of each mechanism; with -o or
    --json also the label of each observation. -o and --resume are as in "anmmm directions".
    """
    from anmmm.cli.run import CollectionRun
    from anmmm.cli.tables import ClustersTable
    from anmmm.collection import cluster_pairs

    collection = CollectionRun.taking(source, options)
    options |= fit_options(options.pop("lam"))
    options["missing"] = "drop" if options.pop("drop_missing") else "raise"
    start = partial(cluster_pairs, random_state=seed, refine=refinement(refine), **given(**options))
    collection.run(start, ClustersTable)
