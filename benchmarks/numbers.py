"""Tables and figures of README and docs, from the stored results of studies.

    python -m benchmarks.numbers            # says what differs, and exits with 1 if anything does
    python -m benchmarks.numbers --write    # writes the tables anew
    python -m benchmarks.numbers --take     # the other way: a table that a study printed was put
                                            # into its page, and becomes the stored one, of today

A result is stored once, as ``docs/stored/NAME.csv`` with its command, seeds and date in the first
lines. Pages hold tables between ``<!-- table: NAME -->`` and ``<!-- end -->``: the stored one, or
one of `benchmarks.views` made of it. Sentences of `CLAIMS` must stand in their pages with the
numbers that the stored results have.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import date

from benchmarks.stored import ROOT, Stored, markdown, store, stored, stored_names
from benchmarks.views import CLAIMS, SOURCES, VIEWS

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("[!_]*/**/*.md")), ROOT / "docs/index.md"]
MARKED = re.compile(r"(<!-- table: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def table(name: str) -> str:
    """Return a table as Markdown."""
    if name in VIEWS:
        return markdown(*VIEWS[name]())
    result = stored(name)
    return markdown(result.head, result.rows)


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

    def written(found: re.Match[str]) -> str:
        below = origin(found[2]) if in_site else ""
        return f"{found[1]}{table(found[2])}{below}{found[4]}"

    return MARKED.sub(written, text)


def edited(text: str) -> dict[str, Stored]:
    """Return the tables of a page that differ from the stored ones, as results of today."""
    found = {}
    for match in MARKED.finditer(text):
        name = match[2]
        lines = [line for line in match[3].splitlines() if line.startswith("|")]
        if name in VIEWS or not lines:
            continue
        head, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)
        known = stored(name)
        if [head, *rows] != [known.head, *known.rows]:
            found[name] = Stored(known.facts | {"date": str(date.today())}, head, rows)
    return found


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
    found, used = [], set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        used |= {match[2] for match in MARKED.finditer(text)}
        new = filled(text, in_site="docs" in page.relative_to(ROOT).parts)
        if new != text and write:
            page.write_text(new, encoding="utf-8")
        elif new != text:
            found.append(f"{page.relative_to(ROOT)}: a table is not the stored one")
        if text.count("<!-- table:") != len(MARKED.findall(text)):
            found.append(f"{page.relative_to(ROOT)}: a marked table has no end")
    for name in stored_names():
        lacking = {"title", "command", "seeds", "date"} - stored(name).facts.keys()
        if lacking:
            found.append(f"docs/stored/{name}.csv lacks {', '.join(sorted(lacking))}")
    return found + missing_claims()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the tables anew")
    parser.add_argument("--take", action="store_true", help="store the tables of the pages")
    options = parser.parse_args()
    if options.take:
        # All pages are read first: another one may still show the old table.
        pages = [edited(page.read_text(encoding="utf-8")) for page in PAGES]
        for name, result in {key: each[key] for each in pages for key in each}.items():
            store(name, result)
            print(f"docs/stored/{name}.csv: taken from a page")
    outcome = problems(write=options.write or options.take)
    print("\n".join(outcome) or "all numbers are those of the stored results")
    sys.exit(bool(outcome))
