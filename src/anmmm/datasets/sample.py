"""The embedded sample of pairs, and BAFU air, the clustering data of the paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from anmmm._typing import FloatArray, IntArray, StrPath
from anmmm.datasets.tuebingen import PairFolder, load_pairs, load_tuebingen

SAMPLE = Path(__file__).with_name("sample")

# Lausanne and Chaumont.
_BAFU_PAIRS = ("pair0049", "pair0050")


def load_sample() -> PairFolder:
    """Open the twelve real pairs and the four drawn mixtures that come with the package.

    Returns
    -------
    PairFolder
        First univariate pairs of the Tübingen collection from varied data sets, at most 400 rows
        each, with the collection's ids, column order, truth and weights. Then ``drawn-f1`` to
        ``drawn-f4``, 200 rows each, in which x causes y by two mechanisms; their truth is None, so
        that accuracies are those of the real pairs. ``README.md`` next to the data describes all.

    References
    ----------
    J. M. Mooij, J. Peters, D. Janzing, J. Zscheischler, B. Schölkopf, "Distinguishing cause from
    effect using observational data: methods and benchmarks", JMLR 17(32), 2016.
    """
    real, drawn = load_tuebingen(SAMPLE), load_pairs(SAMPLE, meta=False)
    mixtures = [entry for entry in drawn._entries if entry.pair_id.startswith("drawn-")]
    return PairFolder(real.path, [*real._entries, *mixtures])


def load_bafu_air(
    path: StrPath | None = None,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Load daily ozone and temperature of two places in Switzerland, 2009, pooled.

    Pairs 49 (Lausanne) and 50 (Chaumont) of the Tübingen collection, on which the paper clusters
    mechanisms: the two places are the mechanisms.

    Parameters
    ----------
    path : path-like, optional
        Folder of the Tübingen collection; by default the embedded sample, which has both pairs.

    Returns
    -------
    x : ndarray of shape (730,)
        Temperature, the cause. (In the files it is the *later* column.)
    y : ndarray of shape (730,)
        Ozone.
    labels : ndarray of int, shape (730,)
        0 for Lausanne, 1 for Chaumont.

    Raises
    ------
    OSError, ValueError
        As `load_tuebingen`; also if one of the two pairs is missing.

    References
    ----------
    Data: Bundesamt für Umwelt (BAFU), through J. M. Mooij et al., JMLR 17(32), 2016. Use: S. Hu et
    al., "Causal Inference and Mechanism Clustering of a Mixture of Additive Noise Models", NeurIPS
    2018, section 4.2.
    """
    folder = load_sample() if path is None else load_tuebingen(path)
    missing = [pair_id for pair_id in _BAFU_PAIRS if pair_id not in folder.ids]
    if missing:
        raise ValueError(f"{folder.path} has no {' and no '.join(missing)}; BAFU air needs both")
    places = [folder[pair_id] for pair_id in _BAFU_PAIRS]
    for place in places:
        if place.problem:
            raise ValueError(f"{place.pair_id} cannot be read: {place.problem}")
    # truth -1: the cause, temperature, is y.
    ordered = [(place.x, place.y)[:: place.truth] for place in places]
    labels = np.repeat(np.arange(len(places)), [len(cause) for cause, _ in ordered])
    x, y = (np.concatenate(variable) for variable in zip(*ordered, strict=True))
    return x, y, labels
