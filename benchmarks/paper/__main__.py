"""Run experiments of the paper: its Table 1 and figures 3 to 6.

    python -m benchmarks.paper -j 2 --data path/to/tuebingen
    python -m benchmarks.paper table1 --quick

For each writes NAME.parquet (every single outcome; a killed run goes on from it), NAME.md (tables
beside the paper's printed numbers), NAME.png and NAME.pdf to the folder of ``-o``. Needs the extra
`bench`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from anmmm import warm_up
from anmmm._threads import single_thread
from benchmarks.paper import fig5, fig6, mixtures, table1
from benchmarks.paper.common import QUICK, Scale, Study, failures
from benchmarks.runs import Row, run

STUDIES: dict[str, Study] = {
    "table1": table1.STUDY,
    "fig3": mixtures.FIG3,
    "fig4": mixtures.FIG4,
    "fig5": fig5.STUDY,
    "fig6": fig6.STUDY,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(STUDIES)}")
    parser.add_argument("--quick", action="store_true", help="few data sets: to try, not to quote")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes; -1 is one a core")
    parser.add_argument("-o", "--output", type=Path, default=Path("reproduction"))
    parser.add_argument("--data", help="folder of the Tübingen pairs, for fig5")
    given = parser.parse_args(arguments)
    names = given.names or list(STUDIES)
    if set(names) - set(STUDIES):
        parser.error(f"names are of {', '.join(STUDIES)}")
    if "fig5" in names and given.data is None:
        parser.error("fig5 needs the folder of the Tübingen pairs: --data DIR")
    # Once here, and not in every worker at the same time.
    warm_up()
    given.output.mkdir(parents=True, exist_ok=True)
    for name in names:
        study = STUDIES[name]
        tasks = study.tasks(QUICK if given.quick else Scale(), given.data)
        work = partial(_measure, name)
        rows = run(given.output / f"{name}.parquet", tasks, work, list(tasks[0]), given.jobs)
        print(write(name, study, rows, given.output))


def _measure(name: str, **task: object) -> Row:
    # As in the package's collections: digits do not depend on the number of cores.
    with single_thread():
        return STUDIES[name].measure(**task)


def write(name: str, study: Study, rows: pd.DataFrame, folder: Path) -> str:
    """Write report and figure; return the report, in Markdown."""
    remarks = "\n".join(f"- {remark}" for remark in failures(rows))
    parts = [f"## {study.title}", f"![{study.title}]({name}.png)", *study.report(rows), remarks]
    text = "\n\n".join(filter(None, parts)) + "\n"
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    figure = study.draw(rows)
    for kind in ("png", "pdf"):
        figure.savefig(folder / f"{name}.{kind}", dpi=150)
    return text


if __name__ == "__main__":
    # From the module that worker processes import.
    from benchmarks.paper import __main__ as module

    module.main()
