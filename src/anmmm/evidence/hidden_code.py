"""Two variables described as effects of an unmeasured common cause: the record and its encoding.

Given the hidden cause they are independent: ``p(x, y) = Σ_k w_k p(x | k) p(y | k)``. Its values k
are groups, within which y may also have a slope in x, or nodes along a smooth curve in the plane.
docs/method/confounders.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from anmmm._kernels.hidden import ATOM, CATEGORICAL, NOISY
from anmmm._record import computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import Encoding, code_lengths, gaussian_nats
from anmmm.evidence.density import Density
from anmmm.evidence.hidden import MOST_GROUPS, NEARLY_EQUAL, SLACK, TINY, HiddenFits
from anmmm.evidence.variable import Variable

# Prior of each kind: a curve, groups of equal scales or of own ones; of groups with fitted noise,
# and of a curve with noise that grows along it.
OFTEN, RARE = 0.3, 0.05
CORRELATED = "correlated within"
TEXTS = {
    "hidden-curve": "both follow a hidden number along a curve, with noise",
    **{
        f"hidden-{count}{name}": f"both differ between {count} groups that nobody recorded{more}"
        for name, more in (("", ""), ("+slope", ", and are correlated within them"))
        for count in range(2, MOST_GROUPS + 1)
    },
}


class CommonCause(Encoding):
    """Two variables as effects of a hidden common cause.

    Attributes
    ----------
    kind : str
        ``"curve"``, or ``"2 groups"`` and so on; ``"2 groups, correlated within"`` if one variable
        has a slope in the other within them.
    length : float
        Description length of both variables in nats.
    nats : ndarray of shape (n_samples,)
        That of each observation.
    cost : float
        Cost of the fitted parameters in nats.
    weights : ndarray of shape (n_nodes,)
        Probability of each value of the hidden cause.
    probabilities : ndarray of shape (n_samples, n_nodes)
        The same given each observation.
    positions : ndarray of shape (2, n_nodes)
        Means of both variables, standardized; NaN for a categorical one.
    scales : ndarray of shape (2, n_nodes)
        Standard deviations of the noise about them, of a variable with a heavy tail perhaps on a
        logarithmic scale; NaN for a categorical variable or counts.
    """

    kind: str
    weights: FloatArray
    probabilities: FloatArray
    positions: FloatArray
    scales: FloatArray

    @property
    def score(self) -> float:
        """Description length of both variables in nats per observation."""
        return self.length / len(self.nats)

    @property
    def model(self) -> str:
        """Name of the model: ``"hidden-curve"``, ``"hidden-3"``, ``"hidden-3+slope"``."""
        groups = f"hidden-{len(self.weights)}" + "+slope" * self.kind.endswith(CORRELATED)
        return "hidden-curve" if self.is_curve else groups

    @property
    def text(self) -> str:
        """Describe it in words."""
        return TEXTS[self.model]

    @property
    def labels(self) -> IntArray:
        """Most probable group, or node, of each observation, (n_samples,)."""
        return np.asarray(self.probabilities.argmax(axis=1), dtype=np.intp)

    @property
    def is_curve(self) -> bool:
        """Whether the hidden cause is a number, and not a group."""
        return self.kind == "curve"

    @computed
    def t(self) -> tuple[FloatArray, FloatArray]:
        """Posterior mean and standard deviation of the hidden cause, (n_samples,), from 0 to 1."""
        at = (np.arange(len(self.weights)) + 0.5) / len(self.weights)
        mean = self.probabilities @ at
        return mean, np.sqrt(np.maximum(self.probabilities @ at**2 - mean**2, 0.0))


def encode(
    fit: HiddenFits,
    x: Variable,
    y: Variable,
    shortest: float = math.inf,
    noises: Sequence[Density | None] = (None, None),
    *,
    behind: tuple[Variable, Variable] | None = None,
    costs: Sequence[float] = (0.0, 0.0),
) -> CommonCause:
    """Encode both variables' cells under a fit, or those `behind` links that have costs.

    shortest: length of the shorter direction. A much longer code lacks the last refinements.
    """
    hidden, nodes, both = fit.alone, fit.nodes, (x, y)
    of_cells = [mass_of(fit, axis, v, noises[axis]) for axis, v in enumerate(both)]
    of_x, of_y = (mass[v.cells.index] for v, mass in zip(both, of_cells, strict=True))
    if nodes.slopes:
        (_, at_y), var_y = fit.first.positions, fit.first.variances[1, 0]
        of_y = _mass_on_lines(y, x, at_y, hidden.slopes, var_y)
    # An observation without a probability in any group belongs to each as all do.
    joint = np.maximum(hidden.weights * of_x * of_y, 1e-300 * hidden.weights)
    total = joint.sum(axis=1)
    has_growth = fit.is_curve and nodes.own_scales
    is_rare = behind is not None or any(noises) or nodes.slopes or has_growth
    cost = float(fit.found[0, 1:].sum()) - math.log(RARE if is_rare else OFTEN)
    # The noise variance is one of the density's parameters.
    cost += sum(noise.cost - 0.5 * math.log(len(total)) for noise in noises if noise)
    nats = code_lengths(total, x.cells.n_distinct * y.cells.n_distinct)
    if nats.sum() + cost <= shortest + NEARLY_EQUAL + SLACK:
        cost += position_cost(fit) - float(fit.found[0, 1])
        # What it saves on a variable alone, a direction could as well.
        masses = [mass @ hidden.weights for mass in of_cells]
        alone = [_nats(mass[v.cells.index], v) for v, mass in zip(both, masses, strict=True)]
        each = zip(behind or both, alone, costs, strict=True)
        saved = max(v.marginal.length - own - of_link for v, own, of_link in each)
        cost += max(0.0, saved - 0.5 * cost)
        if nodes.slopes and nats.sum() + cost <= shortest + NEARLY_EQUAL:
            cost += max(0.0, shortest - _of_directions(fit, x, y, of_y, alone))
    kinds, (count, *components) = fit.pair.kinds[:, np.newaxis], fit.shapes[0]
    parts = hidden.variances + hidden.offsets[:, :, np.newaxis] ** 2
    fractions = hidden.fractions * (np.arange(2) < np.reshape(components, (2, 1)))
    scales = np.sqrt((fractions[:, :, np.newaxis] * parts).sum(axis=1))
    return CommonCause(
        nats=nats,
        cost=cost,
        kind="curve" if fit.is_curve else f"{count} groups" + f", {CORRELATED}" * nodes.slopes,
        weights=hidden.weights,
        probabilities=joint / total[:, np.newaxis],
        positions=np.where(kinds == CATEGORICAL, np.nan, hidden.positions),
        scales=np.where((kinds == NOISY) | (kinds == ATOM), scales, np.nan),
    )


def _of_directions(
    fit: HiddenFits, x: Variable, y: Variable, of_y: FloatArray, alone: Sequence[float]
) -> float:
    """Return the length of a direction that has slopes' groups in its cause, or in its noise.

    A cause has its own marginal or takes `alone`; an effect is on one line, or in groups, in which
    y has the probabilities `of_y`, (n, K).
    """
    hidden, (count, *_) = fit.alone, fit.shapes[0]
    (at_x, at_y), (var_x, var_y) = hidden.positions, hidden.variances[:, 0]
    # The same groups the other way round.
    back = hidden.slopes * var_x / var_y
    left = var_x * fit.first.variances[1, 0] / var_y
    of_x = _mass_on_lines(x, y, at_x - back * at_y, back, left)
    half_log, n_own = 0.5 * math.log(len(of_x)), count if fit.nodes.own_scales else 1
    of_groups = half_log * (2 * count - 1 + n_own) - math.lgamma(count + 1.0)
    lengths = list[float]()
    for cause, effect, nats, of_effect in ((x, y, alone[0], of_y), (y, x, alone[1], of_x)):
        of_noise = _nats(of_effect @ hidden.weights, effect) + of_groups + half_log * n_own
        of_cause = min(cause.marginal.length, nats + of_groups)
        lengths.append(of_cause + min(of_noise, _on_line(effect, cause)))
    return min(lengths)


def _mass_on_lines(
    effect: Variable, cause: Variable, at: FloatArray, slopes: FloatArray, variances: FloatArray
) -> FloatArray:
    """Probability of each observation's cell about the lines (K,) of groups, (n, K)."""
    centers, sds = at + np.outer(cause.cells.values, slopes), np.sqrt(variances)
    ends = effect.cells.lower, effect.cells.upper
    below, above = ((end[:, np.newaxis] - centers) / sds for end in ends)
    return np.where(below < 0.0, ndtr(above) - ndtr(below), ndtr(-below) - ndtr(-above))


