"""What the commands print: sentences and aligned tables, spelled as the terminal can show them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

import numpy as np

from anmmm.cli.input import Columns
from anmmm.cli.text import readable, shown
from anmmm.collection import CollectionSummary
from anmmm.evidence import model_text
from anmmm.results import (
    ClusteringResult,
    DirectionResult,
    EvidenceResult,
    PairClusters,
    PairResult,
)

__all__ = [
    "ClustersTable",
    "DirectionsTable",
    "clustering_text",
    "counts_text",
    "direction_text",
    "model_text",
    "plain",
    "summary_text",
]

# What a stream shows in place of characters that its encoding lacks.
_ASCII = {
    "→": "->",
    "✓": "yes",
    "✗": "no",
    "—": "-",
    "±": "+/-",
    "λ": "lambda",
    "Θ": "Theta",
    "…": "...",
}

# Columns of a table for ids; files hold them whole.
LONGEST_ID = 60

_EVIDENCE_NOTE = """\
Length is that of both columns told cause first, in nats per observation: the shorter wins.
A score near 0 says little. The decision is made for a cause and its effect: a common cause of both
columns, or a selection of rows, is not considered."""

_LATENT_NOTE = """\
Dependence is that of the latent Θ on the hypothetical cause: the lower, the better the hypothesis.
The p-values rank, they do not test: Θ was fitted to be independent of this very cause.
The decision is made for mixtures; on a single mechanism it is no better than chance."""


def plain(text: str) -> str:
    """Return the text with characters spelled out that standard output cannot or must not show.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
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
    """Describe the decision on one pair.

    Parameters
    ----------
    result : DirectionResult
    columns : Columns
        The data and their names.
    n_used : int
        Observations in the fit.

    Returns
    -------
    str
        Several lines, the sentence first.
    """
    x_name, y_name = shown(columns.x_name), shown(columns.y_name)
    forward = f"{x_name} → {y_name}"
    backward = f"{y_name} → {x_name}"
    sentence = {
        1: forward,
        -1: backward,
        0: f"undecided between {forward} and {backward}",
    }[result.direction]
    observations = f"{n_used}" if n_used == len(columns.x) else f"{n_used} of {len(columns.x)}"
    if result.evidence is None:
        table, facts = _latent_parts(result, (forward, backward))
    else:
        table, facts = _evidence_parts(result.evidence, (forward, backward))
    facts = [
        ("score", f"{result.score:+.4g}   (positive: {forward})"),
        *_confidence_facts(result),
        *facts[:-1],
        ("observations", observations),
        facts[-1],
    ]
    return "\n".join(
        [
            sentence,
            "",
            *_aligned(table),
            "",
            *(f"  {name:<12}  {text}" for name, text in facts),
            "",
            _LATENT_NOTE if result.evidence is None else _EVIDENCE_NOTE,
        ]
    )


def _confidence_facts(result: DirectionResult) -> list[tuple[str, str]]:
    if result.confidence is None or result.resamples is None:
        return []
    count = len(result.resamples.scores)
    agreeing = int((result.resamples.scores * result.score > 0.0).sum())
    return [("confidence", f"{result.confidence:.3f}   ({agreeing} of {count} halves agree)")]


_Parts = tuple[list[tuple[str, ...]], list[tuple[str, str]]]


def _latent_parts(result: DirectionResult, hypotheses: tuple[str, str]) -> _Parts:
    """Table of both hypotheses, and facts, the last one on convergence."""
    scores = (result.forward_score, result.backward_score)
    pvalues = (result.forward_pvalue, result.backward_pvalue)
    table: list[tuple[str, ...]] = [("hypothesis", f"{'dependence':>12}", f"{'p-value':>10}")]
    for hypothesis, score, pvalue in zip(hypotheses, scores, pvalues, strict=True):
        table.append((hypothesis, f"{score:.6g}", f"{pvalue:.3g}"))
    fits = [("forward", result.forward), ("backward", result.backward)]
    stopped = [f"{name} fit {fit.status}" for name, fit in fits if not fit.converged]
    return table, [
        ("criterion", f"{result.criterion}, λ = {result.lam:g}"),
        ("converged", _converged(stopped)),
    ]


def _evidence_parts(evidence: EvidenceResult, hypotheses: tuple[str, str]) -> _Parts:
    """Table of both hypotheses, and facts, the last one on convergence."""
    sides = (evidence.forward, evidence.backward)
    lengths = (evidence.forward_score, evidence.backward_score)
    table: list[tuple[str, ...]] = [("hypothesis", f"{'length':>10}", "mechanisms", "model")]
    for hypothesis, length, side in zip(hypotheses, lengths, sides, strict=True):
        table.append((hypothesis, f"{length:.6g}", f"{side.n_mechanisms}", side.model))
    facts = [("criterion", "evidence")]
    if evidence.chosen is not None:
        facts.append(("model", f"{evidence.chosen.model}: {model_text(evidence.chosen.model)}"))
    stopped = [
        f"model of {hypothesis}"
        for hypothesis, side in zip(hypotheses, sides, strict=True)
        if not side.converged
    ]
    return table, [*facts, ("converged", _converged(stopped))]


def _converged(stopped: list[str]) -> str:
    return "no: " + ", ".join(stopped) if stopped else "yes"


def _aligned(table: list[tuple[str, ...]]) -> list[str]:
    """Lines of a table: the first column to the left, the others to the right."""
    first, *widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            ["", f"{row[0]:<{first}}", *(f"{c:>{w}}" for c, w in zip(row[1:], widths, strict=True))]
        )
        for row in table
    ]


