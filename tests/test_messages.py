"""Messages are short, plain, and listed on one page that is current."""

import re

import messages

# Words of the project's old dialect, in the senses that they had there.
DIALECT = re.compile(
    r"\b(told|tells? \w+ apart|untold|said of|says of|speaks? for|heard|borne? out|far values|"
    r"heaped|the rest|what is left|whoever|asked for|held|stands for|room for|goes out|comes in)\b"
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


def test_sentences_of_messages_are_short():
    long = [
        sentence
        for _, line in all_lines()
        for sentence in re.split(r"(?<=[.;:])\s", line)
        if len(sentence.split()) > MOST_WORDS
    ]
    assert long == []
