"""A decision as text: a sentence, a table of the hypotheses, and further results."""

from __future__ import annotations

from collections.abc import Callable

from anmmm._text import counted, format_probability, hypotheses, printable, renamed, table_lines
from anmmm.dependence import LatentFits
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    COMMON_CAUSE_NOTE,
    INDEPENDENT,
    INDEPENDENT_NOTE,
    LACK_OF_FIT_NOTE,
    LACK_OF_FIT_PVALUE,
    SURE,
    format_confidence,
    format_decision,
    is_sure,
)
from anmmm.direction.result import DirectionResult
from anmmm.evidence import EvidenceResult

_EVIDENCE_NOTE = """\
Length is that of both columns encoded cause first, in nats per observation.
{prior}
{hidden}
A selection of rows is not considered, and nothing warns of it."""
_LEARNED = "Log-odds weigh the lengths with plain features of both columns, as real pairs taught."
_FLAT = "Log-odds are those of the lengths alone."
_TRIED = "An unmeasured common cause is considered if it makes groups or a curve."
_NOT_TRIED = "No unmeasured common cause was tried."

_NO_CONFIDENCE = "none: only the criterion evidence has one"
_LATENT_NOTE = """\
Dependence is that of the latent Θ on the hypothetical cause: the lower, the better the hypothesis.
The p-values rank, they do not test: Θ was fitted to be independent of this very cause.
The decision is made for mixtures; on a single mechanism it is no better than chance."""


def direction_text(
    result: DirectionResult,
    spell: Callable[[str], str] = printable,
    n_total: int | None = None,
) -> str:
    """Describe a decision; `spell` returns text that a terminal shows, `n_total` rows are given."""
    # Spelled now, so that the table lines up.
    names = hypotheses(*map(printable, result.names))
    names = spell(names[0]), spell(names[1])
    if isinstance(result.models, LatentFits):
        table, facts, stopped = _latent_parts(result, result.models, names)
        note = _LATENT_NOTE
    else:
        table, facts, stopped = _evidence_parts(result, result.models, names)
        note = _EVIDENCE_NOTE
        is_tried = result.models.independent or result.models.is_common_cause_tried
        hidden = _TRIED if is_tried else _NOT_TRIED
        note = note.format(hidden=hidden, prior=_FLAT if result.prior == "flat" else _LEARNED)
    facts = {
        "score": f"{result.score:+.4g}   (positive: {names[0]})",
        "log-odds": "" if result.log_odds is None else f"{result.log_odds:+.3g}   (of {names[0]})",
        "confidence": _confidence_text(result),
        "probability": _probability_text(result, names),
        **facts,
        "independence": f"p = {result.independence_pvalue:.3g}   (HSIC test of both columns)",
        "check": _check_text(result.check_pvalue),
        "note": renamed("; ".join(result.notes), names),
        "observations": _observations_text(result, n_total),
        "converged": "no: " + ", ".join(stopped) if stopped else "yes",
    }
    lines = [
        _sentence(result, names),
        "",
        *(f"  {line}" for line in table),
        "",
        *(f"  {name:<12}  {text}" for name, text in facts.items() if text),
        "",
        note,
    ]
    return "\n".join(lines)


def _sentence(result: DirectionResult, names: tuple[str, str]) -> str:
    """Describe the decision, with its confidence if it is not sure."""
    decision = format_decision(result, names)
    if result.relation == INDEPENDENT:
        return INDEPENDENT_NOTE
    if result.relation == COMMON_CAUSE:
        return f"{COMMON_CAUSE}: {names[0].replace(' → ', ' and ')} look like {COMMON_CAUSE_NOTE}"
    if result.direction == 0:
        return f"{decision} between {names[0]} and {names[1]}"
    if is_sure(result) is False:
        return (
            f"{decision}, confidence {format_confidence(result.confidence)} (sure from {SURE:g} on)"
        )
    return decision


def _confidence_text(result: DirectionResult) -> str:
    """Return the confidence; nothing for an answer without a direction, which it does not rate."""
    if result.confidence is None:
        return _NO_CONFIDENCE
    return format_confidence(result.confidence) if result.direction else ""


def _probability_text(result: DirectionResult, names: tuple[str, str]) -> str:
    if result.probabilities is None or result.evidence is None:
        return ""
    # Independent variables need none.
    is_settled = result.evidence.is_common_cause_tried or result.evidence.independent
    common_cause = COMMON_CAUSE if is_settled else f"{COMMON_CAUSE} (not tried)"
    texts = (*names, common_cause, INDEPENDENT)
    pairs = zip(texts, map(format_probability, result.probabilities), strict=True)
    return ", ".join(f"{text} {probability}" for text, probability in pairs)


def _observations_text(result: DirectionResult, n_total: int | None) -> str:
    text = str(result.n_samples)
    if n_total not in (None, result.n_samples):
        text += f" of {n_total}"
    if result.n_dropped:
        text += f" ({counted(result.n_dropped, 'incomplete row')} left out)"
    return text


def _check_text(pvalue: float | None) -> str:
    if pvalue is None:
        return ""
    good_fit = "the residuals of the model do not depend on the cause"
    return f"p = {pvalue:.3g}   ({LACK_OF_FIT_NOTE if pvalue < LACK_OF_FIT_PVALUE else good_fit})"


# Table of both hypotheses, facts by name, and the fits that did not converge.
_Parts = tuple[list[str], dict[str, str], list[str]]


def _latent_parts(result: DirectionResult, fits: LatentFits, names: tuple[str, str]) -> _Parts:
    heads = {"hypothesis": "<1", "dependence": ">12", "p-value": ">10"}
    rows = [
        (names[0], f"{fits.forward_score:.6g}", f"{fits.forward_test.pvalue:.3g}"),
        (names[1], f"{fits.backward_score:.6g}", f"{fits.backward_test.pvalue:.3g}"),
    ]
    fits_by_name = {"forward": fits.forward, "backward": fits.backward}
    stopped = [
        f"{name} fit {fit.status}" for name, fit in fits_by_name.items() if not fit.converged
    ]
    criterion = f"{result.criterion}, λ = {fits.options.lam:g}"
    return table_lines(heads, rows), {"criterion": criterion}, stopped


def _evidence_parts(
    result: DirectionResult, evidence: EvidenceResult, names: tuple[str, str]
) -> _Parts:
    heads = {"hypothesis": "<1", "length": ">10", "mechanisms": ">1", "model": "<1"}
    directions = list(zip(names, (evidence.forward, evidence.backward), strict=True))
    lengths = (evidence.forward_score, evidence.backward_score)
    rows = [
        (name, f"{length:.6g}", f"{direction.n_mechanisms}", direction.model)
        for length, (name, direction) in zip(lengths, directions, strict=True)
    ]
    common = evidence.common_cause
    if common is not None:
        rows.append((COMMON_CAUSE, f"{common.score:.6g}", "", common.model))
    facts = {"criterion": "evidence"}
    described = result._described
    if described is not None:
        facts["model"] = f"{described.model}: {described.text}"
    saved = f"{evidence.dependence:.4g}"
    facts["dependence"] = f"{saved}   (nats per observation saved over independence)"
    stopped = [f"model of {name}" for name, direction in directions if not direction.converged]
    return table_lines(heads, rows), facts, stopped
