"""A clustering in words: one line a mechanism."""

from __future__ import annotations

import numpy as np

from anmmm._words import Table, printable
from anmmm.clustering.cluster import ClusteringResult


def clustering_text(result: ClusteringResult) -> str:
    """Describe a clustering: one line a mechanism."""
    cause, effect = map(printable, result.names)
    n = len(result.labels)
    sizes = np.bincount(result.labels, minlength=result.n_mechanisms)
    refined = "labels refined by EM" if result.refined else "labels not refined by EM"
    lines = [
        f"{n} observations, cause {cause}, effect {effect}",
        f"{refined}: {result.reason}" if result.reason else refined,
        *Table({"mechanism": ">9", "size": ">6", "fraction": ">8"}).lines(
            (f"{label}", f"{size}", f"{100 * size / n:.0f}%") for label, size in enumerate(sizes)
        ),
    ]
    if result.criteria is not None:
        tried = ", ".join(
            f"{number}: {value:.1f}" for number, value in enumerate(result.criteria, start=1)
        )
        lines.append(f"number of mechanisms chosen by the smallest criterion ({tried})")
    if not result.fit.converged:
        lines.append(f"the fit did not converge ({result.fit.status})")
    return "\n".join(lines)
