"""What every layer hands on: frozen records of fits, decisions and labels.

Numbers come in from ``gppom``, ``evidence``, ``direction``, ``clustering`` and ``collection``;
tables, plots and the command line read them. Nothing here computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record
from anmmm._typing import FloatArray

__all__ = [
    "ClusteringResult",
    "DirectionEvidence",
    "DirectionResult",
    "EvidenceResult",
    "FitResult",
    "HSICTest",
    "Hyperparameters",
    "LatentFits",
    "PairClusters",
    "PairResult",
]


class _TestFields(NamedTuple):
    statistic: float
    threshold: float
    pvalue: float


class HSICTest(_TestFields):
    """Outcome of the gamma-approximated HSIC test of independence, a tuple of three.

    Attributes
    ----------
    statistic : float
        ``N * HSIC_b``, the biased estimate scaled by the number of samples.
    threshold : float
        The ``1 - alpha`` quantile of the gamma distribution fitted to the null.
    pvalue : float
        Probability under the null of a statistic at least this large.
    log_pvalue : float
        Its natural logarithm, which stays finite where `pvalue` underflows to zero. Not one of the
        three.
    """

    log_pvalue: float

    def __new__(
        cls, statistic: float, threshold: float, pvalue: float, log_pvalue: float | None = None
    ) -> HSICTest:
        """Make the tuple; `log_pvalue` is taken from `pvalue` where it is not given."""
        self = super().__new__(cls, statistic, threshold, pvalue)
        if log_pvalue is None:
            log_pvalue = math.log(pvalue) if pvalue > 0.0 else -math.inf
        self.log_pvalue = log_pvalue
        return self


@dataclass(frozen=True, eq=False, repr=False)
class Hyperparameters(Record):
    """Hyperparameters Ω of a GPPOM, on the scale of the standardised variables.

    Attributes
    ----------
    amplitude : float
        ``a``, the variance of the signal.
    beta : float
        Noise precision; the noise variance is ``1 / beta + noise_floor``.
    gamma_x : ndarray of shape (n_features_x,)
        Inverse squared length scales of the observed input.
    gamma_theta : ndarray of shape (n_latent,)
        Inverse squared length scales of the latent.
    """

    amplitude: float
    beta: float
    gamma_x: FloatArray
    gamma_theta: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class FitResult(Record):
    """One fitted GPPOM.

    Attributes
    ----------
    latent : ndarray of shape (n_samples, n_latent)
        Fitted Θ, one row an observation.
    hyperparameters : Hyperparameters
        Fitted Ω.
    objective : float
        Final ``J``, priors included; lower is better.
    log_likelihood : float
        ``L`` of the effect given the cause and Θ.
    hsic : float
        ``HSIC_b`` of cause and Θ under the fitted kernels, the term of ``J``.
    n_iter, n_evaluations : int
        L-BFGS iterations and evaluations of value and gradient, of the start that won.
    converged : bool
        Whether the optimiser stopped by its tolerance.
    status : str
        ``"converged"``, ``"max_iter"``, ``"max_evaluations"``, ``"line_search"`` or
        ``"cholesky_failed"``.
    message : str
        The optimiser's own words.
    n_failed_evaluations : int
        Evaluations at which the covariance could not be factorised (0 in a healthy fit).
    engine : str
        Engine of the last evaluation.
    rank : int or None
        Rank of its factor of the covariance; None for the dense engine.
    residual : float
        Trace of what that factor leaves of ``a K_X ∘ K_θ``; 0 for the dense engine.
    init : str
        Where Θ started: ``"residual"``, ``"pca"`` or ``"given"``, with ``"+noise"`` where columns
        had to be filled with seeded noise, and ``"+perturbed"`` where a later start won.
    start : int
        Index of the start that won.
    objectives : ndarray of shape (n_starts,)
        Final ``J`` of every start.
    history : ndarray of shape (n_iter + 1,)
        ``J`` at the start and after each iteration, of the start that won.
    parameters : ndarray
        The flat vector that the optimiser returned, in the objective's layout.
    lam, hyper_prior : float
        Weights λ and v of this fit, grown with N.
    """

    latent: FloatArray
    hyperparameters: Hyperparameters
    objective: float
    log_likelihood: float
    hsic: float
    n_iter: int
    n_evaluations: int
    converged: bool
    status: str
    message: str
    n_failed_evaluations: int
    engine: str
    rank: int | None
    residual: float
    init: str
    start: int
    objectives: FloatArray
    history: FloatArray
    parameters: FloatArray
    lam: float
    hyper_prior: float


@dataclass(frozen=True, eq=False, repr=False)
class LatentFits(Record):
    """A GPPOM fitted in each direction, with the HSIC test of its Θ and the cause.

    Attributes
    ----------
    forward, backward : FitResult
        Forward is the hypothesis that x causes y.
    forward_test, backward_test : HSICTest
        Gamma-approximated HSIC test of (Θ, cause).
    """

    forward: FitResult
    backward: FitResult
    forward_test: HSICTest
    backward_test: HSICTest


@dataclass(frozen=True, eq=False, repr=False)
class DirectionEvidence(Record):
    """What it takes to tell a pair in one direction, in nats for all observations.

    Attributes
    ----------
    total : float
        ``cause + effect``.
    cause : float
        Description length of the cause.
    effect : float
        Description length of the effect given the cause, under the model named `model`.
    model : str
        ``"anm-C"``: C additive noise models sharing Gaussian noise; ``"location-scale"``: one
        mechanism, Gaussian noise of a scale that depends on the cause; with ``"+noise"`` the noise
        has a fitted density; with ``"+link"`` the effect is first taken to Gaussian quantiles of
        its own density, as in a cumulative-link regression.
    lengths : dict of str to float
        Description length of the effect under every model tried.
    n_mechanisms : int
        Number of mechanisms of `model`.
    converged : bool
        Whether the curves of `model` were found before the most iterations.
    mixtures : tuple of anmmm.mixture.MixtureFit
        Fits with 1, 2, … mechanisms.
    density : anmmm.evidence.density.Density
        Of the cause.
    """

    total: float
    cause: float
    effect: float
    model: str
    lengths: dict[str, float]
    n_mechanisms: int
    converged: bool
    # Their classes compute, so they stand downstream of these records.
    mixtures: tuple[Any, ...]
    density: Any

    @property
    def n_iter(self) -> int:
        """Largest number of iterations of the mixtures."""
        return max(int(fit.n_iter) for fit in self.mixtures)


# Scores that differ by no more are equal. It is the tolerance, in nats per observation, at which
# the fits behind them stop: which side of it an iteration falls on may hang on the processor's
# rounding, and with it the last digits of a score.
RESOLUTION = 1e-5


def sign_of(score: float) -> int:
    """Direction that a score speaks for: its sign, or 0 where it is within `RESOLUTION` of 0."""
    return int(np.sign(score)) if abs(score) > RESOLUTION else 0


@dataclass(frozen=True, eq=False, repr=False)
class EvidenceResult(Record):
    """Description lengths of a pair in both directions.

    Attributes
    ----------
    direction : int
        1: x causes y; -1: y causes x; 0: equal, which is a score of at most 1e-5 either way.
    score : float
        ``backward_score - forward_score``, nats per observation; positive means x causes y.
    forward_score, backward_score : float
        Total description length per observation. Forward is the hypothesis that x causes y.
    forward, backward : DirectionEvidence
        The parts.
    """

    direction: int
    score: float
    forward_score: float
    backward_score: float
    forward: DirectionEvidence
    backward: DirectionEvidence

    @property
    def chosen(self) -> DirectionEvidence | None:
        """The parts of the shorter direction; None if both are equally long."""
        return {1: self.forward, -1: self.backward}.get(self.direction)


@dataclass(frozen=True, eq=False, repr=False)
class DirectionResult(Record):
    """Decision on one pair.

    Attributes
    ----------
    direction : int
        1: x causes y; -1: y causes x; 0: undecided.
    score : float
        ``backward_score - forward_score``; positive means x causes y, also where the decision was
        not sure enough.
    forward_score, backward_score : float
        What the criterion compares; lower is better. Under ``"evidence"`` the description length
        of the pair in nats per observation, otherwise the dependence of Θ on the hypothetical
        cause. Forward is the hypothesis that x causes y.
    criterion : str
        Criterion of the scores.
    lam : float
        Weight λ of the HSIC term of the fits. ``"evidence"`` decides without it.
    confidence : float or None
        Probability that the sign of the score is right, from 0.5 to 1, where halves were scored;
        calibrated on simulated pairs (docs/method/decisions.md).
    resamples : anmmm.confidence.Resamples or None
        Scores of the halves, and the seed that draws them again.
    evidence : EvidenceResult or None
        Both description lengths with their parts; None under the other criteria.
    latent_fits : LatentFits
        Both GPPOM fits and both tests, of which the next four are the parts.
    forward, backward : FitResult
        The two fits.
    forward_pvalue, backward_pvalue : float
        Gamma-approximated HSIC test of (Θ, cause). Θ was fitted to be independent of this very
        cause, so they are not calibrated; they rank, they do not test.

    Notes
    -----
    Under ``"evidence"`` no GPPOM is fitted for the decision. The first access to `latent_fits`,
    `forward`, `backward` or one of the p-values then fits both directions, as long as a decision
    by another criterion takes, with the options and the seed of the call, and may issue a
    ``ConvergenceWarning``; the outcome is kept. Under the other criteria everything is there.
    A result can be pickled before and after. Comparing two leaves `evidence` and the fits out.
    """

    direction: int
    score: float
    forward_score: float
    backward_score: float
    criterion: str
    lam: float
    confidence: float | None
    evidence: EvidenceResult | None = field(repr=False, compare=False)
    # Its class computes, so it stands downstream of this record.
    resamples: Any = field(repr=False, compare=False)
    # Makes the fits, or hands out those that were made; copies of a result share it.
    _fits: Callable[[], LatentFits] = field(repr=False, compare=False)

    @property
    def latent_fits(self) -> LatentFits:
        """Both GPPOM fits and both tests."""
        return self._fits()

    @property
    def forward(self) -> FitResult:
        """GPPOM fit of the hypothesis that x causes y."""
        return self.latent_fits.forward

    @property
    def backward(self) -> FitResult:
        """GPPOM fit of the hypothesis that y causes x."""
        return self.latent_fits.backward

    @property
    def forward_pvalue(self) -> float:
        """P-value of the HSIC test of Θ and x, Θ fitted with x as the cause."""
        return self.latent_fits.forward_test.pvalue

    @property
    def backward_pvalue(self) -> float:
        """P-value of the HSIC test of Θ and y, Θ fitted with y as the cause."""
        return self.latent_fits.backward_test.pvalue

    @property
    def converged(self) -> bool:
        """Whether what was compared converged: the chosen models, or both GPPOM fits."""
        sides = self.evidence or self.latent_fits
        return sides.forward.converged and sides.backward.converged

    @property
    def n_iter(self) -> int:
        """Iterations of the longest run: of the mixtures, or of both GPPOM fits."""
        sides = self.evidence or self.latent_fits
        return max(sides.forward.n_iter, sides.backward.n_iter)


@dataclass(frozen=True, eq=False, repr=False)
class ClusteringResult(Record):
    """Mechanism labels of Algorithm 2, refined or not.

    Attributes
    ----------
    labels : ndarray of int, shape (n_samples,)
        Mechanism of each observation, 0 to ``n_mechanisms - 1``, numbered by first appearance. A
        refined mechanism that is no observation's most probable one has the last number.
    latent : ndarray of shape (n_samples, n_latent)
        Θ, whose k-means clusters are the labels or, where they were refined, their start.
    n_mechanisms : int
        Number of mechanisms asked for, or chosen by ``"auto"``.
    centres : ndarray of shape (n_mechanisms, n_latent)
        Mean Θ of each mechanism; fewer rows where fewer labels occur (duplicated observations).
    fit : FitResult
        The fitted GPPOM.
    membership : ndarray of shape (n_samples, n_mechanisms) or None
        Probability of each mechanism under the refined mixture; `labels` are its largest entries.
        None without refinement: k-means says which cluster, not with what probability.
    refined : bool
        Whether the labels are those of the mixture and not k-means's own.
    reason : str
        Why they are not refined; empty if they are.
    criteria : ndarray of shape (n_tried,) or None
        Criterion of the mixture with 1, 2, … mechanisms where ``"auto"`` chose, the smallest
        winning; otherwise None.
    mixture : anmmm.mixture.MixtureFit or None
        The refined mixture on the scale of the standardised variables; None without refinement.
    """

    labels: NDArray[np.intp]
    latent: FloatArray
    n_mechanisms: int
    centres: FloatArray
    fit: FitResult
    membership: FloatArray | None = None
    refined: bool = False
    reason: str = ""
    criteria: FloatArray | None = None
    mixture: Any = field(default=None, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class PairResult(Record):
    """One row of a collection's results.

    Attributes
    ----------
    pair_id : str
        Identifier of the pair in its source.
    status : str
        ``"ok"``; ``"unusable"`` where the data cannot be analysed; ``"error"`` where the analysis
        failed unexpectedly; ``"timeout"`` where it took longer than allowed; ``"lost"`` where the
        worker process died over it. `reason` says why.
    reason : str
        Why there is no result, or a remark on the fit; empty if there is nothing to say.
    n : int or None
        Observations in the source, after incomplete rows were dropped.
    n_used : int or None
        Observations that entered the fit; less than `n` if the pair was subsampled.
    subsample_seed : int or None
        Seed of the subsample, where one was drawn.
    direction : int or None
        1, -1 or 0; see `DirectionResult`.
    score, forward_score, backward_score : float or None
        See `DirectionResult`.
    forward_pvalue, backward_pvalue : float or None
        See `DirectionResult`; None under ``"evidence"``, which decides without the fits that they
        need.
    confidence : float or None
        See `DirectionResult`; where halves were scored.
    converged : bool or None
        Whether both fits, or the chosen models of both directions, converged.
    model : str or None
        Under ``"evidence"`` the model that tells the effect in the chosen direction, such as
        ``"anm-2"``; see `DirectionEvidence`.
    n_mechanisms : int or None
        Its number of mechanisms.
    engine : str or None
        Engine of the GPPOM fit in the chosen direction (x → y if undecided); None under
        ``"evidence"``, which decides without one.
    rank : int or None
        Rank of that fit's factor; None for the dense engine.
    seconds : float
        Wall time of the pair.
    truth : int or None
        1, -1, 0, or None where unknown.
    weight : float
        Weight of the pair in the collection's accuracy.
    group : str or None
        Name of the data set that the pair was taken from.
    detail : DirectionResult or None
        The whole result, where it was asked for (`infer_directions` with ``keep_detail=True``).
    """

    pair_id: str
    status: str
    reason: str = ""
    n: int | None = None
    n_used: int | None = None
    subsample_seed: int | None = None
    direction: int | None = None
    score: float | None = None
    forward_score: float | None = None
    backward_score: float | None = None
    forward_pvalue: float | None = None
    backward_pvalue: float | None = None
    confidence: float | None = None
    converged: bool | None = None
    model: str | None = None
    n_mechanisms: int | None = None
    engine: str | None = None
    rank: int | None = None
    seconds: float = 0.0
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None
    detail: DirectionResult | None = field(default=None, repr=False, compare=False)

    def to_row(self) -> dict[str, Any]:
        """Return the record as a flat dict in the order of the files, without `detail`."""
        return {name: getattr(self, name) for name in PAIR_COLUMNS}


@dataclass(frozen=True, eq=False, repr=False)
class PairClusters(Record):
    """One row of a collection's mechanism labels.

    Attributes
    ----------
    pair_id, status, reason
        As in `PairResult`. Under ``"ok"`` the reason says why labels were not refined, if so.
    n : int or None
        Observations, after incomplete rows were dropped.
    cause : str or None
        ``"x"`` or ``"y"``: the variable taken as the cause.
    cause_from : str or None
        ``"truth"``, ``"inferred"`` or ``"given"``.
    n_mechanisms : int or None
        Number asked for, or chosen.
    labels : list of int or None
        Mechanism of each observation, from 0.
    sizes : list of int or None
        Observations of each mechanism.
    refined : bool or None
        Whether the labels are those of the mixture; see `ClusteringResult`.
    converged : bool or None
        Whether the fit of Θ converged.
    engine : str or None
        Engine of that fit.
    rank : int or None
        Rank of its factor; None for the dense engine.
    seconds, truth, weight, group
        As in `PairResult`.
    detail : ClusteringResult or None
        The whole result, where it was asked for.
    """

    pair_id: str
    status: str
    reason: str = ""
    n: int | None = None
    cause: str | None = None
    cause_from: str | None = None
    n_mechanisms: int | None = None
    labels: list[int] | None = None
    sizes: list[int] | None = None
    refined: bool | None = None
    converged: bool | None = None
    engine: str | None = None
    rank: int | None = None
    seconds: float = 0.0
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None
    detail: ClusteringResult | None = field(default=None, repr=False, compare=False)

    def to_row(self) -> dict[str, Any]:
        """Return the record as a flat dict in the order of the files, without `detail`."""
        return {name: getattr(self, name) for name in CLUSTER_COLUMNS}


# Order of the columns in files: what is read first comes first, and new ones join at the end.
PAIR_COLUMNS = (
    "pair_id", "n", "direction", "score", "forward_score", "backward_score", "forward_pvalue",
    "backward_pvalue", "confidence", "n_mechanisms", "converged", "engine", "rank", "seconds",
    "status", "reason", "truth", "weight", "group", "n_used", "subsample_seed", "model",
)  # fmt: skip
CLUSTER_COLUMNS = (
    "pair_id", "n", "cause", "cause_from", "n_mechanisms", "labels", "sizes", "refined",
    "converged", "engine", "rank", "seconds", "status", "reason", "truth", "weight", "group",
)  # fmt: skip
