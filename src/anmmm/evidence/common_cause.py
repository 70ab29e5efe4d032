"""Two variables described as effects of an unmeasured common cause: fitted, chosen and encoded.

Given the hidden cause they are independent: ``p(x, y) = Σ_k w_k p(x | k) p(y | k)``. Its values k
are groups, or nodes along a smooth curve in the plane. docs/method/confounders.md.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.special import gammaln

from anmmm._kernels.hidden import CATEGORICAL, COUNTS, NOISY, Pair, cell_masses
from anmmm._record import computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import Encoding, code_lengths, shortest
from anmmm.evidence.hidden import LAST_MARGIN, MAX_GROUPS, START_MARGIN, HiddenFits, Search
from anmmm.evidence.marginal import CategoricalMarginal
from anmmm.evidence.models.discrete import may_count
from anmmm.evidence.splits import gap_groups, part_of
from anmmm.evidence.variable import Variable
from anmmm.preprocessing import Cells, standardize

# Most rows for which a common cause is tried.
MAX_ROWS = 20_000
TEXTS = {"hidden-curve": "both follow a hidden number along a curve, with noise"}
for _count in range(2, MAX_GROUPS + 1):
    TEXTS[f"hidden-{_count}"] = f"both differ between {_count} groups that nobody recorded"


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
        t = (np.arange(len(self.weights)) + 0.5) / len(self.weights)
        mean = self.probabilities @ t
        return mean, np.sqrt(np.maximum(self.probabilities @ t**2 - mean**2, 0.0))


def describe_common_cause(
    x: Variable, y: Variable, to_beat: float = math.inf
) -> CommonCause | None:
    """Describe two variables by a hidden common cause, the shorter one of a curve and of groups.

    None if no fit comes near `to_beat` nats: the search then stops early. Exchanging x and y
    exchanges the parts exactly. O(N K) an iteration of EM for K nodes.
    """
    # In one order of the variables, so that sums round equally, whatever their signs.
    if _order_key(x) > _order_key(y):
        code = describe_common_cause(y, x, to_beat)
        if code is None:
            return None
        return replace(code, positions=code.positions[::-1], scales=code.scales[::-1])
    codes: list[CommonCause] = []
    for kinds in product(_kinds(x), _kinds(y)):
        codes += _fitted_codes(_pair(x, y, kinds), x, y, to_beat)
    for variable in (x, y):
        sides = variable.once(gap_groups)
        if 0 < sides.max() < MAX_GROUPS:
            codes.append(_gap_groups(sides, x, y))
    return shortest(codes) if codes else None


def _order_key(variable: Variable) -> tuple[float, list[float]]:
    return float(np.abs(variable.cells.values).sum()), variable.cells.edges.tolist()


def _fitted_codes(pair: Pair, x: Variable, y: Variable, to_beat: float) -> list[CommonCause]:
    """Encode fitted groups and a curve, each if it comes near the shortest description."""
    if np.any(pair.kinds != NOISY):
        search = Search.of(pair, math.inf)
        return [encode(search.on_all_rows(search.fit_groups(search.start_groups())), x, y)]
    # Beside huge values others are equal up to rounding.
    widths = [np.maximum(v.cells.upper - v.cells.lower, 1e-16) for v in (x, y)]
    log_widths = float(np.log(widths).sum())
    search = Search.of(pair, to_beat + log_widths)
    families = [search.start_groups(), search.start_curves()]
    families.sort(key=lambda starts: float(starts.objective.min()))
    codes: list[CommonCause] = []
    for starts in families:
        if search.is_hopeless(starts.best, START_MARGIN):
            continue
        fit = search.fit_curve(starts) if starts.is_curve else search.fit_groups(starts)
        if search.is_hopeless(fit, LAST_MARGIN):
            continue
        codes.append(encode(search.on_all_rows(fit), x, y))
        search = replace(search, to_beat=min(search.to_beat, codes[-1].length + log_widths))
    return codes


# Most values of a variable that has frequencies of values, and of one that may be counts.
MAX_CATEGORIES = 8
MAX_COUNTS = 128


def _kinds(variable: Variable) -> tuple[int, ...]:
    n_distinct = variable.cells.n_distinct
    if variable.is_categorical or n_distinct <= MAX_CATEGORIES:
        return (CATEGORICAL,)
    if n_distinct <= MAX_COUNTS and may_count(variable):
        return NOISY, COUNTS
    return (NOISY,)


def _pair(x: Variable, y: Variable, kinds: tuple[int, int]) -> Pair:
    pair_cells = x.cells, y.cells
    n_values = np.array([cells.n_distinct for cells in pair_cells])
    counts = np.zeros((2, max([1, *n_values[np.array(kinds) != NOISY]])))
    for axis, variable in enumerate((x, y)):
        if kinds[axis] == COUNTS and variable.raw is not None:
            # Several numbers may be in one cell, if they differ by rounding errors only.
            counts[axis, variable.cells.index] = variable.raw
    return Pair(
        values=np.stack([_start_values(x, y), _start_values(y, x)]),
        places=np.stack([cells.index for cells in pair_cells]).astype(np.int64),
        kinds=np.array(kinds, dtype=np.int64),
        n_values=n_values,
        floor=np.array([cells.variance for cells in pair_cells]),
        counts=counts,
        log_factorials=np.asarray(gammaln(counts + 1.0)),
    )


def _start_values(variable: Variable, partner: Variable) -> FloatArray:
    """Return the numbers (n_samples,) by which fits start; of categories not by their codes."""
    if not variable.is_categorical:
        return variable.cells.values
    index = variable.cells.index
    counts = np.bincount(index)
    partner_values = partner.cells.values
    if partner.is_categorical:
        partner_values = np.bincount(partner.cells.index)[partner.cells.index].astype(np.float64)
    partner_means = np.abs(np.bincount(index, partner_values) / counts)
    order = np.lexsort((partner_means, counts))
    return standardize(order.argsort()[index, np.newaxis].astype(np.float64))[0][:, 0]


def _gap_groups(labels: IntArray, x: Variable, y: Variable) -> CommonCause:
    """Describe both variables by marginals of their own in each of known groups."""
    count = int(labels.max()) + 1
    frequencies = CategoricalMarginal.of(Cells.of(labels.astype(np.float64)))
    nats = frequencies.nats.copy()
    # The prior probability of such groups, and where the gaps are.
    cost = frequencies.cost - math.log(0.05) + (count - 1) * math.log(len(labels))
    positions, scales = np.zeros((2, 2, count))
    for axis, variable in enumerate((x, y)):
        for k in range(count):
            rows = labels == k
            positions[axis, k] = variable.cells.values[rows].mean()
            part = part_of(variable, rows)
            if part is None:
                continue
            marginal = part.variable.marginal
            nats[rows] += marginal.nats
            cost += marginal.cost
            scales[axis, k] = part.unit
    probabilities = np.eye(count)[labels]
    weights = probabilities.mean(axis=0)
    return CommonCause(nats, cost, f"{count} groups", weights, probabilities, positions, scales)


def encode(fit: HiddenFits, x: Variable, y: Variable) -> CommonCause:
    """Encode both variables' cells under a fit."""
    hidden = fit.first
    variables = x, y
    masses = [mass_of(fit, axis, variable) for axis, variable in enumerate(variables)]
    joint = hidden.weights * masses[0][x.cells.index] * masses[1][y.cells.index]
    # An observation without a probability in any group belongs to each as all do.
    joint = np.maximum(joint, 1e-300 * hidden.weights)
    total = joint.sum(axis=1)
    # The prior probability of a curve, of groups of equal scales, and of own ones, is 0.3 each.
    cost = position_cost(fit) + float(hidden.result[2]) - math.log(0.3)
    # What it saves on a variable alone, a direction could as well.
    saved = [
        v.marginal.length
        - code_lengths((mass @ hidden.weights)[v.cells.index], v.cells.n_distinct).sum()
        for v, mass in zip(variables, masses, strict=True)
    ]
    cost += max(0.0, float(max(saved)) - 0.5 * cost)
    kinds = fit.pair.kinds[:, np.newaxis]
    is_component = np.arange(2) < hidden.shape[1:, np.newaxis]
    fractions = (hidden.fractions * is_component)[:, :, np.newaxis]
    variances = hidden.variances + hidden.offsets[:, :, np.newaxis] ** 2
    scales = np.sqrt((fractions * variances).sum(axis=1))
    return CommonCause(
        nats=code_lengths(total, x.cells.n_distinct * y.cells.n_distinct),
        cost=cost,
        kind="curve" if fit.is_curve else f"{len(hidden.weights)} groups",
        weights=hidden.weights,
        probabilities=joint / total[:, np.newaxis],
        positions=np.where(kinds == CATEGORICAL, np.nan, hidden.positions),
        scales=np.where(kinds == NOISY, scales, np.nan),
    )


