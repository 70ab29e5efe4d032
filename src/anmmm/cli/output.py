"""Files that commands write, and what they show while they work."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import click

from anmmm import __version__
from anmmm._files import atomic_writer, check_output, checked_suffix
from anmmm.cli.input import input_errors
from anmmm.cli.messages import say

PAGES = (".html", ".htm")
PLOTS = (".png", ".pdf", ".svg")
REMEDY = "use --force"
# Dots per inch of a plot.
RESOLUTION = 150


def check_file(
    path: str | None, suffixes: Sequence[str], *sources: str | None, force: bool = False
) -> None:
    """Refuse a file that cannot be written, is read, or exists, before its content is computed."""
    if path is None:
        return
    with input_errors():
        checked_suffix(path, suffixes)
        check_output(path, *sources, force=force, remedy=REMEDY)


def check_plot(path: str | None, *sources: str | None, force: bool) -> None:
    """Refuse a plot that cannot be written, before its content is computed."""
    check_file(path, PLOTS, *sources, force=force)
    if path is not None:
        with input_errors("--plot"):
            # Imported here because it loads slowly.
            from anmmm.plotting.style import matplotlib_module

            matplotlib_module("figure")


def write_plot(path: str | None, draw: Callable[[], Any]) -> None:
    """Write the figure of the axes that a function draws."""
    if path is None:
        return
    from anmmm.plotting.style import matplotlib_module

    kind = Path(path).suffix[1:].lower()
    program = f"anmmm {__version__}, by Matplotlib"
    with input_errors(path), warnings.catch_warnings(), atomic_writer(path, binary=True) as file:
        # A character without a glyph is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        # Other backends need a screen.
        pyplot = matplotlib_module("pyplot")
        pyplot.switch_backend("agg")
        figure = draw().figure
        # On a full disk, Matplotlib's PDF writer raises an AttributeError.
        picture = BytesIO()
        metadata = {"Software" if kind == "png" else "Creator": program}
        figure.savefig(picture, format=kind, dpi=RESOLUTION, metadata=metadata)
        pyplot.close(figure)
        file.write(picture.getbuffer())
    say(f"plot written to {path}")


@contextmanager
def shown_on_terminal(work: str) -> Iterator[None]:
    """Show on a terminal what a block does, while it does it."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    if is_terminal:
        click.echo(f"{work} …\r", nl=False, err=True)
    try:
        yield
    finally:
        if is_terminal:
            # Erase the line.
            click.echo("\x1b[K", nl=False, err=True)
