"""The decision on one pair, and the fits behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from anmmm._categories import Variables
from anmmm._record import Record, computed
from anmmm._text import hypotheses, renamed
from anmmm._typing import BoolArray, FloatArray, IntArray, RandomState
from anmmm._validation import check_choice, check_rng
from anmmm.dependence import LATENT_CRITERIA, LatentFits, fit_both
from anmmm.direction.hypotheses import Hypotheses, Probabilities
from anmmm.direction.labels import cluster_effect, labels_problem, number_note
from anmmm.direction.outcome import (
    BY_DIRECTION,
    INDEPENDENT,
    Relation,
    format_with_confidence,
    is_sure,
    measured_note,
    plausible_text,
)
from anmmm.evidence import CommonCause, DirectionEvidence, EvidenceResult
from anmmm.evidence.lengths import sign_of
from anmmm.gppom import FitOptions
from anmmm.independence import hsic_test, permutation_test
from anmmm.preprocessing import standardize

if TYPE_CHECKING:
    from anmmm.clustering import ClusteringResult

# With the growth that suits clusters the criterion errs on f2 and f4 between 200 and 3000
# observations, and with none on f1 from 500 on (docs/notes/tried.md). Where a descent starts
# moves HSIC, which the criterion compares, by as much as directions differ: never at a subsample.
FIT_DEFAULTS: Mapping[str, Any] = {"weight_growth": 0.25, "subsample": None}


class DirectionResult(Record):
    """Decision on one pair.

    Attributes
    ----------
    relation : {"x->y", "y->x", "common cause", "independent", "undecided"}
    direction : {1, -1, 0}, 1 if x causes y, -1 if y causes x, 0 if undecided or neither
    confidence : float or None, probability of the direction; sure from 0.9 on
    plausible : tuple of str, the most probable relations that together have 0.9
    score : float, positive if x → y is shorter; nats per observation under ``"evidence"``
    log_odds : float or None, of x → y against y → x: the score weighed by the prior. Its sign is
        the direction, which the score may not have
    check_pvalue : float or None, whether the model fits; below 0.01 no model of the list does
    probabilities : anmmm.direction.hypotheses.Probabilities or None
        Of ``forward`` (x causes y), ``backward``, ``common_cause`` and ``independent``; they add up
        to one. None under another criterion than ``"evidence"``.
    names : tuple of str
        Names of both variables: of a Series, or of a frame of one column; otherwise x and y.
    notes : tuple of str
        Outliers and the decision without them, copies of rows, an exact function.
    criterion : {"evidence", "hsic", "hsic_ratio"}
        The compared quantity.
    prior : {"learned", "flat"}
        The option of the decision.
    models : EvidenceResult or LatentFits
        Everything that was compared: the models of both directions and of a common cause with
        their description lengths, or both fits of Θ under the other criteria. Both kinds have
        ``forward`` (x as the cause), ``backward``, ``forward_score`` and ``backward_score``; the
        lower one is chosen, unless the prior speaks for the other.
    outliers : ndarray of bool, shape (n_samples,), or None
        Observations with an outlier, such as a code for missing values; None if there are none.
    n_samples, n_dropped : int
        Observations that were compared, and those left out because a value is missing.
    independence_pvalue : float
        HSIC test of x and y against their permutations (`anmmm.hsic_test`), computed at the first
        access.
    dependence : float or None
        Nats per observation that the shortest model saves over independence.
    clustering : ClusteringResult or None
        ``cluster_mechanisms(cause, effect, "auto")`` of the observations that were compared,
        computed at the first access. None without a direction, with categories, or if the effect
        has several columns or two values.
    labels : ndarray of int, shape (n_samples,), or None
        Mechanism of each observation, by `clustering`.
    n_mechanisms : int or None
        Their number, which the model of the decision need not have.
    probabilities_of_labels : ndarray of shape (n_samples, n_mechanisms) or None
        Probability of each mechanism.
    labels_note : str
        Why there are no labels, or why the model of the decision has another number; else empty.

    Notes
    -----
    ``"common cause"``: two effects of a hidden cause are the shortest description.
    ``"independent"``: in both directions no model of the effect is shorter than one without the
    cause, and ranks are not correlated (p > 0.01). Both only under ``"evidence"``; see
    docs/guide/outcomes.md. The score keeps its sign when a decision is refused for its confidence.

    The log-odds are calibrated on real and simulated pairs (docs/method/decisions.md). A decision
    by another criterion than ``"evidence"`` has no probabilities.

    The check is the HSIC test of the cause and the residuals of the model
    (`anmmm.evidence.check`), in the decided direction; the larger p-value of both if there is
    none. It is computed at the first access.

    A result can be pickled. Comparing two compares their identity.
    """

    names: tuple[str, str]
    criterion: str
    prior: str
    models: EvidenceResult | LatentFits
    # Both variables as checked.
    _variables: Variables
    n_dropped: int = 0
    # Only under "evidence".
    hypotheses: Hypotheses | None = None
    notes: tuple[str, ...] = ()
    outliers: BoolArray | None = None

    def __repr__(self) -> str:
        text = format_with_confidence(self, hypotheses(*self.names))
        return f"{text}, {self._model_text}" if self._model_text else text

    def __str__(self) -> str:
        return self.summary()

    @property
    def n_samples(self) -> int:
        """Observations that were compared."""
        return len(self._variables.x)

    @property
    def evidence(self) -> EvidenceResult | None:
        """The models, if they were compared by description length; otherwise None."""
        return self.models if isinstance(self.models, EvidenceResult) else None

    @property
    def score(self) -> float:
        """Nats per observation, or the difference of the criterion, by which x → y is better."""
        return self.models.score

    @property
    def direction(self) -> int:
        """1 if x causes y, -1 if y causes x, 0 if undecided or neither."""
        hypotheses = self.hypotheses
        return sign_of(self.score) if hypotheses is None else hypotheses.direction

    @property
    def relation(self) -> Relation:
        """How both variables are related."""
        hypotheses = self.hypotheses
        return BY_DIRECTION[self.direction] if hypotheses is None else hypotheses.relation

    @property
    def confidence(self) -> float | None:
        """Probability of the direction; sure from 0.9 on."""
        return None if self.hypotheses is None else self.hypotheses.confidence

    @property
    def probabilities(self) -> Probabilities | None:
        """Probabilities of the relations."""
        return None if self.hypotheses is None else self.hypotheses.probabilities

    @property
    def log_odds(self) -> float | None:
        """Log-odds of x → y against y → x, with the prior."""
        return None if self.hypotheses is None else self.hypotheses.log_odds

    @property
    def plausible(self) -> tuple[Relation, ...]:
        """The most probable relations that together have 0.9, the first one most probable."""
        return () if self.hypotheses is None else self.hypotheses.plausible

    @property
    def dependence(self) -> float | None:
        """Nats per observation that the shortest model saves over independence."""
        return None if self.evidence is None else self.evidence.dependence

    @computed
    def clustering(self) -> ClusteringResult | None:
        """Mechanisms of the effect in the decided direction."""
        return cluster_effect(self._variables, self.names, self.direction)

    @property
    def labels(self) -> IntArray | None:
        """Mechanism of each observation."""
        return None if self.clustering is None else self.clustering.labels

    @property
    def n_mechanisms(self) -> int | None:
        """Number of mechanisms of the labels."""
        return None if self.clustering is None else self.clustering.n_mechanisms

    @property
    def probabilities_of_labels(self) -> FloatArray | None:
        """Probability of each mechanism."""
        return None if self.clustering is None else self.clustering.probabilities

    @property
    def labels_note(self) -> str:
        """Why there are no labels, or another number of mechanisms than in the decision."""
        if self.clustering is None:
            return labels_problem(self._variables, self.names, self.direction)
        return number_note(self.clustering, self.evidence, self.direction)

    @computed
    def independence_pvalue(self) -> float:
        """P-value of the HSIC test of x and y."""
        evidence = self.evidence
        if evidence is not None and not evidence.is_vector:
            # Shares the kernels of the check.
            return permutation_test(evidence.forward.tested, evidence.backward.tested).pvalue
        return hsic_test(*(standardize(part)[0] for part in self._variables[:2])).pvalue

    @property
    def check_pvalue(self) -> float | None:
        """P-value of the check of the model in the decided direction."""
        if self.evidence is None:
            return None
        forward = self.evidence.forward
        backward = self.evidence.backward
        directions = {1: (forward,), -1: (backward,)}.get(self.direction, (forward, backward))
        return max(direction.check.pvalue for direction in directions)

    @property
    def converged(self) -> bool:
        """Whether the chosen models, or both fits of Θ, converged."""
        return self.models.forward.converged and self.models.backward.converged

    def fit_latent(
        self,
        criterion: Literal["hsic", "hsic_ratio"] = "hsic",
        *,
        fit_options: FitOptions | Mapping[str, Any] | None = None,
        random_state: RandomState = None,
    ) -> LatentFits:
        """Fit Θ in both directions, as a decision by the paper's criteria does.

        Parameters
        ----------
        criterion : {"hsic", "hsic_ratio"}
            The scores of the fits.
        fit_options : FitOptions or mapping, optional
            How Θ is fitted.
        random_state : None, int or Generator
            Seeds the random starts of a fit; both directions get the same seed.

        Returns
        -------
        LatentFits

        Raises
        ------
        TypeError, ValueError
            If an option cannot be used, or a variable holds categories.

        Warns
        -----
        ConvergenceWarning
            If a fit did not converge.
        """
        check_choice(criterion, "criterion", LATENT_CRITERIA)
        if any(self._variables.categorical):
            raise ValueError("a variable holds categories, but Θ is fitted to numbers")
        options = FitOptions.of(fit_options).filled(**FIT_DEFAULTS)
        seed = int(check_rng(random_state).integers(2**63))
        x, y = self._variables[:2]
        return fit_both(x, y, criterion=criterion, fit_options=options, seed=seed)

    def summary(self) -> str:
        """Return the decision in words, with a table of both hypotheses.

        Returns
        -------
        str
            Lines as ``anmmm direction`` prints them.
        """
        from anmmm.direction.text import direction_text

        return direction_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as a dict of plain values, for JSON.

        Returns
        -------
        dict
            Keys as ``anmmm direction --json`` prints them; p-values of both fits of Θ are None
            under ``"evidence"``, which makes none.
        """
        evidence = self.evidence
        latent = self.models if isinstance(self.models, LatentFits) else None
        cause, effect = self.names[:: self.direction or 1]
        described = self._described
        n_mechanisms = None
        if isinstance(described, DirectionEvidence):
            n_mechanisms = described.n_mechanisms
        common = None if evidence is None else evidence.common_cause
        note = renamed("; ".join(self.notes), hypotheses(*self.names))
        return {
            "x": self.names[0],
            "y": self.names[1],
            "relation": self.relation,
            "direction": self.direction,
            "cause": cause if self.direction else None,
            "effect": effect if self.direction else None,
            "confidence": self.confidence,
            "sure": is_sure(self),
            "plausible": plausible_text(self.plausible),
            "score": self.score,
            "log_odds": self.log_odds,
            "check_pvalue": self.check_pvalue,
            "probabilities": None if self.probabilities is None else self.probabilities._asdict(),
            "dependence": self.dependence,
            "independence_pvalue": self.independence_pvalue,
            "criterion": self.criterion,
            "prior": self.prior,
            "forward_score": self.models.forward_score,
            "backward_score": self.models.backward_score,
            "forward_pvalue": None if latent is None else latent.forward_test.pvalue,
            "backward_pvalue": None if latent is None else latent.backward_test.pvalue,
            "model": None if described is None else described.model,
            "common_cause": None if common is None else common.model,
            "n_mechanisms": n_mechanisms,
            "n": self.n_samples,
            "n_dropped": self.n_dropped,
            "note": note or None,
            "converged": self.converged,
        }

    def plot(self, **options: Any) -> Any:
        """Draw both hypotheses and their scores; see `anmmm.plotting.plot_direction`.

        Parameters
        ----------
        **options
            Keyword arguments of `anmmm.plotting.plot_direction`.

        Returns
        -------
        ndarray of matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If Matplotlib is not installed (extra ``plot``).
        """
        from anmmm.plotting import plot_direction

        return plot_direction(self, **options)

    @property
    def _described(self) -> DirectionEvidence | CommonCause | None:
        """The description of the answer, which is not the shortest one if the prior decided."""
        if self.evidence is None:
            return None
        if self.direction == 0:
            return self.evidence.winner
        return self.evidence.forward if self.direction == 1 else self.evidence.backward

    @property
    def _model_text(self) -> str:
        """The model of the answer in words, with its mechanisms if there are several."""
        described = self._described
        if described is None or self.relation == INDEPENDENT:
            return ""
        note = measured_note(described) if isinstance(described, CommonCause) else ""
        text = described.text
        return f"{text}; {renamed(note, hypotheses(*self.names))}" if note else text
