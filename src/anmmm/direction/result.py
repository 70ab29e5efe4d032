"""The decision on one pair, with all that a user asks of it."""

from __future__ import annotations

from dataclasses import field

from anmmm._html import html_facts
from anmmm._record import Record, computed, frozen
from anmmm._typing import BoolArray, FloatArray
from anmmm.confidence import Probabilities, Resamples
from anmmm.dependence import LatentFits, fit_both
from anmmm.direction.outcome import (
    BY_DIRECTION,
    COMMON_CAUSE,
    INDEPENDENT,
    NO_MODEL_FITS,
    POOR_FIT,
    said_of,
)
from anmmm.evidence import DirectionEvidence, EvidenceResult
from anmmm.gppom import FitOptions, FitResult
from anmmm.independence import hsic_test, permutation_test


@frozen
class DirectionResult(Record):
    """Decision on one pair.

    Attributes
    ----------
    direction : int
        1: x causes y; -1: y causes x; 0: undecided, or neither.
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
        Probability of the direction of the score, calibrated on simulated pairs
        (docs/method/decisions.md): by the scores of halves where there are some, else under
        ``"evidence"`` by the spread of the observations' lengths, else None. A hidden common cause
        takes its share of it. Where observations are `far`, it is limited by what the others bear
        out.
    probabilities : anmmm.confidence.Probabilities or None
        Of ``forward`` (x causes y), ``backward``, ``common_cause`` and ``independent``; they add up
        to one. None without a confidence, and under the other criteria.
    resamples : anmmm.confidence.Resamples or None
        Scores of the halves, and the seed that draws them again.
    evidence : EvidenceResult or None
        Both description lengths with their parts; None under the other criteria.
    far : ndarray of bool, shape (n_samples,), or None
        Observations that lie far from all others, as codes for missing values do, or are heaped at
        their end; None where there are none, and under the other criteria.
    note : str
        How many they are, and what is decided without them; how many rows count where they are not
        independent; otherwise empty.
    relation : {"x→y", "y→x", "common cause", "independent", "undecided"}
        How the variables are related. Only under ``"evidence"``: ``"common cause"`` where
        two effects of a cause that nobody measured are the shortest description;
        ``"independent"`` where in both directions no model of the effect is shorter than one
        without the cause. See docs/guide/outcomes.md.
    dependence : float or None
        Nats per observation that the shortest model saves over independence; None under the other
        criteria.
    independence_pvalue : float
        Of the HSIC test of x and y against their permutations (`anmmm.hsic_test`), made when it is
        first asked for.
    check_pvalue : float or None
        Whether the model in the decided direction fits: p-value of the HSIC test of the cause and
        what the model leaves unexplained (`anmmm.evidence.check_model`), the larger one of both
        directions where none is decided. Small values warn of a common cause or a mechanism that
        no model describes. None under the other criteria.

    Notes
    -----
    Under ``"evidence"`` no GPPOM is fitted for the decision. The first access to
    `latent_fits`, `forward`, `backward`, `forward_pvalue` or `backward_pvalue` then fits both
    directions, as long as a decision by another criterion takes, with the options and the seed of
    the call, and may issue a ``ConvergenceWarning``; the outcome is kept. Under the other criteria
    everything is there.
    A result can be pickled before and after. Comparing two leaves `evidence` and the fits out.
    """

    direction: int
    score: float
    forward_score: float
    backward_score: float
    criterion: str
    lam: float
    confidence: float | None
    probabilities: Probabilities | None = field(repr=False)
    evidence: EvidenceResult | None = field(repr=False)
    resamples: Resamples | None = field(repr=False)
    far: BoolArray | None = field(repr=False)
    note: str = field(repr=False)
    # Both variables, standardized, and what the fits of both directions take beside.
    _points: tuple[FloatArray, FloatArray] = field(repr=False)
    _options: FitOptions = field(repr=False)
    _seed: int = field(repr=False)
    # None under "evidence", which decides without them.
    _fits: LatentFits | None = field(repr=False)

    def _repr_html_(self) -> str:
        """Decision, score, confidence and check, for notebooks."""
        facts: list[tuple[str, object]] = [
            ("score", f"{self.score:+.4g}"),
            ("confidence", None if self.confidence is None else f"{self.confidence:.3f}"),
            ("criterion", self.criterion),
        ]
        notes = [self.note] if self.note else []
        if self.evidence is not None:
            shown = self.evidence.backward if self.direction == -1 else self.evidence.forward
            facts += [
                ("unit of the score", "nats per observation"),
                ("model", f"{shown.model}: {shown.text}"),
                ("check, p", self.check_pvalue),
            ]
            if (self.check_pvalue or 0.0) < POOR_FIT:
                notes.append(NO_MODEL_FITS)
        return html_facts(said_of(self), facts, "; ".join(notes))

    @property
    def relation(self) -> str:
        """What is said of the pair."""
        if self.direction == 0 and self.evidence is not None and self.evidence.independent:
            return INDEPENDENT
        if self.evidence is not None and self.evidence.confounded:
            return COMMON_CAUSE
        return BY_DIRECTION[self.direction]

    @property
    def dependence(self) -> float | None:
        """Nats per observation that the shortest model saves over independence."""
        return None if self.evidence is None else self.evidence.dependence

    @computed
    def independence_pvalue(self) -> float:
        """P-value of the HSIC test of x and y."""
        if self.evidence is not None:
            forward, backward = self.evidence.forward, self.evidence.backward
            if isinstance(forward, DirectionEvidence) and isinstance(backward, DirectionEvidence):
                # As the check has made them.
                return permutation_test(forward.tested, backward.tested).pvalue
        return hsic_test(*self._points, null="permutation").pvalue

    @property
    def check_pvalue(self) -> float | None:
        """P-value of the check of the model in the decided direction."""
        if self.evidence is None:
            return None
        sides = self.evidence.forward, self.evidence.backward
        shown = sides if self.direction == 0 else sides[:1] if self.direction == 1 else sides[1:]
        return max(side.check.pvalue for side in shown)

    @computed
    def latent_fits(self) -> LatentFits:
        """Both GPPOM fits and both tests."""
        if self._fits is not None:
            return self._fits
        return fit_both(*self._points, lam=self.lam, options=self._options, seed=self._seed)

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
        """P-value of the HSIC test of Θ and x, Θ fitted with x as the cause.

        Θ was fitted to be independent of this very cause: p-values rank, they do not test.
        """
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
