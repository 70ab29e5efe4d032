"""Messages to a terminal, without the control characters that names may contain."""

from __future__ import annotations

import sys
from typing import IO, Any

import click

from anmmm._text import printable

# Replacements of characters that the encoding of a stream lacks.
ASCII = {"→": "->", "↔": "<->", "–": "--", "✓": "yes", "✗": "no", "—": "-", "±": "+/-", "…": "..."}


# Options of Python in messages of the library, as the command line spells them.
OPTIONS = {
    "missing='drop'": "--missing drop",
    "pairs=[('a', 'b'), ...]": "--pairs a,b",
    "pairs='all'": "--pairs all",
}


def with_options(text: str) -> str:
    """Return a message of the library with options as the command line spells them."""
    for argument, option in OPTIONS.items():
        text = text.replace(argument, option)
    return text


def readable(text: str) -> str:
    """Return text of several lines, each as `printable` gives it."""
    return "\n".join(map(printable, with_options(text).split("\n")))


def show(text: str) -> None:
    """Print a text to standard output."""
    click.echo(terminal_text(text))


def terminal_text(text: str) -> str:
    """Return text with replacements for characters that standard output cannot show."""
    text = readable(text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        for character, spelling in ASCII.items():
            text = text.replace(character, spelling)
        text = text.encode(encoding, "replace").decode(encoding)
    return text


def say(message: str) -> None:
    """Print a message to standard error."""
    click.echo(readable(message), err=True)


class InputError(click.ClickException):
    """The input cannot be used: the text is printed to standard error, exit status 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message without click's prefix."""
        click.echo(printable(with_options(self.message)), file=file, err=file is None)


class FaultError(InputError):
    """Nothing could be computed, and not because of the input: exit status 1."""

    exit_code = 1
