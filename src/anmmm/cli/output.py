"""Files that commands write."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from anmmm import __version__
from anmmm._files import atomic_writer, check_output, checked_suffix, with_filename
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
    checked_suffix(path, suffixes)
    check_output(path, *sources, force=force, remedy=REMEDY)


def check_plot(path: str | None, *sources: str | None, force: bool) -> None:
    """Refuse a plot that cannot be written, before its content is computed."""
    check_file(path, PLOTS, *sources, force=force)
    if path is not None:
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
    with warnings.catch_warnings(), atomic_writer(path, binary=True) as file:
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
        with with_filename(path):
            file.write(picture.getbuffer())
    say(f"plot written to {path}")
