"""What a model is made of: a base, the number of its mechanisms, and suffixes in their order.

``str(form)`` is the model's name in files, such as ``"pnl+noise+rescaled"``, and `Form.text`
describes it in words; `read_form` reads names from files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anmmm._record import Record


class Suffix(Record, eq=True):
    """A change of a model, with words for the end of its text, or for the words `replaced`."""

    name: str
    words: str
    replaced: str = ""


NOISE = Suffix("noise", "noise of a fitted density", "Gaussian noise")
LINK = Suffix("link", "levels cut smoothly", "levels cut")
RESCALED = Suffix("rescaled", ", over the scale on which the cause is Gaussian")
ATOM = Suffix(
    "atom", ", but for a value of many rows, whose probability is a function of the cause"
)
RANGES = Suffix(
    "ranges", ", but for values beyond a gap, whose probability is a function of the cause"
)
SUFFIXES = {suffix.name: suffix for suffix in (NOISE, LINK, RESCALED, ATOM, RANGES)}


class Form(Record, eq=True):
    """A base with its text, and what changes it.

    `base_text` may contain ``{mechanisms}``. `n_mechanisms` is 0 if the name does not have it.
    """

    base: str
    base_text: str
    n_mechanisms: int = 0
    suffixes: tuple[Suffix, ...] = ()

    def plus(self, suffix: Suffix) -> Form:
        """Return the form with a further suffix."""
        # `dataclasses.replace` takes three times as long.
        return Form(self.base, self.base_text, self.n_mechanisms, (*self.suffixes, suffix))

    def __str__(self) -> str:
        number = f"-{self.n_mechanisms}" if self.n_mechanisms else ""
        return "+".join([self.base + number, *(suffix.name for suffix in self.suffixes)])

    @property
    def is_numbered(self) -> bool:
        """Whether the name has the number of mechanisms."""
        return "{mechanisms}" in self.base_text

    @property
    def text(self) -> str:
        """Description in words."""
        count = self.n_mechanisms
        mechanisms = "one mechanism" if count == 1 else f"{count} mechanisms"
        text = self.base_text.format(mechanisms=mechanisms)
        previous = None
        for suffix in self.suffixes:
            if suffix.replaced:
                text = text.replace(suffix.replaced, suffix.words)
            elif suffix != previous:
                text += suffix.words
            previous = suffix
        return text


def read_form(name: str, bases: Mapping[str, Form]) -> Form | None:
    """Return the form of a name that a file has, or None of an unknown name.

    `bases` has a form for the name of each base, without its number of mechanisms.
    """
    base, *suffix_names = name.split("+")
    form = bases.get(base)
    if form is None:
        base, _, number = base.rpartition("-")
        if base not in bases or not number.isdecimal():
            return None
        form = replace(bases[base], n_mechanisms=int(number))
    if form.is_numbered != (form.n_mechanisms > 0):
        return None
    for suffix_name in suffix_names:
        if suffix_name not in SUFFIXES:
            return None
        form = form.plus(SUFFIXES[suffix_name])
    return form
