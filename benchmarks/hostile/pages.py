"""Hostile names, reasons and numbers in the rows of a report: text on the page, and no more."""

from html.parser import HTMLParser

import numpy as np

from anmmm.collection.records import PairResult
from anmmm.report import write_report

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


class Tags(HTMLParser):
    """What the page runs or loads."""

    def __init__(self):
        super().__init__()
        self.bad = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "iframe", "object", "embed", "form", "link"):
            self.bad.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.bad.append(f"{tag} {name}")
            if name == "src" and not (value or "").startswith("data:"):
                self.bad.append(f"{tag} src {value}")


def word(rng):
    return "".join(NASTY[rng.integers(len(NASTY))] for _ in range(int(rng.integers(1, 3))))


def cases(rng, count, folder):
    for number in range(count):
        rows = []
        for place in range(int(rng.integers(1, 6))):
            if rng.random() < 0.5:
                score = float(rng.normal())
                rows.append(
                    PairResult(
                        f"{place}{word(rng)}",
                        "ok",
                        n=20,
                        direction=int(np.sign(score)),
                        score=score,
                        truth=rng.choice([1, -1, None]),
                    )
                )
            else:
                rows.append(PairResult(f"{place}{word(rng)}", "error", word(rng)))
        file = folder / f"{number}.html"
        try:
            write_report(rows, file, name=word(rng))
        except ValueError as error:
            yield f"case {number}", None if str(error) else "an error without words"
            continue
        except Exception as error:
            yield f"case {number}", f"{type(error).__name__}: {error}"
            continue
        tags = Tags()
        tags.feed(file.read_text(encoding="utf-8"))
        yield f"case {number}", f"the page holds {tags.bad}" if tags.bad else None
