"""One pair of a collection: checked, cut to size, analysed; always a row, never an exception."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm._threads import single_thread
from anmmm._validation import as_pair
from anmmm.datasets import Pair
from anmmm.direction import infer_direction
from anmmm.results import DirectionEvidence, DirectionResult, FitResult, PairResult

__all__ = ["Task", "subsample"]


@dataclass(frozen=True)
class Task:
    """What is done with every pair of a collection.

    Attributes
    ----------
    entropy : int
        Seed of the collection.
    max_samples : int or None
        Largest number of observations that enter a fit.
    options : dict
        Keyword arguments of `anmmm.infer_direction`.
    keep_detail : bool
        Whether the rows carry their `DirectionResult`.
    """

    entropy: int
    max_samples: int | None
    options: dict[str, Any]
    keep_detail: bool = False

    def __call__(self, index: int, pair: Pair) -> PairResult:
        """Analyse one pair.

        Parameters
        ----------
        index : int
            Position of the pair in its source; with `entropy` it determines every draw, so that
            neither order nor number of workers matters.
        pair : Pair

        Returns
        -------
        PairResult
            Of status ``"ok"``, ``"unusable"`` or ``"error"``.
        """
        start = time.perf_counter()
        try:
            with single_thread():
                row = self._analyse(index, pair)
        except Exception as error:  # One pair must not end the collection.
            reason = f"{type(error).__name__}: {error}"
            row = _row(pair, status="error", reason=reason)
        return replace(row, seconds=time.perf_counter() - start)

    def _analyse(self, index: int, pair: Pair) -> PairResult:
        if pair.problem:
            return replace(_row(pair, status="unusable", reason=pair.problem), n=None)
        widths = [values.shape[1] if values.ndim == 2 else 1 for values in (pair.x, pair.y)]
        if max(widths) > 1:
            reason = (
                f"multivariate: x has {_columns(widths[0])}, y has {_columns(widths[1])}; only "
                f"univariate pairs are analysed in a collection"
            )
            return _row(pair, status="unusable", reason=reason)
        try:
            # The whole pair, before a subsample might leave the faulty value out.
            x, y = as_pair(pair.x, pair.y)
        except (TypeError, ValueError) as error:
            return _row(pair, status="unusable", reason=str(error))

        seeds = np.random.SeedSequence(self.entropy, spawn_key=(index,)).generate_state(2)
        fit_seed, cut_seed = int(seeds[0]), int(seeds[1])
        x, y = x[:, 0], y[:, 0]
        row = _row(pair, status="ok", reason=_dropped(pair.n_dropped), n_used=len(x))
        if self.max_samples is not None and len(x) > self.max_samples:
            x, y = subsample(x, y, self.max_samples, cut_seed)
            row = replace(row, n_used=len(x), subsample_seed=cut_seed)
        with warnings.catch_warnings():
            # The row says it, with the direction that is concerned.
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                result = infer_direction(x, y, random_state=fit_seed, **self.options)
            except (TypeError, ValueError) as error:
                return replace(row, status="unusable", reason=str(error))
        return self._completed(row, result)

    def _completed(self, row: PairResult, result: DirectionResult) -> PairResult:
        remarks = [row.reason] if row.reason else []
        sides = result.evidence or result.latent_fits
        remarks += _stopped("x → y", sides.forward) + _stopped("y → x", sides.backward)
        row = replace(
            row,
            reason="; ".join(remarks),
            direction=result.direction,
            score=result.score,
            forward_score=result.forward_score,
            backward_score=result.backward_score,
            confidence=result.confidence,
            converged=result.converged,
            detail=result if self.keep_detail else None,
        )
        if result.evidence is None:
            return replace(
                row,
                forward_pvalue=result.forward_pvalue,
                backward_pvalue=result.backward_pvalue,
            )
        # No p-values: they would cost two fits that the decision did without.
        chosen = result.evidence.chosen
        if chosen is None:
            return row
        return replace(row, model=chosen.model, n_mechanisms=chosen.n_mechanisms)


def subsample(x: Any, y: Any, size: int, seed: int) -> tuple[Any, Any]:
    """Draw observations without replacement and keep their order.

    Parameters
    ----------
    x, y : ndarray of shape (n_samples,)
    size : int
        Number to keep.
    seed : int
        ``numpy.random.default_rng(seed).choice(n_samples, size, replace=False)``, sorted, are the
        positions kept.

    Returns
    -------
    x, y : ndarray of shape (size,)
    """
    kept = np.sort(np.random.default_rng(seed).choice(len(x), size, replace=False))
    return x[kept], y[kept]


def _row(pair: Pair, *, status: str, reason: str = "", n_used: int | None = None) -> PairResult:
    return PairResult(
        pair_id=pair.pair_id,
        status=status,
        reason=reason,
        n=len(pair.x) if np.ndim(pair.x) and len(pair.x) == len(np.atleast_1d(pair.y)) else None,
        n_used=n_used,
        truth=pair.truth,
        weight=pair.weight,
        group=pair.group,
    )


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _dropped(count: int) -> str:
    if not count:
        return ""
    return f"{count} incomplete {'row' if count == 1 else 'rows'} dropped"


def _stopped(hypothesis: str, side: FitResult | DirectionEvidence) -> list[str]:
    if side.converged:
        return []
    if isinstance(side, DirectionEvidence):
        return [f"model {side.model} of {hypothesis} not converged"]
    return [f"fit of {hypothesis} not converged ({side.status})"]
