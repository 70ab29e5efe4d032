"""Two variables described as effects of an unmeasured common cause: the record and its encoding.

Given the hidden cause they are independent: ``p(x, y) = Σ_k w_k p(x | k) p(y | k)``. Its values k
are groups, or nodes along a smooth curve in the plane.
docs/method/confounders.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from anmmm._kernels.hidden import CATEGORICAL, NOISY
from anmmm._record import computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import Encoding, code_lengths
from anmmm.evidence.hidden import MOST_GROUPS, NEARLY_EQUAL, SLACK, HiddenFits
from anmmm.evidence.variable import Variable

# Prior probability of each kind: a curve, groups of equal scales or of own ones.
PRIOR = 0.3
TEXTS = {
    "hidden-curve": "both follow a hidden number along a curve, with noise",
    **{
        f"hidden-{count}": f"both differ between {count} groups that nobody recorded"
        for count in range(2, MOST_GROUPS + 1)
    },
}


class CommonCause(Encoding):
    """Two variables as effects of a hidden common cause.

    Attributes
    ----------
    kind : str
        ``"curve"``, or ``"2 groups"`` and so on.
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
        Standard deviations of the noise about them; NaN for a categorical variable or counts.
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
        """Name of the model: ``"hidden-curve"``, ``"hidden-3"``."""
        return "hidden-curve" if self.is_curve else f"hidden-{len(self.weights)}"

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

    @property
    def ordered(self) -> tuple[bool, bool]:
        """Whether each variable rises, or falls, all along a curve.

        Such a variable is the hidden number on another scale, measured with noise.
        """
        steps = np.diff(self.positions)
        is_ordered = np.all(steps > 0.0, axis=1) | np.all(steps < 0.0, axis=1)
        return self.is_curve and bool(is_ordered[0]), self.is_curve and bool(is_ordered[1])

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
) -> CommonCause:
    """Encode both variables' cells under a fit.

    shortest: length of the shorter direction. A much longer code lacks the last refinements.
    """
    hidden, both = fit.first, (x, y)
    of_cells = [mass_of(fit, axis, v) for axis, v in enumerate(both)]
    of_x, of_y = (mass[v.cells.index] for v, mass in zip(both, of_cells, strict=True))
    # An observation without a probability in any group belongs to each as all do.
    joint = np.maximum(hidden.weights * of_x * of_y, 1e-300 * hidden.weights)
    total = joint.sum(axis=1)
    cost = float(fit.found[0, 1:].sum()) - math.log(PRIOR)
    nats = code_lengths(total, x.cells.n_distinct * y.cells.n_distinct)
    if nats.sum() + cost <= shortest + NEARLY_EQUAL + SLACK:
        cost += position_cost(fit) - float(fit.found[0, 1])
        # What it saves on a variable alone, a direction could as well.
        masses = [mass @ hidden.weights for mass in of_cells]
        alone = [_nats(mass[v.cells.index], v) for v, mass in zip(both, masses, strict=True)]
        saved = max(v.marginal.length - own for v, own in zip(both, alone, strict=True))
        cost += max(0.0, saved - 0.5 * cost)
    kinds, (count, *components) = fit.pair.kinds[:, np.newaxis], fit.shapes[0]
    parts = hidden.variances + hidden.offsets[:, :, np.newaxis] ** 2
    fractions = hidden.fractions * (np.arange(2) < np.reshape(components, (2, 1)))
    scales = np.sqrt((fractions[:, :, np.newaxis] * parts).sum(axis=1))
    return CommonCause(
        nats=nats,
        cost=cost,
        kind="curve" if fit.is_curve else f"{count} groups",
        weights=hidden.weights,
        probabilities=joint / total[:, np.newaxis],
        positions=np.where(kinds == CATEGORICAL, np.nan, hidden.positions),
        scales=np.where(kinds == NOISY, scales, np.nan),
    )


def _nats(masses: FloatArray, variable: Variable) -> float:
    """Return the nats of a variable, given the probability (n_samples,) of each cell."""
    return float(code_lengths(masses, variable.cells.n_distinct).sum())


def mass_of(fit: HiddenFits, axis: int, variable: Variable) -> FloatArray:
    """Probability of each cell at each node, (n_distinct, K)."""
    hidden = fit.first
    if fit.pair.kinds[axis] != NOISY:
        return hidden.tables[axis, : variable.cells.n_distinct]
    mass = np.zeros((variable.cells.n_distinct, len(hidden.weights)))
    for j in range(fit.shapes[0, 1 + axis]):
        mean = hidden.positions[axis] + hidden.offsets[axis, j]
        below = ndtr(
            (variable.cells.edges[:, np.newaxis] - mean) / np.sqrt(hidden.variances[axis, j])
        )
        mass += hidden.fractions[axis, j] * np.diff(below, axis=0)
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
