"""What is printed of pairs: a sentence and facts of one, an aligned table and a summary of many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from unicodedata import combining, east_asian_width

import numpy as np

from anmmm._words import Table, counted, hypotheses, renamed
from anmmm.cli.messages import plain, shown
from anmmm.direction import (
    COMMON_CAUSE,
    INDEPENDENT,
    NO_GAIN,
    NO_MODEL_FITS,
    POOR_FIT,
    SURE,
    TWO_EFFECTS,
    said_of,
    sure_of,
)

# What is of collections alone loads libraries that a single decision does without.
if TYPE_CHECKING:
    from anmmm.cli.input import Columns
    from anmmm.clustering import ClusteringResult
    from anmmm.collection.records import PairClusters, PairResult
    from anmmm.collection.summary import CollectionSummary
    from anmmm.direction import DirectionResult
    from anmmm.evidence import EvidenceResult

# Width of the column of ids where these are not known before, and at most.
UNKNOWN_IDS, LONGEST_ID = 16, 60

_EVIDENCE_NOTE = """\
Length is that of both columns encoded cause first, in nats per observation: the shorter wins.
A score near 0 says little. A cause of both columns that nobody measured is considered where it
makes groups or a curve; a selection of rows is not, and the check may warn of it."""

_LATENT_NOTE = """\
Dependence is that of the latent Θ on the hypothetical cause: the lower, the better the hypothesis.
The p-values rank, they do not test: Θ was fitted to be independent of this very cause.
The decision is made for mixtures; on a single mechanism it is no better than chance."""


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
        "confidence": _confidence_text(result),
        "probability": _probability_text(result, names),
        **facts,
        "independence": f"p = {result.independence_pvalue:.3g}   (HSIC test of both columns)",
        "check": _check_text(result.check_pvalue),
        "remark": renamed(result.note, names),
        "observations": f"{n_used}" if n_used == n else f"{n_used} of {n}",
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
    """Say the decision; what is not sure is said with its confidence."""
    said = said_of(result, names)
    if result.relation == INDEPENDENT:
        return NO_GAIN
    if result.relation == COMMON_CAUSE:
        return f"{COMMON_CAUSE}: {names[0].replace(' → ', ' and ')} look like {TWO_EFFECTS}"
    if result.direction == 0:
        return f"{said} between {names[0]} and {names[1]}"
    if sure_of(result) is False:
        return f"{said}, confidence {result.confidence:.2f} (sure from {SURE:g} on)"
    return said


def _confidence_text(result: DirectionResult) -> str:
    if result.confidence is None:
        return ""
    text = f"{result.confidence:.3f}"
    if result.resamples is not None:
        scores = result.resamples.scores
        text += f"   ({(scores * result.score > 0.0).sum()} of {len(scores)} halves agree)"
    return text


def _probability_text(result: DirectionResult, names: tuple[str, str]) -> str:
    if result.probabilities is None or result.evidence is None:
        return ""
    tried = result.evidence.common_cause is not None
    texts = (*names, COMMON_CAUSE if tried else f"{COMMON_CAUSE} (not tried)", INDEPENDENT)
    return ", ".join(f"{text} {p:.2f}" for text, p in zip(texts, result.probabilities, strict=True))


def _check_text(pvalue: float | None) -> str:
    if pvalue is None:
        return ""
    found = "nothing of the cause is left in what the model does not explain"
    return f"p = {pvalue:.3g}   ({NO_MODEL_FITS if pvalue < POOR_FIT else found})"


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
    table = Table({"hypothesis": "<1", "length": ">10", "mechanisms": ">1", "model": "<1"})
    sides = list(zip(names, (evidence.forward, evidence.backward), strict=True))
    lengths = (evidence.forward_score, evidence.backward_score)
    rows = [
        (name, f"{length:.6g}", f"{side.n_mechanisms}", side.model)
        for length, (name, side) in zip(lengths, sides, strict=True)
    ]
    common = evidence.common_cause
    if common is not None:
        rows.append((COMMON_CAUSE, f"{common.score:.6g}", "", common.model))
    facts, winner = {"criterion": "evidence"}, evidence.winner
    if winner is not None:
        facts["model"] = f"{winner.model}: {winner.text}"
    saved = f"{evidence.dependence:.4g}"
    facts["dependence"] = f"{saved}   (nats per observation saved over independence)"
    stopped = [f"model of {name}" for name, side in sides if not side.converged]
    return table.lines(rows), facts, stopped


def clustering_text(result: ClusteringResult, columns: Columns) -> str:
    """Describe a clustering: one line a mechanism."""
    n = len(result.labels)
    sizes = np.bincount(result.labels, minlength=result.n_mechanisms)
    refined = "labels refined by EM" if result.refined else "labels not refined by EM"
    lines = [
        f"{n} observations, cause {shown(columns.x_name)}, effect {shown(columns.y_name)}",
        f"{refined}: {result.reason}" if result.reason else refined,
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


class RowTable(ABC):
    """Lines of the table of a collection, one a pair; `ids` are empty where not known before."""

    columns: ClassVar[dict[str, str]]

    def __init__(self, ids: Sequence[str]) -> None:
        least = len("pair") if ids else UNKNOWN_IDS
        self._id_width = min(max([least, *map(len, ids)]), LONGEST_ID)
        self._table = Table({"pair": "", "n": ">10", **self.columns, "remark": ""})

    def header(self) -> str:
        """Return the line of column names."""
        return self._table.line(_id_cell("pair", self._id_width), *[*self._table.columns][1:])

    def line(self, row: Any) -> str:
        """Return the line of one pair."""
        size = "—" if row.n is None else f"{row.n}"
        # Labels are those of all observations.
        if getattr(row, "n_used", None) not in (None, row.n):
            size = f"{row.n_used}/{row.n}"
        analyzed = row.status == "ok"
        cells = self.cells(row) if analyzed else ["—", "—", *[""] * (len(self.columns) - 2)]
        remark = row.reason if analyzed else f"{row.status}: {row.reason}"
        # What a terminal cannot show may be spelled longer.
        spelled = map(plain, (size, *cells))
        return self._table.line(_id_cell(row.pair_id, self._id_width), *spelled, shown(remark))

    @abstractmethod
    def cells(self, row: Any) -> list[str]:
        """Return the cells of the columns of an analyzed pair."""

    @staticmethod
    @abstractmethod
    def closing(summary: CollectionSummary) -> str:
        """Describe the whole collection."""

    @staticmethod
    def document(summary: CollectionSummary) -> dict[str, Any]:
        """Return what a JSON document says besides the rows."""
        return {}


class DirectionsTable(RowTable):
    """Lines of the table of a collection's directions."""

    columns: ClassVar = {"relation": "<14", "score": ">10", "confidence": ">10", "truth": "^5"}

    def cells(self, row: PairResult) -> list[str]:
        """Return relation, score, confidence, and what the truth makes of them."""
        from anmmm.collection.summary import is_right

        truth = {True: "✓", False: "✗", None: ""}[is_right(row)]
        confidence = "" if row.confidence is None else f"{row.confidence:.3f}"
        return [said_of(row), f"{row.score:+.3f}", confidence, truth]

    @staticmethod
    def closing(summary: CollectionSummary) -> str:
        """Describe counts, what is related, accuracy where directions are known."""
        from anmmm.collection.summary import accuracy_lines, explained_text, related_text

        decided = f"{summary.n_decided} decided"
        if summary.n_sure or summary.n_leaning:
            decided += f" ({summary.n_sure} sure, {summary.n_leaning} leaning)"
        analyzed = f"{decided}, {summary.n_open} undecided"
        if summary.n_independent:
            analyzed += f", {summary.n_independent} independent"
        if summary.n_common_cause:
            look = "looks" if summary.n_common_cause == 1 else "look"
            analyzed += f", {summary.n_common_cause} {look} confounded"
        right = f"({summary.n_correct} of {summary.n_scored} pairs of known direction)"
        lines = [_counts(summary, analyzed)]
        if summary.n_tested:
            lines.append(related_text(summary))
        if summary.n_explained:
            lines.append(explained_text(summary))
        return "\n".join([*lines, *accuracy_lines(summary, note=right)])

    @staticmethod
    def document(summary: CollectionSummary) -> dict[str, Any]:
        """Return the summary."""
        return {"summary": summary.to_dict()}


