"""The command ``anmmm``: results to standard output, messages to standard error.

Commands import what they need when they run, so that help and version appear at once.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import IO, Any

import click

from anmmm import __version__
from anmmm.cli.collections import cluster_collection, directions
from anmmm.cli.options import (
    column_options,
    common_options,
    confidence_options,
    criterion_option,
    given,
    jobs_option,
    max_samples_option,
    mechanisms_option,
    plot_option,
    refine_option,
    report_unused,
    say,
    with_options,
)
from anmmm.cli.report import report_command
from anmmm.cli.reproduce import reproduce_command
from anmmm.cli.signals import EndingSignals

__all__ = ["cli", "main"]

# Exit status of a program that Ctrl-C ended, as shells give it.
_INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Causal direction and mechanism clustering of variable pairs.

    \b
    anmmm directions sample          twelve real pairs that come with the package
    anmmm direction data.csv         which of the two columns is the cause
    anmmm cluster data.csv -k 2      which rows share a mechanism
    anmmm evaluate f3                how often the direction is right
    """


def _report_dropped(count: int) -> None:
    if count:
        say(f"{count} {'row' if count == 1 else 'rows'} with a missing value left out")


def _require_suffix(output: str, suffixes: tuple[str, ...]) -> None:
    from anmmm.cli.input import InputError

    if not output.lower().endswith(suffixes):
        raise InputError(f"{output}: the name must end in {' or '.join(suffixes)}")


def _ignore_convergence() -> None:
    """Leave a fit that did not converge to the text that is printed."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)


@cli.command()
@click.argument("file")
@with_options(
    *column_options, criterion_option, *confidence_options, max_samples_option, plot_option,
    *common_options,
)  # fmt: skip
def direction(
    file: str,
    x: str | None,
    y: str | None,
    header: bool | None,
    drop_missing: bool,
    criterion: str | None,
    resamples: int | None,
    min_confidence: float | None,
    max_samples: int | None,
    plot: str | None,
    lam: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Tell which of two columns of FILE is the cause.

    FILE is a text table, separated by commas, semicolons, tabs or blanks, with or without a line of
    column names; "-" reads standard input.
    """
    from anmmm._files import to_json
    from anmmm._threads import single_thread
    from anmmm.cli.input import load_columns, refusing
    from anmmm.cli.output import direction_text, plain
    from anmmm.collection.task import subsample
    from anmmm.direction import infer_direction

    if plot is not None:
        from anmmm.cli.plots import check_plot

        check_plot(plot, file)
    columns = load_columns(file, x, y, drop_missing=drop_missing, header=header)
    _report_dropped(columns.n_dropped)
    used_x, used_y, cut_seed = columns.x, columns.y, None
    if max_samples is not None and len(used_x) > max_samples:
        cut_seed = seed
        used_x, used_y = subsample(used_x, used_y, max_samples, cut_seed)
        say(f"{max_samples} of {len(columns.x)} rows drawn with seed {seed}")
    options = given(
        lam=lam, criterion=criterion, n_resamples=resamples, min_confidence=min_confidence
    )
    # One thread, as in a collection: digits do not depend on the machine's number of cores.
    with refusing(), single_thread(), warnings.catch_warnings():
        _ignore_convergence()
        result = infer_direction(used_x, used_y, random_state=seed, **options)
    if result.evidence is not None:
        report_unused(lam)
    if plot is not None:
        from anmmm.cli.plots import draw_direction

        draw_direction(plot, used_x, used_y, result, columns)
        say(f"plot written to {plot}")
    if not as_json:
        click.echo(plain(direction_text(result, columns, len(used_x))))
        return
    ordered = (columns.x_name, columns.y_name)[:: result.direction or 1]
    told = result.evidence
    chosen = None if told is None else told.chosen
    document = {
        "x": columns.x_name,
        "y": columns.y_name,
        "direction": result.direction,
        "cause": ordered[0] if result.direction else None,
        "effect": ordered[1] if result.direction else None,
        "score": result.score,
        "confidence": result.confidence,
        "n_resamples": 0 if result.resamples is None else len(result.resamples.scores),
        "resample_seed": None if result.resamples is None else result.resamples.seed,
        "forward_score": result.forward_score,
        "backward_score": result.backward_score,
        # Under evidence they would cost two fits that the decision did without.
        "forward_pvalue": result.forward_pvalue if told is None else None,
        "backward_pvalue": result.backward_pvalue if told is None else None,
        "model": None if chosen is None else chosen.model,
        "n_mechanisms": None if chosen is None else chosen.n_mechanisms,
        "criterion": result.criterion,
        "lam": result.lam if told is None else None,
        "seed": seed,
        "n": len(columns.x),
        "n_used": len(used_x),
        "n_dropped": columns.n_dropped,
        "subsample_seed": cut_seed,
        "converged": result.converged,
    }
    click.echo(to_json(document))


