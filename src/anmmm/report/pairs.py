"""A page about the rows of a collection."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tqdm.auto import tqdm

from anmmm._compiling import can_report
from anmmm._text import counted, cut, hypotheses, valid_utf8
from anmmm._threads import single_thread
from anmmm._typing import StrPath
from anmmm._validation import check_count
from anmmm._warning import suppress_convergence_warnings
from anmmm.collection import as_pairs, read_rows, summarize
from anmmm.collection.records import PairResult
from anmmm.datasets import Pair
from anmmm.direction import infer_direction
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    format_confidence,
    format_decision,
)
from anmmm.evaluation.run import measure
from anmmm.evidence.models import model_text
from anmmm.plotting import plot_decision_rates, plot_pairs
from anmmm.plotting.direction import draw_hypothesis, one_group, shown_variables
from anmmm.plotting.groups import draw_points
from anmmm.plotting.style import as_text
from anmmm.report.page import MOST_PLOTS, open_template, picture, write_page

# Most points of one picture.
MOST_POINTS = 1500
# Texts of notes that are listed.
MOST_NOTES = 40
# Letters of a name at an axis.
LONGEST_LABEL = 24

_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?!\w)")


def write_report(
    rows: StrPath | Iterable[PairResult],
    output: StrPath,
    *,
    source: Any = None,
    n_plots: int = 12,
    progress: bool = False,
    force: bool = False,
) -> None:
    """Write one HTML page about the rows of a collection.

    Counts and accuracies, what was assumed, accuracy against the fraction of decided pairs (if
    directions are known), a map (of the pairs of a table), the most and the least certain pairs,
    and the notes. The page needs no other file, no script and no network.

    Parameters
    ----------
    rows : path-like or iterable of PairResult
        File of ``anmmm directions -o``, see `anmmm.collection.read_rows`, or the results of
        `anmmm.infer_directions`.
    output : path-like
        File for the page.
    source : PairSource or anything of `anmmm.collection.as_pairs`, optional
        Observations of the pairs, to draw them; open it with ``as_pairs`` if it needs options.
        Without it pairs are only listed. A picture shows the model that decided the pair.
    n_plots : int
        Number of the most certain pairs to show, and of the least certain ones; 0 to 500.
    progress : bool
        Whether to show a progress bar on standard error.
    force : bool
        Whether to replace an existing file.

    Raises
    ------
    SourceError
        A ValueError: if a file is not a table of directions.

    Notes
    -----
    Equal rows give equal pages with equal versions of the libraries. Time: some tenths of a second
    per drawn pair. Memory: a kilobyte per row. Accuracies, errors and decision rates are those of
    `anmmm.evaluate`. See docs/guide/many.md.

    Examples
    --------
    >>> import tempfile, os
    >>> from anmmm import infer_directions
    >>> from anmmm.datasets import make_anm_mixture
    >>> pairs = {"first": make_anm_mixture("f3", 60, random_state=1)[:2]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = os.path.join(folder, "report.html")
    ...     write_report(infer_directions(pairs, random_state=0), page, source=pairs)
    """
    n_plots = check_count(n_plots, "n_plots", minimum=0, maximum=MOST_PLOTS)
    pairs = None if source is None else as_pairs(source)
    sources: list[StrPath] = [] if pairs is None else [pairs.name]
    rows_name = "rows in memory"
    if isinstance(rows, (str, os.PathLike)):
        sources.append(rows)
        # Without the folders of this machine.
        rows_name = os.path.basename(rows)
        rows = read_rows(rows)
    template = open_template("pairs.html.j2", output, *sources, force=force)
    kept = list(rows)
    summary = summarize(kept)
    measured = measure(kept)
    ranked = _ranked(kept)
    n_most = min(n_plots, -(-len(ranked) // 2))
    n_least = min(n_plots, len(ranked) - n_most)
    most_and_least = {"most": ranked[:n_most], "least": ranked[::-1][:n_least]}
    pictures: dict[str, tuple[str, str]] = {}
    if pairs is not None:
        drawn = [*most_and_least["most"], *most_and_least["least"]]
        pictures = _draw_pairs(drawn, pairs, progress)
    rates_picture = ""
    if measured.decision_rates is not None:
        rates_picture = picture(lambda ax: plot_decision_rates(kept, ax=ax), (5.2, 3.0), font=9.0)
    map_picture = ""
    if _is_table(kept):
        map_picture = picture(lambda ax: plot_pairs(kept, ax=ax), (5.5, 4.6), font=8.0)
    # The same text about other numbers is the same note.
    notes = Counter(_NUMBER.sub("#", row.notes) for row in kept if row.notes)
    write_page(
        output,
        template,
        rows_name=rows_name,
        has_source=pairs is not None,
        summary=summary,
        measured=measured,
        analyzed=[row for row in kept if row.status == "ok"],
        counted=counted,
        rates_picture=rates_picture,
        map_picture=map_picture,
        ranked=most_and_least,
        pictures=pictures,
        notes=notes.most_common(MOST_NOTES),
        decision_of=lambda row: format_decision(row, hypotheses(row.x, row.y)),
        format_confidence=format_confidence,
    )


def _ranked(rows: list[PairResult]) -> list[PairResult]:
    """Return the rows with a direction, the most certain first."""
    ranked = [
        row
        for row in rows
        if row.score is not None and row.relation not in (INDEPENDENT, COMMON_CAUSE)
    ]
    return sorted(ranked, key=lambda row: (-(row.confidence or 0.0), -abs(row.score or 0.0)))


def _is_table(rows: list[PairResult]) -> bool:
    """Return whether pairs share their variables, as those of a table do."""
    pairs = {(row.x, row.y) for row in rows}
    names = {name for pair in pairs for name in pair}
    return len(names) > 2 and len(pairs) >= max(len(rows), len(names))


def _draw_pairs(
    rows: Sequence[PairResult], source: Iterable[Pair], progress: bool
) -> dict[str, tuple[str, str]]:
    """Return the address of a picture, and a remark, for each id of these rows."""
    wanted = {row.pair_id: row for row in rows}
    pictures: dict[str, tuple[str, str]] = {}
    is_hidden = not (progress and can_report())
    for pair in tqdm(source, unit="pair", disable=is_hidden, leave=False):
        row = wanted.pop(valid_utf8(pair.pair_id), None)
        if row is not None:
            with single_thread(), suppress_convergence_warnings():
                pictures[row.pair_id] = _draw_pair(row, pair)
        if not wanted:
            break
    if wanted:
        text = f"{len(wanted)} of {len(rows)} pairs to be drawn are not in the source"
        warnings.warn(text, UserWarning, stacklevel=3)
    return pictures


def _draw_pair(row: PairResult, pair: Pair) -> tuple[str, str]:
    """Return the picture of a pair with the model that decided it, and a remark.

    The model is fitted again. To a sample of the rows another one may fit best, which is remarked.
    """
    try:
        used = pair.univariate().subsample(min(row.n or MOST_POINTS, MOST_POINTS), 0)
        if row.n is not None and row.n > len(pair.x):
            raise ValueError(f"{len(pair.x)} observations in the source, {row.n} in the row")
        result = infer_direction(used.x, used.y, random_state=0)
    except (TypeError, ValueError) as error:
        return "", f"not drawn: {error}"
    names = [as_text(cut(name, LONGEST_LABEL)) for name in (row.x, row.y)]
    x, y = shown_variables(result, names[0], names[1])
    is_backward = row.direction == -1 or (not row.direction and result.score < 0.0)

    def draw(ax: Any) -> None:
        if row.model is None:
            # Another criterion than the description length: no model of the effect.
            draw_points(ax, x.values, y.values, one_group(x))
            ax.set(xlabel=x.name, ylabel=y.name)
        else:
            draw_hypothesis(ax, result, int(is_backward), x, y)
        ax.locator_params(nbins=4)

    fits = (result.models.forward, result.models.backward)
    model = getattr(fits[is_backward], "model", "")
    if row.model is None or row.model == model:
        return picture(draw), ""
    return picture(draw), f"drawn with {len(x.values)} rows: {model_text(model)}"
