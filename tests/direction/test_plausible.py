"""Plausible relations: the smallest set of probability 0.9, and the words for it."""

from types import SimpleNamespace

import pytest

from anmmm.direction.hypotheses import Probabilities, plausible_relations
from anmmm.direction.outcome import format_decision, is_decided, plausible_of

THERE, BACK, COMMON, INDEPENDENT = "x->y", "y->x", "common cause", "independent"


@pytest.mark.parametrize(
    ("probabilities", "plausible"),
    [
        ((0.95, 0.03, 0.02, 0.0), (THERE,)),
        ((0.9, 0.1, 0.0, 0.0), (THERE,)),
        ((0.03, 0.95, 0.02, 0.0), (BACK,)),
        ((0.01, 0.01, 0.98, 0.0), (COMMON,)),
        ((0.01, 0.01, 0.0, 0.98), (INDEPENDENT,)),
        ((0.8, 0.15, 0.05, 0.0), (THERE, BACK)),
        ((0.15, 0.8, 0.05, 0.0), (BACK, THERE)),
        ((0.6, 0.05, 0.34, 0.01), (THERE, COMMON)),
        ((0.34, 0.05, 0.6, 0.01), (COMMON, THERE)),
        ((0.01, 0.3, 0.02, 0.67), (INDEPENDENT, BACK)),
        ((0.4, 0.2, 0.35, 0.05), (THERE, COMMON, BACK)),
        ((0.4, 0.3, 0.18, 0.12), (THERE, BACK, COMMON, INDEPENDENT)),
        # Of equal ones both or none.
        ((0.06, 0.06, 0.0, 0.88), (INDEPENDENT, THERE, BACK)),
        ((0.05, 0.05, 0.86, 0.04), (COMMON, THERE, BACK)),
        ((0.25, 0.25, 0.25, 0.25), (THERE, BACK, COMMON, INDEPENDENT)),
    ],
)
def test_plausible_relations_are_the_most_probable_ones_of_0_9(probabilities, plausible):
    assert plausible_relations(Probabilities(*probabilities)) == plausible


def decision(relation, *plausible, confidence=None, direction=0):
    return SimpleNamespace(
        relation=relation, plausible=plausible, confidence=confidence, direction=direction
    )


def directed(*plausible, confidence):
    """Return a decision on y → x."""
    return decision(BACK, *plausible, confidence=confidence, direction=-1)


@pytest.mark.parametrize(
    ("decided", "words"),
    [
        (directed(BACK, confidence=0.95), "b → a"),
        (directed(BACK, COMMON, confidence=0.7), "b → a, or a common cause"),
        (
            directed(BACK, COMMON, INDEPENDENT, confidence=0.5),
            "b → a, or a common cause, or independent",
        ),
        (directed(BACK, INDEPENDENT, confidence=0.7), "b → a, or independent"),
        (directed(COMMON, BACK, confidence=0.4), "common cause, or b → a"),
        (directed(BACK, THERE, confidence=0.7), "leaning b → a"),
        (directed(BACK, THERE, COMMON, confidence=0.6), "leaning b → a"),
        (directed(BACK, THERE, confidence=0.59), "no preference"),
        (directed(COMMON, BACK, THERE, confidence=0.3), "no preference"),
        # Decided by another criterion.
        (directed(confidence=None), "b → a"),
        (decision(THERE, THERE, COMMON, confidence=0.7, direction=1), "a → b, or a common cause"),
        (decision(COMMON, COMMON), "common cause"),
        (decision(COMMON, COMMON, BACK), "common cause, or b → a"),
        (decision(COMMON, COMMON, THERE, BACK), "common cause, or either direction"),
        (decision(INDEPENDENT, INDEPENDENT), "independent"),
        (decision(INDEPENDENT, INDEPENDENT, BACK), "independent, or b → a"),
        (decision(INDEPENDENT, INDEPENDENT, THERE, BACK), "independent, or either direction"),
        (decision("undecided", BACK, THERE), "undecided"),
        (decision("undecided"), "undecided"),
    ],
)
def test_words_name_what_is_plausible(decided, words):
    assert format_decision(decided, ("a → b", "b → a")) == words
    # A row has them as one text.
    row = SimpleNamespace(**vars(decided) | {"plausible": "; ".join(decided.plausible) or None})
    assert plausible_of(row) == decided.plausible
    assert format_decision(row, ("a → b", "b → a")) == words


@pytest.mark.parametrize(
    ("decided", "expected"),
    [
        (directed(BACK, confidence=0.95), True),
        (directed(BACK, COMMON, confidence=0.5), True),
        (directed(BACK, THERE, confidence=0.7), True),
        (directed(BACK, THERE, confidence=0.55), False),
        (directed(confidence=None), True),
        (decision(COMMON, COMMON), False),
        (decision("undecided", BACK, THERE), False),
    ],
)
def test_a_direction_is_preferred_if_the_other_is_not_plausible_or_less_probable(decided, expected):
    assert is_decided(decided) == expected