def clustering_text(result: ClusteringResult, columns: Columns) -> str:
    """Describe a clustering: one line a mechanism.

    Parameters
    ----------
    result : ClusteringResult
    columns : Columns
        The data and their names.

    Returns
    -------
    str
    """
    sizes = np.bincount(result.labels, minlength=result.n_mechanisms)
    lines = [
        f"{len(result.labels)} observations, cause {shown(columns.x_name)}, effect "
        f"{shown(columns.y_name)}",
        "labels refined by EM" if result.refined else f"labels not refined by EM: {result.reason}",
        "mechanism    size  share",
    ]
    lines += [
        f"{label:>9}  {size:>6}  {100 * size / len(result.labels):>4.0f}%"
        for label, size in enumerate(sizes)
    ]
    if result.criteria is not None:
        tried = ", ".join(
            f"{number}: {value:.1f}" for number, value in enumerate(result.criteria, start=1)
        )
        lines.append(f"number of mechanisms chosen by the smallest criterion ({tried})")
    if not result.fit.converged:
        lines.append(f"the fit did not converge ({result.fit.status})")
    return "\n".join(lines)


class _Table:
    """Lines of the table of a collection, one a pair, of widths that are known beforehand.

    Parameters
    ----------
    ids : sequence of str
        Ids of all pairs; none where they are not known beforehand.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        self._width = id_width(ids)

    def _start(self, pair: str, size: str) -> str:
        return f"{_id_cell(pair, self._width)}  {size:>10}"


class DirectionsTable(_Table):
    """Lines of the table of a collection's directions, one a pair.

    Parameters
    ----------
    ids : sequence of str
        Ids of all pairs; none where they are not known beforehand.
    """

    def header(self) -> str:
        """Return the line of column names."""
        return self._line("pair", "n", "direction", "score", "truth", "remark")

    def line(self, row: PairResult) -> str:
        """Return the line of one pair.

        Parameters
        ----------
        row : PairResult

        Returns
        -------
        str
        """
        size = "—" if row.n is None else f"{row.n}"
        if row.n_used is not None and row.n_used != row.n:
            size = f"{row.n_used}/{row.n}"
        if row.status != "ok":
            return self._line(row.pair_id, size, "—", "—", "", f"{row.status}: {row.reason}")
        direction = {1: "x → y", -1: "y → x"}.get(row.direction or 0, "undecided")
        truth = ""
        if row.truth in (1, -1):
            truth = "✓" if row.direction == row.truth else "✗"
        return self._line(row.pair_id, size, direction, f"{row.score:+.3f}", truth, row.reason)

    def _line(
        self, pair: str, size: str, direction: str, score: str, truth: str, remark: str
    ) -> str:
        cells = f"{self._start(pair, size)}  {direction:<9}  {score:>10}  {truth:^5}"
        return f"{cells}  {shown(remark)}".rstrip()


class ClustersTable(_Table):
    """Lines of the table of a collection's mechanisms, one a pair.

    Parameters
    ----------
    ids : sequence of str
        Ids of all pairs; none where they are not known beforehand.
    """

    def header(self) -> str:
        """Return the line of column names."""
        return self._line("pair", "n", "cause", "sizes of mechanisms", "remark")

    def line(self, row: PairClusters) -> str:
        """Return the line of one pair.

        Parameters
        ----------
        row : PairClusters
        """
        size = "—" if row.n is None else f"{row.n}"
        if row.status != "ok" or row.sizes is None:
            return self._line(row.pair_id, size, "—", "—", f"{row.status}: {row.reason}")
        sizes = " ".join(map(str, row.sizes))
        return self._line(row.pair_id, size, row.cause or "—", sizes, row.reason)

    def _line(self, pair: str, size: str, cause: str, sizes: str, remark: str) -> str:
        cells = f"{self._start(pair, size)}  {cause:^5}  {sizes:<20}"
        return f"{cells}  {shown(remark)}".rstrip()


def id_width(ids: Sequence[str]) -> int:
    """Return the width of a column of ids.

    Parameters
    ----------
    ids : sequence of str
        None where they are not known beforehand.
    """
    longest = max([len("pair") if ids else 16, *map(len, ids)])
    return min(longest, LONGEST_ID)


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


def counts_text(summary: CollectionSummary) -> str:
    """Describe how many pairs of a collection were labelled.

    Parameters
    ----------
    summary : CollectionSummary
        Of `PairClusters`.

    Returns
    -------
    str
    """
    n_labelled = summary.n_pairs - summary.n_unusable - summary.n_error
    return _counts(summary, [f"{n_labelled} labelled"])


def _counts(summary: CollectionSummary, counts: list[str]) -> str:
    counts = [*counts, f"{summary.n_unusable} unusable"]
    if summary.n_error:
        counts.append(f"{summary.n_error} failed")
    if summary.n_not_converged:
        counts.append(f"{summary.n_not_converged} not converged")
    noun = "pair" if summary.n_pairs == 1 else "pairs"
    return f"{summary.n_pairs} {noun}: {', '.join(counts)}"


def summary_text(summary: CollectionSummary) -> str:
    """Describe a collection: counts, and accuracy where directions are known.

    Parameters
    ----------
    summary : CollectionSummary

    Returns
    -------
    str
    """
    counts = [f"{summary.n_decided} decided", f"{summary.n_undecided} undecided"]
    lines = [_counts(summary, counts)]
    if summary.accuracy is None:
        lines.append("accuracy           unknown: no analysed pair has a known direction")
    else:
        lines.append(
            f"accuracy           {summary.accuracy:.3f}   "
            f"({summary.n_correct} of {summary.n_scored} pairs of known direction)"
        )
    if summary.weighted_accuracy is not None:
        lines.append(
            f"weighted accuracy  {summary.weighted_accuracy:.3f}   "
            f"(total weight {summary.total_weight:.6g})"
        )
    return "\n".join(lines)
