"""The command ``anmmm``: results to standard output, messages to standard error.

Commands import modules when they run, so that help and version appear at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import IO, Any

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
from anmmm.cli.messages import InputError
from anmmm.cli.pair import cluster_command, direction_command

__all__ = ["cli", "main"]

# Exit status after Ctrl-C, as in shells.
_INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
    # Numba then cannot be imported.
    with suppress(ValueError):
        if int(os.environ.get("NUMBA_NUM_THREADS", "1")) < 1:
            raise InputError("NUMBA_NUM_THREADS must be at least 1; change or unset it")


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
    # The caller closed them; files opened later must not get their numbers.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    LISTENERS.append(_compile_ahead)
    received = _end_on_signals()
    try:
        status = _run()
    except BaseException:
        # Errors on the way out, such as of a closed terminal.
        if not received:
            raise
        status = 1
    # A run that succeeded in spite of the signal keeps status 0.
    if status and received:
        status = 128 + received[0]
        _give_up(sys.stdout, sys.stderr)
    sys.exit(status)


class Ended(BaseException):
    """Raised by a signal; not a `KeyboardInterrupt`, which libraries catch."""


def _end_on_signals() -> list[int]:
    """Have Ctrl-C, SIGTERM and SIGHUP raise `Ended`; return the list of received signals."""
    received: list[int] = []
    # Windows has no SIGHUP.
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in names]

    def end(number: int, frame: FrameType | None) -> None:
        # A second signal ends the process at once.
        for listened in numbers:
            signal.signal(listened, signal.SIG_DFL)
        # Threads that wait for the ended work fail.
        threading.excepthook = lambda failed: None
        received.append(number)
        raise Ended

    for number in numbers.copy():
        # One that is ignored, as under nohup, stays so.
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, end)
        else:
            numbers.remove(number)
    return received


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


def _run() -> Any:
    try:
        status = cli.main(prog_name="anmmm", standalone_mode=False)
        # Writing the buffer may fail as well.
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, Ended):
        status = _INTERRUPTED
    except OSError as error:
        # Standard output failed, e.g. a full disk; click handles a closed pipe.
        click.echo(f"standard output: {error.strerror}", err=True)
        _give_up(sys.stdout)
        status = 2
    return status


def _give_up(*streams: IO[str]) -> None:
    """Keep the interpreter from flushing these at its end, which would exit with 120."""
    for stream in streams:
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
