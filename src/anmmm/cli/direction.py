"""The command on one pair: which column is the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from anmmm.cli.messages import plain, say
from anmmm.cli.options import (
    categories_option,
    column_options,
    common_options,
    decision_options,
    force_option,
    given,
    parse_categories,
    plot_option,
    report_unused,
    with_options,
)

if TYPE_CHECKING:
    from anmmm.cli.input import Columns
    from anmmm.direction import DirectionResult


@click.command("direction")
@click.argument("file")
@with_options(
    *column_options,
    categories_option,
    *decision_options,
    plot_option,
    force_option,
    *common_options,
)
def direction_command(
    file: str,
    x: str | None,
    y: str | None,
    header: bool | None,
    drop_missing: bool,
    categories: str | None,
    max_samples: int | None,
    plot: str | None,
    force: bool,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Tell which of two columns of FILE is the cause.

    FILE is a text table, separated by commas, semicolons, tabs or blanks, with or without a line of
    column names; "-" reads standard input.
    """
    from anmmm._files import to_json_document
    from anmmm._threads import single_thread
    from anmmm._warning import unconverged_untold
    from anmmm.cli.input import load_columns, refusing
    from anmmm.cli.tables import direction_text
    from anmmm.direction import infer_direction

    if plot is not None:
        from anmmm.cli.plots import check_plot

        check_plot(plot, file, force=force)
    names = parse_categories(categories) or ()
    columns = load_columns(file, x, y, drop_missing=drop_missing, header=header, categories=names)
    used_x, used_y, cut_seed = columns.x, columns.y, None
    if max_samples is not None and len(used_x) > max_samples:
        cut_seed = seed
        from anmmm.datasets import Pair

        used = Pair("", used_x, used_y).subsample(max_samples, cut_seed)
        used_x, used_y = used.x, used.y
        say(f"{max_samples} of {len(columns.x)} rows drawn with seed {seed}")
    # One thread, as in a collection: digits do not depend on the machine's number of cores.
    # The text says what did not converge.
    with refusing(), single_thread(), unconverged_untold():
        result = infer_direction(used_x, used_y, random_state=seed, **given(**options))
    if result.evidence is not None:
        report_unused(options["lam"])
    if plot is not None:
        from anmmm.cli.plots import draw_direction

        draw_direction(plot, used_x, used_y, result, columns)
    if not as_json:
        click.echo(plain(direction_text(result, columns, len(used_x))))
        return
    drawn = {"seed": seed, "n_used": len(used_x), "subsample_seed": cut_seed}
    click.echo(to_json_document(_document(result, columns) | drawn))


def _document(result: DirectionResult, columns: Columns) -> dict[str, Any]:
    """Collect what ``--json`` prints."""
    from anmmm._words import hypotheses, renamed
    from anmmm.direction import sure_of

    ordered = (columns.x_name, columns.y_name)[:: result.direction or 1]
    lengths = result.evidence
    chosen = None if lengths is None else lengths.chosen
    common = None if lengths is None else lengths.common_cause
    winner = None if lengths is None else lengths.winner
    return {
        "x": columns.x_name,
        "y": columns.y_name,
        "direction": result.direction,
        "cause": ordered[0] if result.direction else None,
        "effect": ordered[1] if result.direction else None,
        "relation": result.relation,
        "sure": sure_of(result),
        "score": result.score,
        "confidence": result.confidence,
        "probabilities": None if result.probabilities is None else result.probabilities._asdict(),
        "dependence": result.dependence,
        "independence_pvalue": result.independence_pvalue,
        "check_pvalue": result.check_pvalue,
        "n_resamples": 0 if result.resamples is None else len(result.resamples.scores),
        "resample_seed": None if result.resamples is None else result.resamples.seed,
        "forward_score": result.forward_score,
        "backward_score": result.backward_score,
        # They would cost two fits that the decision did without.
        "forward_pvalue": result.forward_pvalue if lengths is None else None,
        "backward_pvalue": result.backward_pvalue if lengths is None else None,
        "model": None if winner is None else winner.model,
        "common_cause": None if common is None else common.model,
        "n_mechanisms": None if chosen is None else chosen.n_mechanisms,
        "criterion": result.criterion,
        "lam": result.lam if lengths is None else None,
        "n": len(columns.x),
        "n_dropped": columns.n_dropped,
        "remark": renamed(result.note, hypotheses(columns.x_name, columns.y_name)) or None,
        "converged": result.converged,
    }
