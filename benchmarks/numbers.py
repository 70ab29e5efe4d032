"""Tables of README and docs, from the stored results of studies.

    python -m benchmarks.numbers            # prints what differs, and exits with 1 if anything does
    python -m benchmarks.numbers --write    # writes the tables anew

A result is stored once, as ``docs/stored/NAME.csv`` with its command, seeds and date in the first
lines. Pages hold tables between ``<!-- table: NAME -->`` and ``<!-- end -->``: the stored one, or
one of `benchmarks.views` made of it. Sentences of `CLAIMS` must stand in their pages with the
numbers that the stored results have.
"""

from __future__ import annotations

import argparse
import re
import sys

from benchmarks.stored import ROOT, markdown, stored, stored_names
from benchmarks.views import CLAIMS, SOURCES, VIEWS

PAGES = [ROOT / "README.md", ROOT / "docs/index.md"]
for _folder in ("guide", "method", "results"):
    PAGES += sorted((ROOT / "docs" / _folder).glob("**/*.md"))
MARKED = re.compile(r"(<!-- table: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def table(name: str) -> str:
    """Return a table as Markdown."""
    return markdown(VIEWS[name]() if name in VIEWS else stored(name).table)


def origin(name: str) -> str:
    """Return a line with the files and dates that a table of the site comes from."""
    parts = []
    for source in SOURCES.get(name, [name]):
        facts = stored(source).facts
        machine = f", {facts['machine']}" if "machine" in facts else ""
        parts.append(f"[{source}.csv](../stored/{source}.csv) ({facts['date']}{machine})")
    return f"\n*Command and seeds: {', '.join(parts)}.*\n\n"


def filled(text: str, *, in_site: bool = False) -> str:
    """Return a page with its marked tables written anew, on the site with where they are from."""

    def written(match: re.Match[str]) -> str:
        below = origin(match[2]) if in_site else ""
        return f"{match[1]}{table(match[2])}{below}{match[4]}"

    return MARKED.sub(written, text)


def missing_claims() -> list[str]:
    """Return the sentences that do not stand in their page as the results say."""
    missing = []
    for page, phrase, numbers in CLAIMS:
        wanted = phrase.format(*numbers())
        if wanted not in " ".join((ROOT / page).read_text(encoding="utf-8").split()):
            missing.append(f"{page} does not say: {wanted}")
    return missing


def problems(*, write: bool = False) -> list[str]:
    """Return what differs from the stored results, after writing it anew if asked to."""
    differences = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        new = filled(text, in_site="docs" in page.relative_to(ROOT).parts)
        if new != text and write:
            page.write_text(new, encoding="utf-8")
        elif new != text:
            differences.append(f"{page.relative_to(ROOT)}: a table is not the stored one")
        if text.count("<!-- table:") != len(MARKED.findall(text)):
            differences.append(f"{page.relative_to(ROOT)}: a marked table has no end")
    for name in stored_names():
        lacking = {"title", "command", "seeds", "date"} - stored(name).facts.keys()
        if lacking:
            differences.append(f"docs/stored/{name}.csv lacks {', '.join(sorted(lacking))}")
    return differences + missing_claims()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the tables anew")
    outcome = problems(write=parser.parse_args().write)
    print("\n".join(outcome) or "all numbers are those of the stored results")
    sys.exit(bool(outcome))
