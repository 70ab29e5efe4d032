"""All messages of the package in one file to read: ``python tests/messages.py`` writes it."""

import ast
from pathlib import Path

import anmmm

ROOT = Path(anmmm.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "notes" / "messages.md"
# Functions whose texts people see, besides errors that are raised.
SPEAKERS = {"warn_caller", "warn_unconverged", "say", "info", "append"}
SHOWN = {"help"}
HEAD = """---
orphan: true
---

# Messages

Every error, warning, note and help text, by module, as the source has them; braces stand for what
is found. Written by `python tests/messages.py`; a test compares it with the source.
"""


def text_of(node):
    """Return the text of a string or f-string, with braces for its fields; None of others."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (text_of(each) if isinstance(each, ast.Constant) else "{}" for each in node.values)
        return "".join(parts)
    return None


def texts_in(node):
    """Yield the texts of whole strings inside a node."""
    text = text_of(node)
    if text is not None:
        yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from texts_in(child)


def called(node):
    """Return the last name of what a call calls."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def name_of(assignment):
    """Return the name that an assignment gives; empty if it is none."""
    return getattr(assignment.targets[0], "id", "")


def messages_of(tree):
    """Yield the messages of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                yield from texts_in(argument)
        elif isinstance(node, ast.Call):
            if called(node) in SPEAKERS or called(node).endswith("Error"):
                for argument in node.args:
                    yield from texts_in(argument)
            for keyword in node.keywords:
                if keyword.arg in SHOWN:
                    yield from texts_in(keyword.value)
        elif isinstance(node, ast.Assign) and name_of(node).endswith(("NOTE", "TEXT", "REMARK")):
            yield from texts_in(node.value)


def all_messages():
    """Return the messages of each module, as short texts of a line that have a space."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        texts = messages_of(ast.parse(path.read_text(encoding="utf-8")))
        lines = dict.fromkeys(" ".join(text.split()) for text in texts)
        lines = [line for line in lines if len(line.split()) > 2 and "<" not in line[:1]]
        if lines:
            found[path.relative_to(ROOT).as_posix()] = lines
    return found


def page():
    """Return the page of all messages."""
    sections = [
        f"## {name}\n\n" + "\n".join(f"- {line}" for line in lines)
        for name, lines in all_messages().items()
    ]
    return "\n\n".join([HEAD.strip(), *sections]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
