"""A curve of a hidden number, seen through monotone functions of both variables.

docs/method/confounders.md, eq. 7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anmmm._kernels.hidden import Pair
from anmmm._kernels.monotone import N_SLOPES, monotone_link
from anmmm._kernels.packed import Design
from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.hidden import (
    LONGER,
    N_NODES,
    SHORT,
    TINY,
    HiddenFits,
    Rival,
    Search,
    evenly_spaced,
    fit_curve,
    longer,
)
from anmmm.evidence.models.base import CURVE_ITER, TOLERANCE
from anmmm.evidence.models.postnonlinear import (
    LINK_PRIOR,
    EffectScale,
    MonotoneLink,
    sums_of,
)
from anmmm.evidence.variable import Variable
from anmmm.preprocessing import Cells

# Rounds, and in each iterations of EM.
ROUNDS, ITERATIONS = 20, 3
# By how much longer a step of h is than its update.
RELAXED = 0.5
# Gains of a round by which a fit may still be too long; nats of a gain that ends them, and that the
# first one may lose, since h starts straight.
SLOWEST, LITTLE, FIRST = 8.0, 0.5, 6.0
# Most observations for all but the last iterations.
LINK_ROWS = 1000
# Distance of a difference that is a derivative, relative to that between knots.
NEAR = 1e-6
NO_CURVE = Design(np.empty((1, 0)), np.empty(0), 0)
# Points of a table of the inverse, which reaches as far beyond both ends as half of the range.
N_POINTS = 401


class HiddenLink(Record):
    """An increasing function h of a variable, standardized over some rows."""

    variable: Variable
    z: FloatArray  # (n_samples,), the variable on the scale
    scale: EffectScale  # of the rows (n,)
    integrals: FloatArray  # (m, n), of the splines of h' at the rows
    splines: FloatArray  # (m, n)
    slopes: FloatArray  # (m,)
    cost: float = 0.0  # nats

    @classmethod
    def start(cls, variable: Variable, places: IntArray) -> HiddenLink:
        """Start straight, on the scale that is nearer to a variable's density.

        places: (n,), of the rows among its distinct values.
        """
        scales = {each.base.base: each for each in reversed(variable.scales)}
        is_heavy = variable.smooth.density.base == "student"
        scale = scales.get("student" if is_heavy else "normal", variable.scales[0])
        z = scale.sums.values
        if len(places) < len(z):
            distinct = np.empty(variable.cells.n_distinct)
            distinct[variable.cells.index] = z
            scale = replace(scale, sums=sums_of(distinct[places]))
        near, integrals = NEAR * float(scale.sums.knots[1]), scale.integrals(scale.sums.values)
        splines = (scale.integrals(scale.sums.values + near) - integrals) / near
        slopes = np.full(N_SLOPES, math.exp(scale.start))
        return cls(variable, z, scale, integrals, splines, slopes)

    @computed
    def link(self) -> MonotoneLink:
        """The function."""
        h = self.slopes @ self.integrals
        return MonotoneLink(self.scale, self.slopes, shift=float(h.mean()), unit=float(h.std()))

    @property
    def log_slope(self) -> float:
        """Mean logarithm of its slope at the rows."""
        return float(np.log(self.slopes @ self.splines / self.link.unit).mean())

    @computed
    def on_its_scale(self) -> Variable:
        """The variable on the scale of h."""
        edges, index = self.link.at(self.scale.edges), self.variable.cells.index
        cells = Cells(self.link.at(self.z), index, edges[index], edges[index + 1], edges)
        return self.variable.within(cells)

    def apply(self, positions: FloatArray) -> FloatArray:
        """Map points of the standardized variable to h."""
        cells = self.on_its_scale.cells
        return np.asarray(np.interp(positions, self.variable.cells.edges, cells.edges))

    def undo(self, positions: FloatArray) -> FloatArray:
        """Map points of h to the standardized variable."""
        cells = self.on_its_scale.cells
        return np.asarray(np.interp(positions, cells.edges, self.variable.cells.edges))

    def updated(self, R: FloatArray, positions: FloatArray) -> tuple[HiddenLink, FloatArray]:
        """Update h; return it with the nodes (K,) on its new scale. O(n K).

        R: (n, K), the probability of each node given each observation. Nodes stay where they are
        on the variable's own scale: only the noise about them says what h is.
        """
        S, sums = self.integrals, self.scale.sums
        beyond = 0.5 * np.ptp(sums.values)
        at = np.linspace(sums.values.min() - beyond, sums.values.max() + beyond, N_POINTS)
        places = np.interp(positions, self.link.at(at), at)
        T = self.scale.integrals(places)
        across = S @ R @ T.T
        squares = (S * R.sum(axis=1)) @ S.T + (T * R.sum(axis=0)) @ T.T - across - across.T
        # The best function with noise of unit variance, which is paid for.
        best, sums = np.empty(N_SLOPES), sums._replace(gram=squares)
        args = LINK_PRIOR, TOLERANCE, CURVE_ITER, best, np.empty(0), np.empty(3)
        cost, _ = monotone_link(sums, NO_CURVE, *args)
        cost += self.scale.cost - 0.5 * math.log(len(R))
        if self.cost:
            # Steps of EM are short, but for the first one.
            noise = max(float(self.slopes @ squares @ self.slopes) / len(R), TINY)
            best *= (best * math.sqrt(noise) / self.slopes) ** RELAXED
        new = replace(self, slopes=best, cost=cost)
        return new, new.link.at(places)


def curve_of_quantiles(pair: Pair, x: Variable, y: Variable) -> tuple[HiddenFits, FloatArray]:
    """Fit a curve to Gaussian quantiles; return its nodes (2, K) on the variables' own scales too.

    On these scales no variable has a long tail.
    """
    pair = pair._replace(values=np.stack([x.quantiles.values, y.quantiles.values]))
    # A rival that beats it before other noise is fitted, which functions start without.
    rival = Rival(-math.inf, len(x.cells.values))
    curve = fit_curve(Search.of(pair, rival)).on(pair, SHORT)
    both = zip((x, y), curve.first.positions, strict=True)
    return curve, np.stack([v.quantiles.undo(positions) for v, positions in both])


def fit_links(
    curve: HiddenFits, start: FloatArray, last: float, x: Variable, y: Variable, limit: float
) -> tuple[HiddenFits, list[HiddenLink | None]] | None:
    """Fit a curve, and functions of the variables that are not tied, by turns; O(N K) a round.

    start: (2, K), positions of a fitted curve's nodes, which is `last` nats longer than `limit`
    allows. None if it stays longer.
    """
    few, n = evenly_spaced(curve.pair, LINK_ROWS), curve.pair.values.shape[1]
    nodes, shape = curve.nodes._replace(own_scales=0), np.array([[N_NODES, 1, 1]])
    fit = replace(curve[[0]], pair=few, nodes=nodes, shapes=shape)
    R = replace(curve, pair=few).responsibilities
    fit.first.fractions[:, 0], fit.first.offsets[:] = 1.0, 0.0
    straight = [
        None if v.is_tied else HiddenLink.start(v, few.places[axis])
        for axis, v in enumerate((x, y))
    ]
    on_scales = on_scales_of(straight, x, y)
    if min(float(np.diff(v.cells.edges).min()) for v in on_scales) <= 0.0:
        # Different values are equal up to rounding.
        return None
    rival, links = Rival.of(limit, *(v.cells for v in on_scales)), straight.copy()
    for axis, h in enumerate(links):
        fit.first.positions[axis] = start[axis] if h is None else h.apply(start[axis])
    last += FIRST
    for _ in range(ROUNDS):
        values, behind = fit.pair.values.copy(), 0.0
        for axis, (h, first) in enumerate(zip(links, straight, strict=True)):
            if h is not None and first is not None:
                new, fit.first.positions[axis] = h.updated(R, fit.first.positions[axis])
                fit.first.variances[axis, 0] = new.link.unit**-2
                links[axis], values[axis] = new, new.link.at(new.scale.sums.values)
                behind += new.cost - n * (new.log_slope - first.log_slope)
        fit = fit.further(ITERATIONS, fit.pair._replace(values=values))
        R = fit.responsibilities
        behind += rival.nats_behind(fit)
        gain, last = last - behind, behind
        if behind > SLOWEST * gain:
            return None
        if gain < LITTLE:
            break
    on_scales = on_scales_of(links, x, y)
    costs = sum(h.cost for h in links if h is not None)
    rival = Rival.of(limit - costs, *(v.cells for v in on_scales))
    values = np.stack([v.cells.values for v in on_scales])
    fit = fit.further(LONGER, curve.pair._replace(values=values))
    return longer(fit, fit, rival), links


def on_scales_of(links: Sequence[HiddenLink | None], x: Variable, y: Variable) -> list[Variable]:
    """Return both variables on the scales of their functions, or on their own."""
    return [v if h is None else h.on_its_scale for h, v in zip(links, (x, y), strict=True)]