def mass_of(fit: HiddenFits, axis: int, variable: Variable) -> FloatArray:
    """Return the probability of each cell at each node, (n_distinct, K)."""
    hidden = fit.first
    if fit.pair.kinds[axis] != NOISY:
        return hidden.tables[axis, : variable.cells.n_distinct]
    J = int(hidden.shape[1 + axis])
    means = hidden.positions[axis] + hidden.offsets[axis, :J, np.newaxis]
    scales = np.sqrt(hidden.variances[axis, :J])
    return cell_masses(variable.cells.edges, hidden.fractions[axis], means, scales)


def position_cost(fit: HiddenFits) -> float:
    """Return the Laplace cost of positions by the observed information, eq. 4."""
    nodes = fit.nodes
    hidden = fit.first
    r = len(fit.nodes.prior)
    basis = nodes.basis[:, : len(hidden.weights)].T
    logs, slopes, curvatures = zip(*(_derivatives(fit, axis) for axis in range(2)), strict=True)
    joint = hidden.weights * np.exp(logs[0] + logs[1])
    # An observation distant from all nodes belongs to none.
    responsibilities = joint / (joint.sum(axis=1, keepdims=True) + 1e-200)
    weighted_slopes = [responsibilities * slope for slope in slopes]
    projected = [part @ basis for part in weighted_slopes]
    information = np.empty((2, r, 2, r))
    for i, j in ((0, 0), (0, 1), (1, 1)):
        node_sums = (weighted_slopes[i] * slopes[j]).sum(axis=0)
        if i == j:
            node_sums -= (responsibilities * curvatures[i]).sum(axis=0)
        information[i, :, j] = projected[i].T @ projected[j] - (basis.T * node_sums) @ basis
        information[j, :, i] = information[i, :, j].T
    scale = np.where(np.arange(r) >= nodes.n_null, hidden.smoothing[:2, np.newaxis], 1.0)
    precision = 1.0 / (nodes.prior * scale).ravel()
    coefficients = hidden.coefficients.ravel()
    information = information.reshape(2 * r, 2 * r) + np.diag(precision)
    # EM may stop near a maximum, where the information is not positive definite.
    values = np.linalg.eigvalsh(0.5 * (information + information.T))
    values = np.maximum(values, precision.min())
    log_ratio = np.log(values).sum() - np.log(precision).sum()
    return 0.5 * float(log_ratio + precision @ coefficients**2)


