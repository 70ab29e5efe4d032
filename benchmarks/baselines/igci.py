"""Information-geometric causal inference: cause and function carry independent information."""

from __future__ import annotations

import numpy as np

from anmmm._typing import FloatArray


def igci(x: FloatArray, y: FloatArray) -> float:
    """Information-geometric causal inference (IGCI).

    Made for deterministic invertible functions: where the density of the cause and the slope of
    the function are chosen independently, the density of the effect is high where the inverse is
    steep.

    Notes
    -----
    Variables are scaled to [0, 1] (a uniform reference measure). The score is the backward minus
    the forward mean log slope, in nats per observation. As published, neighbors that tie in either
    coordinate add nothing (log 0 := 0). Observations that tie in one variable are ordered by the
    other one, so that their order in the data does not matter. O(N log N).

    References
    ----------
    Janzing, Mooij, Zhang, Lemeire, Zscheischler, Daniušis, Steudel, Schölkopf:
    Information-geometric approach to inferring causal directions. Artificial Intelligence
    182-183, 2012.
    """
    x = _unit_range(x)
    y = _unit_range(y)
    return _mean_log_slope(y, x) - _mean_log_slope(x, y)


def _unit_range(values: FloatArray) -> FloatArray:
    low = values.min()
    return np.asarray((values - low) / (values.max() - low))


def _mean_log_slope(cause: FloatArray, effect: FloatArray) -> float:
    order = np.lexsort((effect, cause))
    run, rise = np.diff(cause[order]), np.abs(np.diff(effect[order]))
    apart = (run > 0.0) & (rise > 0.0)
    return float((np.log(rise[apart]) - np.log(run[apart])).sum() / len(run))
