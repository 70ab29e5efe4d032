"""Hostile names, reasons and numbers on pages about rows and graphs: text there, and no more."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd

from anmmm import infer_graph
from anmmm.collection.records import PairResult
from anmmm.report import write_graph_report, write_report

NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title><b>",
    "&lt;",
    "'",
    "\x00",
    "\x1b[31m",
    "a\nb",
    "\u202e",
    "\u2066",
    "=cmd|' /C calc'!A0",
    "javascript:alert(1)",
    "]]>",
    "<!--",
    "é" * 300,
    "{{7*7}}",
    "%s",
    "\ud800",
    "../../etc/passwd",
    "",
)


# Text that other text is turned round by.
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


class Tags(HTMLParser):
    """What the page runs or loads."""

    def __init__(self):
        super().__init__()
        self.bad, self.scripts = [], 0

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        if tag in ("iframe", "object", "embed", "form", "link"):
            self.bad.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.bad.append(f"{tag} {name}")
            if name == "src" and not (value or "").startswith("data:"):
                self.bad.append(f"{tag} src {value}")


def word(rng):
    return "".join(NASTY[rng.integers(len(NASTY))] for _ in range(int(rng.integers(1, 3))))


def rows_page(rng, file):
    rows = []
    for place in range(int(rng.integers(1, 6))):
        name = f"{place}{word(rng)}"
        if rng.random() < 0.5:
            score, truth = float(rng.normal()), rng.choice([1, -1, None])
            direction = int(np.sign(score))
            rows.append(PairResult(name, "ok", n=20, direction=direction, score=score, truth=truth))
        else:
            rows.append(PairResult(name, "error", word(rng)))
    write_report(rows, file, name=word(rng))


def graph_page(rng, file):
    a, noise = rng.normal(size=(2, 40))
    names = [f"{place}{word(rng)}" for place in range(2)]
    table = pd.DataFrame(np.column_stack([a, np.tanh(2 * a) + 0.2 * noise]), columns=names)
    write_graph_report(infer_graph(table), file, name=word(rng))


def cases(rng, count, folder):
    for number in range(count):
        file = folder / f"{number}.html"
        is_graph = number % 8 == 7
        what = f"case {number}: page of {'a graph' if is_graph else 'rows'}"
        try:
            (graph_page if is_graph else rows_page)(rng, file)
        except ValueError as error:
            yield what, None if str(error) else "an error without words"
            continue
        except Exception as error:
            yield what, f"{type(error).__name__}: {error}"
            continue
        text, tags = file.read_text(encoding="utf-8"), Tags()
        tags.feed(text)
        turned = TURNING.search(text)
        if tags.bad or tags.scripts != is_graph:
            yield what, f"the page holds {tags.bad} and {tags.scripts} scripts"
        else:
            yield what, f"{turned.group()!r} is on the page" if turned else None