def _derivatives(fit: HiddenFits, axis: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a variable's log-density, its slope in the position, and minus its curvature.

    Arrays (n, K), or of fewer numbers where they are the same.
    """
    hidden = fit.first
    J = int(hidden.shape[1 + axis])
    if fit.pair.kinds[axis] != NOISY:
        logs = np.log(np.maximum(hidden.tables[axis][fit.pair.places[axis]], 1e-300))
        return logs, np.zeros_like(logs), np.zeros_like(logs)
    # Components, (J, 1, K), then observations.
    variances = hidden.variances[axis, :J, np.newaxis]
    fractions = hidden.fractions[axis, :J]
    offsets = hidden.offsets[axis, :J]
    centers = hidden.positions[axis] + offsets[:, np.newaxis, np.newaxis]
    e = (fit.pair.values[axis][:, np.newaxis] - centers) / variances
    heights = np.log(fractions)[:, np.newaxis, np.newaxis] - 0.5 * np.log(2.0 * math.pi * variances)
    logs = heights - 0.5 * variances * e**2
    if J == 1:
        return logs[0], e[0], 1.0 / variances[0]
    top = logs.max(axis=0)
    component_weights = np.exp(logs - top)
    total = component_weights.sum(axis=0)
    component_weights /= total
    slope = (component_weights * e).sum(axis=0)
    curvature = (component_weights * (1.0 / variances - e**2)).sum(axis=0) + slope**2
    return top + np.log(total), slope, curvature
