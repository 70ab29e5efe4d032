"""Pairs of sciences and trades, by a third author who did not know the library's models.

Written and decided after everything that `benchmarks.studies.blind` and `blind_again` taught. Of
those in `THIRD_DIRECT` x is the cause; of those in `THIRD_NEITHER` no direction is right.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.studies.unforeseen import Drawn, Family


def _pair(x: np.ndarray, y: np.ndarray) -> Drawn:
    """Return copies; of a constant column, which is very rare, with one reading changed by 1."""
    x, y = np.array(x, dtype=float) + 0.0, np.array(y, dtype=float) + 0.0
    for v in (x, y):
        if np.all(v == v[0]):
            v[0] += 1.0 if v[0] <= 0 else -1.0
    return x, y


def _sources(rng: Generator, n: int, low: int, high: int) -> tuple[int, np.ndarray]:
    """Draw a number of unrecorded sources, of unequal shares, and the source of every row."""
    k = int(rng.integers(low, high + 1))
    return k, rng.choice(k, n, p=rng.dirichlet(np.full(k, 4.0)))


def thermistor_adc(rng: Generator, n: int) -> Drawn:
    """Electronics: bath temperature (deg C) and ADC counts (10 or 12 bit).

    Boards with unrecorded pull-ups and betas.
    """
    k, s = _sources(rng, n, 2, 5)
    lo = rng.uniform(-30, 10)
    t = np.round(
        lo + rng.uniform(50, 110) * rng.beta(rng.uniform(0.8, 2), rng.uniform(0.8, 2), n), 1
    )
    beta, r0 = rng.uniform(3300, 4200, k), 10e3 * rng.normal(1, 0.03, k)
    pull = rng.choice([4.7e3, 10e3, 22e3], k) * rng.normal(1, 0.01, k)
    r = r0[s] * np.exp(beta[s] * (1 / (t + 273.15) - 1 / 298.15))
    full = rng.choice([1023, 4095])
    c = full * r / (r + pull[s]) + rng.normal(0, full * rng.uniform(0.001, 0.01), n)
    return _pair(t, np.clip(np.round(c), 0, full))


def shutter_grey(rng: Generator, n: int) -> Drawn:
    """Photography: shutter time (s, steps of 1/3 stop) and grey level of a card (0-255).

    Shot noise, gamma, clipping.
    """
    stops = rng.integers(0, int(rng.integers(18, 31)), n)
    t = 2.0 ** (stops / 3) / rng.choice([1000, 2000, 4000])
    sat = np.median(t) * rng.uniform(1.5, 12)
    e = rng.uniform(800, 20000)  # electrons at full well
    sig = rng.poisson(
        e * np.minimum(t / sat * rng.normal(1, rng.uniform(0.01, 0.12), n).clip(0.3), 3)
    )
    g = 255 * np.clip((sig + rng.normal(0, 8, n)) / e, 0, 1) ** (1 / rng.uniform(1, 2.4))
    return _pair(np.round(t, 5), np.round(g))


def backup_time(rng: Generator, n: int) -> Drawn:
    """Servers: size of a backup job (MB, heavy tail) and duration (s).

    Several unrecorded disks or links, start-up cost.
    """
    k, s = _sources(rng, n, 2, 6)
    size = np.exp(rng.normal(rng.uniform(3, 7), rng.uniform(1, 2), n))
    size = np.where(
        rng.random(n) < rng.uniform(0, 0.2), np.exp(rng.uniform(8, 10)), size
    )  # same nightly image
    rate = np.exp(rng.normal(np.log(rng.uniform(5, 80)), rng.uniform(0.1, 0.6), k))
    busy = 1 + rng.gamma(rng.uniform(0.4, 1.5), rng.uniform(0.05, 0.4), n)
    sec = rng.uniform(0.5, 10, k)[s] * rng.gamma(8, 1 / 8, n) + size / rate[s] * busy
    return _pair(np.round(size, 1), np.maximum(np.round(sec, int(rng.integers(0, 3))), 0))


def lake_light(rng: Generator, n: int) -> Drawn:
    """Limnology: depth (m, marks on the cable) and light (umol/m2/s).

    Unrecorded lakes of different clarity, detection floor.
    """
    k, s = _sources(rng, n, 1, 5)
    step, zmax = rng.choice([0.25, 0.5, 1.0]), rng.uniform(6, 18)
    z = np.round(rng.uniform(0, 1, n) ** rng.uniform(0.8, 2) * zmax / step) * step
    att = np.exp(rng.normal(np.log(0.5), rng.uniform(0.1, 0.6), k))
    surf = rng.uniform(900, 1800) * np.clip(
        rng.beta(3, rng.uniform(0.5, 2), n), 0.05, 1
    )  # passing clouds
    deep = (
        att[s] * z + rng.uniform(0, 0.06) * np.maximum(z - rng.uniform(3, 8), 0) ** 1.5
    )  # algal layer
    light = surf * np.exp(-deep) * np.exp(rng.normal(0, rng.uniform(0.05, 0.3), n))
    return _pair(z, np.maximum(np.round(light, 1), rng.choice([0.1, 0.5, 1.0])))


def cable_drop(rng: Generator, n: int) -> Drawn:
    """Electrical trade: cable run (m, half metres) and voltage drop (V).

    Wire sizes and loads not written down.
    """
    k, s = _sources(rng, n, 2, 4)
    length = np.round(2 * (2 + rng.gamma(rng.uniform(1.2, 4), rng.uniform(5, 14), n))) / 2
    area = rng.choice([1.5, 2.5, 4.0, 6.0, 10.0], k)
    amps = np.where(
        rng.random(n) < 0.8, rng.choice([6.0, 10.0, 16.0]), rng.uniform(4, 20, n)
    ) * rng.normal(1, rng.uniform(0.02, 0.1), n)
    joint = rng.exponential(rng.uniform(0.005, 0.04), n)  # bad terminals, ohm
    drop = amps * (2 * 0.0178 * length / area[s] * rng.uniform(1, 1.2) + joint)
    return _pair(length, np.round(np.abs(drop + rng.normal(0, 0.1, n)), 1))


def tyre_rolling(rng: Generator, n: int) -> Drawn:
    """Cycling laboratory: tyre pressure (bar, set in steps) and rolling resistance (W).

    Unrecorded tyre models, rough-drum upturn.
    """
    k, s = _sources(rng, n, 2, 6)
    levels = np.arange(2.0, rng.uniform(6.5, 9.5), rng.choice([0.5, 1.0]))
    p = rng.choice(levels, n)
    base, soft = rng.uniform(5, 9) + rng.uniform(0, 4, k), rng.uniform(18, 45, k)
    knee, bump = rng.uniform(5, 8, k), rng.choice([0.0, 1.0, 3.0], k)
    w = (
        base[s]
        + soft[s] / (p + rng.normal(0, 0.08, n))
        + bump[s] * np.maximum(p - knee[s], 0) ** 1.3
    )
    return _pair(p, np.round(w * rng.normal(1, rng.uniform(0.01, 0.05), n), 1))


def trail_climb(rng: Generator, n: int) -> Drawn:
    """Hiking club log: climb of the trail (m, map rounded to 10) and walking time (min.

    Often rounded to 5); walkers differ.
    """
    k, s = _sources(rng, n, 3, 9)
    climb = (
        np.round(np.clip(rng.gamma(rng.uniform(1.2, 3), rng.uniform(150, 350), n), 10, 2200) / 10)
        * 10
    )
    rate = rng.uniform(280, 620, k)  # metres of climb per hour
    km = rng.gamma(6, rng.uniform(0.3, 1), n)  # flat part, unrelated to the climb
    hours = (
        climb / rate[s] * (1 + climb / rng.uniform(4000, 15000)) + km / rng.uniform(3.8, 5.2, k)[s]
    )
    minutes = 60 * hours * np.exp(rng.normal(0, rng.uniform(0.04, 0.15), n)) + rng.exponential(
        rng.uniform(3, 20), n
    )
    r = np.where(rng.random(n) < rng.uniform(0.3, 0.9), 5, 1)
    return _pair(climb, np.maximum(np.round(minutes / r) * r, 1))


def enzyme_excess(rng: Generator, n: int) -> Drawn:
    """Biochemistry: substrate (mM, serial levels) and rate (uM/min).

    Substrate inhibition, unrecorded enzyme batches, blank noise.
    """
    k, s = _sources(rng, n, 2, 5)
    levels = rng.uniform(10, 60) / rng.choice([1.5, 2.0, 3.0]) ** np.arange(rng.integers(7, 12))
    c = rng.choice(levels, n)
    vmax = np.exp(rng.normal(3, rng.uniform(0.1, 0.6), k))
    km, ki = rng.uniform(0.3, 3, k), rng.uniform(4, 60, k)
    true = c * rng.normal(1, rng.uniform(0.02, 0.1), n).clip(0.5)  # pipetting
    v = vmax[s] * true / (km[s] + true + true**2 / ki[s])
    v = v * np.exp(rng.normal(0, rng.uniform(0.05, 0.25), n)) + rng.normal(
        0, rng.uniform(0.1, 0.8), n
    )
    return _pair(np.round(c, 4), np.round(v, 2))


def infill_break(rng: Generator, n: int) -> Drawn:
    """3D printing: infill setting (%, preset) and breaking load (N).

    Unrecorded printers and filaments, early layer failures.
    """
    k, s = _sources(rng, n, 2, 5)
    infill = rng.choice(
        [5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100], n, p=rng.dirichlet(np.full(11, 2.0))
    )
    shell, core, power = (
        rng.uniform(200, 700, k),
        rng.uniform(300, 1400, k),
        rng.uniform(0.8, 1.8, k),
    )
    load = shell[s] + core[s] * (infill / 100) ** power[s]
    load = load * (
        1 - np.where(rng.random(n) < rng.uniform(0.05, 0.25), rng.beta(2, 3, n), 0)
    )  # delamination
    load = load * rng.weibull(rng.uniform(6, 16), n)
    return _pair(infill, np.minimum(np.round(load / 5) * 5, rng.uniform(1500, 2500) // 100 * 100))


def proof_loaf(rng: Generator, n: int) -> Drawn:
    """Bakery: proofing time (min, to 5) and loaf volume (ml, to 25).

    Rises then collapses, kitchens of unrecorded warmth.
    """
    k, s = _sources(rng, n, 1, 4)
    t = np.round(np.clip(rng.normal(rng.uniform(60, 110), rng.uniform(20, 45), n), 10, 240) / 5) * 5
    speed = np.exp(rng.normal(0, rng.uniform(0.05, 0.25), k))
    u = t * speed[s] * np.exp(rng.normal(0, 0.1, n)) / rng.uniform(70, 120)
    vol = rng.uniform(700, 1000) + rng.uniform(600, 1200) * (1 - np.exp(-1.8 * u))
    vol = vol - rng.uniform(300, 900) / (
        1 + np.exp(-(u - rng.uniform(1.2, 1.7)) * rng.uniform(4, 10))
    )
    vol = vol + rng.normal(0, rng.uniform(50, 150), n) - rng.exponential(rng.uniform(5, 60), n)
    return _pair(t, np.round(np.maximum(vol, 400) / 25) * 25)


def boarding_dwell(rng: Generator, n: int) -> Drawn:
    """Public transport: passengers boarding (count, many zeros) and stop dwell (s).

    Payment kinds unrecorded, rare long holds.
    """
    k, s = _sources(rng, n, 2, 4)
    m = rng.uniform(2, 7)
    b = rng.poisson(m * rng.gamma(rng.uniform(0.6, 2), 1, n))
    per = rng.uniform(1.2, 6, k)
    each = per[s] * b * np.exp(rng.normal(0, 0.6, n) / np.sqrt(b + 1))
    alight = rng.poisson(m, n) * rng.uniform(0.8, 1.8)  # the other door
    hold = np.where(rng.random(n) < rng.uniform(0.02, 0.1), rng.exponential(40, n), 0)
    dwell = (
        rng.uniform(3, 8) + np.maximum(each, alight) + rng.exponential(rng.uniform(1, 5), n) + hold
    )
    return _pair(b, np.round(dwell))


def cloud_panel(rng: Generator, n: int) -> Drawn:
    """Solar power: midday cloud cover (oktas 0-8, U-shaped) and panel output (kW).

    Thin or thick cloud, inverter cap, season.
    """
    okta = np.round(8 * rng.beta(rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.8), n))
    cap = rng.choice([3.0, 5.0, 10.0])
    sun = 1 - rng.uniform(0.1, 0.6) * (1 + np.cos(2 * np.pi * rng.random(n))) / 2
    thick = rng.beta(rng.uniform(1.5, 4), rng.uniform(1, 2), n)
    clear = 1 - thick * rng.uniform(0.6, 0.9) * (okta / 8) ** rng.uniform(1, 3.4)
    kw = cap * rng.uniform(0.9, 1.3) * sun * clear * rng.normal(1, 0.04, n)
    return _pair(okta, np.round(np.clip(kw, 0, cap), 2))


def salt_chloride(rng: Generator, n: int) -> Drawn:
    """Winter service: road salt spread per day (t) and stream chloride (mg/l) by day.

    Storage, melt delay, dilution, meter ceiling.
    """
    cold = np.zeros(n)
    shock = rng.normal(0, 1, n)
    for i in range(1, n):
        cold[i] = 0.7 * cold[i - 1] + shock[i]
    salt = np.where(
        cold > rng.uniform(-0.3, 0.8), np.round(rng.gamma(rng.uniform(1.5, 4), 6, n), 1), 0
    )
    store, out, first, leak = 0.0, np.zeros(n), rng.uniform(0.2, 0.6), rng.uniform(0.2, 0.6)
    for i in range(n):
        out[i] = first * salt[i] + leak * store
        store = (1 - leak) * store + (1 - first) * salt[i]
    cl = (rng.uniform(20, 80) + rng.uniform(5, 15) * out) * np.exp(
        rng.normal(0, rng.uniform(0.1, 0.35), n)
    )
    return _pair(salt, np.minimum(np.round(cl), rng.uniform(400, 900) // 50 * 50))


def sowing_emergence(rng: Generator, n: int) -> Drawn:
    """Agronomy: sowing depth (cm, designed) and seedlings out of 25 or 50 in a tray.

    Dry top, too deep, unrecorded seed lots.
    """
    k, s = _sources(rng, n, 2, 5)
    d = rng.choice(np.arange(1, rng.integers(7, 12)), n) * rng.choice([0.5, 1.0, 1.5])
    best, wide, vital = rng.uniform(1, 4, k), rng.uniform(0.5, 1.1, k), rng.uniform(0.6, 0.97, k)
    p = vital[s] * np.exp(-0.5 * (np.log(d / best[s]) / wide[s]) ** 2)
    conc = rng.uniform(4, 25)  # tray-to-tray variation
    p = rng.beta(conc * p + 0.05, conc * (1 - p) + 0.05)
    return _pair(d, rng.binomial(rng.choice([25, 50]), p))


def slope_soil_loss(rng: Generator, n: int) -> Drawn:
    """Erosion plots: slope (%, clinometer) and soil lost in a storm (kg/ha).

    Zeros below a threshold, soils and cover unrecorded.
    """
    k, s = _sources(rng, n, 2, 5)
    slope = np.round(np.clip(rng.weibull(rng.uniform(1, 2), n) * rng.uniform(6, 15), 0.5, 55))
    slope = np.maximum(slope, 1)
    power, soil = rng.uniform(0.8, 1.8, k), np.exp(rng.normal(2, rng.uniform(0.2, 0.9), k))
    storm = rng.gamma(rng.uniform(1, 3), 1, n)
    loss = (
        soil[s] * storm * slope ** power[s] / 10 * np.exp(rng.normal(0, rng.uniform(0.2, 0.7), n))
    )
    loss = np.maximum(loss - rng.uniform(0.5, 6), 0)  # caught by surface litter
    return _pair(slope, np.round(loss, 1))


def contrast_seen(rng: Generator, n: int) -> Drawn:
    """Psychophysics: contrast of a faint pattern (%, log steps) and answer right or wrong (1/0).

    Observers, guesses and lapses.
    """
    k, s = _sources(rng, n, 2, 8)
    c = np.round(
        rng.uniform(0.3, 1)
        * 10 ** (rng.integers(0, rng.integers(5, 10), n) * rng.uniform(0.1, 0.25)),
        2,
    )
    thr, slope = (
        np.median(c) * np.exp(rng.normal(0, rng.uniform(0.2, 0.7), k)),
        rng.uniform(1, 3.5, k),
    )
    guess, lapse = rng.choice([0.25, 0.5]), rng.uniform(0.01, 0.1)
    p = guess + (1 - guess - lapse) * (1 - np.exp(-((c / thr[s]) ** slope[s])))
    return _pair(c, rng.random(n) < p)


def analgesic_pain(rng: Generator, n: int) -> Drawn:
    """Medicine: randomised tablet dose (mg) and pain grade after 2 h (0-10).

    Placebo response, non-responders, floor.
    """
    dose = rng.choice([0, 25, 50, 100, 200, 400], n, p=rng.dirichlet(np.full(6, 5.0)))
    start = np.clip(rng.normal(rng.uniform(5, 7), 1.6, n), 2, 10)
    responds = rng.random(n) < rng.uniform(0.4, 0.8)
    ed50 = np.exp(rng.normal(np.log(120), 0.6, n))
    relief = rng.beta(1, 3, n) + responds * rng.uniform(0.3, 0.7) * dose / (dose + ed50)
    return _pair(
        dose, np.clip(np.round(start * (1 - np.minimum(relief, 1)) + rng.normal(0, 0.8, n)), 0, 10)
    )


def parity_litter(rng: Generator, n: int) -> Drawn:
    """Pig farming: sow's parity (1-9, fewer old sows) and piglets born alive (count).

    Up then down, farms and breeds unrecorded.
    """
    k, s = _sources(rng, n, 2, 6)
    stay = rng.uniform(0.68, 0.88)
    w = stay ** np.arange(9)
    par = rng.choice(np.arange(1, 10), n, p=w / w.sum())
    top, peak, curve = rng.uniform(10.5, 15, k), rng.uniform(3, 5, k), rng.uniform(0.08, 0.28, k)
    total = np.round(
        top[s] - curve[s] * (par - peak[s]) ** 2 + rng.normal(0, rng.uniform(2, 3.2), n)
    )
    dead = np.clip(0.04 + 0.012 * par, 0, 1)
    return _pair(par, rng.binomial(np.clip(total, 1, 25).astype(int), 1 - dead))


def moon_moths(rng: Generator, n: int) -> Drawn:
    """Insect recording: moon lit (%, from almanac.

    Nightly dates) and moths in a light trap (count); cloud, warmth, trap kinds.
    """
    k, s = _sources(rng, n, 1, 4)
    day = np.sort(rng.choice(np.arange(3 * n), n, replace=False)) + rng.uniform(0, 29)
    lit = np.round(50 * (1 - np.cos(2 * np.pi * day / 29.53)))
    cloudy = rng.random(n) < rng.uniform(0.2, 0.6)
    warm = rng.normal(0, rng.uniform(0.3, 0.8), n)
    mu = rng.uniform(5, 60) * np.exp(
        rng.normal(0, 0.4, k)[s] + warm - rng.uniform(0.4, 1.4) * (lit / 100) * ~cloudy
    )
    shape = rng.uniform(1, 4)
    return _pair(lit, rng.poisson(mu * rng.gamma(shape, 1 / shape, n)))


def class_size_score(rng: Generator, n: int) -> Drawn:
    """Education trial: size of class (pupils) and a pupil's test score (0-100, whole points).

    Weak fall, schools unrecorded.
    """
    k, s = _sources(rng, n, 4, 15)
    small, big = rng.uniform(13, 17), rng.uniform(22, 29)
    size = np.where(
        rng.random(n) < rng.uniform(0.3, 0.6), rng.normal(small, 1.5, n), rng.normal(big, 2.5, n)
    )
    size = np.clip(np.round(size), 9, 36)
    slope, sd = rng.uniform(0.2, 1.1, k), rng.uniform(9, 14)
    score = (
        rng.uniform(65, 80)
        + rng.normal(0, rng.uniform(2, 7), k)[s]
        - slope[s] * np.maximum(size - 15, -3)
    )
    score = score + sd * (rng.gamma(6, 1, n) - 6) / -np.sqrt(6)  # tail to the low side
    return _pair(size, np.clip(np.round(score), 0, 100))


def fluoride_teeth(rng: Generator, n: int) -> Drawn:
    """Dental public health: fluoride in tap water (mg/l.

    Detection limit 0.1) and decayed teeth of a 12-year-old (count, many zeros).
    """
    k = int(rng.integers(8, 30))
    town = np.where(
        rng.random(k) < rng.uniform(0.2, 0.5),
        rng.normal(rng.uniform(0.7, 1), 0.08, k),
        rng.gamma(1.2, 0.25, k),
    )
    f = np.maximum(np.round(town[rng.integers(0, k, n)] + rng.normal(0, 0.05, n), 1), 0.1)
    risk = rng.gamma(rng.uniform(1, 2.5), 0.6, n)  # sugar, brushing
    mu = rng.uniform(1.5, 4) * risk * (rng.uniform(0.2, 0.4) + 0.8 * np.exp(-rng.uniform(1, 3) * f))
    return _pair(f, np.minimum(rng.poisson(mu), 28))


def coffee_sleep(rng: Generator, n: int) -> Drawn:
    """Sleep diary: cups of coffee after noon (count) and minutes to fall asleep (own guess.

    Rounded); people differ in sensitivity.
    """
    k, s = _sources(rng, n, 4, 20)
    cups = np.minimum(rng.poisson(rng.gamma(2, rng.uniform(0.4, 1), k)[s]), 8)
    sens = np.maximum(rng.normal(rng.uniform(0.1, 0.25), 0.1, k), 0)  # some feel nothing
    mins = np.exp(
        rng.normal(2.6, 0.25, k)[s] + sens[s] * cups + rng.normal(0, rng.uniform(0.4, 0.8), n)
    )
    step = np.where(mins > 20, rng.choice([10, 15]), 5)
    if np.all(cups == cups[0]):
        cups[: n // 5] += 1
    return _pair(cups, np.clip(np.round(mins / step) * step, 0, 240))


def teeth_words(rng: Generator, n: int) -> Drawn:
    """Child health visits: milk teeth (count 0-20) and words spoken (count).

    Hidden common cause is the child's age.
    """
    age = (
        rng.choice([9, 12, 15, 18, 24, 30], n) + rng.normal(0, 0.6, n)
        if rng.random() < 0.5
        else rng.uniform(7, 32, n)
    )
    teeth = 20 / (
        1
        + np.exp(
            -(age - rng.normal(rng.uniform(14, 17), rng.uniform(1, 2.5), n)) / rng.uniform(2.5, 4)
        )
    )
    fast = np.exp(rng.normal(0, rng.uniform(0.3, 0.6), n))
    words = rng.poisson(
        fast
        * rng.uniform(150, 350)
        / (1 + np.exp(-(age - rng.uniform(19, 24)) / rng.uniform(2, 3)))
    )
    words = np.where(words > 50, np.round(words / 10) * 10, words)
    return _pair(np.clip(np.round(teeth + rng.normal(0, 0.5, n)), 0, 20), words)


def caliper_ultrasound(rng: Generator, n: int) -> Drawn:
    """Animal science: back fat by skin-fold caliper (mm, to 1) and by ultrasound (mm, to 0.1).

    Two measures of one hidden thickness.
    """
    fat = np.exp(rng.normal(np.log(rng.uniform(6, 18)), rng.uniform(0.2, 0.5), n))
    k, s = _sources(rng, n, 1, 4)  # people holding the caliper
    cal = rng.uniform(0.7, 1.6) * fat ** rng.uniform(0.75, 1.05) * np.exp(rng.normal(0, 0.1, k))[s]
    cal = cal * np.exp(rng.normal(0, rng.uniform(0.06, 0.2), n))
    us = (
        rng.uniform(-1, 1)
        + fat * rng.uniform(0.85, 1.1)
        + rng.standard_t(4, n) * rng.uniform(0.3, 1.5)
    )
    a, b = np.clip(np.round(cal), 1, 40), np.round(np.maximum(us, 0.8), 1)
    return _pair(a, b) if rng.random() < 0.5 else _pair(b, a)


def restaurant_survivors(rng: Generator, n: int) -> Drawn:
    """Trade survey: passers-by per hour and food score (1-5) of restaurants still open.

    Linked only because weak ones closed.
    """
    m = 12 * n
    passers = np.exp(rng.normal(rng.uniform(3.5, 5.5), rng.uniform(0.6, 1.1), m))
    food = rng.normal(rng.uniform(2.8, 3.4), rng.uniform(0.6, 0.9), m)
    z = (np.log(passers) - np.log(passers).mean()) / np.log(passers).std() + (
        food - food.mean()
    ) / food.std()
    z = z + rng.normal(0, rng.uniform(0.1, 0.8), m)
    keep = rng.permutation(np.argsort(-z)[: int(n * rng.uniform(1.3, 4))])[:n]
    return _pair(np.round(passers[keep]), np.clip(np.round(food[keep] * 10) / 10, 1, 5))


def petrol_rivals(rng: Generator, n: int) -> Drawn:
    """Retail: daily pump prices (cents/l) of two rival stations.

    Each follows the other and both the oil price (feedback).
    """
    a, b, oil = np.zeros(n), np.zeros(n), 150.0
    a[0], b[0] = oil + rng.normal(0, 2), oil + rng.normal(0, 2)
    f, g, u = rng.uniform(0.15, 0.5), rng.uniform(0.15, 0.5), rng.uniform(0.05, 0.3)
    vol, sd = rng.uniform(0.3, 1.2), rng.uniform(0.5, 2)
    for i in range(1, n):
        oil += vol * rng.normal() + 0.02 * (150 - oil)
        a[i] = a[i - 1] + f * (b[i - 1] - a[i - 1]) + u * (oil - a[i - 1]) + sd * rng.normal()
        b[i] = b[i - 1] + g * (a[i - 1] - b[i - 1]) + u * (oil - b[i - 1]) + sd * rng.normal()
    return _pair(np.floor(a) + 0.9, np.floor(b) + 0.9)


def phones_glacier(rng: Generator, n: int) -> Drawn:
    """Statistics yearbooks: phone contracts (thousands) and glacier tongue length (m).

    Evenly spaced readings over decades; two trends in time, no link.
    """
    t = np.linspace(0, 1, n)
    phones = rng.uniform(500, 5000) / (
        1 + np.exp(-(t - rng.uniform(0.3, 0.7)) * rng.uniform(4, 12))
    )
    phones = phones * np.exp(rng.normal(0, rng.uniform(0.005, 0.05), n))
    wander = np.cumsum(rng.normal(0, 1, n)) * rng.uniform(10, 60) / np.sqrt(n)
    ice = rng.uniform(1500, 6000) - rng.uniform(200, 700) * t ** rng.uniform(0.8, 2.5) + wander
    ice = (
        ice
        + rng.uniform(2, 15) * np.sin(2 * np.pi * rng.integers(15, 31) * t)
        + rng.normal(0, rng.uniform(3, 15), n)
    )
    return _pair(np.round(phones), np.round(ice))


def bars_burglaries(rng: Generator, n: int) -> Drawn:
    """Municipal figures: bars and burglaries per 1000 residents of towns.

    Unrelated counts divided by the same noisy population.
    """
    pop = np.maximum(
        np.exp(rng.normal(rng.uniform(0.3, 1.2), rng.uniform(0.6, 1.1), n)), 0.2
    )  # thousands
    bars = rng.poisson(rng.uniform(3, 12) * pop ** rng.uniform(0, 0.5) * rng.gamma(5, 0.2, n)) + 1
    burg = rng.poisson(rng.uniform(6, 30) * pop ** rng.uniform(0, 0.5) * rng.gamma(3, 1 / 3, n))
    return _pair(np.round(bars / pop, 2), np.round(burg / pop, 1))


def turbidity_bacteria(rng: Generator, n: int) -> Drawn:
    """Water control: turbidity (NTU) and E. coli (per 100 ml, limits 10 and 24196).

    Rain stirs up mud and washes in dung.
    """
    k, s = _sources(rng, n, 1, 5)
    rain = np.where(rng.random(n) < rng.uniform(0.3, 0.6), rng.gamma(0.8, rng.uniform(5, 15), n), 0)
    ntu = rng.uniform(1, 6, k)[s] * np.exp(rng.normal(0, rng.uniform(0.3, 0.6), n)) + rng.uniform(
        0.5, 3
    ) * rain ** rng.uniform(0.8, 1.3)
    dung = np.exp(rng.normal(rng.uniform(3, 5), rng.uniform(0.2, 1), k))[s]
    coli = dung * (1 + rng.uniform(0.3, 2) * rain) * np.exp(rng.normal(0, rng.uniform(0.5, 1.2), n))
    ntu = ntu * np.exp(rng.normal(0, 0.2, n))
    return _pair(np.round(ntu, 1), np.clip(np.round(coli), 10, 24196))


def quake_stations(rng: Generator, n: int) -> Drawn:
    """Seismology: peak ground velocity (um/s) of the same quakes at two stations.

    Common hidden magnitude, own distance and site.
    """
    mag = rng.uniform(1.8, 2.8) + rng.exponential(1 / (rng.uniform(0.8, 1.2) * np.log(10)), n)
    ang, r = rng.uniform(0, 2 * np.pi, n), rng.gamma(2, rng.uniform(10, 40), n)
    half = rng.uniform(5, 60)  # half the distance of the stations, km
    d1 = np.sqrt((r * np.cos(ang) - half) ** 2 + (r * np.sin(ang)) ** 2 + 64)
    d2 = np.sqrt((r * np.cos(ang) + half) ** 2 + (r * np.sin(ang)) ** 2 + 64)
    v1 = 10 ** (
        mag - rng.uniform(1.3, 1.8) * np.log10(d1 / 20) + rng.normal(0, rng.uniform(0.1, 0.3), n)
    )
    v2 = 10 ** (
        mag
        - rng.uniform(1.3, 1.8) * np.log10(d2 / 20)
        + rng.normal(rng.uniform(-0.3, 0.3), rng.uniform(0.1, 0.3), n)
    )
    noise, clip = rng.uniform(0.5, 5), 10 ** rng.uniform(3.5, 5)
    return _pair(
        np.round(np.minimum(v1 + noise * rng.exponential(1, n), clip), 1),
        np.round(v2 + noise * rng.exponential(1, n), 1),
    )


def bill_shapes(rng: Generator, n: int) -> Drawn:
    """Ornithology: bill length and bill depth (mm, vernier 0.1) of ringed birds.

    Species, sex and body size are the hidden causes.
    """
    k, s = _sources(rng, n, 2, 4)
    ml, md = rng.uniform(34, 52, k), rng.uniform(13, 20, k)
    male = rng.random(n) < 0.5
    size = rng.normal(0, 1, n) + rng.uniform(0.3, 1.2) * male
    length = ml[s] + rng.uniform(0.5, 2) * size + rng.normal(0, rng.uniform(0.8, 2), n)
    depth = md[s] + rng.uniform(0.2, 0.8) * size + rng.normal(0, rng.uniform(0.3, 0.8), n)
    return _pair(np.round(length, 1), np.round(depth, 1))


def sleep_screen(rng: Generator, n: int) -> Drawn:
    """Time-use diary: hours asleep and hours of screen leisure in one day (quarter hours).

    Both are parts of the same 24 hours.
    """
    worker = rng.random(n) < rng.uniform(0.4, 0.7)
    sleep = rng.gamma(rng.uniform(30, 80), 1, n)
    sleep = sleep / sleep.mean() * rng.uniform(7.5, 8.5)
    screen = rng.gamma(rng.uniform(1.2, 3), rng.uniform(0.8, 1.6), n)
    job = np.where(worker, rng.gamma(40, 0.2, n), rng.gamma(2, 0.5, n))
    rest = rng.gamma(rng.uniform(6, 14), rng.uniform(0.4, 0.7), n) + np.where(
        worker, 0, rng.gamma(20, 0.25, n)
    )
    day = 24 / (sleep + screen + job + rest)
    return _pair(np.round(4 * sleep * day) / 4, np.round(4 * screen * day) / 4)


THIRD_DIRECT: dict[str, Family] = {
    "bath temperature and thermistor counts": thermistor_adc,
    "shutter time and grey level": shutter_grey,
    "backup size and duration": backup_time,
    "lake depth and light": lake_light,
    "cable run and voltage drop": cable_drop,
    "tyre pressure and rolling resistance": tyre_rolling,
    "trail climb and walking time": trail_climb,
    "substrate and enzyme rate with inhibition": enzyme_excess,
    "print infill and breaking load": infill_break,
    "proofing time and loaf volume": proof_loaf,
    "passengers boarding and bus dwell": boarding_dwell,
    "cloud oktas and solar panel output": cloud_panel,
    "road salt and stream chloride": salt_chloride,
    "sowing depth and seedlings": sowing_emergence,
    "plot slope and soil loss": slope_soil_loss,
    "pattern contrast and right answer": contrast_seen,
    "analgesic dose and pain grade": analgesic_pain,
    "sow parity and litter size": parity_litter,
    "moonlight and moth catch": moon_moths,
    "class size and test score": class_size_score,
    "tap water fluoride and decayed teeth": fluoride_teeth,
    "afternoon coffee and minutes to sleep": coffee_sleep,
}

THIRD_NEITHER: dict[str, Family] = {
    "milk teeth and words spoken": teeth_words,
    "back fat by caliper and ultrasound": caliper_ultrasound,
    "passers-by and food score of surviving restaurants": restaurant_survivors,
    "pump prices of two rival stations": petrol_rivals,
    "phone contracts and glacier length": phones_glacier,
    "bars and burglaries per resident": bars_burglaries,
    "stream turbidity and bacteria": turbidity_bacteria,
    "one quake at two stations": quake_stations,
    "bill length and bill depth": bill_shapes,
    "hours asleep and screen hours": sleep_screen,
}
