"""The command ``anmmm``: results to standard output, messages to standard error.

Commands import modules when they run, so that help and version appear at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

import click

from anmmm import __version__
from anmmm._compiling import LISTENERS
from anmmm.cli.collections import (
    clusters,
    directions,
    evaluate_command,
    report_command,
)
from anmmm.cli.demo import demo_command
from anmmm.cli.graph import graph_command
from anmmm.cli.messages import echo_warnings, library_errors
from anmmm.cli.pair import cluster_command, direction_command

__all__ = ["cli", "main"]


class Commands(click.Group):
    """The commands, whose errors about bad input are messages."""

    def invoke(self, context: click.Context) -> Any:
        """Call the command that was chosen."""
        with library_errors(), echo_warnings():
            return super().invoke(context)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Causal direction and mechanisms of pairs of variables, and causal graphs of tables.

    \b
    anmmm demo                       all questions, asked of a table whose answers are known
    anmmm directions sample          twelve real and four drawn pairs that come with the package
    anmmm direction data.csv         which of the two columns is the cause
    anmmm cluster data.csv -k 2      which rows share a mechanism
    anmmm graph data.csv             which column causes which
    anmmm evaluate sample            how often the direction is right
    """


for command in (
    demo_command,
    direction_command,
    cluster_command,
    directions,
    clusters,
    evaluate_command,
    graph_command,
    report_command,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line and exit: 0, 2 for unusable input, 1 for faults, 128 + a signal."""
    LISTENERS.append(_compile_ahead)
    _exit_on_signals()
    try:
        cli.main(prog_name="anmmm")
    except OSError as error:
        # Click handles a closed pipe, but not a full disk.
        click.echo(f"{error.filename or 'standard output'}: {error.strerror}", err=True)
        # The interpreter flushes it at its end, and would exit with 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)


def _exit_on_signals() -> None:
    """Have Ctrl-C, SIGTERM and SIGHUP end the command in order; a second one ends it at once."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        # Threads that wait for the ended work fail.
        threading.excepthook = lambda failed: None
        raise SystemExit(128 + number)

    # Windows has no SIGHUP.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # One that is ignored, as under nohup, stays so.
        usual = (signal.SIG_DFL, signal.default_int_handler)
        if number is not None and signal.getsignal(number) in usual:
            signal.signal(number, end)


def _compile_ahead() -> None:
    """Compile the kernels of commands that decide by evidence on all cores."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    by_evidence = context.params.get("criterion", "") in (None, "evidence")
    # Other commands need other kernels.
    if by_evidence or context.command in (graph_command, demo_command):
        from anmmm._ahead import DECISIONS, DEMO, GRAPH, compile_ahead

        parts = {graph_command: GRAPH, demo_command: DEMO}
        compile_ahead(parts.get(context.command, DECISIONS))
