"""What the command says: text that may hold anything goes to a terminal, which obeys some of it."""

from __future__ import annotations

import sys
from typing import IO, Any

import click

from anmmm._words import printable

# Name of the file in an error of writing to it.
STANDARD_OUTPUT = "standard output"
# What a stream shows in place of characters that its encoding lacks.
_ASCII = {
    "→": "->",
    "↔": "<->",
    "✓": "yes",
    "✗": "no",
    "—": "-",
    "±": "+/-",
    "λ": "lambda",
    "Θ": "Theta",
    "…": "...",
}


def readable(text: str) -> str:
    """Return text of several lines, each as `printable` gives it."""
    return "\n".join(map(printable, text.split("\n")))


def plain(text: str) -> str:
    """Return the text with characters spelled out that standard output cannot or must not show."""
    text = readable(text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        for character, spelling in _ASCII.items():
            text = text.replace(character, spelling)
        # Names of columns and pairs may hold anything.
        text = text.encode(encoding, "replace").decode(encoding)
    return text


def say(message: str) -> None:
    """Print a message to standard error."""
    click.echo(readable(message), err=True)


class InputError(click.ClickException):
    """What was given cannot be used: the text alone goes to standard error, exit status 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message without click's prefix, so that it starts with the place."""
        click.echo(printable(self.message), file=file, err=file is None)


class FaultError(InputError):
    """Nothing could be computed for a reason that is not the input's: exit status 1."""

    exit_code = 1
