"""Messages to a terminal, without the control characters that names may contain."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def library_errors() -> Iterator[None]:
    """Raise the library's errors about bad input as an `InputError`."""
    try:
        yield
    except OSError as error:
        if not error.filename:
            # Of standard output.
            raise
        raise InputError(f"{os.fsdecode(error.filename)}: {error.strerror or error}") from None
    except (TypeError, ValueError, ArithmeticError, ImportError) as error:
        raise InputError(str(error)) from None
    except MemoryError as error:
        raise InputError(str(error) or "memory is full; use fewer rows") from None


@contextmanager
def echo_warnings() -> Iterator[None]:
    """Print the library's warnings as messages, without a line of code."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if category is UserWarning:
                say(str(message))
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield


def has_terminal() -> bool:
    """Return whether messages are read on a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def shown_on_terminal(work: str) -> Iterator[None]:
    """Show on a terminal what a block does, while it does it."""
    if not has_terminal():
        yield
        return
    click.echo(f"{work} …\r", nl=False, err=True)
    try:
        yield
    finally:
        # Erase the line.
        click.echo("\x1b[K", nl=False, err=True)
