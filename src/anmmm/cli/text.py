"""Text that may hold anything goes to a terminal, which obeys some of it."""

from __future__ import annotations


def shown(text: str) -> str:
    """Return text on one line: letters that are not printed, line ends among them, as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def readable(text: str) -> str:
    """Return text of several lines, each as `shown` gives it."""
    return "\n".join(map(shown, text.split("\n")))