@cli.command()
@click.argument("file")
@mechanisms_option
@refine_option
@click.option("-o", "--output", metavar="FILE.csv", help="Write the labels to this file.")
@with_options(*column_options, plot_option, *common_options)
def cluster(
    file: str,
    n_mechanisms: int | str,
    refine: bool | None,
    output: str | None,
    x: str | None,
    y: str | None,
    header: bool | None,
    drop_missing: bool,
    plot: str | None,
    lam: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Label each row of FILE with the mechanism that made it.

    The first column (or --x) is taken as the cause, the second (or --y) as the effect. The labels
    are CSV: line of the row in FILE, x, y, label (from 0), the latent, and, where labels are
    refined, the probability of each mechanism. FILE is a table as in "anmmm direction".
    """
    from anmmm._files import check_writable, dump_csv, to_json, write_csv
    from anmmm.cli.input import load_columns, refuse_own_input, refusing
    from anmmm.cli.output import clustering_text
    from anmmm.clustering import cluster_mechanisms

    if output is not None:
        _require_suffix(output, (".csv",))
        refuse_own_input(output, file)
        with refusing():
            check_writable(output)
    if plot is not None:
        from anmmm.cli.plots import check_plot

        check_plot(plot, file)
    columns = load_columns(file, x, y, drop_missing=drop_missing, header=header)
    _report_dropped(columns.n_dropped)
    with refusing(), warnings.catch_warnings():
        _ignore_convergence()
        result = cluster_mechanisms(
            columns.x,
            columns.y,
            n_mechanisms,
            refine="auto" if refine is None else "em" if refine else None,
            random_state=seed,
            **given(lam=lam),
        )

    latents = [f"latent_{index + 1}" for index in range(result.latent.shape[1])]
    titles = ["line", "x", "y", "label", *latents]
    cells = [columns.lines, columns.x, columns.y, result.labels, *result.latent.T]
    if result.membership is not None:
        titles += [f"membership_{label}" for label in range(result.n_mechanisms)]
        cells += [*result.membership.T]
    rows = [dict(zip(titles, row, strict=True)) for row in zip(*cells, strict=True)]
    if output is not None:
        with refusing(output):
            write_csv(output, titles, rows)
    if as_json:
        document = {
            "x": columns.x_name,
            "y": columns.y_name,
            "n_mechanisms": result.n_mechanisms,
            "refined": result.refined,
            "reason": result.reason,
            "criteria": None if result.criteria is None else result.criteria.tolist(),
            "seed": seed,
            "n_dropped": columns.n_dropped,
            "converged": result.fit.converged,
            "rows": rows,
        }
        click.echo(to_json(document))
    elif output is None:
        dump_csv(sys.stdout, titles, rows)
        # A closed pipe shows here, where click ends quietly, and not when Python exits.
        sys.stdout.flush()
    say(clustering_text(result, columns))
    if output is not None:
        say(f"labels written to {output}")
    if plot is not None:
        from anmmm.cli.plots import draw_mechanisms

        draw_mechanisms(plot, result, columns)
        say(f"plot written to {plot}")


cli.add_command(directions)
cli.add_command(cluster_collection)


@cli.command()
@click.argument("source", metavar="SOURCE_OR_SETTING")
@click.option(
    "--count", type=click.IntRange(min=1), help="Pairs drawn from a setting.  [default: 50]"
)
@click.option(
    "--samples",
    type=click.IntRange(min=10),
    help="Observations of each pair drawn from a setting.  [default: 100]",
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Draw accuracy against decided share to this file, .png, .pdf or .svg.",
)
@with_options(
    criterion_option, *confidence_options, max_samples_option, jobs_option, *common_options
)
def evaluate(
    source: str,
    count: int | None,
    samples: int | None,
    plot: str | None,
    criterion: str | None,
    resamples: int | None,
    min_confidence: float | None,
    max_samples: int | None,
    jobs: int,
    lam: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Measure how good the decisions of a criterion are.

    SOURCE_OR_SETTING is a folder of pairs or "sample", as in "anmmm directions", or a synthetic
    setting by name: f1, f2, f3, f4, each also with -c3, -c4, -sigma0.01, -sigma0.1, -a0.25 or
    -a0.75; AN, AN-s, LS, LS-s, MN-U.
    """
    from anmmm._files import to_json
    from anmmm.cli.input import InputError, refusing, saying_warnings
    from anmmm.cli.output import plain
    from anmmm.datasets import SETTINGS
    from anmmm.evaluation import evaluate as measure

    if source not in SETTINGS:
        for name, value in (("--count", count), ("--samples", samples)):
            if value is not None:
                raise InputError(
                    f"{name} is for the settings by name, and {source} is none of them; "
                    f"--max-samples cuts larger pairs"
                )
    if plot is not None:
        from anmmm.cli.plots import check_plot, draw_rates

        check_plot(plot, source)
    with refusing(), saying_warnings():
        result = measure(
            source,
            n_pairs=count,
            n_samples=samples,
            seed=seed,
            max_samples=max_samples,
            n_jobs=jobs,
            progress=sys.stderr.isatty(),
            **given(
                lam=lam, criterion=criterion, n_resamples=resamples, min_confidence=min_confidence
            ),
        )
    click.echo(to_json(result.to_dict()) if as_json else plain(str(result)))
    if plot is not None:
        draw_rates(plot, result)
        say(f"plot written to {plot}")


cli.add_command(reproduce_command)
cli.add_command(report_command)


def main() -> None:
    """Run the command line and exit.

    The status is 0, 2 for unusable input, 1 where the usable pairs of a collection all ended
    in the same error, and 128 and the number of the signal that ended it: 130
    after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
    if sys.stdout is None:
        # Closed by the caller. Its number must not become that of a file of ours.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    with EndingSignals() as signals:
        try:
            status = _run()
        except BaseException:
            # Whatever else fails on the way out: with the terminal goes standard error.
            if signals.status is None:
                raise
            status = signals.status
        # A run that came to its end all the same has done its work.
        if status and signals.status is not None:
            status = signals.status
            _give_up(sys.stdout, sys.stderr)
    sys.exit(status)


def _run() -> Any:
    try:
        status = cli.main(prog_name="anmmm", standalone_mode=False)
        # What is still in the buffer may be refused as well, and is caught here.
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = _INTERRUPTED
    except OSError as error:
        # Standard output itself, e.g. a full disk; a closed pipe click ends quietly.
        click.echo(f"standard output: {error.strerror}", err=True)
        _give_up(sys.stdout)
        status = 2
    return status


def _give_up(*streams: IO[str] | None) -> None:
    """Let the interpreter not try these once more at its end, complain and exit with 120."""
    for stream in filter(None, streams):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
