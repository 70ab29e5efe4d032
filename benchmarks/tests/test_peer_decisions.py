"""Methods of the side-by-side benchmark decide as their users would see, and a run tells all."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.peers.cdci import cdci, kullback_leibler, total_variation
from benchmarks.peers.deciders import DECIDERS, Decider
from benchmarks.peers.deciding import FAMILIES, decide_all, draw, markdown

DIVERGENCES = (total_variation, kullback_leibler)


def standardized(values):
    return (values - np.mean(values)) / (np.std(values) + 1e-8)


def halves(values):
    """Numbers of half standard deviations, three at most on either side."""
    return [max(-6, min(6, round(2.0 * value))) for value in values]


def slow_variation(cause, effect):
    """Mean total variation from the mean histogram, a bin and an observation at a time."""
    cause = standardized(cause)
    inner = cause[np.abs(cause) < 3.0]
    bins = halves((cause - inner.mean()) / (inner.std() + 1e-8))
    histograms = []
    for chosen, count in Counter(bins).items():
        if count > 12:
            within = np.array([e for e, bin_ in zip(effect, bins, strict=True) if bin_ == chosen])
            told = Counter(halves(standardized(within)))
            histograms.append([told[k] / count for k in range(-6, 7)])
    if not histograms:
        return 0.0
    center = [sum(column) / len(histograms) for column in zip(*histograms, strict=True)]
    distances = [
        sum(abs(a - b) for a, b in zip(histogram, center, strict=True)) / 2.0
        for histogram in histograms
    ]
    return sum(distances) / len(distances)


def cubic(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, n)
    return x, x**3 + x + 0.3 * rng.uniform(-1.0, 1.0, n)


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_cdci_on_an_easy_pair(divergence):
    x, y = cubic(2000)
    assert cdci(x, y, divergence) > 0.0
    assert cdci(y, x, divergence) < 0.0


@pytest.mark.parametrize("n", [20, 100, 500])
@pytest.mark.parametrize("seed", range(5))
def test_cdci_is_what_its_description_says(n, seed):
    x, y = cubic(n, seed)
    expected = slow_variation(y, x) - slow_variation(x, y)
    assert cdci(x, y) == pytest.approx(expected, abs=1e-12)


@given(arrays(np.float64, (2, 60), elements=st.integers(-5, 5).map(float)))
@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_exchanging_negates_cdci(divergence, xy):
    x, y = xy
    score = cdci(x, y, divergence)
    assert np.isfinite(score)
    assert cdci(y, x, divergence) == -score


@pytest.mark.parametrize("decider", DECIDERS, ids=lambda decider: decider.name)
def test_signs_of_all_methods_are_alike(decider):
    if not decider.available():
        pytest.skip(decider.absent)
    decide = decider.build()
    if "DirectLiNGAM" in decider.name:
        x, noise = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 300))
        y = x + noise
    elif "IGCI" in decider.name:
        x = np.linspace(0.0, 1.0, 100)
        y = x**3
    else:
        x, y = cubic(300)
    assert decide(x, y) > 0.0
    assert decide(y, x) < 0.0


def test_pairs_are_turned_around_by_their_seed():
    pairs = draw(50, range(4))
    assert [pair.family for pair in pairs] == 4 * list(FAMILIES)
    assert [pair.truth for pair in pairs[::4]] == [1, -1, 1, -1]
    assert {pair.family for pair in draw(2001, [0])} == {"MN-U", "f1"}


def test_a_run_tells_of_everybody():
    always = Decider("always right of even seeds", lambda: lambda x, y: 1.0, exponent=1)
    never = Decider("undecided", lambda: lambda x, y: 0.0, exponent=1)
    missing = Decider("missing", lambda: None, available=lambda: False)

    def slow():
        def decide(x, y):
            for _ in range(1000):
                np.sort(np.tile(x, 100))
            return 1.0

        return decide

    slow = Decider("slow", slow, exponent=1)
    seeds = range(20_000, 20_004)
    outcomes = decide_all([always, never, missing, slow], [20, 40], seeds, limit=0.05)
    text = markdown(outcomes, seeds)
    assert text.count("| missing | not installed |") == 2
    assert text.count("| slow | not run (about ") == 2
    assert text.count("Seeds 20000 to 20003") == 1
    for families, at_size in outcomes.values():
        assert len(families) == 16
        assert np.mean(at_size[always.name].right) == 0.5
        assert at_size[never.name].right == [0.5] * 16
        assert len(at_size[always.name].cell.ratios) == 16


@pytest.mark.parametrize(
    "arguments",
    [["--sizes", "5"], ["--count", "0"], ["--limit", "0"], ["-o", "no/such/x.md"]],
)
def test_the_command_line_refuses(arguments, capsys):
    from benchmarks.peers.decisions import parse

    with pytest.raises(SystemExit, match="2"):
        parse(arguments)
    assert "error: " in capsys.readouterr().err
