"""Run experiments of the paper: its Table 1 and figures 3 to 6.

    python -m benchmarks.paper --all -j 2 --data path/to/tuebingen
    python -m benchmarks.paper table1 --quick

For each writes NAME.csv (every single outcome), NAME.md (tables beside the paper's printed
numbers), NAME.png and NAME.pdf to the folder of ``-o``. Needs the extra `bench`.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import click
import joblib
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from anmmm import warm_up
from anmmm._files import write_csv
from anmmm._optional import require
from anmmm._threads import single_thread
from anmmm._version import __version__
from benchmarks.paper import fig5, fig6, mixtures, table1
from benchmarks.paper.study import Record, Scale, Study
from benchmarks.paper.tables import failures

STUDIES: dict[str, Study] = {
    "table1": table1.STUDY,
    "fig3": mixtures.FIG3,
    "fig4": mixtures.FIG4,
    "fig5": fig5.STUDY,
    "fig6": fig6.STUDY,
}
FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(help=__doc__.split("\n\n")[0])
@click.argument("names", nargs=-1, type=click.Choice([*STUDIES]))
@click.option("--all", "every", is_flag=True, help="All of them, as without NAMES.")
@click.option("--quick", is_flag=True, help="Few data sets each, in minutes: to try, not to quote.")
@click.option("-j", "--jobs", type=int, default=1, help="Processes; -1 is one a core.")
@click.option("-o", "--output", type=FOLDER, default="reproduction", show_default=True)
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False), help="Tübingen pairs (fig5)."
)
def main(
    names: tuple[str, ...], every: bool, quick: bool, jobs: int, output: Path, data: str | None
) -> None:
    chosen = [*STUDIES] if every or not names else [*dict.fromkeys(names)]
    if "fig5" in chosen and data is None:
        raise click.UsageError("fig5 needs the folder of the Tübingen pairs: --data DIR")
    if {*chosen} & {"fig3", "fig4", "fig5"}:
        require("causallearn", "bench", "ECP needs causal-learn")
    # Once here, and not in every worker at the same time.
    warm_up()
    output.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        study = STUDIES[name]
        records = measured(name, study.units(Scale.quick() if quick else Scale(), data), jobs)
        click.echo(write(name, study, records, output))
        click.echo(f"{name}: {output / name}.md", err=True)


def measured(name: str, units: list[dict[str, Any]], jobs: int) -> list[Record]:
    """Return the records of all units, in their order; they do not depend on the processes."""
    work = joblib.Parallel(jobs, return_as="generator")(
        joblib.delayed(_measure)(STUDIES[name], unit) for unit in units
    )
    progress = tqdm(work, name, len(units), file=sys.stderr, mininterval=1.0)
    return [record for records in progress for record in records]


def _measure(study: Study, unit: dict[str, Any]) -> list[Record]:
    # As in the package's collections: digits do not depend on the number of cores.
    with single_thread(), warnings.catch_warnings():
        # Baselines stop early on single data sets; what counts is the score they then give.
        for category in (ConvergenceWarning, RuntimeWarning, UserWarning):
            warnings.simplefilter("ignore", category)
        return study.measure(**unit)


def write(name: str, study: Study, records: list[Record], folder: Path) -> str:
    """Write records, report and figure; return the report, in Markdown."""
    write_csv(folder / f"{name}.csv", [*records[0]], records)
    tables, remarks = study.report(records)
    parts = [f"## {study.title}", f"![{study.title}]({name}.png)", *tables]
    remarks += failures(records)
    if remarks:
        parts.append("\n".join(f"- {remark}" for remark in remarks))
    text = "\n\n".join(parts) + "\n"
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    figure = study.draw(records)
    for kind in ("png", "pdf"):
        program = {"Software" if kind == "png" else "Creator": f"anmmm {__version__}"}
        figure.savefig(folder / f"{name}.{kind}", dpi=150, metadata=program)
    return text


if __name__ == "__main__":
    main()