class ClustersTable(RowTable):
    """Lines of the table of a collection's mechanisms."""

    columns: ClassVar = {"cause": "^5", "sizes of mechanisms": "<20"}

    def cells(self, row: PairClusters) -> list[str]:
        """Return the cause and the sizes of its mechanisms."""
        sizes = "—" if row.sizes is None else " ".join(map(str, row.sizes))
        return [row.cause or "—", sizes]

    @staticmethod
    def closing(summary: CollectionSummary) -> str:
        """Describe how many pairs were labeled."""
        n_labeled = summary.n_pairs - summary.n_unusable - summary.n_error
        return _counts(summary, f"{n_labeled} labeled")


def _id_cell(pair_id: str, width: int) -> str:
    """Return an id on one line, cut where it is long, and filled up to the width of its column."""
    text = shown(pair_id)
    if len(text) > LONGEST_ID:
        text = f"{text[: LONGEST_ID - 1]}…"
    # Letters of East Asia take two columns of a terminal, accents that join their letter none.
    taken = sum(
        0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text
    )
    return text + " " * (width - taken)


def _counts(summary: CollectionSummary, analyzed: str) -> str:
    counts = [analyzed, f"{summary.n_unusable} unusable"]
    if summary.n_error:
        counts.append(f"{summary.n_error} failed")
    if summary.n_not_converged:
        counts.append(f"{summary.n_not_converged} not converged")
    return f"{counted(summary.n_pairs, 'pair')}: {', '.join(counts)}"
