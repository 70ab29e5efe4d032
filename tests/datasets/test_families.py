"""Single mechanisms and named settings follow their laws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.datasets import (
    FAMILIES,
    SETTINGS,
    draw_anm_mixture,
    make_anm_mixture,
    make_single_mechanism,
)
from anmmm.datasets.families import _gaussian_process, _sigmoid


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_repeats_the_draw(family):
    one = make_single_mechanism(family, 40, random_state=3)
    other = make_single_mechanism(family, 40, random_state=np.int64(3))
    assert [values.shape for values in one] == [(40,), (40,)]
    assert np.array_equal(one, other)
    assert not np.array_equal(one, make_single_mechanism(family, 40, random_state=4))


def test_the_stream_of_a_seed_is_fixed():
    # Reported numbers hold for these draws.
    rng = np.random.default_rng([7, 1 + FAMILIES.index("MN-U")])
    x = np.sqrt(2.0) * rng.standard_normal(30)
    rng.uniform(1 / 5, np.sqrt(2 / 5)), rng.standard_normal(30)
    y = _sigmoid(x, rng) * rng.uniform(size=30)
    drawn = make_single_mechanism("MN-U", 30, random_state=7)
    assert np.array_equal(drawn, (x, y))


def test_families_share_no_stream():
    causes = [make_single_mechanism(family, 20, random_state=0)[0] for family in FAMILIES]
    assert len({x[0] for x in causes}) == len(FAMILIES)


def test_generators_go_on():
    rng = np.random.default_rng(0)
    first = make_single_mechanism("AN", 20, random_state=rng)
    assert not np.array_equal(first, make_single_mechanism("AN", 20, random_state=rng))


def test_the_cause_has_variance_two():
    x, _ = make_single_mechanism("AN-s", 20_000, random_state=0)
    assert_allclose([x.mean(), x.var()], [0.0, 2.0], atol=0.06)


def test_multiplicative_noise_shrinks_a_sigmoid():
    # f(x) u with u in (0, 1): on both sides of the root the sign of y is that of f, and the largest
    # of many |y| near x comes close to |f(x)|.
    x, y = make_single_mechanism("MN-U", 20_000, random_state=1)
    order = np.argsort(x)
    envelope = np.abs(y[order]).reshape(200, 100).max(axis=1)
    middle = np.abs(y[order]).reshape(200, 100).mean(axis=1)
    ratio = middle[envelope > 0.5 * envelope.max()] / envelope[envelope > 0.5 * envelope.max()]
    assert_allclose(np.median(ratio), 0.5, atol=0.05)


def test_location_scale_noise_depends_on_the_cause():
    def spread_by_cause(family):
        x, y = make_single_mechanism(family, 2000, random_state=2)
        order = np.argsort(x)
        # Differences of neighbors in x are nearly free of f.
        noise = np.abs(np.diff(y[order]))[:1990].reshape(10, 199)
        spread = np.median(noise, axis=1)
        return spread.max() / spread.min()

    assert spread_by_cause("LS-s") > 3.0
    assert spread_by_cause("AN-s") < 1.6


def test_gaussian_process_has_unit_variance_and_length():
    x = np.array([0.0, 1.0, 5.0])
    rng = np.random.default_rng(0)
    values = np.array([_gaussian_process(x, rng) for _ in range(20_000)])
    expected = np.exp(-0.5 * (x[:, np.newaxis] - x) ** 2)
    assert_allclose(np.cov(values.T), expected, atol=0.04)


def test_sigmoid_is_monotone_and_bounded():
    x = np.linspace(-50.0, 50.0, 501)
    for seed in range(20):
        values = _sigmoid(x, np.random.default_rng(seed))
        steps = np.diff(values)
        assert np.all(steps > 0) or np.all(steps < 0)
        assert values.min() < 0 < values.max()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "XX"}, "family must be one of 'AN', 'AN-s'"),
        ({"n_samples": 0}, "n_samples must be at least 1"),
        ({"random_state": -1}, "random_state must be at least 0"),
        ({"random_state": "seed"}, "random_state must be None"),
    ],
)
def test_errors_name_the_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_single_mechanism(**arguments)


# --- Settings -------------------------------------------------------------------------------------


def test_settings_are_the_mixtures_and_the_families():
    assert {"f1", "f2", "f3", "f4", "f3-c3", "f3-c4", "f3-sigma0.01", "f3-a0.75"} <= set(SETTINGS)
    assert set(FAMILIES) <= set(SETTINGS)
    assert all(setting.name == name for name, setting in SETTINGS.items())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("f2", (2, 0.05, 30)),
        ("f3-c3", (3, 0.05, 20)),
        ("f3-c4", (4, 0.05, 15)),
        ("f1-sigma0.01", (2, 0.01, 30)),
        ("f4-sigma0.1", (2, 0.1, 30)),
        ("f3-a0.25", (2, 0.05, 15)),
        ("f3-a0.75", (2, 0.05, 45)),
    ],
)
def test_variations_mean_what_they_say(name, expected):
    setting = SETTINGS[name]
    sample = draw_anm_mixture(setting.mechanism, 60, random_state=0, **setting.options)
    found = len(sample.thetas), sample.noise_std, int((sample.labels == 0).sum())
    assert found == expected


def test_settings_draw_what_the_functions_draw():
    assert np.array_equal(
        SETTINGS["f4"].draw(50, random_state=1), make_anm_mixture("f4", 50, random_state=1)[:2]
    )
    assert np.array_equal(
        SETTINGS["LS"].draw(50, random_state=1),
        make_single_mechanism("LS", 50, random_state=1),
    )
