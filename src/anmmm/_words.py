"""Decisions, counts and numbers as a user reads them, wherever that is; aligned lines of text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def hypotheses(x: str = "x", y: str = "y") -> tuple[str, str]:
    """Return the names of both hypotheses, that x causes y first."""
    return f"{x} → {y}", f"{y} → {x}"


def renamed(text: str, names: tuple[str, str]) -> str:
    """Return a text with x → y and y → x replaced by the names of both hypotheses."""
    return re.sub("x → y|y → x", lambda found: names[found[0] == "y → x"], text)


# Names that a message lists.
MOST_NAMES = 20
# Words of other libraries for arguments of this one.
_OTHER_WORDS = {
    "n_clusters": "n_mechanisms",
    "n_components": "n_mechanisms",
    "k": "n_mechanisms",
    "seed": "random_state",
    "rng": "random_state",
    "n_workers": "n_jobs",
    "verbose": "progress",
    "lam": "fit_options",
}


def unknown_name(noun: str, name: object, known: Iterable[str]) -> str:
    """Return a message on a name that is none of those known, with the one that was meant."""
    from difflib import get_close_matches

    known, other = [*known], _OTHER_WORDS.get(str(name))
    close = [other] if other in known else get_close_matches(str(name), known, 1)
    shown = ", ".join(map(str, known[:MOST_NAMES])) + (", …" if len(known) > MOST_NAMES else "")
    meant = f"did you mean {close[0]}?" if close else f"known: {shown}"
    return f"unknown {noun} {name!r}; {meant}"


def has_digits(names: Iterable[Hashable]) -> bool:
    """Return whether some names are whole numbers, also as text; then none is a position."""
    return any(str(name).isdecimal() for name in names)


def known_arguments(function: F) -> F:
    """Have a public function refuse unknown keyword arguments, and set `default_float_errors`."""
    # Here, because the help of the command line does without NumPy.
    from anmmm._warning import default_float_errors

    known = argument_names(function)

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        check_arguments(options, known)
        with default_float_errors():
            return function(*arguments, **options)

    return cast(F, checked)


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the arguments of a function, `known_arguments` or not."""
    code = getattr(function, "__wrapped__", function).__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def check_arguments(options: Iterable[str], known: Sequence[str]) -> None:
    """Refuse an unknown keyword argument with the name that was meant."""
    for name in options:
        if name not in known:
            names = [each for each in known if each != "self"]
            raise TypeError(unknown_name("argument", name, names))


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, ``1 pair`` or ``2 pairs``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def spelled(text: str) -> str:
    """Return text as files spell it, with backslashes for invalid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: str) -> str:
    """Return text on one line: letters that are not printed, line ends among them, as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def with_error(value: float, error: float | None) -> str:
    """Return a value and, if it is known, its standard error."""
    if error is None or math.isnan(error):
        return f"{value:.3f}"
    return f"{value:.3f} ± {error:.3f}"


@dataclass(frozen=True)
class Table:
    """Cells below each other; `columns` has heads, and alignments and widths such as ``">10"``."""

    columns: dict[str, str]

    def header(self) -> str:
        """Return the line of heads."""
        return self.line(*self.columns)

    def line(self, *cells: str) -> str:
        """Return one line."""
        padded = (f"{c:{spec}}" for c, spec in zip(cells, self.columns.values(), strict=True))
        return "  ".join(padded).rstrip()

    def lines(self, rows: Iterable[Sequence[str]]) -> list[str]:
        """Return header and rows, of columns as wide as these rows need."""
        rows = list(rows)
        longest = [max(map(len, column)) for column in zip(self.columns, *rows, strict=True)]
        wide = Table(
            {
                head: f"{spec[0]}{max(int(spec[1:]), size)}"
                for (head, spec), size in zip(self.columns.items(), longest, strict=True)
            }
        )
        return [wide.header(), *(wide.line(*row) for row in rows)]
