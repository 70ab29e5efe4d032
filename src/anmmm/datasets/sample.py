"""The embedded sample of pairs, and BAFU air, the clustering data of the paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from anmmm._typing import FloatArray, IntArray
from anmmm.datasets.tuebingen import PairFolder, entries_of_files, load_pairs

SAMPLE = Path(__file__).with_name("sample")


def load_sample() -> PairFolder:
    """Open the twelve real pairs and the four drawn mixtures that come with the package.

    Returns
    -------
    PairFolder
        First univariate pairs of the Tübingen collection from varied data sets, at most 400 rows
        each, with the collection's ids, column order, truth and weights, and the names of their
        variables. They were chosen to show every kind of answer: four sure ones first, of which one
        is wrong. Then ``drawn-f1`` to ``drawn-f4``, 200 rows each, in which x causes y by two
        mechanisms; their truth is None, so that accuracies are those of the real pairs.
        ``README.md`` next to the data describes all.

    References
    ----------
    J. M. Mooij, J. Peters, D. Janzing, J. Zscheischler, B. Schölkopf, "Distinguishing cause from
    effect using observational data: methods and benchmarks", JMLR 17(32), 2016.

    Examples
    --------
    >>> from anmmm.datasets import load_sample
    >>> sample = load_sample()
    >>> len(sample), len(sample["drawn-f1"].x)
    (16, 200)
    """
    drawn = entries_of_files(SAMPLE, SAMPLE.glob("drawn-*.txt"))
    return PairFolder(SAMPLE, [*load_pairs(SAMPLE).entries, *drawn])


def load_bafu_air() -> tuple[FloatArray, FloatArray, IntArray]:
    """Load daily ozone and temperature of two places in Switzerland, 2009, pooled.

    Pairs 49 (Lausanne) and 50 (Chaumont) of the Tübingen collection, on which the paper clusters
    mechanisms: the two places are the mechanisms.

    Returns
    -------
    x : ndarray of shape (730,)
        Temperature, the cause. (In the files it is the *later* column.)
    y : ndarray of shape (730,)
        Ozone.
    labels : ndarray of int, shape (730,)
        0 for Lausanne, 1 for Chaumont.

    References
    ----------
    Data: Bundesamt für Umwelt (BAFU), through J. M. Mooij et al., JMLR 17(32), 2016. Use: S. Hu et
    al., "Causal Inference and Mechanism Clustering of a Mixture of Additive Noise Models", NeurIPS
    2018, section 4.2.

    Examples
    --------
    >>> from anmmm.datasets import load_bafu_air
    >>> temperature, ozone, place = load_bafu_air()
    >>> temperature.shape, sorted(set(place.tolist()))
    ((730,), [0, 1])
    """
    files = [SAMPLE / "pair0049.txt", SAMPLE / "pair0050.txt"]
    places = list(PairFolder(SAMPLE, entries_of_files(SAMPLE, files)))
    temperature = np.concatenate([place.y for place in places])
    ozone = np.concatenate([place.x for place in places])
    labels = np.repeat([0, 1], [len(place.x) for place in places])
    return temperature, ozone, labels