def _on_line(effect: Variable, cause: Variable) -> float:
    """Return the length of an effect on a straight line with normal noise."""
    x, y = cause.cells.values, effect.cells.values
    slope = float(x @ y / (x @ x))
    variance = max(float(np.var(y - slope * x)), effect.cells.variance, TINY)
    lower, upper, n_distinct = effect.cells.lower, effect.cells.upper, effect.cells.n_distinct
    nats = gaussian_nats(lower, upper, n_distinct, slope * x, math.sqrt(variance))
    return float(nats.sum()) + 1.5 * math.log(len(x))


def _nats(masses: FloatArray, variable: Variable) -> float:
    """Return the nats of a variable, given the probability (n_samples,) of each cell."""
    return float(code_lengths(masses, variable.cells.n_distinct).sum())


def mass_of(
    fit: HiddenFits, axis: int, variable: Variable, noise: Density | None = None
) -> FloatArray:
    """Probability of each cell at each node, (n_distinct, K)."""
    hidden = fit.alone
    if noise:
        about = variable.cells.edges[:, np.newaxis] - hidden.positions[axis]
        below, above = noise.cdf(about), noise.mirrored().cdf(-about)
        mass = np.where(below[1:] < 0.5, np.diff(below, axis=0), -np.diff(above, axis=0))
        return np.maximum(mass, 0.0)
    kind = fit.pair.kinds[axis]
    if kind not in (NOISY, ATOM):
        return hidden.tables[axis, : variable.cells.n_distinct]
    mass = np.zeros((variable.cells.n_distinct, len(hidden.weights)))
    for j in range(fit.shapes[0, 1 + axis]):
        mean = hidden.positions[axis] + hidden.offsets[axis, j]
        below = ndtr(
            (variable.cells.edges[:, np.newaxis] - mean) / np.sqrt(hidden.variances[axis, j])
        )
        mass += hidden.fractions[axis, j] * np.diff(below, axis=0)
    if kind == ATOM:
        mass *= hidden.tables[axis, 0]
        mass[variable.cells.index[variable.atoms[0].argmax()]] = hidden.tables[axis, 1]
    return mass


