"""What both pages share: their template, pictures and texts."""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Callable
from io import BytesIO
from typing import Any

from anmmm._files import (
    STEERING,
    atomic_writer,
    check_output,
    with_filename,
)
from anmmm._optional import require
from anmmm._text import valid_utf8
from anmmm._typing import StrPath
from anmmm._version import __version__
from anmmm.evidence.models import model_text
from anmmm.plotting.style import matplotlib_module

# Pages with more pictures are slow to open.
MOST_PLOTS = 500
# Inches of the picture of a pair or an effect.
THUMBNAIL = (2.2, 1.7)
# Dots per inch, for high-resolution screens.
RESOLUTION = 200
# Independent of the user's settings: equal rows give equal pages.
STYLE = {"xtick.major.size": 2.5, "ytick.major.size": 2.5, "axes.linewidth": 0.6}

# Control characters that HTML does not allow, and those that turn text around.
_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f{STEERING}]")
# A line may end after these, and between no other letters of a name.
_AFTER = re.compile(r"(?<=[_,./-])")


def open_template(name: str, output: StrPath, *sources: StrPath | None, force: bool) -> Any:
    """Return the template of a page; raise an error if it cannot be written to this file."""
    jinja2 = require("jinja2", "report", "a report needs Jinja2")
    matplotlib_module("figure")
    check_output(output, *sources, force=force)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("anmmm", "report"),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, "__html__") else html_text(value),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def breakable(value: object) -> Any:
        """Return a name with places where a line may end."""
        markup = require("markupsafe", "report", "a report needs Jinja2").Markup
        return markup("<wbr>").join(_AFTER.split(html_text(value)))

    def thousands(value: int) -> str:
        """Return a count with a thousands separator."""
        return f"{value:,}".replace(",", "\u202f")

    for function in (breakable, thousands, model_text):
        environment.filters[function.__name__] = function
    environment.globals["version"] = __version__
    return environment.get_template(name)


def write_page(output: StrPath, template: Any, **contents: Any) -> None:
    """Write a filled template to a file."""
    with atomic_writer(output) as file, with_filename(output):
        file.writelines(template.generate(**contents))


def html_text(value: object) -> str:
    """Return text without the characters that HTML lacks and that turn text around."""
    return _CONTROL.sub("\ufffd", valid_utf8(str(value)))


def picture(
    draw: Callable[[Any], Any], size: tuple[float, float] = THUMBNAIL, *, font: float = 6.5
) -> str:
    """Return the address of a picture that a function draws on axes; size in inches."""
    style = matplotlib_module("style").context(["default", {**STYLE, "font.size": font}])
    file = BytesIO()
    with style, warnings.catch_warnings():
        # Constrained layout warns about tiny axes.
        warnings.simplefilter("ignore", UserWarning)
        figure = matplotlib_module("figure").Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(file, format="png", dpi=RESOLUTION, metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
