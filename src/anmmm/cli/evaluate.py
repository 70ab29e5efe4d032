"""The command on many pairs of known direction: how good decisions are."""

from __future__ import annotations

import sys
from typing import Any

import click

from anmmm.cli.messages import plain
from anmmm.cli.options import (
    common_options,
    decision_options,
    force_option,
    given,
    jobs_option,
    plot_option,
    with_options,
)


@click.command("evaluate")
@click.argument("source", metavar="SOURCE_OR_SETTING")
@click.option(
    "--n-pairs",
    type=click.IntRange(min=1),
    help="Pairs drawn from a setting.  [default: 50]",
)
@click.option(
    "--n-samples",
    type=click.IntRange(min=10),
    help="Observations of each pair drawn from a setting.  [default: 100]",
)
@plot_option("accuracy against the fraction of decided pairs")
@with_options(force_option, *decision_options, jobs_option, *common_options)
def evaluate_command(
    source: str, plot: str | None, force: bool, as_json: bool, **options: Any
) -> None:
    """Measure how good the decisions of a criterion are.

    SOURCE_OR_SETTING is a folder of pairs or "sample", as in "anmmm directions", or a synthetic
    setting by name: f1, f2, f3, f4, each also with -c3, -c4, -sigma0.01, -sigma0.1, -a0.25 or
    -a0.75; AN, AN-s, LS, LS-s, MN-U, PNL-arcsinh, PNL-logistic, PNL-cbrt, binary, logistic,
    ordered, grouped, count, each also with -uniform, -bimodal or -exponential, the cause.
    """
    from anmmm._files import to_json_document
    from anmmm.cli.input import echo_warnings, input_errors
    from anmmm.cli.output import check_plot
    from anmmm.evaluation import evaluate

    check_plot(plot, source, force=force)
    with input_errors(), echo_warnings():
        result = evaluate(source, progress=sys.stderr.isatty(), **given(**options))
    click.echo(to_json_document(result.to_dict()) if as_json else plain(str(result)))
    if plot is not None:
        from anmmm.cli.plots import draw_rates

        draw_rates(plot, result)
