"""A curve of a hidden number, seen through monotone functions of both variables.

docs/method/confounders.md, eq. 7.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anmmm._kernels.hidden import ROUGHEST, SMOOTHEST, Pair
from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.hidden import (
    LONG,
    N_NODES,
    SHORT,
    TINY,
    HiddenFits,
    Rival,
    Search,
    evenly_spaced,
    fit_curve,
)
from anmmm.evidence.models.postnonlinear import LINK_PRIOR, EffectScale, MonotoneLink
from anmmm.evidence.variable import Variable
from anmmm.preprocessing import Cells

# Rounds, and in each Newton steps of h and iterations of EM.
ROUNDS, STEPS, ITERATIONS = 20, 2, 3
# By how much longer a step of h is than its update: EM alone takes short ones.
RELAXED = 1.5
# Gains of a round by which a fit may still be too long; nats of a gain that ends them, and that the
# first one may lose, since h starts straight.
SLOWEST, LITTLE, FIRST = 8.0, 0.5, 6.0
# Most observations for all but the last iterations.
LINK_ROWS = 1000
# Distance of a difference that is a derivative, relative to that between knots.
NEAR = 1e-4
# Points of a table of the inverse, which reaches as far beyond both ends as half of the range.
N_POINTS = 401


class HiddenLink(Record):
    """An increasing function h of a variable, standardized over some rows."""

    variable: Variable
    scale: EffectScale
    z: FloatArray  # (n,), the rows on this scale
    integrals: FloatArray  # (m, n), of the splines of h'
    splines: FloatArray  # (m, n)
    log_slopes: FloatArray  # (m,)
    rho2: float = 0.1
    cost: float = 0.0  # nats

    @classmethod
    def start(cls, variable: Variable, places: IntArray) -> HiddenLink:
        """Start straight, on the scale that is nearer to a variable's density.

        places: (n,), of the rows among its distinct values.
        """
        scales = {each.base.base: each for each in reversed(variable.scales)}
        is_heavy = variable.smooth.density.base == "student"
        scale = scales.get("student" if is_heavy else "normal", variable.scales[0])
        distinct, near = np.empty(variable.cells.n_distinct), NEAR * float(scale.sums.knots[1])
        distinct[variable.cells.index] = scale.sums.values
        z = distinct[places]
        splines = (scale.integrals(z + near) - scale.integrals(z - near)) / (2.0 * near)
        log_slopes = np.full(len(splines), scale.start)
        return cls(variable, scale, z, scale.integrals(z), splines, log_slopes)

    @computed
    def link(self) -> MonotoneLink:
        """The function."""
        slopes = np.exp(self.log_slopes)
        h = slopes @ self.integrals
        return MonotoneLink(self.scale, slopes, shift=float(h.mean()), unit=float(h.std()))

    @property
    def log_slope(self) -> float:
        """Mean logarithm of its slope at the rows."""
        slope = np.exp(self.log_slopes) @ self.splines / self.link.unit
        return float(np.log(slope).mean())

    @computed
    def on_its_scale(self) -> Variable:
        """The variable on the scale of h."""
        edges, index = self.link.at(self.scale.edges), self.variable.cells.index
        values = self.link.at(self.scale.sums.values)
        return self.variable.within(Cells(values, index, edges[index], edges[index + 1], edges))

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
        S, D, prior, beyond = self.integrals, self.splines, LINK_PRIOR, 0.5 * np.ptp(self.z)
        at = np.linspace(self.z.min() - beyond, self.z.max() + beyond, N_POINTS)
        places = np.interp(positions, self.link.at(at), at)
        T = self.scale.integrals(places)
        across = S @ R @ T.T
        squares = (S * R.sum(axis=1)) @ S.T + (T * R.sum(axis=0)) @ T.T - across - across.T
        c, rho2 = np.exp(self.log_slopes), self.rho2
        noise = max(float(c @ squares @ c) / len(R), TINY)
        start = logs = self.log_slopes - 0.5 * math.log(noise)
        for _ in range(STEPS):
            c, off, P = np.exp(logs), logs - self.scale.start, prior.fixed + prior.bends / rho2
            relative = D / (c @ D)
            from_rows = c * (relative.sum(axis=1) - squares @ c)
            information = c[:, np.newaxis] * (squares + relative @ relative.T) * c + P
            # Of the curvature's remaining part what keeps it positive definite.
            information += np.diag(np.maximum(-from_rows, 0.0))
            covariance = np.linalg.inv(information)
            step = covariance @ (from_rows - P @ off)
            logs = logs + step / max(1.0, float(np.abs(step).max()))
            off = logs - self.scale.start
            rough = off @ prior.bends @ off + np.einsum("ij,ij", prior.bends, covariance)
            rho2 = min(max(float(rough) / prior.rank, SMOOTHEST), ROUGHEST)
        logs = start + RELAXED * (logs - start)
        off = logs - self.scale.start
        dets = np.linalg.slogdet(information)[1] - np.linalg.slogdet(P)[1]
        # The unit of h is that of the noise, which is paid for.
        cost = 0.5 * float(dets + off @ P @ off - math.log(len(R))) + self.scale.cost
        new = replace(self, log_slopes=logs, rho2=rho2, cost=cost)
        return new, new.link.at(places)


def curve_of_quantiles(pair: Pair, x: Variable, y: Variable) -> tuple[HiddenFits, FloatArray]:
    """Fit a curve to Gaussian quantiles; return its nodes (2, K) on the variables' own scales too.

    On these scales no variable has a long tail.
    """
    pair = pair._replace(values=np.stack([x.quantiles.values, y.quantiles.values]))
    no_rival = Rival(math.inf, len(x.cells.values))
    curve = fit_curve(Search.of(pair, no_rival)).on(pair, SHORT)
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
                links[axis], values[axis] = new, new.link.at(new.z)
                behind += new.cost - n * (new.log_slope - first.log_slope)
        fit = fit.further(ITERATIONS, fit.pair._replace(values=values))
        R = fit.responsibilities
        behind += rival.nats_behind(fit)
        gain, last = last - behind, behind
        if behind > SLOWEST * gain:
            return None
        if gain < LITTLE:
            break
    values = np.stack([v.cells.values for v in on_scales_of(links, x, y)])
    return fit.further(LONG, curve.pair._replace(values=values)), links


def on_scales_of(links: Sequence[HiddenLink | None], x: Variable, y: Variable) -> list[Variable]:
    """Return both variables on the scales of their functions, or on their own."""
    return [v if h is None else h.on_its_scale for h, v in zip(links, (x, y), strict=True)]
