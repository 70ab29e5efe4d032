"""Mechanism labels of many pairs, in parallel, streamed in the order of the source."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm._typing import Missing, RandomState, StrPath
from anmmm._validation import check_choice
from anmmm._warning import default_float_errors
from anmmm.clustering import cluster_mechanisms
from anmmm.clustering.cluster import refuse_levels
from anmmm.clustering.options import ClusteringOptions
from anmmm.collection.records import PairClusters
from anmmm.collection.results import PairResults
from anmmm.collection.run import run_pairs
from anmmm.collection.task import PairTask, as_seed, dropped_note, joined, pair_metadata
from anmmm.datasets import Pair
from anmmm.direction import infer_direction
from anmmm.direction.outcome import INDEPENDENT
from anmmm.gppom import FitOptions

CAUSES = ("auto", "x", "y")


@default_float_errors()
def cluster_pairs(
    source: Any,
    n_mechanisms: int | str = "auto",
    *,
    cause: str = "auto",
    pairs: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    random_state: RandomState = 0,
    checkpoint: StrPath | None = None,
    shard: tuple[int, int] | None = None,
    skip: Sequence[str] = (),
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    missing: Missing = "raise",
) -> PairResults[PairClusters]:
    """Label the observations of every pair of a collection with their mechanisms.

    Parameters
    ----------
    source : str, path-like, mapping or iterable
        As in `anmmm.infer_directions`.
    n_mechanisms : int or "auto"
        Number of mechanisms of every pair; ``"auto"`` chooses it pair by pair.
    cause : {"auto", "x", "y"}
        The variable used as the cause; ``"auto"``: the true one of the source if it is known, else
        that of `anmmm.infer_direction`. An undecided pair is unusable. The row has the variable and
        `cause_source`.
    pairs, n_jobs, progress, random_state, checkpoint, shard, skip
        As in `anmmm.infer_directions`.
    fit_options : FitOptions or mapping, optional
        Options of the GPPOM of a pair; see `anmmm.cluster_mechanisms`.
    missing : {"raise", "drop"}
        Whether pairs with incomplete rows are unusable, or used without these.

    Returns
    -------
    PairResults
        Sequence of `PairClusters` in the order of the source, as in `anmmm.infer_directions`.

    Raises
    ------
    TypeError, ValueError, OSError, RuntimeError
        As `anmmm.infer_directions`.

    Examples
    --------
    >>> from anmmm.collection import cluster_pairs
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    >>> rows = cluster_pairs({"a": (x, y), "b": (y, x)}, 2, random_state=0)
    >>> [(row.pair_id, row.cause, row.cause_source, sum(row.sizes)) for row in rows]
    [('a', 'x', 'inferred', 60), ('b', 'y', 'inferred', 60)]
    """
    cause = check_choice(cause, "cause", CAUSES)
    options: dict[str, Any] = {"n_mechanisms": n_mechanisms, "fit_options": fit_options}
    ClusteringOptions.check(**options)
    return run_pairs(
        ClusterTask(options, missing, as_seed(random_state), cause=cause),
        source,
        pairs=pairs,
        n_jobs=n_jobs,
        progress=progress,
        checkpoint=checkpoint,
        shard=shard,
        skip=skip,
    )


class ClusterTask(PairTask):
    """Mechanism labels of one pair."""

    cause: str = "auto"

    record = PairClusters

    def analyze(self, index: int, pair: Pair) -> PairClusters:
        seed, direction_seed = self.seeds(index)
        checked = pair.univariate()
        with warnings.catch_warnings():
            # The row reports it.
            warnings.simplefilter("ignore", ConvergenceWarning)
            direction, cause_source = self._direction(checked, direction_seed)
            cause, effect = pair.names[::direction]
            cause_values, effect_values = (checked.x, checked.y)[::direction]
            refuse_levels(effect_values, effect)
            result = cluster_mechanisms(
                cause_values, effect_values, random_state=seed, **self.options
            )
        unrefined = "" if result.refined else "labels not refined: "
        notes = [dropped_note(pair), *(unrefined + note for note in result.notes)]
        if not result.fit.converged:
            notes.append(f"the fit did not converge ({result.fit.status}): raise max_iter")
        return PairClusters(
            **pair_metadata(pair, "ok", joined(*notes)),
            cause=cause,
            effect=effect,
            cause_source=cause_source,
            n_mechanisms=result.n_mechanisms,
            labels=tuple(result.labels.tolist()),
            sizes=tuple(np.asarray(result.sizes).tolist()),
            refined=result.refined,
            converged=result.fit.converged,
        )

    def _direction(self, pair: Pair, seed: int) -> tuple[int, str]:
        """Return the direction of the cause, 1 or -1, and where it is known from."""
        if self.cause in ("x", "y"):
            return (1 if self.cause == "x" else -1), "given"
        if pair.truth in (1, -1):
            return pair.truth, "truth"
        result = infer_direction(pair.x, pair.y, random_state=seed)
        if result.relation == INDEPENDENT:
            raise ValueError("x and y are independent: no mechanisms")
        if result.direction == 0:
            raise ValueError("the direction is undecided")
        return result.direction, "inferred"
