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

from anmmm._kernels.hidden import ATOM, COUNTS, NOISY
from anmmm._record import computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import Encoding, code_lengths, gaussian_nats
from anmmm.evidence.density import Density
from anmmm.evidence.hidden import MOST_GROUPS, NEARLY_EQUAL, TINY, HiddenFits
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
    noises: Sequence[Density | None] = (None, None),
    *,
    behind: tuple[Variable, Variable] | None = None,
    costs: Sequence[float] = (0.0, 0.0),
) -> CommonCause:
    """Encode both variables' cells under a fit, or those `behind` links that have costs."""
    masses = tuple(mass_of(fit, axis, v, noises[axis]) for axis, v in enumerate((x, y)))
    hidden, (count, *components) = fit.first, fit.shapes[0]
    joint = hidden.weights * masses[0][x.cells.index] * masses[1][y.cells.index]
    # An observation without a probability in any group belongs to each as all do.
    joint = np.where(joint.any(axis=1, keepdims=True), joint, 1e-300 * hidden.weights)
    total = joint.sum(axis=1)
    is_rare = behind is not None or any(noises) or (fit.is_curve and bool(fit.nodes.own_scales))
    cost = float(fit.found[0, 2]) + position_cost(fit) - math.log(RARE if is_rare else OFTEN)
    # The noise variance is one of the density's parameters.
    cost += sum(noise.cost - 0.5 * math.log(len(total)) for noise in noises if noise)
    # What it saves on a variable alone, a direction could as well.
    alone = [
        v.marginal.length - 0.5 * cost - of_link - _nats((mass @ hidden.weights)[v.cells.index], v)
        for v, mass, of_link in zip(behind or (x, y), masses, costs, strict=True)
    ]
    cost += max(0.0, *alone)
    noisy = np.isin(fit.pair.kinds[:, np.newaxis], (NOISY, ATOM))
    known = noisy | (fit.pair.kinds[:, np.newaxis] == COUNTS)
    parts = hidden.variances + hidden.offsets[:, :, np.newaxis] ** 2
    fractions = hidden.fractions * (np.arange(2) < np.reshape(components, (2, 1)))
    scales = np.sqrt((fractions[:, :, np.newaxis] * parts).sum(axis=1))
    return CommonCause(
        nats=code_lengths(total, x.cells.n_distinct * y.cells.n_distinct),
        cost=cost,
        kind="curve" if fit.is_curve else f"{count} groups",
        weights=hidden.weights[:count],
        probabilities=(joint / total[:, np.newaxis])[:, :count],
        positions=np.where(known, hidden.positions, np.nan)[:, :count],
        scales=np.where(noisy, scales, np.nan)[:, :count],
    )


def encode_sloped(fit: HiddenFits, x: Variable, y: Variable, shortest: float) -> CommonCause:
    """Encode both variables' cells under groups within which y has a slope in x.

    shortest: length of the shorter direction.
    """
    hidden, (count, *_), is_own, both = fit.first, fit.shapes[0], fit.nodes.own_scales, (x, y)
    slopes, weights = hidden.slopes[:count], hidden.weights[:count]
    (at_x, at_y), (var_x, var_y) = hidden.positions[:, :count], hidden.variances[:, 0, :count]
    # Of y itself, and the same groups the other way round.
    centers, total = at_y + slopes * at_x, var_y + slopes**2 * var_x
    back, left = slopes * var_x / total, var_x * var_y / total
    alone = _normal_mass(x, at_x, var_x), _normal_mass(y, centers, total)
    y_of_x = _normal_mass(y, at_y + np.outer(x.cells.values, slopes), var_y)
    joint = np.maximum(weights * alone[0] * y_of_x, 1e-300 * weights)
    of_rows = joint.sum(axis=1)
    # Scales, and slopes.
    log_n, n_own = math.log(len(joint)), count if is_own else 1
    cost = float(fit.found[0, 2]) + position_cost(fit) - math.log(RARE) + 0.5 * n_own * log_n
    code = CommonCause(
        nats=code_lengths(of_rows, x.cells.n_distinct * y.cells.n_distinct),
        cost=cost,
        kind=f"{count} groups, {CORRELATED}",
        weights=weights,
        probabilities=joint / of_rows[:, np.newaxis],
        positions=np.stack([at_x, centers]),
        scales=np.sqrt(np.stack([var_x, total])),
    )
    if code.length > shortest + NEARLY_EQUAL:
        # What follows makes it longer.
        return code
    x_of_y = _normal_mass(x, at_x - back * centers + np.outer(y.cells.values, back), left)
    of_alone = [_nats(mass @ weights, v) for v, mass in zip(both, alone, strict=True)]
    saved = [v.marginal.length - nats for v, nats in zip(both, of_alone, strict=True)]
    code = code.plus(max(0.0, max(saved) - 0.5 * cost))
    # A direction could have a cause in such groups, and an effect on a line or with such noise.
    of_groups = 0.5 * (2 * count - 1 + n_own) * log_n - math.lgamma(count + 1.0)
    x_alone, y_alone = (
        min(v.marginal.length, nats + of_groups) for v, nats in zip(both, of_alone, strict=True)
    )
    of_noise = of_groups + 0.5 * n_own * log_n
    y_given = min(_nats(y_of_x @ weights, y) + of_noise, _on_line(y, x))
    x_given = min(_nats(x_of_y @ weights, x) + of_noise, _on_line(x, y))
    return code.plus(max(0.0, shortest - min(x_alone + y_given, y_alone + x_given)))


def _on_line(effect: Variable, cause: Variable) -> float:
    """Return the length of an effect on a straight line with normal noise."""
    x, y = cause.cells.values, effect.cells.values
    slope = float(x @ y / (x @ x))
    variance = max(float(np.var(y - slope * x)), effect.cells.variance, TINY)
    lower, upper, n_distinct = effect.cells.lower, effect.cells.upper, effect.cells.n_distinct
    nats = gaussian_nats(lower, upper, n_distinct, slope * x, math.sqrt(variance))
    return float(nats.sum()) + 1.5 * math.log(len(x))


def _normal_mass(variable: Variable, centers: FloatArray, variances: FloatArray) -> FloatArray:
    """Probability of each observation's cell about centers, (K,) or (n, K), (n, K)."""
    ends, sds = (variable.cells.lower, variable.cells.upper), np.sqrt(variances)
    below, above = ((end[:, np.newaxis] - centers) / sds for end in ends)
    return np.where(below < 0.0, ndtr(above) - ndtr(below), ndtr(-below) - ndtr(-above))


def _nats(masses: FloatArray, variable: Variable) -> float:
    """Return the nats of a variable, given the probability (n_samples,) of each cell."""
    return float(code_lengths(masses, variable.cells.n_distinct).sum())


def mass_of(
    fit: HiddenFits, axis: int, variable: Variable, noise: Density | None = None
) -> FloatArray:
    """Probability of each cell at each node, (n_distinct, K)."""
    hidden = fit.first
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
    basis = nodes.basis.T
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