def position_cost(fit: HiddenFits) -> float:
    """Return the Laplace cost of positions by the observed information, eq. 4."""
    nodes, hidden, r = fit.nodes, fit.first, len(fit.nodes.prior)
    basis = nodes.basis[:, : len(hidden.weights)].T
    _, slopes, curvatures = zip(*fit.derivatives, strict=True)
    R = fit.responsibilities
    weighted = [R * slope for slope in slopes]
    across = [each @ basis for each in weighted]
    information = np.empty((2, r, 2, r))
    for i, j in ((0, 0), (0, 1), (1, 1)):
        each = np.einsum("nk,nk->k", weighted[i], slopes[j])
        if i == j:
            each -= (R * curvatures[i]).sum(axis=0)
        information[i, :, j] = across[i].T @ across[j] - (basis.T * each) @ basis
        information[j, :, i] = information[i, :, j].T
    scale = np.where(np.arange(r) >= nodes.n_null, hidden.smoothing[:2, np.newaxis], 1.0)
    precision = 1.0 / (nodes.prior * scale).ravel()
    at = hidden.coefficients.ravel()
    whole = information.reshape(2 * r, 2 * r) + np.diag(precision)
    # EM may stop near a maximum, where the information is not positive definite.
    values = np.maximum(np.linalg.eigvalsh(0.5 * (whole + whole.T)), precision.min())
    return 0.5 * float(np.log(values).sum() - np.log(precision).sum() + precision @ at**2)
