"""The command ``anmmm``: results to standard output, messages to standard error.

Commands import what they need when they run, so that help and version appear at once.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from anmmm import __version__
from anmmm._cli_options import (
    column_options,
    common_options,
    criterion_option,
    max_samples_option,
    number_or_word,
    with_options,
)

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
    """


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were given; the library knows the defaults of the others."""
    return {name: value for name, value in options.items() if value is not None}


def _say(message: str) -> None:
    click.echo(message, err=True)


def _report_dropped(count: int) -> None:
    if count:
        _say(f"{count} {'row' if count == 1 else 'rows'} with a missing value left out")


def _require_suffix(output: str, suffixes: tuple[str, ...]) -> None:
    from anmmm._cli_input import InputError

    if not output.lower().endswith(suffixes):
        raise InputError(f"{output}: the name must end in {' or '.join(suffixes)}")


def _ignore_convergence() -> None:
    """Leave a fit that did not converge to the text that is printed."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)


@cli.command()
@click.argument("file")
@with_options(*column_options, criterion_option, max_samples_option, *common_options)
def direction(
    file: str,
    x: str | None,
    y: str | None,
    drop_missing: bool,
    criterion: str | None,
    max_samples: int | None,
    lam: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Tell which of two columns of FILE is the cause.

    FILE is a text table, separated by commas, semicolons, tabs or blanks, with or without a line of
    column names; "-" reads standard input.
    """
    from anmmm._cli_input import load_columns, refusing
    from anmmm._cli_output import direction_text, plain
    from anmmm._threads import single_thread
    from anmmm.collection.sinks import to_json
    from anmmm.collection.task import subsample
    from anmmm.direction import infer_direction

    columns = load_columns(file, x, y, drop_missing=drop_missing)
    _report_dropped(columns.n_dropped)
    used_x, used_y, cut_seed = columns.x, columns.y, None
    if max_samples is not None and len(used_x) > max_samples:
        cut_seed = seed
        used_x, used_y = subsample(used_x, used_y, max_samples, cut_seed)
        _say(f"{max_samples} of {len(columns.x)} rows drawn with seed {seed}")
    options = _given(lam=lam, criterion=criterion)
    # One thread, as in a collection: digits do not depend on the machine's number of cores.
    with refusing(), single_thread(), warnings.catch_warnings():
        _ignore_convergence()
        result = infer_direction(used_x, used_y, random_state=seed, **options)
    if not as_json:
        click.echo(plain(direction_text(result, columns, len(used_x))))
        return
    ordered = (columns.x_name, columns.y_name)[:: result.direction or 1]
    document = {
        "x": columns.x_name,
        "y": columns.y_name,
        "direction": result.direction,
        "cause": ordered[0] if result.direction else None,
        "effect": ordered[1] if result.direction else None,
        "score": result.score,
        "forward_score": result.forward_score,
        "backward_score": result.backward_score,
        "forward_pvalue": result.forward_pvalue,
        "backward_pvalue": result.backward_pvalue,
        "criterion": result.criterion,
        "lam": result.lam,
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
@click.option(
    "-k",
    "--mechanisms",
    "n_mechanisms",
    callback=number_or_word,
    metavar="NUMBER|auto",
    default="2",
    show_default=True,
    help="Number of mechanisms; auto chooses it.",
)
@click.option(
    "--refine/--no-refine",
    default=None,
    help="Refine the clusters of the latent by EM on smooth mechanisms, or print them as they are. "
    "[default: refine, unless one mechanism is far more likely]",
)
@click.option("-o", "--output", metavar="FILE.csv", help="Write the labels to this file.")
@with_options(*column_options, *common_options)
def cluster(
    file: str,
    n_mechanisms: int | str,
    refine: bool | None,
    output: str | None,
    x: str | None,
    y: str | None,
    drop_missing: bool,
    lam: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Label each row of FILE with the mechanism that made it.

    The first column (or --x) is taken as the cause, the second (or --y) as the effect. The labels
    are CSV: line of the row in FILE, x, y, label (from 0), the latent, and, where labels are
    refined, the probability of each mechanism. FILE is a table as in "anmmm direction".
    """
    from anmmm._cli_input import load_columns, refuse_own_input, refusing
    from anmmm._cli_output import clustering_text
    from anmmm.clustering import cluster_mechanisms
    from anmmm.collection.sinks import check_writable, dump_csv, to_json, write_csv

    if output is not None:
        _require_suffix(output, (".csv",))
        refuse_own_input(output, file)
        with refusing():
            check_writable(output)
    columns = load_columns(file, x, y, drop_missing=drop_missing)
    _report_dropped(columns.n_dropped)
    with refusing(), warnings.catch_warnings():
        _ignore_convergence()
        result = cluster_mechanisms(
            columns.x,
            columns.y,
            n_mechanisms,
            refine="auto" if refine is None else "em" if refine else None,
            random_state=seed,
            **_given(lam=lam),
        )

    latents = [f"latent_{index + 1}" for index in range(result.latent.shape[1])]
    header = ["line", "x", "y", "label", *latents]
    cells = [columns.lines, columns.x, columns.y, result.labels, *result.latent.T]
    if result.membership is not None:
        header += [f"membership_{label}" for label in range(result.n_mechanisms)]
        cells += [*result.membership.T]
    rows = [dict(zip(header, row, strict=True)) for row in zip(*cells, strict=True)]
    if output is not None:
        with refusing(output):
            write_csv(output, header, rows)
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
        dump_csv(sys.stdout, header, rows)
        # A closed pipe shows here, where click ends quietly, and not when Python exits.
        sys.stdout.flush()
    _say(clustering_text(result, columns))
    if output is not None:
        _say(f"labels written to {output}")


@cli.command()
@click.argument("source")
@click.option("-o", "--output", metavar="FILE", help="Write the rows to this file, .csv or .json.")
@click.option(
    "-j",
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Processes; -1 is one a core. The results do not depend on it.",
)
@with_options(criterion_option, max_samples_option, *common_options)
def directions(
    source: str,
    output: str | None,
    jobs: int,
    criterion: str | None,
    max_samples: int | None,
    lam: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Infer the direction of every pair of SOURCE.

    SOURCE is a folder of pairs in the layout of the Tübingen collection, or "sample" for the twelve
    real pairs that come with the package. One line a pair; accuracy at the end, where true
    directions are known. With --json, one document {"rows": [...], "summary": {...}}.
    """
    from tqdm import tqdm

    from anmmm._cli_input import refuse_own_input, refusing
    from anmmm._cli_output import DirectionsTable, plain, summary_text
    from anmmm.collection import as_pairs, infer_directions, summarize
    from anmmm.collection.sinks import check_writable, to_json, write_csv, write_json
    from anmmm.results import PairResult

    if output is not None:
        _require_suffix(output, (".csv", ".json"))
        refuse_own_input(output, source)
        with refusing():
            check_writable(output)
    with refusing():
        pairs: Any = as_pairs(source)
        results = infer_directions(
            pairs,
            n_jobs=jobs,
            random_state=seed,
            max_samples=max_samples,
            **_given(lam=lam, criterion=criterion),
        )
    table = DirectionsTable(pairs.ids)
    rows: list[PairResult] = []
    if not as_json:
        click.echo(plain(table.header()))
    with results, tqdm(total=results.total, unit="pair", disable=None, leave=False) as bar:
        for row in results:
            rows.append(row)
            if not as_json:
                # Takes the bar away, prints, and puts it back.
                bar.write(plain(table.line(row)))
                sys.stdout.flush()
            bar.update()
    summary = summarize(rows)
    records = [row.to_row() for row in rows]
    document = {"rows": records, "summary": summary.to_dict()}
    if output is not None:
        with refusing(output):
            if output.lower().endswith(".json"):
                write_json(output, document)
            else:
                write_csv(output, list(PairResult("", "").to_row()), records)
    click.echo(to_json(document) if as_json else "\n" + plain(summary_text(summary)))
    if output is not None:
        _say(f"{len(rows)} rows written to {output}")


def main() -> None:
    """Run the command line and exit: 0, 2 for unusable input, 130 after Ctrl-C."""
    try:
        status = cli.main(prog_name="anmmm", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = _INTERRUPTED
    except OSError as error:
        # Standard output itself, e.g. a full disk; a closed pipe click ends quietly.
        click.echo(f"standard output: {error.strerror}", err=True)
        status = 2
    sys.exit(status)
