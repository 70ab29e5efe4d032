"""Pairs of sciences, trades and services: 160 kinds, written in five rounds of 32.

Each round is by another author, who did not know the models of the library; rounds 1 and 2 were
looked at when limits were chosen later, rounds 3 to 5 only report. A kind is a function of a class,
which has its round and its truth: x is the cause, or no direction is right.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.signal import lfilter
from scipy.special import expit, ndtr

from benchmarks.families.base import CAUSE, NEITHER, Family, Pair, by_place

TRADES: list[Family] = []
# Places in the list of the study, which begins with the designed families.
FIRST_PLACE = 144


class Kinds:
    """Functions that draw pairs and take no instance; a subclass puts them into the list."""

    def __init_subclass__(cls, *, number: int, truth: int) -> None:
        for name, draw in vars(cls).items():
            if not name.startswith("_"):
                title = name.replace("_", " ")
                stream = by_place(FIRST_PLACE + len(TRADES))
                TRADES.append(Family(f"trades/{number}/{title}", draw, truth, stream))


def numbered_sources(
    rng: Generator, n: int, low: int = 2, high: int = 20, evenness: float = 4.0
) -> tuple[int, np.ndarray]:
    """Draw how many unrecorded sources of unequal size there are, and the source of every row."""
    count = int(rng.integers(low, high + 1))
    return count, rng.choice(count, n, p=rng.dirichlet(np.full(count, evenness)))


def sources(rng: Generator, n: int, low: int, high: int, evenness: float = 6.0) -> np.ndarray:
    """Draw the unrecorded source of every row."""
    return numbered_sources(rng, n, low, high, evenness)[1]


def per_source(rng: Generator, source: np.ndarray, low: float, high: float) -> np.ndarray:
    """Draw a parameter for each source from a random part of low to high, by row."""
    a, b = np.sort(rng.uniform(low, high, 2))
    return rng.uniform(a, b, int(source.max()) + 1)[source]


def rounded(values: np.ndarray, step: float) -> np.ndarray:
    """Round to the nearest multiple of a step."""
    return np.round(np.round(values / step) * step, 6) + 0.0


def digits(values: np.ndarray, count: int) -> np.ndarray:
    """Round positive values to a number of significant digits."""
    scale = 10.0 ** (count - 1 - np.floor(np.log10(values)))
    return np.round(np.round(values * scale) / scale, 9)


def some(rng: Generator, n: int, low: float, high: float) -> np.ndarray:
    """Draw which rows something happens in, with a random probability from low to high."""
    return rng.random(n) < rng.uniform(low, high)


def errors(rng: Generator, n: int, low: float, high: float) -> np.ndarray:
    """Draw additive noise whose standard deviation is random from low to high."""
    return rng.normal(0.0, rng.uniform(low, high), n)


def factors(rng: Generator, n: int, low: float, high: float) -> np.ndarray:
    """Draw multiplicative noise whose log has a random standard deviation from low to high."""
    return np.exp(errors(rng, n, low, high))


def counted(rng: Generator, mean: np.ndarray, low: float, high: float) -> np.ndarray:
    """Draw overdispersed counts, with a gamma shape between low and high."""
    shape = rng.uniform(low, high)
    return rng.poisson(mean * rng.gamma(shape, 1.0 / shape, mean.size)).astype(float)


def settings(rng: Generator, n: int, levels: list[float], low: int) -> np.ndarray:
    """Set each row to one of at least low of the levels, some used more often than others."""
    count = int(rng.integers(low, len(levels) + 1))
    used = np.sort(rng.choice(np.array(levels), size=count, replace=False)).astype(float)
    return rng.choice(used, size=n, p=rng.dirichlet(np.full(count, 8.0)))


def varied(x: np.ndarray, y: np.ndarray) -> Pair:
    """Return copies; of a constant column, which is very rare, with one reading changed by 1."""
    pair = np.array(x, dtype=float) + 0.0, np.array(y, dtype=float) + 0.0
    for values in pair:
        if np.all(values == values[0]):
            values[0] += 1.0 if values[0] <= 0 else -1.0
    return pair


class FirstCauses(Kinds, number=1, truth=CAUSE):
    """x is the cause."""

    def dilution_series_and_pcr_cycle(rng: Generator, n: int) -> Pair:
        plates = n // 24 + 1
        stock = np.repeat(rng.normal(6.0, 0.4, plates), 24)[:n]
        logc = stock - rng.integers(0, 8, n)
        copies = rng.poisson(10**logc * rng.lognormal(0, 0.1, n))
        cycle = 37.5 - 3.4 * np.log10(np.maximum(copies, 1)) + rng.normal(0, 0.25, n)
        return logc, np.round(np.where(copies > 0, np.minimum(cycle, 40), 40.0), 2)

    def drive_frequency_and_resonance(rng: Generator, n: int) -> Pair:
        f0, q = rng.uniform(80, 140), rng.uniform(5, 20)
        coarse, fine = rng.uniform(20, 250, n), rng.normal(f0, 1.5 * f0 / q, n)
        f = np.round(np.where(rng.random(n) < 0.6, coarse, np.clip(fine, 20, 250)), 1)
        r = f / f0
        gain = 0.2 / np.sqrt((1 - r**2) ** 2 + (r / q) ** 2)
        return f, gain * rng.lognormal(0, 0.08, n) + np.abs(rng.normal(0, 0.02, n))

    def concentration_and_elisa_by_plate(rng: Generator, n: int) -> Pair:
        plates = n // 80 + 1
        gain = np.repeat(rng.lognormal(0, 0.15, plates), 80)[:n]
        conc = rng.lognormal(np.log(120), 1.3, n)
        od = 0.06 + gain * 3.8 / (1 + (200 / conc) ** 1.2) * rng.lognormal(0, 0.07, n)
        return conc, np.round(np.minimum(od, 4.0), 3)

    def absences_and_exam_mark(rng: Generator, n: int) -> Pair:
        missed = rng.negative_binomial(1.2, 0.18, n).astype(float)
        mark = 68 - 2.4 * missed**0.8 + rng.normal(0, 13, n)
        return missed, np.round(np.clip(mark, 0, 100))

    def parcel_weight_and_postage_tier(rng: Generator, n: int) -> Pair:
        kg = np.round(np.clip(rng.lognormal(np.log(1.8), 1.0, n), 0.05, 31.5), 2)
        tier = np.searchsorted([0.5, 1, 2, 5, 10, 20], kg)
        price = np.array([3.9, 4.9, 5.9, 7.5, 10.5, 16.5, 23.0])[tier]
        zone = rng.choice([1.0, 1.4, 2.1], n, p=[0.7, 0.2, 0.1])
        return kg, np.round(price * zone + 4.0 * (rng.random(n) < 0.08), 2)

    def server_load_and_latency(rng: Generator, n: int) -> Pair:
        rho = np.minimum(rng.beta(2.5, 2.0, n), 0.97)
        return np.round(450 * rho, 1), 3 + 18 / (1 - rho) * rng.gamma(8, 1 / 8, n)

    def vaccine_cover_and_outbreak(rng: Generator, n: int) -> Pair:
        cover = rng.beta(9, 3, n)
        open_share = 1 - 0.93 * cover
        r = rng.lognormal(np.log(4.5), 0.25, n) * open_share
        z = np.ones(n)
        for _ in range(40):
            z = 1 - np.exp(-r * z)
        large = (r > 1) & (rng.random(n) > 1 / np.maximum(r, 1))
        small = rng.gamma(0.7, 3.0, n)
        rate = np.where(large, 1e4 * open_share * z * rng.beta(8, 4, n), small)
        return np.round(100 * cover, 1), np.round(rate, 1)

    def rating_gap_and_goal_difference(rng: Generator, n: int) -> Pair:
        gap = rng.normal(0, 190, n)
        home, away = 1.5 * 10 ** (gap / 900), 1.15 * 10 ** (-gap / 900)
        return np.round(gap), (rng.poisson(home) - rng.poisson(away)).astype(float)

    def station_altitude_and_winter_cold(rng: Generator, n: int) -> Pair:
        alt = rng.gamma(1.5, 450, n)
        pool = rng.random(n) < 0.4 * expit((400 - alt) / 100)
        temp = 4 - 6.3e-3 * alt + rng.normal(0, 1.3, n) - pool * rng.gamma(2, 2.0, n)
        return np.round(alt), np.round(temp, 1)

    def age_and_hearing_threshold(rng: Generator, n: int) -> Pair:
        age = np.round(18 + 72 * rng.beta(1.3, 1.8, n))
        loss = 0.011 * (age - 18) ** 2 * rng.gamma(3.5, 1 / 3.5, n) + rng.normal(4, 5, n)
        return age, 5 * np.round(np.clip(loss, -10, 110) / 5)

    def gestation_and_birth_weight(rng: Generator, n: int) -> Pair:
        early = rng.random(n) < 0.12
        weeks = np.where(early, 37 - rng.gamma(1.3, 2.2, n), rng.normal(39.6, 1.2, n))
        weeks = np.floor(7 * np.clip(weeks, 24, 42)) / 7
        grams = np.exp(8.2 - 0.0064 * (42 - weeks) ** 2) * rng.lognormal(0, 0.12, n)
        return weeks, 10 * np.round(grams / 10)

    def advertising_with_carry_over(rng: Generator, n: int) -> Pair:
        on = np.repeat(rng.random(n // 4 + 1) < 0.45, 4)[:n]
        spend = np.where(on, rng.gamma(2.5, 12.0, n), rng.gamma(0.5, 2.0, n))
        stock = lfilter([1.0], [1.0, -0.45], spend)
        sales = 200 + 160 * stock / (stock + 40) + 14 * rng.standard_t(5, n)
        return np.round(spend, 1), np.round(sales)

    def rain_and_runoff(rng: Generator, n: int) -> Pair:
        rain = 0.2 * np.ceil(5 * rng.gamma(0.9, 22.0, n) + 1e-9)
        store = 25400 / np.clip(rng.normal(80, 7, n), 55, 97) - 254
        excess = np.maximum(rain - 0.2 * store, 0)
        return rain, np.round(excess**2 / (excess + store), 1)

    def wind_speed_and_turbine_power(rng: Generator, n: int) -> Pair:
        wind = np.round(8.5 * rng.weibull(2.0, n), 1)
        felt = wind * rng.normal(1, 0.05, n)
        power = 2000 * np.clip((felt**3 - 27) / (12**3 - 27), 0, 1) * (wind < 25)
        cap = np.where(rng.random(n) < 0.05, rng.choice([0.0, 1000.0], n), np.inf)
        return wind, np.minimum(power, cap) + rng.normal(0, 8, n)

    def speed_and_stopping_distance(rng: Generator, n: int) -> Pair:
        limit = rng.choice([30, 50, 80, 100], n, p=[0.25, 0.4, 0.2, 0.15])
        v = np.round(limit * rng.normal(0.97, 0.13, n), 1) / 3.6
        grip = np.where(rng.random(n) < 0.3, 0.45, 0.75) * rng.lognormal(0, 0.08, n)
        return 3.6 * v, v * rng.lognormal(0.1, 0.3, n) + v**2 / (2 * 9.81 * grip)

    def hours_awake_and_reaction_time(rng: Generator, n: int) -> Pair:
        late = rng.random(n) < 0.35
        hours = np.round(2 * np.where(late, rng.uniform(16, 38, n), rng.uniform(1, 16, n))) / 2
        tired = np.logaddexp(0, (hours - 16) / 3)
        rt = rng.normal(215 + 4 * tired, 25) + rng.exponential(30 + 16 * tired)
        lapse = rng.random(n) < 0.02 + 0.02 * tired
        return hours, np.round(rt + lapse * rng.gamma(2, 150, n))

    def share_price_and_call_option(rng: Generator, n: int) -> Pair:
        share = np.round(rng.lognormal(np.log(99), 0.12, n), 2)
        sd = rng.lognormal(np.log(0.25), 0.25, n) * np.sqrt(rng.uniform(10, 90, n) / 365)
        d = np.log(share / 100) / sd + sd / 2
        call = share * ndtr(d) - 100 * ndtr(d - sd)
        return share, 0.05 * np.round(call * rng.lognormal(0, 0.03, n) / 0.05)

    def grain_size_and_settling_velocity(rng: Generator, n: int) -> Pair:
        silt = rng.random(n) < 0.4
        mm = np.where(silt, rng.lognormal(np.log(0.03), 0.5, n), rng.lognormal(np.log(0.4), 0.6, n))
        d, shape, nu = mm / 1000, rng.uniform(0.4, 1.2, n), 1e-6 * rng.uniform(0.9, 1.5, n)
        w = 16.2 * d**2 / (18 * nu + np.sqrt(0.75 * shape * 16.2 * d**3))
        return mm, 1000 * w * rng.lognormal(0, 0.06, n)

    def titrant_volume_and_ph(rng: Generator, n: int) -> Pair:
        near = rng.random(n) < 0.4
        ml = np.where(near, rng.normal(25, 1.5, n), rng.uniform(0.5, 45, n))
        ml = 0.05 * np.round(ml / 0.05)
        ph = np.linspace(2.5, 12.9, 600)
        h = 10.0**-ph
        net = h - 1e-14 / h
        volume = 25 * (0.1 * 1.8e-5 / (1.8e-5 + h) - net) / (0.1 + net)
        added = ml + rng.normal(0, 0.15, n)
        return ml, np.round(np.interp(added, volume, ph) + rng.normal(0, 0.06, n), 2)

    def temperature_and_power_demand(rng: Generator, n: int) -> Pair:
        day = rng.integers(0, 365) + np.arange(n)
        weather = lfilter([1.0], [1.0, -0.75], rng.normal(0, 2.5, n))
        temp = 14 - 11 * np.cos(2 * np.pi * day / 365) + weather
        need = 48 + 1.0 * np.maximum(15 - temp, 0) + 1.7 * np.maximum(temp - 21, 0)
        return np.round(temp, 1), need - 6 * (day % 7 > 4) + rng.normal(0, 1.6, n)

    def shelf_price_and_units_sold(rng: Generator, n: int) -> Pair:
        price = np.ceil(2 * rng.lognormal(np.log(5), 0.6, n)) / 2 - 0.01
        mean = 60 * (price / 5) ** -1.5 * rng.lognormal(0, 0.6, n)
        return price, rng.poisson(mean).astype(float)

    def sunflecks_and_photosynthesis(rng: Generator, n: int) -> Pair:
        fleck = rng.random(n) < 0.35
        bright = np.clip(rng.normal(1200, 350, n), 200, 2100)
        light = np.where(fleck, bright, rng.lognormal(np.log(70), 0.7, n))
        top = rng.lognormal(np.log(14), 0.18, n)
        uptake = top * (1 - np.exp(-0.055 * light / top)) * np.exp(-0.005 * light / top)
        return np.round(light), uptake - 0.8 + rng.normal(0, 0.4, n)


class FirstNeither(Kinds, number=1, truth=NEITHER):
    """No direction is right."""

    def distance_and_luminosity_flux_limited(rng: Generator, n: int) -> Pair:
        dist = 200 * rng.random(20 * n) ** (1 / 3)
        lum = rng.normal(10, 0.6, 20 * n)
        seen = np.flatnonzero(lum - 2 * np.log10(dist) > 6.0)[:n]
        return dist[seen], lum[seen]

    def object_and_image_of_a_thin_lens(rng: Generator, n: int) -> Pair:
        t = rng.normal(0, 0.8, n)
        noise = rng.normal(0, 0.04, (2, n))
        focus = 20 * rng.lognormal(0, 0.02, n)
        x, y = focus * (1 + np.exp(t + noise[0])), focus * (1 + np.exp(-t + noise[1]))
        return np.round(x, 1), np.round(y, 1)

    def two_genes_and_sequencing_depth(rng: Generator, n: int) -> Pair:
        depth = rng.lognormal(0, 0.8, n)
        x = rng.poisson(12 * depth * rng.gamma(4, 0.25, n))
        y = rng.poisson(5 * depth * rng.gamma(4, 0.25, n))
        return x.astype(float), y.astype(float)

    def left_and_right_eye(rng: Generator, n: int) -> Pair:
        person = 0.6 + rng.normal(0, 0.5, n) - (rng.random(n) < 0.45) * rng.gamma(2, 1.5, n)
        x, y = person + rng.normal(0, 0.45, (2, n))
        return np.round(4 * x) / 4, np.round(4 * y) / 4

    def low_and_high_of_the_day(rng: Generator, n: int) -> Pair:
        vol = rng.lognormal(np.log(1.2), 0.4, (n, 1))
        path = np.cumsum(vol * rng.normal(0, 1 / np.sqrt(40), (n, 40)), axis=1)
        low, high = np.minimum(path.min(1), 0), np.maximum(path.max(1), 0)
        return np.round(low, 2), np.round(high, 2)

    def dyes_bleeding_into_channels(rng: Generator, n: int) -> Pair:
        a, b = rng.lognormal(np.log(200), 0.9, (2, n))
        noise = rng.normal(0, 12, (2, n))
        return a + 0.25 * b + noise[0], b + 0.25 * a + noise[1]

    def successive_changes_of_noise(rng: Generator, n: int) -> Pair:
        level = rng.gamma(3, 10, (3, n))
        return np.round(level[1] - level[0], 1), np.round(level[2] - level[1], 1)

    def ice_cream_and_sunburn(rng: Generator, n: int) -> Pair:
        warm = rng.normal(20, 6, n)
        x = rng.poisson(12 * np.exp(0.09 * warm) * rng.gamma(12, 1 / 12, n))
        y = rng.poisson(45 * expit((warm - 26) / 3) * rng.gamma(8, 1 / 8, n))
        return x.astype(float), y.astype(float)

    def rolling_returns_of_unrelated_funds(rng: Generator, n: int) -> Pair:
        monthly = rng.standard_t(4, (2, n + 23))
        x, y = (np.convolve(m, np.ones(24), "valid") for m in monthly)
        return 8 + 2.0 * x, 10 + 3.0 * y

    def two_analytes_under_one_drift(rng: Generator, n: int) -> Pair:
        step = np.arange(n) % 50
        drift = np.exp(-0.02 * step * np.repeat(rng.gamma(4, 0.25, n // 50 + 1), 50)[:n])
        x, y = rng.gamma(12, 0.5, n) * drift, rng.lognormal(np.log(80), 0.25, n) * drift
        return np.round(x, 2), np.round(y, 1)


class SecondCauses(Kinds, number=2, truth=CAUSE):
    """x is the cause."""

    def pendulum_length_and_swing_time(rng: Generator, n: int) -> Pair:
        length = np.round(rng.uniform(15.0, rng.uniform(90.0, 150.0), n), 1)
        offset = rng.uniform(0.5, 2.0)  # bob radius, left out of the measured length
        time = 20.0 * np.pi * np.sqrt((length + offset) / 981.0)
        time = time + errors(rng, n, 0.1, 0.3)
        return length, np.round(time, 2)

    def nitrogen_dose_and_wheat_yield(rng: Generator, n: int) -> Pair:
        dose = rng.choice(np.array([0.0, 40.0, 80.0, 120.0, 160.0, 200.0, 240.0]), n)
        sites = int(rng.integers(2, 7))
        farm = rng.integers(0, sites, n)
        base = rng.normal(4.0, 0.8, sites)[farm]
        gain = rng.uniform(2.5, 5.0, sites)[farm]
        top = rng.uniform(150.0, 210.0, sites)[farm]
        part = np.minimum(dose / top, 1.0)
        crop = base + gain * (2.0 * part - part**2) + errors(rng, n, 0.3, 0.6)
        return dose, np.round(np.maximum(crop, 0.3), 2)

    def cafe_music_tempo_and_stay(rng: Generator, n: int) -> Pair:
        tempo = np.round(rng.uniform(60.0, 140.0, n))
        slope = rng.uniform(0.1, 0.3)
        middle = rng.uniform(35.0, 60.0) * np.exp(-slope * (tempo - 100.0) / 40.0)
        stay = middle * rng.lognormal(0.0, rng.uniform(0.3, 0.45), n)
        return tempo, np.round(np.maximum(stay, 4.0))

    def guitar_fret_and_pitch(rng: Generator, n: int) -> Pair:
        fret = np.minimum(rng.geometric(rng.uniform(0.1, 0.2), n) - 1, 19).astype(float)
        opened = rng.choice(np.array([82.41, 110.0, 146.83, 196.0, 246.94, 329.63]))
        stretch = rng.uniform(0.0, 1.2)  # cents sharp a fret, from a poorly set saddle
        cents = fret * (100.0 + stretch) + errors(rng, n, 4.0, 9.0)
        return fret, np.round(opened * 2.0 ** (cents / 1200.0), 1)

    def dive_depth_and_air_use(rng: Generator, n: int) -> Pair:
        depth = np.round(np.clip(rng.gamma(4.0, rng.uniform(3.0, 5.0), n), 2.0, 42.0), 1)
        breathing = rng.uniform(14.0, 19.0) * rng.lognormal(0.0, rng.uniform(0.1, 0.22), n)
        minutes = rng.integers(8, 21, n)
        bars = np.round(breathing * (1.0 + depth / 10.0) * minutes / 12.0 / 5.0) * 5.0
        return depth, np.round(bars * 12.0 / minutes, 1)

    def day_of_year_and_river_temperature(rng: Generator, n: int) -> Pair:
        day = rng.integers(1, 366, n).astype(float)
        peak = rng.uniform(195.0, 220.0)
        season = rng.uniform(7.0, 10.0) * np.cos(2.0 * np.pi * (day - peak) / 365.0)
        water = rng.uniform(8.0, 12.0) + season + errors(rng, n, 1.0, 2.0)
        return day, np.round(np.maximum(water, 0.0), 1)

    def soil_tension_and_valve(rng: Generator, n: int) -> Pair:
        tension = rng.gamma(rng.uniform(2.5, 5.0), rng.uniform(8.0, 14.0), n)
        tension = np.round(np.clip(tension, 1.0, 85.0))
        beds = int(rng.integers(1, 5))
        limit = (np.quantile(tension, rng.uniform(0.4, 0.75)) + rng.normal(0.0, 4.0, beds))[
            rng.integers(0, beds, n)
        ]
        chance = 1.0 / (1.0 + np.exp(-(tension - limit) / rng.uniform(0.8, 4.0)))
        return tension, (rng.random(n) < chance).astype(float)

    def acaricide_dose_and_dead_mites(rng: Generator, n: int) -> Pair:
        dose = rng.uniform(0.4, 0.8) * 2.0 ** rng.integers(0, 8, n)
        half = rng.uniform(4.0, 15.0)
        logit = rng.uniform(1.2, 2.5) * np.log(dose / half) + rng.normal(0.0, 0.4, n)
        natural = rng.uniform(0.01, 0.08)
        chance = natural + (1.0 - natural) / (1.0 + np.exp(-logit))
        return np.round(dose, 2), rng.binomial(20, chance).astype(float)

    def library_reminder_and_days_late(rng: Generator, n: int) -> Pair:
        sent = (rng.random(n) < rng.choice(np.array([0.3, 0.5, 0.5, 0.6]))).astype(float)
        sent[:2] = 0.0, 1.0
        late = rng.random(n) < rng.uniform(0.45, 0.65) - rng.uniform(0.1, 0.25) * sent
        days = np.ceil(rng.lognormal(1.6, 0.9, n) * np.exp(-rng.uniform(0.0, 0.4) * sent))
        return sent, np.where(late, np.minimum(days, 90.0), 0.0)

    def tills_open_and_wait(rng: Generator, n: int) -> Pair:
        tills = rng.integers(2, 9, n).astype(float)
        load = rng.uniform(1.0, 1.6) * rng.lognormal(0.0, 0.15, n)  # tills' worth of customers
        wait = rng.uniform(1.0, 2.0) * load / np.maximum(tills - load, 0.25)
        wait = wait * rng.lognormal(0.0, rng.uniform(0.15, 0.35), n)
        return tills, np.round(wait, 1)

    def laser_power_and_cut_depth(rng: Generator, n: int) -> Pair:
        power = np.round(rng.uniform(5.0, 100.0, n))
        tired = some(rng, n, 0.2, 0.6)
        watts = np.where(tired, rng.uniform(25.0, 34.0), rng.uniform(38.0, 50.0)) * power / 100.0
        depth = rng.uniform(0.14, 0.22) * np.maximum(watts - rng.uniform(2.0, 6.0), 0.0)
        depth = depth * rng.lognormal(0.0, 0.08, n) + np.abs(rng.normal(0.0, 0.05, n))
        return power, np.round(np.minimum(depth, 6.0) / 0.05) * 0.05

    def furnace_temperature_and_oxide(rng: Generator, n: int) -> Pair:
        celsius = rng.normal(rng.uniform(950.0, 1030.0), rng.uniform(25.0, 50.0), n)
        kelvin = celsius + 273.15
        energy = rng.uniform(1.1, 1.4)
        growth = np.exp(-energy / 8.617e-5 * (1.0 / kelvin - 1.0 / 1273.15))
        thick = rng.uniform(40.0, 90.0) * growth * rng.lognormal(0.0, rng.uniform(0.03, 0.12), n)
        return np.round(celsius, 1), np.round(thick + rng.normal(0.0, 0.5, n), 1)

    def wage_and_tax_withheld(rng: Generator, n: int) -> Pair:
        wage = np.round(rng.lognormal(np.log(rng.uniform(22e3, 36e3)), rng.uniform(0.4, 0.7), n))
        deducted = np.round(rng.gamma(1.5, rng.uniform(500.0, 1500.0), n))
        taxed = np.maximum(wage - deducted - rng.uniform(9e3, 13e3), 0.0)
        edges = np.array([0.0, 16e3, 38e3, 90e3])
        steps = np.array([0.2, 0.12, 0.08, 0.05])
        tax = (np.maximum(taxed[:, None] - edges, 0.0) * steps).sum(axis=1)
        return wage, np.round(tax)

    def source_distance_and_geiger_counts(rng: Generator, n: int) -> Pair:
        distance = np.round(rng.uniform(3.0, rng.uniform(30.0, 60.0), n) * 2.0) / 2.0
        strength = rng.uniform(4e4, 3e5)
        rate = strength / (distance + rng.uniform(0.5, 1.5)) ** 2 + rng.uniform(15.0, 35.0)
        seen = rate / (1.0 + rate * rng.uniform(1.5e-6, 4e-6))
        return distance, rng.poisson(seen).astype(float)

    def hop_boil_time_and_bitterness(rng: Generator, n: int) -> Pair:
        usual = rng.choice(np.array([5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 75.0, 90.0]), n)
        minutes = np.maximum(usual + np.round(rng.normal(0.0, 1.0, n)), 1.0)
        alpha = rng.normal(1.0, rng.uniform(0.05, 0.15), n)  # harvest strength of the hops
        bitter = rng.uniform(30.0, 60.0) * alpha * (1.0 - np.exp(-0.04 * minutes))
        return minutes, np.round(np.maximum(bitter + rng.normal(0.0, 1.5, n), 1.0))

    def water_cement_ratio_and_strength(rng: Generator, n: int) -> Pair:
        ratio = np.round(rng.triangular(0.32, rng.uniform(0.42, 0.55), 0.8, n), 2)
        lab = errors(rng, 3, 0.01, 0.06)[rng.integers(0, 3, n)]
        strength = rng.uniform(95.0, 125.0) / rng.uniform(6.0, 9.0) ** ratio * np.exp(lab)
        strength = strength + errors(rng, n, 1.5, 3.5)
        return ratio, np.round(np.maximum(strength, 3.0) * 2.0) / 2.0

    def patch_lines_and_review_comments(rng: Generator, n: int) -> Pair:
        lines = np.ceil(rng.lognormal(rng.uniform(3.0, 4.0), rng.uniform(1.1, 1.6), n))
        lines = np.minimum(lines, 5000.0)
        mean = rng.uniform(0.25, 0.6) * lines ** rng.uniform(0.4, 0.65)
        shape = rng.uniform(0.8, 2.5)
        return lines, rng.poisson(mean * rng.gamma(shape, 1.0 / shape, n)).astype(float)

    def ship_speed_and_fuel(rng: Generator, n: int) -> Pair:
        service = rng.uniform(14.0, 17.0)
        speed = np.clip(rng.normal(service, rng.uniform(1.2, 2.2), n), 7.0, 21.0)
        hull = rng.uniform(0.007, 0.012) * speed ** rng.uniform(2.8, 3.4)
        weather = 1.0 + 0.06 * np.abs(rng.standard_t(4, n))
        fuel = rng.uniform(2.0, 4.0) + hull * weather + rng.normal(0.0, 0.8, n)
        return np.round(speed, 1), np.round(fuel, 1)

    def egg_boiling_time_and_yolk(rng: Generator, n: int) -> Pair:
        minutes = np.round(rng.uniform(3.0, 13.0, n) * 2.0) / 2.0
        size = errors(rng, n, 0.4, 1.0)  # bigger or colder eggs set later
        cuts = np.sort(rng.uniform(-0.4, 0.4, 4) + np.array([4.5, 6.0, 8.0, 10.5]))
        return minutes, 1.0 + (minutes[:, None] - size[:, None] > cuts).sum(axis=1)

    def bearing_load_and_life(rng: Generator, n: int) -> Pair:
        load = rng.choice(np.array([4.0, 5.0, 6.0, 7.0, 8.0, 10.0]), n) + rng.normal(0.0, 0.05, n)
        hours = rng.uniform(1.5e5, 4e5) / load**3 * rng.weibull(rng.uniform(1.1, 2.0), n)
        runout = rng.choice(np.array([2000.0, 3000.0, 5000.0]))
        return np.round(load, 2), np.round(np.minimum(hours, runout))

    def air_humidity_and_wood_moisture(rng: Generator, n: int) -> Pair:
        humid = np.round(100.0 * rng.beta(rng.uniform(3.0, 5.0), rng.uniform(2.0, 3.5), n))
        humid = np.clip(humid, 12.0, 97.0)
        active = 0.8 * humid / 100.0
        bound = 0.065 * 12.0 * active / ((1.0 - active) * (1.0 + 11.0 * active))
        moist = 100.0 * bound * rng.uniform(0.85, 1.1) + errors(rng, n, 0.4, 1.1)
        return humid, np.round(np.clip(moist, 4.0, 40.0) * 2.0) / 2.0  # pin meter starts at 4 %

    def wind_and_wave_height(rng: Generator, n: int) -> Pair:
        wind = np.round(rng.uniform(6.5, 9.5) * rng.weibull(2.0, n), 1)
        sea = rng.uniform(0.014, 0.02) * wind**2 * rng.lognormal(0.0, rng.uniform(0.15, 0.35), n)
        swell = rng.gamma(2.5, rng.uniform(0.15, 0.4), n)
        return wind, np.round(np.sqrt(sea**2 + swell**2), 1)


class SecondNeither(Kinds, number=2, truth=NEITHER):
    """No direction is right."""

    def two_greenhouse_thermometers(rng: Generator, n: int) -> Pair:
        truth = rng.normal(rng.uniform(18.0, 24.0), rng.uniform(3.0, 5.0), n)
        truth = truth + rng.exponential(rng.uniform(0.5, 3.0), n)
        logger = truth + rng.normal(0.0, 0.4, n)
        bias, gain = rng.normal(0.0, 0.8), rng.normal(1.0, 0.03)
        wall = bias + gain * truth + errors(rng, n, 0.5, 1.2)
        step = rng.choice(np.array([0.5, 1.0]))
        return np.round(logger, 1), np.round(wall / step) * step

    def paper_in_the_bin_and_whole_bin(rng: Generator, n: int) -> Pair:
        paper = rng.gamma(1.8, rng.uniform(0.6, 1.2), n)
        food = rng.lognormal(rng.uniform(0.7, 1.3), 0.5, n)
        rest = rng.gamma(2.5, rng.uniform(0.8, 1.6), n)
        return np.round(paper, 1), np.round(paper + food + rest, 1)

    def audition_marks_of_those_let_through(rng: Generator, n: int) -> Pair:
        marks = rng.normal(60.0, rng.uniform(10.0, 14.0), (12 * n, 2))
        marks = np.clip(np.round(marks), 0.0, 100.0)
        weight = rng.uniform(0.4, 0.6)
        total = weight * marks[:, 0] + (1.0 - weight) * marks[:, 1] + rng.normal(0.0, 2.0, 12 * n)
        through = marks[rng.permutation(np.argsort(total)[-int(rng.integers(n, 4 * n)) :])[:n]]
        return through[:, 0], through[:, 1]

    def fish_auction_tonnes_and_price(rng: Generator, n: int) -> Pair:
        demand = errors(rng, n, 0.15, 0.35)
        supply = errors(rng, n, 0.15, 0.35)
        down, up = rng.uniform(0.6, 1.5), rng.uniform(0.5, 1.5)
        price = (demand - supply) / (down + up)
        sold = supply + up * price
        tonnes = np.round(rng.uniform(8.0, 30.0) * np.exp(sold), 1)
        return tonnes, np.round(rng.uniform(3.0, 8.0) * np.exp(price), 2)

    def reservoir_level_and_currency_rate(rng: Generator, n: int) -> Pair:
        level = rng.uniform(40.0, 90.0) + np.cumsum(rng.normal(rng.normal(0.0, 0.01), 0.12, n))
        steps = 0.005 * rng.standard_t(4, n) + rng.normal(0.0, 0.0003)
        rate = rng.uniform(0.8, 1.5) * np.exp(np.cumsum(steps))
        return np.round(level, 2), np.round(rate, 4)

    def trunk_diameter_and_tree_height(rng: Generator, n: int) -> Pair:
        age = rng.gamma(3.0, rng.uniform(10.0, 20.0), n) + 6.0
        ground = errors(rng, n, 0.08, 0.2)
        trunk = rng.uniform(0.45, 0.8) * age**0.95 * np.exp(ground + rng.normal(0.0, 0.15, n))
        tall = 1.3 + rng.uniform(22.0, 34.0) * (1.0 - np.exp(-age / rng.uniform(30.0, 50.0)))
        tall = tall * np.exp(ground + rng.normal(0.0, 0.08, n))
        return np.round(trunk, 1), np.round(tall * 2.0) / 2.0

    def sand_and_clay_in_soil(rng: Generator, n: int) -> Pair:
        fields = int(rng.integers(1, 4))
        centre = rng.dirichlet(np.array([4.0, 3.0, 4.0]), fields) * rng.uniform(8.0, 25.0) + 0.5
        grains = rng.standard_gamma(centre[rng.integers(0, fields, n)])
        share = np.round(100.0 * grains / grains.sum(axis=1, keepdims=True))
        return share[:, 0], share[:, 1]

    def ages_of_bride_and_groom(rng: Generator, n: int) -> Pair:
        again = some(rng, n, 0.1, 0.35)  # second marriages
        shared = np.where(again, 32.0, 22.0) + rng.gamma(3.0, np.where(again, 4.5, 2.3), n)
        bride = shared - rng.uniform(0.5, 1.5) + rng.normal(0.0, 2.0, n)
        groom = shared + rng.uniform(0.5, 1.5) + rng.normal(0.0, 2.5, n) + rng.exponential(0.8, n)
        return np.floor(np.maximum(bride, 18.0)), np.floor(np.maximum(groom, 18.0))

    def fire_engines_and_damage(rng: Generator, n: int) -> Pair:
        size = rng.lognormal(0.0, rng.uniform(0.6, 1.0), n)
        engines = 1.0 + rng.poisson(rng.uniform(0.8, 1.6) * size**0.7)
        damage = rng.uniform(8.0, 25.0) * size**1.2 * rng.lognormal(0.0, rng.uniform(0.5, 0.9), n)
        return np.minimum(engines, 15.0), np.round(damage, 1)

    def hare_and_lynx_tracks(rng: Generator, n: int) -> Pair:
        phase = rng.uniform(0.0, 2.0 * np.pi, n)
        swing = rng.uniform(0.5, 1.0)
        lag = rng.uniform(0.8, 1.6)
        hares = rng.uniform(40.0, 90.0) * np.exp(swing * np.cos(phase) + rng.normal(0.0, 0.25, n))
        lynx = rng.uniform(6.0, 15.0) * np.exp(swing * np.cos(phase - lag))
        lynx = lynx * rng.lognormal(0.0, 0.25, n)
        return rng.poisson(hares).astype(float), rng.poisson(lynx).astype(float)


class ThirdCauses(Kinds, number=3, truth=CAUSE):
    """x is the cause."""

    def bath_temperature_and_thermistor_counts(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 5)
        lo = rng.uniform(-30, 10)
        t = np.round(
            lo + rng.uniform(50, 110) * rng.beta(rng.uniform(0.8, 2), rng.uniform(0.8, 2), n), 1
        )
        beta, r0 = rng.uniform(3300, 4200, k), 10e3 * rng.normal(1, 0.03, k)
        pull = rng.choice([4.7e3, 10e3, 22e3], k) * rng.normal(1, 0.01, k)
        r = r0[s] * np.exp(beta[s] * (1 / (t + 273.15) - 1 / 298.15))
        full = rng.choice([1023, 4095])
        c = full * r / (r + pull[s]) + rng.normal(0, full * rng.uniform(0.001, 0.01), n)
        return varied(t, np.clip(np.round(c), 0, full))

    def shutter_time_and_grey_level(rng: Generator, n: int) -> Pair:
        stops = rng.integers(0, int(rng.integers(18, 31)), n)
        t = 2.0 ** (stops / 3) / rng.choice([1000, 2000, 4000])
        sat = np.median(t) * rng.uniform(1.5, 12)
        e = rng.uniform(800, 20000)  # electrons at full well
        sig = rng.poisson(
            e * np.minimum(t / sat * rng.normal(1, rng.uniform(0.01, 0.12), n).clip(0.3), 3)
        )
        g = 255 * np.clip((sig + rng.normal(0, 8, n)) / e, 0, 1) ** (1 / rng.uniform(1, 2.4))
        return varied(np.round(t, 5), np.round(g))

    def backup_size_and_duration(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 6)
        size = np.exp(rng.normal(rng.uniform(3, 7), rng.uniform(1, 2), n))
        size = np.where(
            some(rng, n, 0, 0.2), np.exp(rng.uniform(8, 10)), size
        )  # same nightly image
        rate = np.exp(rng.normal(np.log(rng.uniform(5, 80)), rng.uniform(0.1, 0.6), k))
        busy = 1 + rng.gamma(rng.uniform(0.4, 1.5), rng.uniform(0.05, 0.4), n)
        sec = rng.uniform(0.5, 10, k)[s] * rng.gamma(8, 1 / 8, n) + size / rate[s] * busy
        return varied(np.round(size, 1), np.maximum(np.round(sec, int(rng.integers(0, 3))), 0))

    def lake_depth_and_light(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 1, 5)
        step, zmax = rng.choice([0.25, 0.5, 1.0]), rng.uniform(6, 18)
        z = np.round(rng.uniform(0, 1, n) ** rng.uniform(0.8, 2) * zmax / step) * step
        att = np.exp(rng.normal(np.log(0.5), rng.uniform(0.1, 0.6), k))
        surf = rng.uniform(900, 1800) * np.clip(
            rng.beta(3, rng.uniform(0.5, 2), n), 0.05, 1
        )  # passing clouds
        deep = (
            att[s] * z + rng.uniform(0, 0.06) * np.maximum(z - rng.uniform(3, 8), 0) ** 1.5
        )  # algal layer
        light = surf * np.exp(-deep) * factors(rng, n, 0.05, 0.3)
        return varied(z, np.maximum(np.round(light, 1), rng.choice([0.1, 0.5, 1.0])))

    def cable_run_and_voltage_drop(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 4)
        length = np.round(2 * (2 + rng.gamma(rng.uniform(1.2, 4), rng.uniform(5, 14), n))) / 2
        area = rng.choice([1.5, 2.5, 4.0, 6.0, 10.0], k)
        amps = np.where(
            rng.random(n) < 0.8, rng.choice([6.0, 10.0, 16.0]), rng.uniform(4, 20, n)
        ) * rng.normal(1, rng.uniform(0.02, 0.1), n)
        joint = rng.exponential(rng.uniform(0.005, 0.04), n)  # bad terminals, ohm
        drop = amps * (2 * 0.0178 * length / area[s] * rng.uniform(1, 1.2) + joint)
        return varied(length, np.round(np.abs(drop + rng.normal(0, 0.1, n)), 1))

    def tyre_pressure_and_rolling_resistance(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 6)
        levels = np.arange(2.0, rng.uniform(6.5, 9.5), rng.choice([0.5, 1.0]))
        p = rng.choice(levels, n)
        base, soft = rng.uniform(5, 9) + rng.uniform(0, 4, k), rng.uniform(18, 45, k)
        knee, bump = rng.uniform(5, 8, k), rng.choice([0.0, 1.0, 3.0], k)
        w = (
            base[s]
            + soft[s] / (p + rng.normal(0, 0.08, n))
            + bump[s] * np.maximum(p - knee[s], 0) ** 1.3
        )
        return varied(p, np.round(w * rng.normal(1, rng.uniform(0.01, 0.05), n), 1))

    def trail_climb_and_walking_time(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 3, 9)
        climb = (
            np.round(
                np.clip(rng.gamma(rng.uniform(1.2, 3), rng.uniform(150, 350), n), 10, 2200) / 10
            )
            * 10
        )
        rate = rng.uniform(280, 620, k)  # metres of climb per hour
        km = rng.gamma(6, rng.uniform(0.3, 1), n)  # flat part, unrelated to the climb
        hours = (
            climb / rate[s] * (1 + climb / rng.uniform(4000, 15000))
            + km / rng.uniform(3.8, 5.2, k)[s]
        )
        minutes = 60 * hours * factors(rng, n, 0.04, 0.15) + rng.exponential(rng.uniform(3, 20), n)
        r = np.where(some(rng, n, 0.3, 0.9), 5, 1)
        return varied(climb, np.maximum(np.round(minutes / r) * r, 1))

    def substrate_and_enzyme_rate_with_inhibition(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 5)
        levels = rng.uniform(10, 60) / rng.choice([1.5, 2.0, 3.0]) ** np.arange(rng.integers(7, 12))
        c = rng.choice(levels, n)
        vmax = np.exp(rng.normal(3, rng.uniform(0.1, 0.6), k))
        km, ki = rng.uniform(0.3, 3, k), rng.uniform(4, 60, k)
        true = c * rng.normal(1, rng.uniform(0.02, 0.1), n).clip(0.5)  # pipetting
        v = vmax[s] * true / (km[s] + true + true**2 / ki[s])
        v = v * factors(rng, n, 0.05, 0.25) + errors(rng, n, 0.1, 0.8)
        return varied(np.round(c, 4), np.round(v, 2))

    def print_infill_and_breaking_load(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 5)
        infill = rng.choice(
            [5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100], n, p=rng.dirichlet(np.full(11, 2.0))
        )
        shell, core, power = (
            rng.uniform(200, 700, k),
            rng.uniform(300, 1400, k),
            rng.uniform(0.8, 1.8, k),
        )
        load = shell[s] + core[s] * (infill / 100) ** power[s]
        load = load * (1 - np.where(some(rng, n, 0.05, 0.25), rng.beta(2, 3, n), 0))  # delamination
        load = load * rng.weibull(rng.uniform(6, 16), n)
        return varied(
            infill, np.minimum(np.round(load / 5) * 5, rng.uniform(1500, 2500) // 100 * 100)
        )

    def proofing_time_and_loaf_volume(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 1, 4)
        t = (
            np.round(np.clip(rng.normal(rng.uniform(60, 110), rng.uniform(20, 45), n), 10, 240) / 5)
            * 5
        )
        speed = factors(rng, k, 0.05, 0.25)
        u = t * speed[s] * np.exp(rng.normal(0, 0.1, n)) / rng.uniform(70, 120)
        vol = rng.uniform(700, 1000) + rng.uniform(600, 1200) * (1 - np.exp(-1.8 * u))
        vol = vol - rng.uniform(300, 900) / (
            1 + np.exp(-(u - rng.uniform(1.2, 1.7)) * rng.uniform(4, 10))
        )
        vol = vol + errors(rng, n, 50, 150) - rng.exponential(rng.uniform(5, 60), n)
        return varied(t, np.round(np.maximum(vol, 400) / 25) * 25)

    def passengers_boarding_and_bus_dwell(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 4)
        m = rng.uniform(2, 7)
        b = rng.poisson(m * rng.gamma(rng.uniform(0.6, 2), 1, n))
        per = rng.uniform(1.2, 6, k)
        each = per[s] * b * np.exp(rng.normal(0, 0.6, n) / np.sqrt(b + 1))
        alight = rng.poisson(m, n) * rng.uniform(0.8, 1.8)  # the other door
        hold = np.where(some(rng, n, 0.02, 0.1), rng.exponential(40, n), 0)
        dwell = (
            rng.uniform(3, 8)
            + np.maximum(each, alight)
            + rng.exponential(rng.uniform(1, 5), n)
            + hold
        )
        return varied(b, np.round(dwell))

    def cloud_oktas_and_solar_panel_output(rng: Generator, n: int) -> Pair:
        okta = np.round(8 * rng.beta(rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.8), n))
        cap = rng.choice([3.0, 5.0, 10.0])
        sun = 1 - rng.uniform(0.1, 0.6) * (1 + np.cos(2 * np.pi * rng.random(n))) / 2
        thick = rng.beta(rng.uniform(1.5, 4), rng.uniform(1, 2), n)
        clear = 1 - thick * rng.uniform(0.6, 0.9) * (okta / 8) ** rng.uniform(1, 3.4)
        kw = cap * rng.uniform(0.9, 1.3) * sun * clear * rng.normal(1, 0.04, n)
        return varied(okta, np.round(np.clip(kw, 0, cap), 2))

    def road_salt_and_stream_chloride(rng: Generator, n: int) -> Pair:
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
        cl = (rng.uniform(20, 80) + rng.uniform(5, 15) * out) * factors(rng, n, 0.1, 0.35)
        return varied(salt, np.minimum(np.round(cl), rng.uniform(400, 900) // 50 * 50))

    def sowing_depth_and_seedlings(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 5)
        d = rng.choice(np.arange(1, rng.integers(7, 12)), n) * rng.choice([0.5, 1.0, 1.5])
        best, wide, vital = (
            rng.uniform(1, 4, k),
            rng.uniform(0.5, 1.1, k),
            rng.uniform(0.6, 0.97, k),
        )
        p = vital[s] * np.exp(-0.5 * (np.log(d / best[s]) / wide[s]) ** 2)
        conc = rng.uniform(4, 25)  # tray-to-tray variation
        p = rng.beta(conc * p + 0.05, conc * (1 - p) + 0.05)
        return varied(d, rng.binomial(rng.choice([25, 50]), p))

    def plot_slope_and_soil_loss(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 5)
        slope = np.round(np.clip(rng.weibull(rng.uniform(1, 2), n) * rng.uniform(6, 15), 0.5, 55))
        slope = np.maximum(slope, 1)
        power, soil = rng.uniform(0.8, 1.8, k), np.exp(rng.normal(2, rng.uniform(0.2, 0.9), k))
        storm = rng.gamma(rng.uniform(1, 3), 1, n)
        loss = soil[s] * storm * slope ** power[s] / 10 * factors(rng, n, 0.2, 0.7)
        loss = np.maximum(loss - rng.uniform(0.5, 6), 0)  # caught by surface litter
        return varied(slope, np.round(loss, 1))

    def pattern_contrast_and_right_answer(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 8)
        c = np.round(
            rng.uniform(0.3, 1)
            * 10 ** (rng.integers(0, rng.integers(5, 10), n) * rng.uniform(0.1, 0.25)),
            2,
        )
        thr, slope = (
            np.median(c) * factors(rng, k, 0.2, 0.7),
            rng.uniform(1, 3.5, k),
        )
        guess, lapse = rng.choice([0.25, 0.5]), rng.uniform(0.01, 0.1)
        p = guess + (1 - guess - lapse) * (1 - np.exp(-((c / thr[s]) ** slope[s])))
        return varied(c, rng.random(n) < p)

    def analgesic_dose_and_pain_grade(rng: Generator, n: int) -> Pair:
        dose = rng.choice([0, 25, 50, 100, 200, 400], n, p=rng.dirichlet(np.full(6, 5.0)))
        start = np.clip(rng.normal(rng.uniform(5, 7), 1.6, n), 2, 10)
        responds = some(rng, n, 0.4, 0.8)
        ed50 = np.exp(rng.normal(np.log(120), 0.6, n))
        relief = rng.beta(1, 3, n) + responds * rng.uniform(0.3, 0.7) * dose / (dose + ed50)
        return varied(
            dose,
            np.clip(np.round(start * (1 - np.minimum(relief, 1)) + rng.normal(0, 0.8, n)), 0, 10),
        )

    def sow_parity_and_litter_size(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 6)
        stay = rng.uniform(0.68, 0.88)
        w = stay ** np.arange(9)
        par = rng.choice(np.arange(1, 10), n, p=w / w.sum())
        top, peak, curve = (
            rng.uniform(10.5, 15, k),
            rng.uniform(3, 5, k),
            rng.uniform(0.08, 0.28, k),
        )
        total = np.round(top[s] - curve[s] * (par - peak[s]) ** 2 + errors(rng, n, 2, 3.2))
        dead = np.clip(0.04 + 0.012 * par, 0, 1)
        return varied(par, rng.binomial(np.clip(total, 1, 25).astype(int), 1 - dead))

    def moonlight_and_moth_catch(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 1, 4)
        day = np.sort(rng.choice(np.arange(3 * n), n, replace=False)) + rng.uniform(0, 29)
        lit = np.round(50 * (1 - np.cos(2 * np.pi * day / 29.53)))
        cloudy = some(rng, n, 0.2, 0.6)
        warm = errors(rng, n, 0.3, 0.8)
        mu = rng.uniform(5, 60) * np.exp(
            rng.normal(0, 0.4, k)[s] + warm - rng.uniform(0.4, 1.4) * (lit / 100) * ~cloudy
        )
        shape = rng.uniform(1, 4)
        return varied(lit, rng.poisson(mu * rng.gamma(shape, 1 / shape, n)))

    def class_size_and_test_score(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 4, 15)
        small, big = rng.uniform(13, 17), rng.uniform(22, 29)
        size = np.where(
            some(rng, n, 0.3, 0.6),
            rng.normal(small, 1.5, n),
            rng.normal(big, 2.5, n),
        )
        size = np.clip(np.round(size), 9, 36)
        slope, sd = rng.uniform(0.2, 1.1, k), rng.uniform(9, 14)
        score = rng.uniform(65, 80) + errors(rng, k, 2, 7)[s] - slope[s] * np.maximum(size - 15, -3)
        score = score + sd * (rng.gamma(6, 1, n) - 6) / -np.sqrt(6)  # tail to the low side
        return varied(size, np.clip(np.round(score), 0, 100))

    def tap_water_fluoride_and_decayed_teeth(rng: Generator, n: int) -> Pair:
        k = int(rng.integers(8, 30))
        town = np.where(
            rng.random(k) < rng.uniform(0.2, 0.5),
            rng.normal(rng.uniform(0.7, 1), 0.08, k),
            rng.gamma(1.2, 0.25, k),
        )
        f = np.maximum(np.round(town[rng.integers(0, k, n)] + rng.normal(0, 0.05, n), 1), 0.1)
        risk = rng.gamma(rng.uniform(1, 2.5), 0.6, n)  # sugar, brushing
        mu = (
            rng.uniform(1.5, 4)
            * risk
            * (rng.uniform(0.2, 0.4) + 0.8 * np.exp(-rng.uniform(1, 3) * f))
        )
        return varied(f, np.minimum(rng.poisson(mu), 28))

    def afternoon_coffee_and_minutes_to_sleep(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 4, 20)
        cups = np.minimum(rng.poisson(rng.gamma(2, rng.uniform(0.4, 1), k)[s]), 8)
        sens = np.maximum(rng.normal(rng.uniform(0.1, 0.25), 0.1, k), 0)  # some feel nothing
        mins = np.exp(rng.normal(2.6, 0.25, k)[s] + sens[s] * cups + errors(rng, n, 0.4, 0.8))
        step = np.where(mins > 20, rng.choice([10, 15]), 5)
        if np.all(cups == cups[0]):
            cups[: n // 5] += 1
        return varied(cups, np.clip(np.round(mins / step) * step, 0, 240))


class ThirdNeither(Kinds, number=3, truth=NEITHER):
    """No direction is right."""

    def milk_teeth_and_words_spoken(rng: Generator, n: int) -> Pair:
        age = (
            rng.choice([9, 12, 15, 18, 24, 30], n) + rng.normal(0, 0.6, n)
            if rng.random() < 0.5
            else rng.uniform(7, 32, n)
        )
        teeth = 20 / (
            1
            + np.exp(
                -(age - rng.normal(rng.uniform(14, 17), rng.uniform(1, 2.5), n))
                / rng.uniform(2.5, 4)
            )
        )
        fast = factors(rng, n, 0.3, 0.6)
        words = rng.poisson(
            fast
            * rng.uniform(150, 350)
            / (1 + np.exp(-(age - rng.uniform(19, 24)) / rng.uniform(2, 3)))
        )
        words = np.where(words > 50, np.round(words / 10) * 10, words)
        return varied(np.clip(np.round(teeth + rng.normal(0, 0.5, n)), 0, 20), words)

    def back_fat_by_caliper_and_ultrasound(rng: Generator, n: int) -> Pair:
        fat = np.exp(rng.normal(np.log(rng.uniform(6, 18)), rng.uniform(0.2, 0.5), n))
        k, s = numbered_sources(rng, n, 1, 4)  # people holding the caliper
        cal = (
            rng.uniform(0.7, 1.6)
            * fat ** rng.uniform(0.75, 1.05)
            * np.exp(rng.normal(0, 0.1, k))[s]
        )
        cal = cal * factors(rng, n, 0.06, 0.2)
        us = (
            rng.uniform(-1, 1)
            + fat * rng.uniform(0.85, 1.1)
            + rng.standard_t(4, n) * rng.uniform(0.3, 1.5)
        )
        a, b = np.clip(np.round(cal), 1, 40), np.round(np.maximum(us, 0.8), 1)
        return varied(a, b) if rng.random() < 0.5 else varied(b, a)

    def passers_by_and_food_score_of_surviving_restaurants(rng: Generator, n: int) -> Pair:
        m = 12 * n
        passers = np.exp(rng.normal(rng.uniform(3.5, 5.5), rng.uniform(0.6, 1.1), m))
        food = rng.normal(rng.uniform(2.8, 3.4), rng.uniform(0.6, 0.9), m)
        z = (np.log(passers) - np.log(passers).mean()) / np.log(passers).std() + (
            food - food.mean()
        ) / food.std()
        z = z + errors(rng, m, 0.1, 0.8)
        keep = rng.permutation(np.argsort(-z)[: int(n * rng.uniform(1.3, 4))])[:n]
        return varied(np.round(passers[keep]), np.clip(np.round(food[keep] * 10) / 10, 1, 5))

    def pump_prices_of_two_rival_stations(rng: Generator, n: int) -> Pair:
        a, b, oil = np.zeros(n), np.zeros(n), 150.0
        a[0], b[0] = oil + rng.normal(0, 2), oil + rng.normal(0, 2)
        f, g, u = rng.uniform(0.15, 0.5), rng.uniform(0.15, 0.5), rng.uniform(0.05, 0.3)
        vol, sd = rng.uniform(0.3, 1.2), rng.uniform(0.5, 2)
        for i in range(1, n):
            oil += vol * rng.normal() + 0.02 * (150 - oil)
            a[i] = a[i - 1] + f * (b[i - 1] - a[i - 1]) + u * (oil - a[i - 1]) + sd * rng.normal()
            b[i] = b[i - 1] + g * (a[i - 1] - b[i - 1]) + u * (oil - b[i - 1]) + sd * rng.normal()
        return varied(np.floor(a) + 0.9, np.floor(b) + 0.9)

    def phone_contracts_and_glacier_length(rng: Generator, n: int) -> Pair:
        t = np.linspace(0, 1, n)
        phones = rng.uniform(500, 5000) / (
            1 + np.exp(-(t - rng.uniform(0.3, 0.7)) * rng.uniform(4, 12))
        )
        phones = phones * factors(rng, n, 0.005, 0.05)
        wander = np.cumsum(rng.normal(0, 1, n)) * rng.uniform(10, 60) / np.sqrt(n)
        ice = rng.uniform(1500, 6000) - rng.uniform(200, 700) * t ** rng.uniform(0.8, 2.5) + wander
        ice = (
            ice
            + rng.uniform(2, 15) * np.sin(2 * np.pi * rng.integers(15, 31) * t)
            + errors(rng, n, 3, 15)
        )
        return varied(np.round(phones), np.round(ice))

    def bars_and_burglaries_per_resident(rng: Generator, n: int) -> Pair:
        pop = np.maximum(
            np.exp(rng.normal(rng.uniform(0.3, 1.2), rng.uniform(0.6, 1.1), n)), 0.2
        )  # thousands
        bars = (
            rng.poisson(rng.uniform(3, 12) * pop ** rng.uniform(0, 0.5) * rng.gamma(5, 0.2, n)) + 1
        )
        burg = rng.poisson(rng.uniform(6, 30) * pop ** rng.uniform(0, 0.5) * rng.gamma(3, 1 / 3, n))
        return varied(np.round(bars / pop, 2), np.round(burg / pop, 1))

    def stream_turbidity_and_bacteria(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 1, 5)
        rain = np.where(some(rng, n, 0.3, 0.6), rng.gamma(0.8, rng.uniform(5, 15), n), 0)
        ntu = rng.uniform(1, 6, k)[s] * factors(rng, n, 0.3, 0.6) + rng.uniform(
            0.5, 3
        ) * rain ** rng.uniform(0.8, 1.3)
        dung = np.exp(rng.normal(rng.uniform(3, 5), rng.uniform(0.2, 1), k))[s]
        coli = dung * (1 + rng.uniform(0.3, 2) * rain) * factors(rng, n, 0.5, 1.2)
        ntu = ntu * np.exp(rng.normal(0, 0.2, n))
        return varied(np.round(ntu, 1), np.clip(np.round(coli), 10, 24196))

    def one_quake_at_two_stations(rng: Generator, n: int) -> Pair:
        mag = rng.uniform(1.8, 2.8) + rng.exponential(1 / (rng.uniform(0.8, 1.2) * np.log(10)), n)
        ang, r = rng.uniform(0, 2 * np.pi, n), rng.gamma(2, rng.uniform(10, 40), n)
        half = rng.uniform(5, 60)  # half the distance of the stations, km
        d1 = np.sqrt((r * np.cos(ang) - half) ** 2 + (r * np.sin(ang)) ** 2 + 64)
        d2 = np.sqrt((r * np.cos(ang) + half) ** 2 + (r * np.sin(ang)) ** 2 + 64)
        v1 = 10 ** (mag - rng.uniform(1.3, 1.8) * np.log10(d1 / 20) + errors(rng, n, 0.1, 0.3))
        v2 = 10 ** (
            mag
            - rng.uniform(1.3, 1.8) * np.log10(d2 / 20)
            + rng.normal(rng.uniform(-0.3, 0.3), rng.uniform(0.1, 0.3), n)
        )
        noise, clip = rng.uniform(0.5, 5), 10 ** rng.uniform(3.5, 5)
        return varied(
            np.round(np.minimum(v1 + noise * rng.exponential(1, n), clip), 1),
            np.round(v2 + noise * rng.exponential(1, n), 1),
        )

    def bill_length_and_bill_depth(rng: Generator, n: int) -> Pair:
        k, s = numbered_sources(rng, n, 2, 4)
        ml, md = rng.uniform(34, 52, k), rng.uniform(13, 20, k)
        male = rng.random(n) < 0.5
        size = rng.normal(0, 1, n) + rng.uniform(0.3, 1.2) * male
        length = ml[s] + rng.uniform(0.5, 2) * size + errors(rng, n, 0.8, 2)
        depth = md[s] + rng.uniform(0.2, 0.8) * size + errors(rng, n, 0.3, 0.8)
        return varied(np.round(length, 1), np.round(depth, 1))

    def hours_asleep_and_screen_hours(rng: Generator, n: int) -> Pair:
        worker = some(rng, n, 0.4, 0.7)
        sleep = rng.gamma(rng.uniform(30, 80), 1, n)
        sleep = sleep / sleep.mean() * rng.uniform(7.5, 8.5)
        screen = rng.gamma(rng.uniform(1.2, 3), rng.uniform(0.8, 1.6), n)
        job = np.where(worker, rng.gamma(40, 0.2, n), rng.gamma(2, 0.5, n))
        rest = rng.gamma(rng.uniform(6, 14), rng.uniform(0.4, 0.7), n) + np.where(
            worker, 0, rng.gamma(20, 0.25, n)
        )
        day = 24 / (sleep + screen + job + rest)
        return varied(np.round(4 * sleep * day) / 4, np.round(4 * screen * day) / 4)


class FourthCauses(Kinds, number=4, truth=CAUSE):
    """x is the cause."""

    def irrigation_salinity_and_tomato_yield(rng: Generator, n: int) -> Pair:
        field = sources(rng, n, 3, 15)
        x = rounded(rng.gamma(rng.uniform(2.0, 4.0), rng.uniform(1.2, 2.0), n) + 0.3, 0.1)
        loss = per_source(rng, field, 0.08, 0.13) * np.maximum(
            x - per_source(rng, field, 1.5, 3.5), 0.0
        )
        y = per_source(rng, field, 65.0, 100.0) * np.maximum(1.0 - loss, 0.04)
        return x, rounded(
            np.maximum(y * factors(rng, n, 0.09, 0.16) + rng.normal(0, 3, n), 0.0), 0.1
        )

    def seed_inoculation_and_root_nodules(rng: Generator, n: int) -> Pair:
        x = (some(rng, n, 0.35, 0.65)).astype(float)
        mean = rng.uniform(2.0, 7.0) + x * rng.uniform(22.0, 45.0)
        y = counted(rng, mean, 4.0, 9.0)
        return x, y

    def truck_load_and_fuel_use(rng: Generator, n: int) -> Pair:
        truck = sources(rng, n, 3, 20)
        load = 26.0 * rng.beta(rng.uniform(1.2, 2.5), rng.uniform(0.9, 1.8), n)
        load[some(rng, n, 0.08, 0.2)] = 0.0
        y = per_source(rng, truck, 20.0, 26.0) + per_source(rng, truck, 0.4, 0.7) * load
        y = y * factors(rng, n, 0.03, 0.09)
        load = load + 14.0 * (rng.random(n) < 0.007)
        return rounded(load, 0.1), rounded(y, 0.1)

    def request_payload_and_response_time(rng: Generator, n: int) -> Pair:
        server = sources(rng, n, 2, 12)
        x = np.maximum(
            np.round(np.exp(rng.normal(rng.uniform(4.8, 6), rng.uniform(0.9, 1.3), n))), 1
        )
        y = per_source(rng, server, 15.0, 60.0) + x / per_source(rng, server, 2.0, 6.0)
        y = y * factors(rng, n, 0.2, 0.38)
        y = y + (rng.random(n) < 0.01) * rng.uniform(200.0, 600.0, n)
        return x, np.round(y)

    def light_on_a_leaf_and_carbon_uptake(rng: Generator, n: int) -> Pair:
        plant = sources(rng, n, 4, 20)
        x = rounded(rng.uniform(1200, 2000) * rng.beta(rng.uniform(0.8, 1.3), 1.6, n), 10.0)
        top = per_source(rng, plant, 12.0, 22.0)
        y = top * (1.0 - np.exp(-per_source(rng, plant, 0.04, 0.065) * x / top)) - per_source(
            rng, plant, 0.8, 2
        )
        return x, rounded(y + errors(rng, n, 0.8, 2.2), 0.1)

    def kidney_function_and_drug_level(rng: Generator, n: int) -> Pair:
        x = np.round(12.0 + 115.0 * rng.beta(rng.uniform(1.8, 3.0), rng.uniform(1.8, 3.0), n))
        clearance = rng.uniform(4.0, 12.0) + rng.uniform(0.6, 0.9) * x
        y = rng.uniform(450.0, 800.0) / clearance * factors(rng, n, 0.18, 0.33)
        return x, rounded(np.maximum(y, 3.0), 0.1)

    def wind_at_the_hub_and_turbine_power(rng: Generator, n: int) -> Pair:
        wind = np.minimum(rng.uniform(6.5, 9.0) * rng.weibull(rng.uniform(1.8, 2.3), n), 24.0)
        rated, cut = rng.uniform(11.0, 13.0), rng.uniform(2.8, 3.6)
        felt = np.clip(wind + errors(rng, n, 0.8, 1.3), cut, rated)
        y = rng.uniform(1800, 3400) * (felt**3 - cut**3) / (rated**3 - cut**3)
        y = np.where(some(rng, n, 0.0, 0.02), 0.0, y) + rng.normal(-8.0, 6.0, n)
        return rounded(wind, 0.1), np.round(y)

    def grain_size_and_sand_permeability(rng: Generator, n: int) -> Pair:
        site = sources(rng, n, 2, 10)
        x = np.exp(rng.normal(np.log(rng.uniform(0.2, 0.5)), rng.uniform(0.6, 0.85), n))
        x = np.clip(rounded(x, 0.01), 0.03, 4.0)
        y = per_source(rng, site, 350.0, 1000.0) * x ** per_source(rng, site, 1.7, 2.2)
        return x, digits(y * factors(rng, n, 0.35, 0.7), 2)

    def storage_temperature_and_vitamin_c(rng: Generator, n: int) -> Pair:
        batch = sources(rng, n, 3, 12)
        x = rounded(rng.uniform(2.0, rng.uniform(34.0, 42.0), n), 0.5)
        rate = per_source(rng, batch, 0.006, 0.016) * rng.uniform(2.0, 2.8) ** ((x - 20.0) / 10.0)
        y = per_source(rng, batch, 42.0, 56.0) * np.exp(-30.0 * rate)
        return x, rounded(np.maximum(y + errors(rng, n, 2.5, 5.0), 0.0), 0.1)

    def shelf_price_and_packs_sold(rng: Generator, n: int) -> Pair:
        shop = sources(rng, n, 3, 16)
        x = rounded(rng.uniform(rng.uniform(1.4, 2.2), rng.uniform(4.2, 5.5), n), 0.1) - 0.01
        mean = rng.uniform(40.0, 90.0) * per_source(rng, shop, 0.7, 1.4)
        y = counted(rng, mean * (x / 2.5) ** -per_source(rng, shop, 1.6, 3.2), 6.0, 18.0)
        y[some(rng, n, 0.0, 0.03)] = 0.0
        return np.round(x, 2), y

    def outdoor_temperature_and_home_electricity(rng: Generator, n: int) -> Pair:
        home = sources(rng, n, 4, 20)
        x = rounded(rng.normal(rng.uniform(11.0, 18.0), rng.uniform(8.0, 10.0), n), 0.1)
        heat = per_source(rng, home, 0.9, 1.7) * np.maximum(
            per_source(rng, home, 14.0, 17.0) - x, 0.0
        )
        cool = per_source(rng, home, 0.8, 1.8) * np.maximum(
            x - per_source(rng, home, 20.0, 23.0), 0.0
        )
        y = (per_source(rng, home, 6.0, 11.0) + heat + cool) * factors(rng, n, 0.1, 0.24)
        return x, rounded(y, 0.1)

    def vehicle_density_and_road_speed(rng: Generator, n: int) -> Pair:
        x = np.round(3.0 + 110.0 * rng.beta(rng.uniform(0.9, 1.4), rng.uniform(1.8, 2.8), n))
        y = rng.uniform(90.0, 120.0) * np.exp(-0.5 * (x / rng.uniform(28.0, 42.0)) ** 2)
        y = y + rng.uniform(5.0, 9.0) + errors(rng, n, 8.0, 14.0)
        return x, np.round(np.maximum(y, rng.uniform(3.0, 6.0, n)))

    def zenith_angle_and_star_magnitude(rng: Generator, n: int) -> Pair:
        night = sources(rng, n, 4, 20)
        cosine = rng.uniform(np.cos(np.radians(rng.uniform(68.0, 76.0))), 1.0, n)
        x = rounded(np.degrees(np.arccos(cosine)), 0.1)
        y = rng.uniform(8.0, 12.0) + per_source(rng, night, 0.16, 0.4) / cosine
        y = y + rng.normal(0.0, 0.02, int(night.max()) + 1)[night]
        y = y + errors(rng, n, 0.03, 0.07)
        return x, rounded(y + (rng.random(n) < 0.01) * rng.uniform(0.1, 0.4, n), 0.01)

    def trail_slope_and_walking_speed(rng: Generator, n: int) -> Pair:
        walker = sources(rng, n, 4, 20)
        x = np.round(rng.normal(rng.uniform(-3.0, 6.0), rng.uniform(12.0, 17.0), n))
        steep = np.abs(x / 100.0 + per_source(rng, walker, 0.03, 0.07))
        y = per_source(rng, walker, 5.2, 6.6) * np.exp(-per_source(rng, walker, 2.8, 4.0) * steep)
        return x, rounded(y * factors(rng, n, 0.07, 0.15), 0.1)

    def drop_height_and_broken_eggs(rng: Generator, n: int) -> Pair:
        x = rounded(rng.uniform(10.0, rng.uniform(110.0, 140.0), n), 5.0)
        logit = (x - rng.uniform(50.0, 80.0)) / rng.uniform(12.0, 20.0)
        logit = logit + errors(rng, n, 0.5, 1.2)
        return x, rng.binomial(12, 1.0 / (1.0 + np.exp(-logit))).astype(float)

    def bar_load_and_repetitions(rng: Generator, n: int) -> Pair:
        athlete = sources(rng, n, 4, 20)
        x = rounded(rng.uniform(rng.uniform(38.0, 50.0), 96.0, n), 2.5)
        y = per_source(rng, athlete, 24.0, 40.0) * (100.0 / x - 1.0) ** per_source(
            rng, athlete, 0.9, 1.1
        )
        return x, np.maximum(np.round(y * factors(rng, n, 0.16, 0.32)), 1.0)

    def chili_amount_and_rated_hotness(rng: Generator, n: int) -> Pair:
        taster = sources(rng, n, 4, 15)
        x = rounded(rng.uniform(0.0, rng.uniform(7.0, 12.0), n), 0.1)
        y = per_source(rng, taster, 1.7, 2.6) * x ** per_source(rng, taster, 0.5, 0.75)
        y = y + per_source(rng, taster, -0.3, 0.8) + errors(rng, n, 0.6, 1.3)
        return x, np.clip(np.round(y), 0.0, 10.0)

    def text_length_and_reading_time(rng: Generator, n: int) -> Pair:
        pupil = sources(rng, n, 5, 20)
        x = np.round(np.exp(rng.normal(np.log(rng.uniform(180, 350)), rng.uniform(0.4, 0.65), n)))
        y = per_source(rng, pupil, 4.0, 20.0) + 60.0 * x / per_source(rng, pupil, 100.0, 200.0)
        return x, rounded(y * factors(rng, n, 0.1, 0.28), 5.0)


class FourthNeither(Kinds, number=4, truth=NEITHER):
    """No direction is right."""

    def home_and_clinic_blood_pressure(rng: Generator, n: int) -> Pair:
        usual = rng.uniform(122.0, 132.0) + rng.gamma(3.0, rng.uniform(7.0, 10.0), n) - 20.0
        home = usual + errors(rng, n, 4.0, 8.0)
        clinic = rng.uniform(0.95, 1.1) * usual + rng.normal(3.0, rng.uniform(6.0, 12.0), n)
        slip = rng.random(n) < 0.004
        home = np.where(slip, home + rng.choice([-40.0, 50.0], n), home)
        return np.round(home), rounded(clinic, float(rng.choice([2.0, 5.0])))

    def scores_of_two_gymnastics_judges(rng: Generator, n: int) -> Pair:
        event = sources(rng, n, 2, 8)
        flaws = per_source(rng, event, 0.8, 2.0) * rng.gamma(rng.uniform(1.8, 3.5), 0.5, n)
        a = 10.0 - rng.uniform(0.8, 1.2) * flaws - per_source(rng, event, -0.1, 0.3)
        b = 10.0 - rng.uniform(0.8, 1.2) * flaws - per_source(rng, event, -0.1, 0.3)
        a = a + errors(rng, n, 0.15, 0.4)
        b = b + errors(rng, n, 0.15, 0.4)
        return rounded(np.clip(a, 0.0, 10.0), 0.05), rounded(np.clip(b, 0.0, 10.0), 0.05)

    def zinc_and_lead_in_stream_sediment(rng: Generator, n: int) -> Pair:
        basin = sources(rng, n, 3, 14)
        ore = rng.normal(0.0, 1.0, n) + rng.normal(0.0, 0.6, int(basin.max()) + 1)[basin]
        zinc = np.exp(per_source(rng, basin, 4.2, 4.9) + rng.uniform(0.5, 0.8) * ore)
        lead = np.exp(per_source(rng, basin, 3.0, 3.7) + rng.uniform(0.6, 1.0) * ore)
        zinc = zinc * factors(rng, n, 0.2, 0.4)
        lead = lead * factors(rng, n, 0.25, 0.5)
        return digits(zinc, 3), np.where(lead < 10.0, 5.0, digits(lead, 3))

    def clay_and_sand_in_topsoil(rng: Generator, n: int) -> Pair:
        energy = errors(rng, n, 0.5, 0.9)
        clay = np.exp(rng.uniform(-0.6, 0.1) - 0.6 * energy + errors(rng, n, 0.2, 0.5))
        sand = np.exp(rng.uniform(-0.2, 0.8) + energy + errors(rng, n, 0.3, 0.6))
        whole = clay + sand + factors(rng, n, 0.2, 0.4)
        return np.round(100.0 * clay / whole), np.round(100.0 * sand / whole)

    def vote_shares_of_two_parties(rng: Generator, n: int) -> Pair:
        region = sources(rng, n, 3, 12)
        urban = errors(rng, n, 0.6, 0.9)
        left = per_source(rng, region, -0.2, 0.6) + rng.uniform(0.3, 0.7) * urban
        right = per_source(rng, region, -0.1, 0.7) - rng.uniform(0.3, 0.7) * urban
        logits = np.stack([left, right, np.zeros(n)]) + rng.normal(0, rng.uniform(0.1, 0.3), (3, n))
        share = np.exp(logits) / np.exp(logits).sum(axis=0)
        votes = rng.multinomial(rng.integers(250, 1400, n), share.T)
        percent = rounded(100.0 * votes / votes.sum(axis=1, keepdims=True), 0.1)
        return percent[:, 0], percent[:, 1]

    def bakeries_and_hairdressers_in_towns(rng: Generator, n: int) -> Pair:
        people = np.exp(rng.normal(np.log(rng.uniform(9.0, 20.0)), rng.uniform(0.6, 1.0), n))
        bakeries = counted(
            rng, rng.uniform(0.45, 0.8) * people ** rng.uniform(0.85, 1.0), 5.0, 15.0
        )
        salons = counted(rng, rng.uniform(0.7, 1.3) * people ** rng.uniform(0.95, 1.15), 5.0, 15.0)
        return bakeries, salons

    def test_and_interview_of_admitted_applicants(rng: Generator, n: int) -> Pair:
        everyone = int(n / rng.uniform(0.03, 0.1))
        test = rng.normal(0.0, 1.0, everyone)
        talk = rng.uniform(0.0, 0.15) * test + rng.normal(0.0, 1.0, everyone)
        total = test + rng.uniform(0.8, 1.2) * talk + errors(rng, everyone, 0.05, 0.4)
        kept = rng.permutation(np.argsort(total)[-n:])
        test = np.clip(rng.uniform(50, 60) + rng.uniform(11, 14) * test[kept], 0.0, 100.0)
        talk = np.clip(rng.uniform(52, 62) + rng.uniform(9, 12) * talk[kept], 0.0, 100.0)
        return rounded(test, 0.5), rounded(talk, 0.5)

    def disk_reads_and_network_traffic(rng: Generator, n: int) -> Pair:
        machine = sources(rng, n, 3, 15)
        jobs = np.exp(rng.normal(2.5, rng.uniform(0.6, 0.9), n))
        reads = per_source(rng, machine, 10.0, 22.0) * jobs ** rng.uniform(0.7, 1.0) + 5.0
        reads = reads * factors(rng, n, 0.2, 0.4)
        link = per_source(rng, machine, 150.0, 400.0)
        traffic = link * (1.0 - np.exp(-per_source(rng, machine, 4.0, 9.0) * jobs / link))
        return np.round(reads), rounded(traffic * factors(rng, n, 0.15, 0.35), 0.1)

    def leaf_thickness_and_leaf_nitrogen(rng: Generator, n: int) -> Pair:
        k = int(rng.integers(4, 13))
        kind = rng.integers(0, k, n)
        life = (np.linspace(-1.5, 1.5, k) + rng.normal(0.0, 0.25, k))[kind]
        offset = rng.normal(0.0, 0.08, (2, k))[:, kind]
        thick = rng.uniform(200, 290) * np.exp(rng.uniform(0.24, 0.36) * life + offset[0])
        nitrogen = rng.uniform(1.7, 2.3) * np.exp(-rng.uniform(0.24, 0.34) * life + offset[1])
        thick = thick * factors(rng, n, 0.08, 0.15)
        return rounded(thick, 5.0), rounded(nitrogen * factors(rng, n, 0.08, 0.16), 0.01)

    def infrared_and_radio_luminosity_of_galaxies(rng: Generator, n: int) -> Pair:
        many = 3 * n
        birth = rng.normal(rng.uniform(0.0, 0.6), rng.uniform(0.5, 0.7), many)
        infrared = 9.8 + rng.uniform(0.95, 1.1) * birth + errors(rng, many, 0.1, 0.25)
        radio = 21.2 + rng.uniform(0.9, 1.2) * birth + errors(rng, many, 0.15, 0.3)
        radio = radio + (rng.random(many) < 0.015) * rng.uniform(0.5, 1.5, many)
        flux = infrared - 2.0 * rng.normal(0.0, 0.25, many)
        kept = rng.permutation(np.argsort(flux)[int(rng.uniform(0.2, 0.6) * many) :])[:n]
        return rounded(infrared[kept], 0.01), rounded(radio[kept], 0.01)

    def moths_and_beetles_in_traps(rng: Generator, n: int) -> Pair:
        site = sources(rng, n, 3, 18)
        warm = rng.normal(0.0, 1.0, n)
        moths = np.exp(per_source(rng, site, 2.7, 3.4) + rng.uniform(0.7, 1.0) * warm)
        beetles = np.exp(per_source(rng, site, 2.9, 3.6)) / (
            1.0 + np.exp(-rng.uniform(1.5, 2.5) * warm)
        )
        moths = counted(rng, moths, 7.0, 16.0) * (rng.random(n) > rng.uniform(0.0, 0.03))
        beetles = counted(rng, beetles, 7.0, 16.0) * (rng.random(n) > rng.uniform(0.0, 0.03))
        return moths, beetles

    def milk_fat_and_milk_protein(rng: Generator, n: int) -> Pair:
        breed = sources(rng, n, 2, 6)
        rich = rng.normal(0.0, rng.uniform(0.5, 0.9), int(breed.max()) + 1)[breed]
        day = rng.uniform(4.0, 320.0, n)
        stage = 1.3 * np.exp(-day / 22.0) + day / 300.0 - 0.5
        fat = 4.1 + rng.uniform(0.4, 0.6) * rich + rng.uniform(0.6, 0.9) * stage
        protein = 3.4 + rng.uniform(0.2, 0.3) * rich + rng.uniform(0.4, 0.7) * stage
        fat = fat + errors(rng, n, 0.12, 0.22)
        return rounded(fat, 0.01), rounded(protein + errors(rng, n, 0.07, 0.14), 0.01)

    def hardness_and_conductivity_of_aluminum_parts(rng: Generator, n: int) -> Pair:
        lot = sources(rng, n, 2, 12)
        age = rng.normal(rng.uniform(1.0, 1.6), rng.uniform(0.6, 0.8), n)
        hard = per_source(rng, lot, 168.0, 182.0) - rng.uniform(12.0, 18.0) * np.minimum(
            age**2, 5.0
        )
        conduct = per_source(rng, lot, 33.0, 34.0) + rng.uniform(6.0, 9.0) / (
            1.0 + np.exp(1.2 - 1.3 * age)
        )
        hard = hard + errors(rng, n, 4.0, 8.0)
        return np.round(hard), rounded(conduct + errors(rng, n, 0.25, 0.5), 0.1)

    def crust_lightness_and_core_temperature_of_loaves(rng: Generator, n: int) -> Pair:
        oven = sources(rng, n, 2, 8)
        heat = factors(rng, n, 0.22, 0.35)
        brown = (heat - per_source(rng, oven, 0.95, 1.15)) / rng.uniform(0.18, 0.3)
        light = 78.0 - per_source(rng, oven, 26.0, 36.0) / (1.0 + np.exp(-brown))
        core = 98.5 - per_source(rng, oven, 68.0, 74.0) * np.exp(
            -per_source(rng, oven, 1.9, 2.5) * heat
        )
        light = light + errors(rng, n, 1.5, 3.5)
        core = np.minimum(core + errors(rng, n, 0.8, 2.0), 99.5)
        return rounded(light, 0.1), rounded(core, 0.5)


class FifthCauses(Kinds, number=5, truth=CAUSE):
    """x is the cause."""

    def insured_value_and_premium(rng: Generator, n: int) -> Pair:
        insurer = sources(rng, n, 2, 8, 4.0)
        x = np.maximum(rounded(rng.uniform(180, 320) * factors(rng, n, 0.4, 0.6), 5.0), 30.0)
        limit = rng.uniform(250.0, 450.0)
        rated = np.minimum(x, limit) + rng.uniform(0.5, 0.8) * np.maximum(x - limit, 0.0)
        premium = per_source(rng, insurer, 40.0, 110.0) + per_source(rng, insurer, 0.9, 1.6) * rated
        discount = rng.choice([1.0, 0.9, 0.8], size=n, p=[0.55, 0.3, 0.15])
        return x, rounded(premium * discount * factors(rng, n, 0.1, 0.22), 1.0)

    def stand_density_and_tree_growth(rng: Generator, n: int) -> Pair:
        site = sources(rng, n, 2, 10, 4.0)
        planted = settings(rng, n, [400, 600, 800, 1100, 1500, 2000, 2500, 3200], 5)
        x = rounded(planted * (1.0 - rng.beta(2.0, rng.uniform(12.0, 25.0), n)), 10.0)
        slow = np.exp(-per_source(rng, site, 0.5, 0.9) * x / 1000.0)
        y = per_source(rng, site, 1.0, 2.2) + per_source(rng, site, 6.5, 10.0) * slow
        y = y * factors(rng, n, 0.1, 0.2) + rng.normal(0.0, 0.3, n)
        return x, rounded(np.maximum(y, 0.1), 0.1)

    def curing_light_and_filling_hardness(rng: Generator, n: int) -> Pair:
        lamp = sources(rng, n, 2, 8, 4.0)
        x = settings(rng, n, [5, 10, 15, 20, 30, 40, 60], 5)
        cured = 1.0 - np.exp(-((x / per_source(rng, lamp, 10.0, 24.0)) ** rng.uniform(0.8, 1.3)))
        y = per_source(rng, lamp, 48.0, 72.0) * cured * factors(rng, n, 0.04, 0.1)
        return x, rounded(np.maximum(y + errors(rng, n, 2.0, 5.0), 2.0), 0.1)

    def train_speed_and_noise(rng: Generator, n: int) -> Pair:
        kind = sources(rng, n, 2, 7, 4.0)
        fast = some(rng, n, 0.3, 0.7)
        speed = np.where(fast, rng.normal(135.0, 18.0, n), rng.normal(78.0, 17.0, n))
        x = rounded(np.clip(speed, 18.0, 200.0), 1.0)
        rolling = per_source(rng, kind, 79.0, 88.0) + rng.uniform(27.0, 33.0) * np.log10(x / 80.0)
        motor = per_source(rng, kind, 68.0, 76.0)
        y = 10.0 * np.log10(10.0 ** (rolling / 10.0) + 10.0 ** (motor / 10.0))
        flats = np.where(some(rng, n, 0.02, 0.08), rng.gamma(2.0, 2.0, n), 0.0)
        return x, rounded(y + flats + errors(rng, n, 1.5, 3.0), 0.1)

    def air_temperature_and_bees_in_flight(rng: Generator, n: int) -> Pair:
        hive = sources(rng, n, 3, 15, 4.0)
        x = rounded(rng.normal(rng.uniform(17.0, 23.0), rng.uniform(5.0, 7.0), n), 0.5)
        warm = 1.0 / (
            1.0 + np.exp(-(x - per_source(rng, hive, 12.0, 17.0)) / rng.uniform(1.5, 2.5))
        )
        hot = 1.0 / (1.0 + np.exp((x - rng.uniform(31.0, 36.0)) / rng.uniform(1.5, 3.0)))
        return x, counted(rng, per_source(rng, hive, 35.0, 110.0) * warm * hot + 0.2, 4.0, 10.0)

    def fiber_bend_radius_and_loss(rng: Generator, n: int) -> Pair:
        fiber = sources(rng, n, 2, 6, 4.0)
        low = rng.uniform(4.0, 7.0)
        x = rounded(rng.uniform(low, low + rng.uniform(8.0, 14.0), n), 0.5)
        bent = per_source(rng, fiber, 3.0, 9.0) * np.exp(
            -(x - low) / per_source(rng, fiber, 1.8, 4.0)
        )
        joint = rng.gamma(3.0, rng.uniform(0.02, 0.06), n)
        return x, rounded(bent * factors(rng, n, 0.15, 0.4) + joint, 0.01)

    def order_lines_and_picking_time(rng: Generator, n: int) -> Pair:
        picker = sources(rng, n, 4, 20, 4.0)
        shape = rng.uniform(0.7, 1.6)
        x = 1.0 + rng.poisson(rng.gamma(shape, rng.uniform(5.0, 12.0) / shape, n))
        lines = per_source(rng, picker, 0.5, 1.1) * x ** rng.uniform(0.78, 0.95)
        spread = rng.uniform(8.0, 20.0)
        y = (per_source(rng, picker, 1.0, 3.5) + lines) * rng.gamma(spread, 1.0 / spread, n)
        hunt = np.where(some(rng, n, 0.02, 0.1), rng.exponential(4.0, n), 0.0)
        return x, rounded(np.maximum(y + hunt, 0.3), 0.1)

    def time_on_hold_and_caller_grade(rng: Generator, n: int) -> Pair:
        agent = sources(rng, n, 4, 20, 4.0)
        wait = rng.uniform(90.0, 240.0) * factors(rng, n, 0.8, 1.2)
        at_once = some(rng, n, 0.05, 0.25)
        x = rounded(np.where(at_once, rng.uniform(1.0, 8.0, n), np.minimum(wait, 3600.0)), 1.0)
        grade = per_source(rng, agent, 8.4, 10.6) - rng.uniform(1.5, 2.6) * np.log1p(x / 60.0)
        return x, np.clip(np.round(grade + errors(rng, n, 1.1, 1.9)), 1.0, 10.0)

    def pond_oxygen_and_shrimp_growth(rng: Generator, n: int) -> Pair:
        pond = sources(rng, n, 3, 14, 4.0)
        x = rounded(1.0 + 8.0 * rng.beta(rng.uniform(1.8, 3.0), rng.uniform(2.0, 3.5), n), 0.1)
        least = rng.uniform(0.3, 1.2)
        enough = np.clip((x - least) / (per_source(rng, pond, 4.2, 6.0) - least), 0.0, 1.0)
        y = per_source(rng, pond, 1.2, 2.1) * enough * factors(rng, n, 0.1, 0.2)
        return x, rounded(np.maximum(y + errors(rng, n, 0.06, 0.14), 0.0), 0.01)

    def ink_film_and_print_density(rng: Generator, n: int) -> Pair:
        paper = sources(rng, n, 2, 8, 4.0)
        x = np.maximum(
            rounded(rng.gamma(rng.uniform(3.5, 7.0), rng.uniform(0.17, 0.24), n), 0.05), 0.1
        )
        y = per_source(rng, paper, 1.6, 2.5) * (1.0 - np.exp(-per_source(rng, paper, 0.8, 1.5) * x))
        y = y * factors(rng, n, 0.03, 0.08) + errors(rng, n, 0.03, 0.08)
        return x, rounded(np.maximum(y, 0.02), 0.01)

    def soil_water_and_cone_resistance(rng: Generator, n: int) -> Pair:
        plot = sources(rng, n, 2, 12, 4.0)
        wet = some(rng, n, 0.35, 0.65)
        water = np.where(wet, rng.normal(31.0, 3.5, n), rng.normal(17.0, 4.0, n))
        x = rounded(np.clip(water, 5.0, 42.0), 0.5)
        y = per_source(rng, plot, 2.6, 4.2) * np.exp(
            -per_source(rng, plot, 0.045, 0.08) * (x - 12.0)
        )
        y = 0.15 + y * factors(rng, n, 0.18, 0.38)
        return x, rounded(np.clip(y, 0.05, 6.0), 0.05)

    def treadmill_speed_and_heart_rate(rng: Generator, n: int) -> Pair:
        runner = sources(rng, n, 5, 25, 4.0)
        x = rounded(rng.uniform(5.0, rng.uniform(16.0, 20.0), n), float(rng.choice([0.5, 1.0])))
        top = per_source(rng, runner, 178.0, 202.0)
        line = per_source(rng, runner, 62.0, 88.0) + per_source(rng, runner, 6.5, 9.5) * x
        bend = rng.uniform(3.0, 7.0)
        y = top - bend * np.logaddexp(0.0, (top - line) / bend)
        return x, rounded(y + errors(rng, n, 3.0, 8.0), 1.0)

    def yarn_twist_and_tenacity(rng: Generator, n: int) -> Pair:
        cotton = sources(rng, n, 2, 9, 4.0)
        x = rounded(rng.uniform(rng.uniform(400, 560), rng.uniform(1050, 1250), n), 20.0)
        off = (x - per_source(rng, cotton, 780.0, 930.0)) / 100.0
        curve = np.where(off < 0.0, rng.uniform(0.45, 0.8), rng.uniform(0.25, 0.6))
        y = per_source(rng, cotton, 14.0, 19.0) - curve * off**2
        y = y - rng.gamma(1.5, rng.uniform(0.4, 0.9), n) + errors(rng, n, 0.4, 0.8)
        return x, rounded(np.maximum(y, 2.0), 0.1)

    def clock_left_and_centipawn_loss(rng: Generator, n: int) -> Pair:
        player = sources(rng, n, 4, 20, 4.0)
        start = float(rng.choice([180.0, 300.0, 600.0]))
        x = np.maximum(
            rounded(start * rng.beta(rng.uniform(0.8, 1.2), rng.uniform(1.2, 2.2), n), 1.0), 1
        )
        rush = rng.uniform(2.5, 5.0) * np.exp(-x / (start * rng.uniform(0.06, 0.16)))
        shape = rng.uniform(2.0, 4.0)
        y = per_source(rng, player, 14.0, 40.0) * (1.0 + rush) * rng.gamma(shape, 1.0 / shape, n)
        flawless = some(rng, n, 0.0, 0.05)
        return x, rounded(np.where(flawless, 0.0, np.minimum(y, 600.0)), 1.0)

    def nitrate_and_algal_growth(rng: Generator, n: int) -> Pair:
        strain = sources(rng, n, 2, 10, 4.0)
        x = np.maximum(rounded(rng.uniform(0.8, 2.2) * factors(rng, n, 0.9, 1.3), 0.01), 0.05)
        y = per_source(rng, strain, 1.0, 2.0) * x / (per_source(rng, strain, 0.4, 1.6) + x)
        y = y * factors(rng, n, 0.1, 0.22) + errors(rng, n, 0.02, 0.07)
        return x, rounded(np.maximum(y, 0.0), 0.01)

    def parallel_jobs_and_build_time(rng: Generator, n: int) -> Pair:
        machine = sources(rng, n, 2, 10, 4.0)
        x = settings(rng, n, [1, 2, 3, 4, 6, 8, 12, 16, 24, 32], 7)
        serial = per_source(rng, machine, 0.06, 0.22)
        share = serial + (1.0 - serial) / x + rng.uniform(0.0005, 0.003) * x
        busy = np.exp(rng.exponential(rng.uniform(0.08, 0.22), n))
        y = rng.uniform(300, 1500) * per_source(rng, machine, 0.7, 1.5) * share
        return x, rounded(y * busy * factors(rng, n, 0.06, 0.15), 1.0)

    def playlist_place_and_plays(rng: Generator, n: int) -> Pair:
        playlist = sources(rng, n, 3, 15, 4.0)
        x = rng.integers(1, int(rng.choice([30, 50, 80, 100])) + 1, n).astype(float)
        seen = (x + rng.uniform(0.0, 4.0)) ** -per_source(rng, playlist, 0.5, 1.1)
        followers = rng.uniform(800, 8000) * per_source(rng, playlist, 0.5, 1.6)
        return x, rng.poisson(followers * seen * factors(rng, n, 0.25, 0.55)).astype(float)

    def polling_distance_and_turnout(rng: Generator, n: int) -> Pair:
        town = sources(rng, n, 3, 18, 4.0)
        x = np.maximum(
            rounded(rng.gamma(rng.uniform(1.5, 2.5), rng.uniform(0.8, 1.4), n), 0.1), 0.1
        )
        far = np.maximum(x - rng.uniform(0.2, 0.9), 0.0)
        logit = per_source(rng, town, 0.6, 1.4) - per_source(
            rng, town, 0.2, 0.4
        ) * far ** rng.uniform(0.7, 1.0)
        logit = logit + rng.uniform(0.14, 0.28) * rng.standard_t(6, n)
        return x, rounded(100.0 / (1.0 + np.exp(-logit)), 0.1)

    def advertised_pay_and_applicants(rng: Generator, n: int) -> Pair:
        portal = sources(rng, n, 2, 8, 4.0)
        pay = rng.uniform(40.0, 52.0) * factors(rng, n, 0.2, 0.32)
        x = np.where(some(rng, n, 0.4, 0.8), rounded(pay, 5.0), rounded(pay, 1.0))
        x = np.maximum(x, 20.0)
        drawn = 1.0 / (1.0 + (per_source(rng, portal, 45.0, 60.0) / x) ** rng.uniform(4.0, 7.0))
        return x, counted(rng, 1.0 + per_source(rng, portal, 30.0, 80.0) * drawn, 4.0, 9.0)

    def pack_years_and_lung_function(rng: Generator, n: int) -> Pair:
        clinic = sources(rng, n, 2, 10, 4.0)
        smoked = rng.random(n) > rng.uniform(0.2, 0.4)
        dose = np.clip(rng.gamma(rng.uniform(1.5, 2.2), rng.uniform(11.0, 16.0), n), 1.0, 110.0)
        x = rounded(np.where(smoked, dose, 0.0), 1.0)
        harm = rng.gamma(rng.uniform(2.0, 4.0), 1.0, n) * rng.uniform(0.16, 0.28)
        y = per_source(rng, clinic, 94.0, 104.0) - harm * x + errors(rng, n, 8.0, 12.0)
        return x, rounded(np.maximum(y, 18.0 + rng.gamma(3.0, 2.0, n)), 1.0)


class FifthNeither(Kinds, number=5, truth=NEITHER):
    """No direction is right."""

    def cubes_at_7_and_at_28_days(rng: Generator, n: int) -> Pair:
        plant = sources(rng, n, 2, 8, 4.0)
        batch = rng.uniform(34.0, 48.0) * factors(rng, n, 0.12, 0.22)
        early = batch * per_source(rng, plant, 0.6, 0.8) * factors(rng, n, 0.05, 0.1)
        late = batch * factors(rng, n, 0.05, 0.1)
        return rounded(early, 0.5), rounded(late, 0.5)

    def sleep_by_wrist_and_by_diary(rng: Generator, n: int) -> Pair:
        sleeper = sources(rng, n, 5, 20, 4.0)
        night = per_source(rng, sleeper, 6.0, 8.0) + errors(rng, n, 0.8, 1.2)
        night = night - np.where(rng.random(n) < 0.06, rng.gamma(2.0, 0.7, n), 0.0)
        wrist = night - rng.gamma(2.0, rng.uniform(0.1, 0.25), n) + rng.normal(0.0, 0.25, n)
        noted = night + per_source(rng, sleeper, -0.2, 0.6) + errors(rng, n, 0.3, 0.6)
        return (
            rounded(np.maximum(wrist, 0.5), 0.1),
            rounded(np.maximum(noted, 0.5), float(rng.choice([0.25, 0.5]))),
        )

    def points_at_half_time_and_at_the_end(rng: Generator, n: int) -> Pair:
        league = sources(rng, n, 1, 6, 4.0)
        pace = per_source(rng, league, 34.0, 48.0) * factors(rng, n, 0.06, 0.12)
        first = np.maximum(np.round(rng.normal(pace, rng.uniform(5.0, 7.5))), 8.0)
        second = np.maximum(np.round(rng.normal(pace, rng.uniform(5.0, 7.5))), 8.0)
        return first, first + second

    def glass_and_cans_in_recycling_sacks(rng: Generator, n: int) -> Pair:
        district = sources(rng, n, 2, 10, 4.0)
        grams = np.column_stack(
            [
                rng.gamma(per_source(rng, district, 1.5, 6.0), 1.0) * rng.uniform(0.8, 2.0),
                rng.gamma(per_source(rng, district, 1.5, 5.0), 1.0),
                rng.gamma(per_source(rng, district, 1.0, 4.0), 1.0) * rng.uniform(0.2, 1.0),
            ]
        )
        share = 100.0 * grams / (grams.sum(axis=1, keepdims=True) + 1e-9)
        return rounded(share[:, 0], 0.5), rounded(share[:, 1], 0.5)

    def practice_and_memory_of_titled_players(rng: Generator, n: int) -> Pair:
        many = n * int(rng.integers(5, 12))
        hours = rng.gamma(rng.uniform(2.0, 4.0), rng.uniform(3.0, 6.0), many)
        memory = np.clip(rng.normal(100.0, 15.0, many), 45.0, 160.0)
        merit = (
            np.log(hours + 1.0) / np.log(hours + 1.0).std() + rng.uniform(0.7, 1.2) * memory / 15.0
        )
        merit = merit + errors(rng, many, 0.2, 0.7)
        titled = rng.permutation(np.argsort(merit)[-n:])
        return rounded(hours[titled], 1.0), rounded(memory[titled], 1.0)

    def pool_chlorine_and_dose_under_control(rng: Generator, n: int) -> Pair:
        pool = sources(rng, n, 1, 6, 4.0)
        target = per_source(rng, pool, 0.8, 1.3)
        rise, gain = rng.uniform(0.0006, 0.0015), rng.uniform(600.0, 1600.0)
        alone = target - rng.gamma(2.0, rng.uniform(0.15, 0.4), n) + rng.normal(0.0, 0.15, n)
        slip = errors(rng, n, 60.0, 160.0)
        within = (alone + rise * (gain * target + slip)) / (1.0 + rise * gain)
        dose = np.maximum(gain * (target - within) + slip, 0.0)
        level = alone + rise * dose + rng.normal(0.0, 0.03, n)
        return rounded(np.maximum(level, 0.0), 0.05), rounded(dose, 10.0)

    def locker_number_and_time_filled(rng: Generator, n: int) -> Pair:
        courier = sources(rng, n, 1, 6, 4.0)
        last = int(rng.integers(40, 140))
        weight = rng.gamma(rng.uniform(0.8, 3.0), 1.0, last) * np.linspace(
            rng.uniform(1, 3), 1.0, last
        )
        number = 1.0 + rng.choice(last, size=n, p=weight / weight.sum())
        morning = some(rng, n, 0.45, 0.85)
        round_ = np.where(
            morning, per_source(rng, courier, 520.0, 680.0), per_source(rng, courier, 840.0, 1000.0)
        )
        return number, rounded(np.clip(round_ + rng.gamma(2.0, 22.0, n), 360.0, 1320.0), 5.0)

    def clear_root_and_pulp_width_of_teeth(rng: Generator, n: int) -> Pair:
        tooth = sources(rng, n, 2, 6, 4.0)
        age = 18.0 + 67.0 * rng.beta(rng.uniform(1.2, 2.5), rng.uniform(1.5, 2.5), n)
        clear = per_source(rng, tooth, 0.06, 0.12) * (age - 16.0) ** rng.uniform(0.95, 1.12)
        clear = clear * factors(rng, n, 0.12, 0.3) + rng.normal(0.0, 0.25, n)
        pulp = per_source(rng, tooth, 1.8, 2.8) * np.exp(-rng.uniform(0.012, 0.02) * (age - 18.0))
        pulp = pulp * factors(rng, n, 0.1, 0.22)
        return rounded(np.maximum(clear, 0.0), 0.1), rounded(pulp, 0.05)

    def temperature_and_salinity_of_mixed_water(rng: Generator, n: int) -> Pair:
        cruise = sources(rng, n, 1, 6, 4.0)
        parts = rng.dirichlet(
            rng.uniform(0.5, 2.0, 3) * np.array([1.0, 1.0, rng.uniform(0.1, 1)]), n
        )
        warm = np.array([rng.uniform(13.0, 20.0), rng.uniform(2.0, 4.5), rng.uniform(5.0, 10.0)])
        salt = np.array([rng.uniform(35.6, 36.6), rng.uniform(34.7, 35.0), rng.uniform(34.2, 35.8)])
        t = parts @ warm + per_source(rng, cruise, -0.8, 0.8) + errors(rng, n, 0.4, 1.2)
        s = parts @ salt + per_source(rng, cruise, -0.1, 0.1) + errors(rng, n, 0.06, 0.15)
        return rounded(t, 0.01), rounded(s, 0.01)

    def fabric_weight_and_warp_breaks_across_looms(rng: Generator, n: int) -> Pair:
        loom = sources(rng, n, 4, 14, 4.0)
        k = int(loom.max()) + 1
        yarn = rng.normal(0.0, 1.0, k)
        tilt = rng.uniform(0.15, 0.35) * float(rng.choice([-1.0, 1.0]))
        weight = rng.uniform(130.0, 220.0) * np.exp(rng.uniform(0.12, 0.25) * yarn)[loom]
        weight = weight * factors(rng, n, 0.05, 0.1)
        often = rng.uniform(8.0, 20.0) * np.exp(tilt * yarn + rng.normal(0.0, 0.15, k))[loom]
        return rounded(weight, 1.0), counted(rng, often, 6.0, 20.0)

    def first_sprint_and_improvement(rng: Generator, n: int) -> Pair:
        club = sources(rng, n, 2, 10, 4.0)
        form = per_source(rng, club, 12.2, 14.0) + rng.gamma(3.0, rng.uniform(0.15, 0.35), n)
        first = form + rng.gamma(2.0, rng.uniform(0.1, 0.25), n)
        second = form - per_source(rng, club, 0.0, 0.35) + rng.gamma(2.0, rng.uniform(0.1, 0.25), n)
        first, second = rounded(first, 0.01), rounded(second, 0.01)
        return first, rounded(first - second, 0.01)

    def repair_and_injury_cost_of_entered_crashes(rng: Generator, n: int) -> Pair:
        many = 4 * n
        force = errors(rng, many, 0.4, 0.8)
        region = sources(rng, many, 2, 8, 4.0)
        repair = (
            rng.uniform(1800.0, 3500.0) * per_source(rng, region, 0.8, 1.3) * np.exp(0.7 * force)
        )
        repair = repair * factors(rng, many, 0.3, 0.6)
        injury = rng.uniform(900.0, 2500.0) * np.exp(rng.uniform(0.8, 1.3) * force)
        injury = injury * factors(rng, many, 0.5, 0.9)
        total = repair + injury
        entered = np.flatnonzero(total >= np.quantile(total, rng.uniform(0.3, 0.7)))
        kept = rng.permutation(entered)[:n]
        return rounded(repair[kept], 10.0), rounded(injury[kept], 10.0)
