"""Effects in clusters, which are ordered levels that the cause chooses, with errors about each.

docs/method/decisions.md, "Effects in clusters".
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from anmmm._typing import FloatArray
from anmmm.evidence.code import code_lengths, mixture_levels
from anmmm.evidence.marginal import Normals, shortest_density
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache
from anmmm.evidence.models.discrete import Ordered, free_cuts
from anmmm.evidence.models.form import Form
from anmmm.evidence.splits import RANGES_PRIOR
from anmmm.mixture.fits import MixtureFit
from anmmm.preprocessing import Cells, standardize

# Fewest clusters; two are described on both sides of a gap.
MIN_CLUSTERS = 3


class Clustered(ConditionalModel):
    """Which cluster an effect is in is an ordered level, `level`; its place there is by chance.

    `fit` is the effect's mixture of Gaussians, `weights` (n_samples, n_clusters) are the
    probabilities of its clusters in each row.
    """

    FORM = Form(
        "clusters",
        "one mechanism, clusters of the effect are levels cut from a curve with Gaussian noise",
    )
    PRIOR = RANGES_PRIOR

    level: Ordered
    fit: MixtureFit
    weights: FloatArray

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect that is in clusters by itself."""
        density = fits.effect.once(shortest_density)
        if not isinstance(density, Normals) or density.fit.n_mechanisms < MIN_CLUSTERS:
            return
        fit = density.fit
        cells = fits.effect.cells
        n = len(cells.values)
        order = fit.curves[0].argsort()
        labels = order.argsort()[fit.probabilities.argmax(axis=1)]
        if len(np.unique(labels)) < len(order):
            return
        label_cells = Cells.of(standardize(labels[:, np.newaxis].astype(np.float64))[0][:, 0])
        rows = fits.rows_of(label_cells.index)
        level = Ordered.fit(rows, label_cells, *free_cuts(len(order)))
        weights = np.empty_like(fit.probabilities)
        weights[:, order] = np.diff(ndtr(level.cuts - level.curve[:, np.newaxis]), axis=1)
        below, above = mixture_levels(cells, fit, weights)
        nats = code_lengths(above - below, cells.n_distinct)
        # Of the mixture the noise variance and means, in any order.
        cost = fit.curve_cost + 0.5 * math.log(n) - math.lgamma(len(order) + 1) + fits.price
        yield cls(nats, cost + level.cost, cells, level, fit, weights)

    @property
    def converged(self) -> bool:
        """Whether the fit of the levels converged."""
        return self.level.converged

    def curves(self, points: FloatArray) -> EffectCurves:
        """Centers of the clusters of the median and of one standard deviation about it."""
        centers = np.sort(self.fit.curves[0])
        cuts = self.level.cuts[1:-1]
        return EffectCurves.about(self.level.curve_at(points), 1.0).through(
            lambda latent: np.asarray(centers[np.searchsorted(cuts, latent)])
        )

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return mixture_levels(self.cells, self.fit, self.weights)
