"""The commands on many pairs."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from anmmm.cli.options import (
    collection_options,
    common_options,
    decision_options,
    given,
    mechanisms_option,
    refine_option,
    refinement,
    report_unused,
    with_options,
)


@click.command()
@click.argument("source")
@with_options(*collection_options, *decision_options, *common_options)
def directions(
    source: str,
    jobs: int | None,
    criterion: str | None,
    resamples: int | None,
    min_confidence: float | None,
    max_samples: int | None,
    lam: float | None,
    seed: int,
    **collection: Any,
) -> None:
    """Infer the direction of every pair of SOURCE.

    SOURCE is "sample" for the twelve real pairs that come with the package, a folder of pairs in
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

    def start(pairs: Any, **run: Any) -> Any:
        results = infer_directions(
            pairs,
            n_jobs=jobs,
            random_state=seed,
            max_samples=max_samples,
            **given(
                lam=lam, criterion=criterion, n_resamples=resamples, min_confidence=min_confidence
            ),
            **run,
        )
        if criterion in (None, "auto", "evidence"):
            report_unused(lam)
        return results

    CollectionRun(source, **collection).run(start, DirectionsTable)


@click.command("cluster-collection")
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
def cluster_collection(
    source: str,
    n_mechanisms: int | str,
    refine: bool | None,
    cause: str | None,
    jobs: int | None,
    lam: float | None,
    seed: int,
    **collection: Any,
) -> None:
    """Label the observations of every pair of SOURCE with their mechanisms.

    SOURCE is as in "anmmm directions". One line a pair with the size of each mechanism; with -o or
    --json also the label of each observation. -o and --resume are as in "anmmm directions".
    """
    from anmmm.cli.run import CollectionRun
    from anmmm.cli.tables import ClustersTable
    from anmmm.collection import cluster_collection as start_clusters

    start = partial(
        start_clusters,
        n_mechanisms=n_mechanisms,
        refine=refinement(refine),
        n_jobs=jobs,
        random_state=seed,
        **given(lam=lam, cause=cause),
    )
    CollectionRun(source, **collection).run(start, ClustersTable)
