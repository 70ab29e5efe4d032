"""The command ``anmmm reproduce``."""

from __future__ import annotations

import click

from anmmm.cli.options import jobs_option

# Known here, so that help appears without loading the experiments.
NAMES = ("table1", "fig3", "fig4", "fig5", "fig6")


@click.command("reproduce")
@click.argument("names", nargs=-1, type=click.Choice(["all", *NAMES]))
@click.option("--quick", is_flag=True, help="Few data sets each, in minutes: to try, not to quote.")
@jobs_option
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    default="reproduction",
    show_default=True,
    help="Folder for records, reports and figures; finished work is kept there.",
)
@click.option("--data", metavar="DIR", help="Folder of the Tübingen pairs, for fig5.")
def reproduce_command(
    names: tuple[str, ...], quick: bool, jobs: int | None, output: str, data: str | None
) -> None:
    """Run experiments of the paper: its Table 1 and figures 3 to 6.

    Without NAMES, or with "all", runs all of them. For each writes NAME.csv (every single outcome),
    NAME.md (tables beside the paper's printed numbers), NAME.png and NAME.pdf to DIR. An
    interrupted run goes on where it stopped when the same command is given again.
    """
    from anmmm.cli.input import refusing
    from anmmm.cli.messages import InputError
    from anmmm.cli.signals import Ended
    from anmmm.experiments import Reproduced, reproduce

    def say(reproduced: Reproduced) -> None:
        click.echo(reproduced.text)
        click.echo(f"{reproduced.name}: {reproduced.files[1]}", err=True)

    wanted = NAMES if not names or "all" in names else names
    with refusing():
        try:
            reproduce(
                wanted,
                output,
                data=data,
                quick=quick,
                n_jobs=jobs or 1,
                progress=True,
                done=say,
            )
        except ImportError as error:
            raise InputError(str(error)) from None
        except (Ended, KeyboardInterrupt):
            click.echo(
                f"interrupted; what was finished is kept in {output}, the same command goes on "
                f"from there",
                err=True,
            )
            raise
