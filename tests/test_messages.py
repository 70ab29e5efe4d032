"""Messages are short, plain, and listed on one page that is current."""

import importlib
import inspect
import re

import messages
import test_site

# Words of the old dialect of this project, in forms that plain English seldom has. Replace them by
# the terms of docs/guide/glossary.md, and "what" by a noun.
DIALECT = re.compile(
    r"\b(told|tells?|telling|untold|said|says?|(comes?|goes) (in|out)\b(?! of)|besides?|"
    r"far (values?|off|from all)|heap(s|ed)?|bears? \w+ out|borne? out|laws?|rooms?|"
    r"(an?|the) share|shares? of|spreads?|stands?|stood|held|speaks?|spoken|heard|hears?|asks?|"
    r"asked|alone|by (it|them)sel(f|ves)|the rest|what (?!to do|is wrong)\w+|whoever|"
    r"walk(s|ed)?|settle[sd]?|parted|mend(s|ed)?|neighbours?|halves|sides?)\b",
    re.IGNORECASE,
)
MOST_WORDS = 25


def all_lines():
    return [(name, line) for name, lines in messages.all_messages().items() for line in lines]


def test_the_page_of_messages_is_current():
    assert messages.PAGE.read_text(encoding="utf-8") == messages.page(), (
        "run python tests/messages.py"
    )


def test_messages_are_found():
    lines = all_lines()
    assert len(lines) > 300
    assert ("graph/table.py", "column {} repeats {}; leave one of them out") in lines


def test_messages_have_no_dialect():
    assert [each for each in all_lines() if DIALECT.search(each[1])] == []


def docstrings():
    """Yield public objects, their methods and properties by name, with their docstrings."""
    for module in map(importlib.import_module, test_site.MODULES):
        yield module.__name__, module.__doc__ or ""
        for name in module.__all__:
            thing, label = getattr(module, name), f"{module.__name__}.{name}"
            if inspect.isfunction(thing) or isinstance(thing, type):
                yield label, inspect.getdoc(thing) or ""
            for member in vars(thing) if isinstance(thing, type) else ():
                if not member.startswith("_"):
                    yield f"{label}.{member}", inspect.getdoc(getattr(thing, member)) or ""


def test_public_docstrings_have_no_dialect():
    lines = ((name, line.strip()) for name, text in docstrings() for line in text.splitlines())
    assert [each for each in lines if DIALECT.search(each[1])] == []


def test_sentences_of_messages_are_short():
    sentences = [each for _, line in all_lines() for each in re.split(r"(?<=[.;:])\s", line)]
    assert [each for each in sentences if len(each.split()) > MOST_WORDS] == []
