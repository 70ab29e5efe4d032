"""Hidden groups of rows that switch the mechanisms of several columns together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp, ndtri

from anmmm._record import Record, frozen
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.models import Additive
from anmmm.evidence.models.base import ConditionalModel

# Orders of the rows that one node's mechanisms are compared with; probability that any two nodes
# of a graph agree as well by chance.
N_ORDERS, LEVEL = 199, 0.01
MAX_GROUPS = 4
MAX_ITER, TOLERANCE, SMALLEST = 500, 1e-6, 1e-12


@frozen
class Mixing(Record):
    """A hidden variable that determines the mechanism of several nodes.

    Attributes
    ----------
    nodes : tuple
        Names of the nodes.
    n_groups : int
        Number of its values.
    labels : ndarray of shape (n_samples,)
        Most probable group of each row.
    probabilities : ndarray of shape (n_samples, n_groups)
        Probability of each group.
    agreement : float
        Smallest adjusted mutual information of two nodes' labels that joins them.
    gain : float
        Nats that one variable for all nodes saves over one for each.
    """

    nodes: tuple[Hashable, ...]
    n_groups: int
    labels: IntArray
    probabilities: FloatArray
    agreement: float
    gain: float


class Groups(NamedTuple):
    """Groups found by EM: nats with the cost of their numbers, and probabilities of the rows."""

    length: float
    probabilities: FloatArray


def find_mixing(
    names: Sequence[Hashable], models: Sequence[ConditionalModel], rng: np.random.Generator
) -> tuple[Mixing, ...]:
    """Join nodes of several mechanisms whose labels agree beyond chance."""
    from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score
    from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

    fits: dict[int, Any] = {
        at: model.fit
        for at, model in enumerate(models)
        if isinstance(model, Additive) and model.n_mechanisms > 1
    }
    pairs = list(combinations(fits, 2))
    joined: dict[tuple[int, int], float] = {}
    for one, other in pairs:
        first, second = fits[one].labels, fits[other].labels
        shared = mutual_info_score(first, second)
        by_chance = [mutual_info_score(first, rng.permutation(second)) for _ in range(N_ORDERS)]
        # Of all orders alike, as is what the adjusted information is divided by.
        table = contingency_matrix(first, second, sparse=True)
        expected = expected_mutual_information(table, len(first))
        spread = max(float(np.std(by_chance)), SMALLEST)
        # Far more orders than are drawn would be needed to count at this level.
        if shared > max(by_chance) and (shared - expected) / spread > limit(len(pairs)):
            joined[one, other] = adjusted_mutual_info_score(first, second)
    found = []
    for nodes in _parts(list(fits), list(joined)):
        groups = fit_groups([log_likelihood(models[at]) for at in nodes])
        alone = sum(length_alone(models[at]) for at in nodes)
        if groups.length < alone:
            among = [a for (i, j), a in joined.items() if i in nodes and j in nodes]
            found.append(
                Mixing(
                    tuple(names[at] for at in nodes),
                    groups.probabilities.shape[1],
                    groups.probabilities.argmax(axis=1),
                    groups.probabilities,
                    float(min(among)),
                    alone - groups.length,
                )
            )
    return tuple(found)


def limit(n_pairs: int) -> float:
    """Return how many standard errors above chance two nodes have to agree, by Bonferroni."""
    return float(-ndtri(LEVEL / max(n_pairs, 1)))


def log_likelihood(model: Any) -> FloatArray:
    """Return the log-likelihood (n_samples, n_mechanisms) of each row under each mechanism."""
    fit = model.fit
    squares = (model.cells.values[:, np.newaxis] - fit.curves) ** 2 / fit.noise_variance
    return np.asarray(-0.5 * (squares + math.log(2.0 * math.pi * fit.noise_variance)))


def length_alone(model: Any) -> float:
    """Return the nats of one node's rows by its own shares of mechanisms, and their cost."""
    likelihood, weights = log_likelihood(model), model.fit.weights
    nats = -logsumexp(likelihood + np.log(weights), axis=1).sum()
    return float(nats) + 0.5 * (len(weights) - 1) * math.log(len(likelihood))


def fit_groups(nodes: Sequence[FloatArray]) -> Groups:
    """Fit 2, 3, … groups to the log-likelihoods (n_samples, n_mechanisms) of several nodes.

    A latent class model: each group has a share, and for each node shares of its mechanisms.
    """
    most = min(MAX_GROUPS, math.prod(each.shape[1] for each in nodes))
    tried = (_em(nodes, start) for n in range(2, most + 1) for start in _starts(nodes, n))
    return min(tried, key=lambda groups: groups.length)


def _starts(nodes: Sequence[FloatArray], n_groups: int) -> list[IntArray]:
    """Labels (n_samples,) to start from: of each node, and the commonest combinations of them."""
    labels = [each.argmax(axis=1) for each in nodes]
    _, index, counts = np.unique(
        np.column_stack(labels), axis=0, return_inverse=True, return_counts=True
    )
    rank = np.argsort(np.argsort(-counts, kind="stable"))[index.ravel()]
    of_nodes = [each for each in labels if each.max() == n_groups - 1]
    return [*of_nodes, np.minimum(rank, n_groups - 1)]


def _em(nodes: Sequence[FloatArray], start: IntArray) -> Groups:
    n, n_groups = len(start), int(start.max()) + 1
    chances = np.eye(n_groups)[start]
    # Of each node's mechanisms in each group, at first those of the rows that start in it.
    tables = []
    for each in nodes:
        count = 1.0 + chances.T @ np.exp(each - logsumexp(each, axis=1, keepdims=True))
        tables.append(count / count.sum(axis=1, keepdims=True))
    before = math.inf
    for _ in range(MAX_ITER):
        inside = [
            each[:, np.newaxis] + np.log(table) for each, table in zip(nodes, tables, strict=True)
        ]
        within = [logsumexp(each, axis=2) for each in inside]
        joint = np.log(np.maximum(chances.mean(axis=0), SMALLEST)) + sum(within)
        nats = -logsumexp(joint, axis=1)
        chances = np.exp(joint + nats[:, np.newaxis])
        for at, (each, summed) in enumerate(zip(inside, within, strict=True)):
            count = np.einsum("ng,ngk->gk", chances, np.exp(each - summed[..., np.newaxis]))
            tables[at] = np.maximum(count, SMALLEST)
            tables[at] /= tables[at].sum(axis=1, keepdims=True)
        length = float(nats.sum())
        if before - length < TOLERANCE * n:
            break
        before = length
    numbers = n_groups - 1 + n_groups * sum(each.shape[1] - 1 for each in nodes)
    return Groups(length + 0.5 * numbers * math.log(n), chances)


def _parts(nodes: list[int], joined: list[tuple[int, int]]) -> list[list[int]]:
    """Return the connected sets of two nodes and more."""
    place = {node: at for at, node in enumerate(nodes)}
    ends = np.array([[place[i], place[j]] for i, j in joined], dtype=np.intp).reshape(-1, 2).T
    shape = (len(nodes), len(nodes))
    part = connected_components(coo_array((np.ones(ends.shape[1]), ends), shape))[1]
    parts = [
        [node for node in nodes if part[place[node]] == at]
        for at in range(max(part, default=-1) + 1)
    ]
    return [each for each in parts if len(each) > 1]
