"""What is printed of one pair: a sentence and facts, spelled as the terminal can show them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from anmmm._words import Table, hypotheses
from anmmm.cli.text import readable, shown
from anmmm.direction import (
    INDEPENDENT,
    NO_GAIN,
    NO_MODEL_FITS,
    POOR_FIT,
    SURE,
    far_text,
    said_of,
    sure_of,
)

if TYPE_CHECKING:
    from anmmm.cli.input import Columns
    from anmmm.clustering import ClusteringResult
    from anmmm.direction import DirectionResult
    from anmmm.evidence import EvidenceResult

# What a stream shows in place of characters that its encoding lacks.
_ASCII = {
    "→": "->",
    "↔": "<->",
    "✓": "yes",
    "✗": "no",
    "—": "-",
    "±": "+/-",
    "λ": "lambda",
    "Θ": "Theta",
    "…": "...",
}

_EVIDENCE_NOTE = """\
Length is that of both columns encoded cause first, in nats per observation: the shorter wins.
A score near 0 says little. The decision is made for a cause and its effect: a common cause of both
columns, or a selection of rows, is not considered; the check may warn of it."""

_LATENT_NOTE = """\
Dependence is that of the latent Θ on the hypothetical cause: the lower, the better the hypothesis.
The p-values rank, they do not test: Θ was fitted to be independent of this very cause.
The decision is made for mixtures; on a single mechanism it is no better than chance."""


def plain(text: str) -> str:
    """Return the text with characters spelled out that standard output cannot or must not show."""
    text = readable(text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        for character, spelling in _ASCII.items():
            text = text.replace(character, spelling)
        # Names of columns and pairs may hold anything.
        text = text.encode(encoding, "replace").decode(encoding)
    return text


def direction_text(result: DirectionResult, columns: Columns, n_used: int) -> str:
    """Describe the decision on one pair, the sentence first."""
    names = hypotheses(shown(columns.x_name), shown(columns.y_name))
    # What the terminal cannot show may be spelled longer, and the table is to line up.
    names = plain(names[0]), plain(names[1])
    if result.evidence is not None:
        (table, facts, stopped), note = _evidence_parts(result.evidence, names), _EVIDENCE_NOTE
    else:
        (table, facts, stopped), note = _latent_parts(result, names), _LATENT_NOTE
    n = len(columns.x)
    facts = {
        "score": f"{result.score:+.4g}   (positive: {names[0]})",
        **_confidence_fact(result),
        **facts,
        "independence": f"p = {result.independence_pvalue:.3g}   (HSIC test of both columns)",
        **_check_fact(result),
        **_far_fact(result, names),
        "observations": f"{n_used}" if n_used == n else f"{n_used} of {n}",
        "converged": "no: " + ", ".join(stopped) if stopped else "yes",
    }
    lines = [
        _sentence(result, names),
        "",
        *(f"  {line}" for line in table),
        "",
        *(f"  {name:<12}  {text}" for name, text in facts.items()),
        "",
        note,
    ]
    return "\n".join(lines)


def _sentence(result: DirectionResult, names: tuple[str, str]) -> str:
    """Say the decision; what is not sure is said with its confidence."""
    said = said_of(result, names)
    if result.relation == INDEPENDENT:
        return NO_GAIN
    if result.direction == 0:
        return f"{said} between {names[0]} and {names[1]}"
    if sure_of(result) is False:
        return f"{said}, confidence {result.confidence:.2f} (sure from {SURE:g} on)"
    return said


def _confidence_fact(result: DirectionResult) -> dict[str, str]:
    if result.confidence is None:
        return {}
    text = f"{result.confidence:.3f}"
    if result.resamples is not None:
        scores = result.resamples.scores
        text += f"   ({(scores * result.score > 0.0).sum()} of {len(scores)} halves agree)"
    return {"confidence": text}


def _check_fact(result: DirectionResult) -> dict[str, str]:
    if result.check_pvalue is None:
        return {}
    found = "nothing of the cause is left in what the model does not explain"
    if result.check_pvalue < POOR_FIT:
        found = NO_MODEL_FITS
    return {"check": f"p = {result.check_pvalue:.3g}   ({found})"}


def _far_fact(result: DirectionResult, names: tuple[str, str]) -> dict[str, str]:
    return {} if result.without_far is None else {"remark": far_text(result.without_far, names)}


# Table of both hypotheses, facts by name, and what did not converge.
_Parts = tuple[list[str], dict[str, str], list[str]]


def _latent_parts(result: DirectionResult, names: tuple[str, str]) -> _Parts:
    table = Table({"hypothesis": "<1", "dependence": ">12", "p-value": ">10"})
    rows = [
        (names[0], f"{result.forward_score:.6g}", f"{result.forward_pvalue:.3g}"),
        (names[1], f"{result.backward_score:.6g}", f"{result.backward_pvalue:.3g}"),
    ]
    fits = {"forward": result.forward, "backward": result.backward}
    stopped = [f"{name} fit {fit.status}" for name, fit in fits.items() if not fit.converged]
    criterion = f"{result.criterion}, λ = {result.lam:g}"
    return table.lines(rows), {"criterion": criterion}, stopped


def _evidence_parts(evidence: EvidenceResult, names: tuple[str, str]) -> _Parts:
    table = Table({"hypothesis": "<1", "length": ">10", "mechanisms": ">1", "model": ">1"})
    sides = list(zip(names, (evidence.forward, evidence.backward), strict=True))
    lengths = (evidence.forward_score, evidence.backward_score)
    rows = [
        (name, f"{length:.6g}", f"{side.n_mechanisms}", side.model)
        for length, (name, side) in zip(lengths, sides, strict=True)
    ]
    facts = {"criterion": "evidence"}
    if evidence.chosen is not None:
        facts["model"] = f"{evidence.chosen.model}: {evidence.chosen.text}"
    saved = f"{evidence.dependence:.4g}"
    facts["dependence"] = f"{saved}   (nats per observation saved over independence)"
    stopped = [f"model of {name}" for name, side in sides if not side.converged]
    return table.lines(rows), facts, stopped


_REFINED = {True: "labels refined by EM", False: "labels not refined by EM"}


def clustering_text(result: ClusteringResult, columns: Columns) -> str:
    """Describe a clustering: one line a mechanism."""
    n = len(result.labels)
    sizes = np.bincount(result.labels, minlength=result.n_mechanisms)
    lines = [
        f"{n} observations, cause {shown(columns.x_name)}, effect {shown(columns.y_name)}",
        ": ".join(filter(None, [_REFINED[result.refined], result.reason])),
        *Table({"mechanism": ">9", "size": ">6", "share": ">5"}).lines(
            (f"{label}", f"{size}", f"{100 * size / n:.0f}%") for label, size in enumerate(sizes)
        ),
    ]
    if result.criteria is not None:
        tried = ", ".join(
            f"{number}: {value:.1f}" for number, value in enumerate(result.criteria, start=1)
        )
        lines.append(f"number of mechanisms chosen by the smallest criterion ({tried})")
    if not result.fit.converged:
        lines.append(f"the fit did not converge ({result.fit.status})")
    return "\n".join(lines)
