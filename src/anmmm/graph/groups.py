"""A hidden group of rows: one variable that determines the mechanisms of several columns.

It has two values, which are not fixed but summed over: a row costs
``-log sum_k p_k prod_j p(column j | its causes, k)``. Each value is a curve of each column over its
causes. A column is fitted by the EM of `anmmm.mixture`, to which the other columns give the
log-likelihood of either value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import logsumexp, softmax

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.code import gaussian_nats, shortest
from anmmm.evidence.models.gaussian import Weighted
from anmmm.evidence.variable import Variable
from anmmm.graph.score import Key, LocalScore
from anmmm.mixture.em import fit_mixture, smallest_noise
from anmmm.mixture.fits import MixtureFit
from anmmm.mixture.starts import soften
from anmmm.preprocessing import standardize

N_VALUES = 2
# Relative gain of an iteration of EM for a column, and most iterations.
EM_TOLERANCE = 1e-4
EM_MAX_ITER = 200
# Most rounds in which the columns of a group are fitted in turn.
MAX_ROUNDS = 20
# Nats that a round, or a group, has to save.
SAVING = 0.1
# Iterations for the weights of the values, and the smallest weight.
WEIGHT_ITER = 20
MIN_WEIGHT = 1e-12
# Mean change of probabilities below which a group is the same.
SAME_ROWS = 0.02
# Fractions of the rows that are below a cut of the residual of one curve, to start two from.
CUTS = (0.2, 0.5, 0.8)


class GroupedColumn(Weighted):
    """Mechanisms whose weights in each row depend on the other columns of the group.

    `likelihood` (n_samples, n_mechanisms) is the log-likelihood of the effect under each.
    """

    likelihood: FloatArray

    @classmethod
    def of(cls, variable: Variable, fit: MixtureFit, beside: FloatArray) -> GroupedColumn:
        """Encode an effect by a fit and the log-likelihoods `beside`, of the other columns."""
        cells = variable.cells
        scale = math.sqrt(fit.noise_variance)
        likelihood = np.empty_like(beside)
        for k, curve in enumerate(fit.curves.T):
            nats = gaussian_nats(cells.lower, cells.upper, cells.n_distinct, curve, scale)
            likelihood[:, k] = -nats
        weights = softmax(_log_weights(likelihood + beside) + beside, axis=1)
        conditional = -logsumexp(np.log(np.maximum(weights, MIN_WEIGHT)) + likelihood, axis=1)
        cost = fit.curve_cost + 0.5 * math.log(len(beside))
        return cls(conditional, cost, cells, fit, weights, likelihood)


def _log_weights(likelihood: FloatArray) -> FloatArray:
    """Return the logarithms of the weights that fit log-likelihoods (n_samples, n_values) best."""
    densities = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    weights = np.full(densities.shape[1], 1.0 / densities.shape[1])
    for _ in range(WEIGHT_ITER):
        weights *= (densities / (densities @ weights)[:, np.newaxis]).mean(axis=0)
    return np.log(np.maximum(weights, MIN_WEIGHT))


class Group(Record):
    """Columns that one hidden variable determines, with the causes that they were fitted to."""

    members: dict[int, GroupedColumn]
    causes: dict[int, frozenset[int]]

    @computed
    def likelihood(self) -> FloatArray:
        """Log-likelihood of each value, (n_samples, n_values)."""
        return np.asarray(sum(member.likelihood for member in self.members.values()))

    @computed
    def joint_likelihood(self) -> FloatArray:
        """Log-likelihood of each value with its weight, (n_samples, n_values)."""
        return np.asarray(_log_weights(self.likelihood) + self.likelihood)

    @computed
    def probabilities(self) -> FloatArray:
        """Probability of each value, (n_samples, n_values)."""
        return np.asarray(softmax(self.joint_likelihood, axis=1))

    @computed
    def first_value(self) -> FloatArray:
        """Probability of the first value, standardized, (n_samples, 1); zeros if it is constant."""
        first = self.probabilities[:, :1]
        return standardize(first)[0] if np.ptp(first) > 0.0 else np.zeros_like(first)

    @computed
    def length(self) -> float:
        """Nats of all columns, and of the parameters."""
        n, n_values = map(int, self.likelihood.shape)
        nats = logsumexp(self.joint_likelihood, axis=1).sum()
        weights = 0.5 * (n_values - 1) * math.log(n) - math.lgamma(n_values + 1)
        return weights - float(nats) + math.fsum(member.cost for member in self.members.values())

    def likelihood_without(self, node: int) -> FloatArray:
        """Log-likelihood of each value by all other columns, (n_samples, n_values)."""
        member = self.members.get(node)
        return self.likelihood if member is None else self.likelihood - member.likelihood

    def is_similar(self, group: Group) -> bool:
        """Return whether another group has the same columns and nearly the same probabilities."""
        change = np.abs(self.probabilities - group.probabilities).mean()
        return self.members.keys() == group.members.keys() and bool(change < SAME_ROWS)


def fit_column(
    score: LocalScore, node: int, causes: frozenset[int], start: FloatArray, beside: FloatArray
) -> GroupedColumn:
    """Fit a column from probabilities, given the log-likelihoods `beside`, of the other columns."""
    variable = score.sample.variable(node)
    models = []
    for basis, price in score.sample.bases(causes):
        fit = fit_mixture(
            basis,
            variable.cells.values,
            starts=[start],
            label_likelihood=beside,
            noise_variance=0.5 / N_VALUES**2,
            floor=smallest_noise(variable.cells),
            tol=EM_TOLERANCE,
            max_iter=EM_MAX_ITER,
        )
        models.append(GroupedColumn.of(variable, fit, beside).plus(price))
    return shortest(models)


def with_column(score: LocalScore, group: Group, node: int, causes: frozenset[int]) -> Group:
    """Add a column to a group, or fit it anew."""
    beside = group.likelihood_without(node)
    model = fit_column(score, node, causes, group.probabilities, beside)
    return Group({**group.members, node: model}, {**group.causes, node: causes})


def fit_single(score: LocalScore, key: Key) -> Group:
    """Fit two curves to a column without any other column: a group of one."""
    node, causes = key
    variable = score.sample.variable(node)
    basis, price = score.sample.bases(causes)[0]
    y = variable.cells.values
    floor = smallest_noise(variable.cells)
    one_curve = fit_mixture(basis, y, starts=np.ones((1, len(y), 1)), floor=floor)
    residual = y - one_curve.curves[:, 0]
    cuts = [residual > np.quantile(residual, part) for part in CUTS]
    # For curves that cross in the middle, or where their causes have their means.
    cuts.append(np.abs(residual) > np.median(np.abs(residual)))
    cuts += [residual * column > 0.0 for column in basis.design[:, 1 : basis.n_null].T]
    starts = np.stack([soften(np.eye(N_VALUES)[cut.astype(int)]) for cut in cuts])
    fit = fit_mixture(basis, y, starts=starts, floor=floor, tol=EM_TOLERANCE)
    model = GroupedColumn.of(variable, fit, np.zeros((len(y), N_VALUES))).plus(price)
    return Group({node: model}, {node: causes})


def fit_group(score: LocalScore, causes: Mapping[int, frozenset[int]], start: FloatArray) -> Group:
    """Fit the columns of a group in turn, from probabilities (n_samples, n_values)."""
    beside = np.log(np.maximum(start, MIN_WEIGHT))
    members = {
        node: fit_column(score, node, node_causes, start, beside)
        for node, node_causes in causes.items()
    }
    group = Group(members, dict(causes))
    for _ in range(MAX_ROUNDS):
        before = group
        for node, node_causes in causes.items():
            group = with_column(score, group, node, node_causes)
        if group.length > before.length - SAVING:
            return shortest([before, group])
    return group
