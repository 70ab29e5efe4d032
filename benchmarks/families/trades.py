"""Pairs of sciences, trades and services: 160 kinds, written in five rounds of 32.

Each round is by another author, who did not know the models of the library; rounds 1 and 2 were
looked at when limits were chosen later, rounds 3 to 5 only report. A kind is a function of a class,
which has its round and its truth: x is the cause, or no direction is right.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter
from scipy.special import expit, ndtr
from scipy.stats import zscore

from benchmarks.families.base import CAUSE, NEITHER, Family, Pair, Rows, by_place, mapped

TRADES: list[Family] = []
# Places in the list of the study, which begins with the designed families.
FIRST_PLACE = 144


class Kinds:
    """Functions that draw pairs and take no instance; a subclass puts them into the list."""

    def __init_subclass__(cls, *, number: int, truth: int) -> None:
        finish = varied if number == 3 else as_floats
        for name, draw in vars(cls).items():
            if not name.startswith("_"):
                title = name.replace("_", " ")
                stream = by_place(FIRST_PLACE + len(TRADES))
                drawn = mapped(draw, finish)
                TRADES.append(Family(f"trades/{number}/{title}", drawn, truth, stream))


def as_floats(values: np.ndarray) -> np.ndarray:
    """Return values as floating-point numbers."""
    return np.asarray(values, dtype=float)


def varied(values: np.ndarray) -> np.ndarray:
    """Return a copy; of a constant column, which is very rare, with one reading changed by 1."""
    values = np.array(values, dtype=float) + 0.0
    if np.all(values == values[0]):
        values[0] += 1.0 if values[0] <= 0 else -1.0
    return values


def steps(values: np.ndarray, step: float | np.ndarray) -> np.ndarray:
    """Return the nearest multiples of a step."""
    return np.round(values / step) * step


def rounded(values: np.ndarray, step: float) -> np.ndarray:
    """Round to the nearest multiple of a step."""
    return np.round(steps(values, step), 6) + 0.0


def digits(values: np.ndarray, count: int) -> np.ndarray:
    """Round positive values to a number of significant digits."""
    scale = 10.0 ** (count - 1 - np.floor(np.log10(values)))
    return np.round(np.round(values * scale) / scale, 9)


class FirstCauses(Kinds, number=1, truth=CAUSE):
    """x is the cause."""

    def dilution_series_and_pcr_cycle(rng: Rows) -> Pair:
        logc = rng.blocks(24).normal(6.0, 0.4) - rng.integers(0, 8)
        copies = rng.poisson(10**logc * rng.lognormal(0, 0.1))
        cycle = 37.5 - 3.4 * np.log10(np.maximum(copies, 1)) + rng.normal(0, 0.25)
        return logc, np.round(np.where(copies > 0, np.minimum(cycle, 40), 40.0), 2)

    def drive_frequency_and_resonance(rng: Rows) -> Pair:
        f0 = rng.between(80, 140)
        q = rng.between(5, 20)
        coarse = rng.uniform(20, 250)
        fine = rng.normal(f0, 1.5 * f0 / q)
        f = np.round(np.where(rng.random() < 0.6, coarse, np.clip(fine, 20, 250)), 1)
        r = f / f0
        gain = 0.2 / np.sqrt((1 - r**2) ** 2 + (r / q) ** 2)
        return f, gain * rng.lognormal(0, 0.08) + np.abs(rng.normal(0, 0.02))

    def concentration_and_elisa_by_plate(rng: Rows) -> Pair:
        gain = rng.blocks(80).lognormal(0, 0.15)
        conc = rng.lognormal(np.log(120), 1.3)
        od = 0.06 + gain * 3.8 / (1 + (200 / conc) ** 1.2) * rng.lognormal(0, 0.07)
        return conc, np.round(np.minimum(od, 4.0), 3)

    def absences_and_exam_mark(rng: Rows) -> Pair:
        missed = rng.negative_binomial(1.2, 0.18)
        mark = 68 - 2.4 * missed**0.8 + rng.normal(0, 13)
        return missed, np.round(np.clip(mark, 0, 100))

    def parcel_weight_and_postage_tier(rng: Rows) -> Pair:
        kg = np.round(np.clip(rng.lognormal(np.log(1.8), 1.0), 0.05, 31.5), 2)
        tier = np.searchsorted([0.5, 1, 2, 5, 10, 20], kg)
        price = np.array([3.9, 4.9, 5.9, 7.5, 10.5, 16.5, 23.0])[tier]
        zone = rng.choice([1.0, 1.4, 2.1], p=[0.7, 0.2, 0.1])
        return kg, np.round(price * zone + 4.0 * (rng.random() < 0.08), 2)

    def server_load_and_latency(rng: Rows) -> Pair:
        rho = np.minimum(rng.beta(2.5, 2.0), 0.97)
        return np.round(450 * rho, 1), 3 + 18 / (1 - rho) * rng.gamma(8, 1 / 8)

    def vaccine_cover_and_outbreak(rng: Rows) -> Pair:
        cover = rng.beta(9, 3)
        open_share = 1 - 0.93 * cover
        r = rng.lognormal(np.log(4.5), 0.25) * open_share
        z = np.ones(rng.n)
        for _ in range(40):
            z = 1 - np.exp(-r * z)
        large = (r > 1) & (rng.random() > 1 / np.maximum(r, 1))
        small = rng.gamma(0.7, 3.0)
        rate = np.where(large, 1e4 * open_share * z * rng.beta(8, 4), small)
        return np.round(100 * cover, 1), np.round(rate, 1)

    def rating_gap_and_goal_difference(rng: Rows) -> Pair:
        gap = rng.normal(0, 190)
        home = 1.5 * 10 ** (gap / 900)
        away = 1.15 * 10 ** (-gap / 900)
        return np.round(gap), rng.poisson(home) - rng.poisson(away)

    def station_altitude_and_winter_cold(rng: Rows) -> Pair:
        alt = rng.gamma(1.5, 450)
        pool = rng.random() < 0.4 * expit((400 - alt) / 100)
        temp = 4 - 6.3e-3 * alt + rng.normal(0, 1.3) - pool * rng.gamma(2, 2.0)
        return np.round(alt), np.round(temp, 1)

    def age_and_hearing_threshold(rng: Rows) -> Pair:
        age = np.round(18 + 72 * rng.beta(1.3, 1.8))
        loss = 0.011 * (age - 18) ** 2 * rng.gamma(3.5, 1 / 3.5) + rng.normal(4, 5)
        return age, 5 * np.round(np.clip(loss, -10, 110) / 5)

    def gestation_and_birth_weight(rng: Rows) -> Pair:
        early = rng.random() < 0.12
        weeks = np.where(early, 37 - rng.gamma(1.3, 2.2), rng.normal(39.6, 1.2))
        weeks = np.floor(7 * np.clip(weeks, 24, 42)) / 7
        grams = np.exp(8.2 - 0.0064 * (42 - weeks) ** 2) * rng.lognormal(0, 0.12)
        return weeks, 10 * np.round(grams / 10)

    def advertising_with_carry_over(rng: Rows) -> Pair:
        on = rng.blocks(4).random() < 0.45
        spend = np.where(on, rng.gamma(2.5, 12.0), rng.gamma(0.5, 2.0))
        stock = lfilter([1.0], [1.0, -0.45], spend)
        sales = 200 + 160 * stock / (stock + 40) + 14 * rng.standard_t(5)
        return np.round(spend, 1), np.round(sales)

    def rain_and_runoff(rng: Rows) -> Pair:
        rain = 0.2 * np.ceil(5 * rng.gamma(0.9, 22.0) + 1e-9)
        store = 25400 / np.clip(rng.normal(80, 7), 55, 97) - 254
        excess = np.maximum(rain - 0.2 * store, 0)
        return rain, np.round(excess**2 / (excess + store), 1)

    def wind_speed_and_turbine_power(rng: Rows) -> Pair:
        wind = np.round(8.5 * rng.weibull(2.0), 1)
        felt = wind * rng.normal(1, 0.05)
        power = 2000 * np.clip((felt**3 - 27) / (12**3 - 27), 0, 1) * (wind < 25)
        cap = np.where(rng.random() < 0.05, rng.choice([0.0, 1000.0]), np.inf)
        return wind, np.minimum(power, cap) + rng.normal(0, 8)

    def speed_and_stopping_distance(rng: Rows) -> Pair:
        limit = rng.choice([30, 50, 80, 100], p=[0.25, 0.4, 0.2, 0.15])
        v = np.round(limit * rng.normal(0.97, 0.13), 1) / 3.6
        grip = np.where(rng.random() < 0.3, 0.45, 0.75) * rng.lognormal(0, 0.08)
        return 3.6 * v, v * rng.lognormal(0.1, 0.3) + v**2 / (2 * 9.81 * grip)

    def hours_awake_and_reaction_time(rng: Rows) -> Pair:
        late = rng.random() < 0.35
        hours = np.round(2 * np.where(late, rng.uniform(16, 38), rng.uniform(1, 16))) / 2
        tired = np.logaddexp(0, (hours - 16) / 3)
        rt = rng.plain.normal(215 + 4 * tired, 25) + rng.plain.exponential(30 + 16 * tired)
        lapse = rng.random() < 0.02 + 0.02 * tired
        return hours, np.round(rt + lapse * rng.gamma(2, 150))

    def share_price_and_call_option(rng: Rows) -> Pair:
        share = np.round(rng.lognormal(np.log(99), 0.12), 2)
        sd = rng.lognormal(np.log(0.25), 0.25) * np.sqrt(rng.uniform(10, 90) / 365)
        d = np.log(share / 100) / sd + sd / 2
        call = share * ndtr(d) - 100 * ndtr(d - sd)
        return share, 0.05 * np.round(call * rng.lognormal(0, 0.03) / 0.05)

    def grain_size_and_settling_velocity(rng: Rows) -> Pair:
        silt = rng.random() < 0.4
        mm = np.where(silt, rng.lognormal(np.log(0.03), 0.5), rng.lognormal(np.log(0.4), 0.6))
        d = mm / 1000
        shape = rng.uniform(0.4, 1.2)
        nu = 1e-6 * rng.uniform(0.9, 1.5)
        w = 16.2 * d**2 / (18 * nu + np.sqrt(0.75 * shape * 16.2 * d**3))
        return mm, 1000 * w * rng.lognormal(0, 0.06)

    def titrant_volume_and_ph(rng: Rows) -> Pair:
        near = rng.random() < 0.4
        ml = 0.05 * np.round(np.where(near, rng.normal(25, 1.5), rng.uniform(0.5, 45)) / 0.05)
        ph = np.linspace(2.5, 12.9, 600)
        h = 10.0**-ph
        net = h - 1e-14 / h
        volume = 25 * (0.1 * 1.8e-5 / (1.8e-5 + h) - net) / (0.1 + net)
        added = ml + rng.normal(0, 0.15)
        return ml, np.round(np.interp(added, volume, ph) + rng.normal(0, 0.06), 2)

    def temperature_and_power_demand(rng: Rows) -> Pair:
        day = rng.plain.integers(0, 365) + np.arange(rng.n)
        weather = lfilter([1.0], [1.0, -0.75], rng.normal(0, 2.5))
        temp = 14 - 11 * np.cos(2 * np.pi * day / 365) + weather
        need = 48 + 1.0 * np.maximum(15 - temp, 0) + 1.7 * np.maximum(temp - 21, 0)
        return np.round(temp, 1), need - 6 * (day % 7 > 4) + rng.normal(0, 1.6)

    def shelf_price_and_units_sold(rng: Rows) -> Pair:
        price = np.ceil(2 * rng.lognormal(np.log(5), 0.6)) / 2 - 0.01
        mean = 60 * (price / 5) ** -1.5 * rng.lognormal(0, 0.6)
        return price, rng.poisson(mean)

    def sunflecks_and_photosynthesis(rng: Rows) -> Pair:
        fleck = rng.random() < 0.35
        bright = np.clip(rng.normal(1200, 350), 200, 2100)
        light = np.where(fleck, bright, rng.lognormal(np.log(70), 0.7))
        top = rng.lognormal(np.log(14), 0.18)
        uptake = top * (1 - np.exp(-0.055 * light / top)) * np.exp(-0.005 * light / top)
        return np.round(light), uptake - 0.8 + rng.normal(0, 0.4)


class FirstNeither(Kinds, number=1, truth=NEITHER):
    """No direction is right."""

    def distance_and_luminosity_flux_limited(rng: Rows) -> Pair:
        dist = 200 * rng.plain.random(20 * rng.n) ** (1 / 3)
        lum = rng.plain.normal(10, 0.6, 20 * rng.n)
        seen = np.flatnonzero(lum - 2 * np.log10(dist) > 6.0)[: rng.n]
        return dist[seen], lum[seen]

    def object_and_image_of_a_thin_lens(rng: Rows) -> Pair:
        t = rng.normal(0, 0.8)
        noise = rng.plain.normal(0, 0.04, (2, rng.n))
        focus = 20 * rng.lognormal(0, 0.02)
        x = focus * (1 + np.exp(t + noise[0]))
        return np.round(x, 1), np.round(focus * (1 + np.exp(-t + noise[1])), 1)

    def two_genes_and_sequencing_depth(rng: Rows) -> Pair:
        depth = rng.lognormal(0, 0.8)
        x = rng.poisson(12 * depth * rng.gamma(4, 0.25))
        return x, rng.poisson(5 * depth * rng.gamma(4, 0.25))

    def left_and_right_eye(rng: Rows) -> Pair:
        person = 0.6 + rng.normal(0, 0.5) - (rng.random() < 0.45) * rng.gamma(2, 1.5)
        x, y = person + rng.plain.normal(0, 0.45, (2, rng.n))
        return np.round(4 * x) / 4, np.round(4 * y) / 4

    def low_and_high_of_the_day(rng: Rows) -> Pair:
        vol = rng.plain.lognormal(np.log(1.2), 0.4, (rng.n, 1))
        path = np.cumsum(vol * rng.plain.normal(0, 1 / np.sqrt(40), (rng.n, 40)), axis=1)
        return np.round(np.minimum(path.min(1), 0), 2), np.round(np.maximum(path.max(1), 0), 2)

    def dyes_bleeding_into_channels(rng: Rows) -> Pair:
        a, b = rng.plain.lognormal(np.log(200), 0.9, (2, rng.n))
        noise = rng.plain.normal(0, 12, (2, rng.n))
        return a + 0.25 * b + noise[0], b + 0.25 * a + noise[1]

    def successive_changes_of_noise(rng: Rows) -> Pair:
        level = rng.plain.gamma(3, 10, (3, rng.n))
        return np.round(level[1] - level[0], 1), np.round(level[2] - level[1], 1)

    def ice_cream_and_sunburn(rng: Rows) -> Pair:
        warm = rng.normal(20, 6)
        x = rng.poisson(12 * np.exp(0.09 * warm) * rng.gamma(12, 1 / 12))
        return x, rng.poisson(45 * expit((warm - 26) / 3) * rng.gamma(8, 1 / 8))

    def rolling_returns_of_unrelated_funds(rng: Rows) -> Pair:
        monthly = rng.plain.standard_t(4, (2, rng.n + 23))
        x, y = (np.convolve(m, np.ones(24), "valid") for m in monthly)
        return 8 + 2.0 * x, 10 + 3.0 * y

    def two_analytes_under_one_drift(rng: Rows) -> Pair:
        step = np.arange(rng.n) % 50
        drift = np.exp(-0.02 * step * rng.blocks(50).gamma(4, 0.25))
        x = rng.gamma(12, 0.5) * drift
        return np.round(x, 2), np.round(rng.lognormal(np.log(80), 0.25) * drift, 1)


class SecondCauses(Kinds, number=2, truth=CAUSE):
    """x is the cause."""

    def pendulum_length_and_swing_time(rng: Rows) -> Pair:
        length = np.round(rng.uniform(15.0, rng.between(90.0, 150.0)), 1)
        offset = rng.between(0.5, 2.0)  # bob radius, left out of the measured length
        time = 20.0 * np.pi * np.sqrt((length + offset) / 981.0) + rng.errors(0.1, 0.3)
        return length, np.round(time, 2)

    def nitrogen_dose_and_wheat_yield(rng: Rows) -> Pair:
        dose = rng.choice([0.0, 40.0, 80.0, 120.0, 160.0, 200.0, 240.0])
        sites = rng.plain.integers(2, 7)
        farm = rng.integers(0, sites)
        base = rng.plain.normal(4.0, 0.8, sites)[farm]
        gain = rng.plain.uniform(2.5, 5.0, sites)[farm]
        top = rng.plain.uniform(150.0, 210.0, sites)[farm]
        part = np.minimum(dose / top, 1.0)
        crop = base + gain * (2.0 * part - part**2) + rng.errors(0.3, 0.6)
        return dose, np.round(np.maximum(crop, 0.3), 2)

    def cafe_music_tempo_and_stay(rng: Rows) -> Pair:
        tempo = np.round(rng.uniform(60.0, 140.0))
        slope = rng.between(0.1, 0.3)
        middle = rng.between(35.0, 60.0) * np.exp(-slope * (tempo - 100.0) / 40.0)
        stay = middle * rng.lognormal(0.0, rng.between(0.3, 0.45))
        return tempo, np.round(np.maximum(stay, 4.0))

    def guitar_fret_and_pitch(rng: Rows) -> Pair:
        fret = np.minimum(rng.geometric(rng.between(0.1, 0.2)) - 1, 19)
        opened = rng.plain.choice([82.41, 110.0, 146.83, 196.0, 246.94, 329.63])
        stretch = rng.between(0.0, 1.2)  # cents sharp a fret, from a poorly set saddle
        cents = fret * (100.0 + stretch) + rng.errors(4.0, 9.0)
        return fret, np.round(opened * 2.0 ** (cents / 1200.0), 1)

    def dive_depth_and_air_use(rng: Rows) -> Pair:
        depth = np.round(np.clip(rng.gamma(4.0, rng.between(3.0, 5.0)), 2.0, 42.0), 1)
        breathing = rng.between(14.0, 19.0) * rng.lognormal(0.0, rng.between(0.1, 0.22))
        minutes = rng.integers(8, 21)
        bars = np.round(breathing * (1.0 + depth / 10.0) * minutes / 12.0 / 5.0) * 5.0
        return depth, np.round(bars * 12.0 / minutes, 1)

    def day_of_year_and_river_temperature(rng: Rows) -> Pair:
        day = rng.integers(1, 366)
        peak = rng.between(195.0, 220.0)
        season = rng.between(7.0, 10.0) * np.cos(2.0 * np.pi * (day - peak) / 365.0)
        water = rng.between(8.0, 12.0) + season + rng.errors(1.0, 2.0)
        return day, np.round(np.maximum(water, 0.0), 1)

    def soil_tension_and_valve(rng: Rows) -> Pair:
        tension = rng.gamma(rng.between(2.5, 5.0), rng.between(8.0, 14.0))
        tension = np.round(np.clip(tension, 1.0, 85.0))
        beds = rng.plain.integers(1, 5)
        limits = np.quantile(tension, rng.between(0.4, 0.75)) + rng.plain.normal(0.0, 4.0, beds)
        chance = 1.0 / (
            1.0 + np.exp(-(tension - limits[rng.integers(0, beds)]) / rng.between(0.8, 4.0))
        )
        return tension, rng.random() < chance

    def acaricide_dose_and_dead_mites(rng: Rows) -> Pair:
        dose = rng.between(0.4, 0.8) * 2.0 ** rng.integers(0, 8)
        half = rng.between(4.0, 15.0)
        logit = rng.between(1.2, 2.5) * np.log(dose / half) + rng.normal(0.0, 0.4)
        natural = rng.between(0.01, 0.08)
        chance = natural + (1.0 - natural) / (1.0 + np.exp(-logit))
        return np.round(dose, 2), rng.plain.binomial(20, chance)

    def library_reminder_and_days_late(rng: Rows) -> Pair:
        sent = rng.random() < rng.plain.choice([0.3, 0.5, 0.5, 0.6])
        sent[:2] = 0.0, 1.0
        late = rng.random() < rng.between(0.45, 0.65) - rng.between(0.1, 0.25) * sent
        days = np.ceil(rng.lognormal(1.6, 0.9) * np.exp(-rng.between(0.0, 0.4) * sent))
        return sent, np.where(late, np.minimum(days, 90.0), 0.0)

    def tills_open_and_wait(rng: Rows) -> Pair:
        tills = rng.integers(2, 9)
        load = rng.between(1.0, 1.6) * rng.lognormal(0.0, 0.15)  # tills' worth of customers
        wait = rng.between(1.0, 2.0) * load / np.maximum(tills - load, 0.25)
        wait = wait * rng.lognormal(0.0, rng.between(0.15, 0.35))
        return tills, np.round(wait, 1)

    def laser_power_and_cut_depth(rng: Rows) -> Pair:
        power = np.round(rng.uniform(5.0, 100.0))
        tired = rng.some(0.2, 0.6)
        watts = np.where(tired, rng.between(25.0, 34.0), rng.between(38.0, 50.0)) * power / 100.0
        depth = rng.between(0.14, 0.22) * np.maximum(watts - rng.between(2.0, 6.0), 0.0)
        depth = depth * rng.lognormal(0.0, 0.08) + np.abs(rng.normal(0.0, 0.05))
        return power, np.round(np.minimum(depth, 6.0) / 0.05) * 0.05

    def furnace_temperature_and_oxide(rng: Rows) -> Pair:
        celsius = rng.normal(rng.between(950.0, 1030.0), rng.between(25.0, 50.0))
        kelvin = celsius + 273.15
        energy = rng.between(1.1, 1.4)
        growth = np.exp(-energy / 8.617e-5 * (1.0 / kelvin - 1.0 / 1273.15))
        thick = rng.between(40.0, 90.0) * growth * rng.lognormal(0.0, rng.between(0.03, 0.12))
        return np.round(celsius, 1), np.round(thick + rng.normal(0.0, 0.5), 1)

    def wage_and_tax_withheld(rng: Rows) -> Pair:
        wage = np.round(rng.lognormal(np.log(rng.between(22e3, 36e3)), rng.between(0.4, 0.7)))
        deducted = np.round(rng.gamma(1.5, rng.between(500.0, 1500.0)))
        taxed = np.maximum(wage - deducted - rng.between(9e3, 13e3), 0.0)
        edges = np.array([0.0, 16e3, 38e3, 90e3])
        steps = np.array([0.2, 0.12, 0.08, 0.05])
        tax = (np.maximum(taxed[:, None] - edges, 0.0) * steps).sum(axis=1)
        return wage, np.round(tax)

    def source_distance_and_geiger_counts(rng: Rows) -> Pair:
        distance = np.round(rng.uniform(3.0, rng.between(30.0, 60.0)) * 2.0) / 2.0
        strength = rng.between(4e4, 3e5)
        rate = strength / (distance + rng.between(0.5, 1.5)) ** 2 + rng.between(15.0, 35.0)
        seen = rate / (1.0 + rate * rng.between(1.5e-6, 4e-6))
        return distance, rng.poisson(seen)

    def hop_boil_time_and_bitterness(rng: Rows) -> Pair:
        usual = rng.choice([5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 75.0, 90.0])
        minutes = np.maximum(usual + np.round(rng.normal(0.0, 1.0)), 1.0)
        alpha = rng.normal(1.0, rng.between(0.05, 0.15))  # harvest strength of the hops
        bitter = rng.between(30.0, 60.0) * alpha * (1.0 - np.exp(-0.04 * minutes))
        return minutes, np.round(np.maximum(bitter + rng.normal(0.0, 1.5), 1.0))

    def water_cement_ratio_and_strength(rng: Rows) -> Pair:
        ratio = np.round(rng.triangular(0.32, rng.between(0.42, 0.55), 0.8), 2)
        lab = rng.errors(0.01, 0.06, 3)[rng.integers(0, 3)]
        strength = rng.between(95.0, 125.0) / rng.between(6.0, 9.0) ** ratio * np.exp(lab)
        strength = strength + rng.errors(1.5, 3.5)
        return ratio, np.round(np.maximum(strength, 3.0) * 2.0) / 2.0

    def patch_lines_and_review_comments(rng: Rows) -> Pair:
        lines = np.ceil(rng.lognormal(rng.between(3.0, 4.0), rng.between(1.1, 1.6)))
        lines = np.minimum(lines, 5000.0)
        mean = rng.between(0.25, 0.6) * lines ** rng.between(0.4, 0.65)
        shape = rng.between(0.8, 2.5)
        return lines, rng.poisson(mean * rng.gamma(shape, 1.0 / shape))

    def ship_speed_and_fuel(rng: Rows) -> Pair:
        service = rng.between(14.0, 17.0)
        speed = np.clip(rng.normal(service, rng.between(1.2, 2.2)), 7.0, 21.0)
        hull = rng.between(0.007, 0.012) * speed ** rng.between(2.8, 3.4)
        weather = 1.0 + 0.06 * np.abs(rng.standard_t(4))
        fuel = rng.between(2.0, 4.0) + hull * weather + rng.normal(0.0, 0.8)
        return np.round(speed, 1), np.round(fuel, 1)

    def egg_boiling_time_and_yolk(rng: Rows) -> Pair:
        minutes = np.round(rng.uniform(3.0, 13.0) * 2.0) / 2.0
        size = rng.errors(0.4, 1.0)  # bigger or colder eggs set later
        cuts = np.sort(rng.plain.uniform(-0.4, 0.4, 4) + np.array([4.5, 6.0, 8.0, 10.5]))
        return minutes, 1.0 + (minutes[:, None] - size[:, None] > cuts).sum(axis=1)

    def bearing_load_and_life(rng: Rows) -> Pair:
        load = rng.choice([4.0, 5.0, 6.0, 7.0, 8.0, 10.0]) + rng.normal(0.0, 0.05)
        hours = rng.between(1.5e5, 4e5) / load**3 * rng.weibull(rng.between(1.1, 2.0))
        runout = rng.plain.choice([2000.0, 3000.0, 5000.0])
        return np.round(load, 2), np.round(np.minimum(hours, runout))

    def air_humidity_and_wood_moisture(rng: Rows) -> Pair:
        humid = np.round(100.0 * rng.beta(rng.between(3.0, 5.0), rng.between(2.0, 3.5)))
        humid = np.clip(humid, 12.0, 97.0)
        active = 0.8 * humid / 100.0
        bound = 0.065 * 12.0 * active / ((1.0 - active) * (1.0 + 11.0 * active))
        moist = 100.0 * bound * rng.between(0.85, 1.1) + rng.errors(0.4, 1.1)
        return humid, np.round(np.clip(moist, 4.0, 40.0) * 2.0) / 2.0  # pin meter starts at 4 %

    def wind_and_wave_height(rng: Rows) -> Pair:
        wind = np.round(rng.between(6.5, 9.5) * rng.weibull(2.0), 1)
        sea = rng.between(0.014, 0.02) * wind**2 * rng.lognormal(0.0, rng.between(0.15, 0.35))
        swell = rng.gamma(2.5, rng.between(0.15, 0.4))
        return wind, np.round(np.sqrt(sea**2 + swell**2), 1)


class SecondNeither(Kinds, number=2, truth=NEITHER):
    """No direction is right."""

    def two_greenhouse_thermometers(rng: Rows) -> Pair:
        truth = rng.normal(rng.between(18.0, 24.0), rng.between(3.0, 5.0))
        truth = truth + rng.exponential(rng.between(0.5, 3.0))
        logger = truth + rng.normal(0.0, 0.4)
        bias = rng.plain.normal(0.0, 0.8)
        wall = bias + rng.plain.normal(1.0, 0.03) * truth + rng.errors(0.5, 1.2)
        step = rng.plain.choice([0.5, 1.0])
        return np.round(logger, 1), np.round(wall / step) * step

    def paper_in_the_bin_and_whole_bin(rng: Rows) -> Pair:
        paper = rng.gamma(1.8, rng.between(0.6, 1.2))
        food = rng.lognormal(rng.between(0.7, 1.3), 0.5)
        rest = rng.gamma(2.5, rng.between(0.8, 1.6))
        return np.round(paper, 1), np.round(paper + food + rest, 1)

    def audition_marks_of_those_let_through(rng: Rows) -> Pair:
        marks = rng.plain.normal(60.0, rng.between(10.0, 14.0), (12 * rng.n, 2))
        marks = np.clip(np.round(marks), 0.0, 100.0)
        weight = rng.between(0.4, 0.6)
        total = marks @ [weight, 1.0 - weight] + rng.plain.normal(0.0, 2.0, 12 * rng.n)
        best = np.argsort(total)[-rng.plain.integers(rng.n, 4 * rng.n) :]
        through = marks[rng.plain.permutation(best)[: rng.n]]
        return through[:, 0], through[:, 1]

    def fish_auction_tonnes_and_price(rng: Rows) -> Pair:
        demand = rng.errors(0.15, 0.35)
        supply = rng.errors(0.15, 0.35)
        down = rng.between(0.6, 1.5)
        up = rng.between(0.5, 1.5)
        price = (demand - supply) / (down + up)
        sold = supply + up * price
        tonnes = np.round(rng.between(8.0, 30.0) * np.exp(sold), 1)
        return tonnes, np.round(rng.between(3.0, 8.0) * np.exp(price), 2)

    def reservoir_level_and_currency_rate(rng: Rows) -> Pair:
        level = rng.between(40.0, 90.0) + np.cumsum(rng.normal(rng.plain.normal(0.0, 0.01), 0.12))
        steps = 0.005 * rng.standard_t(4) + rng.plain.normal(0.0, 0.0003)
        rate = rng.between(0.8, 1.5) * np.exp(np.cumsum(steps))
        return np.round(level, 2), np.round(rate, 4)

    def trunk_diameter_and_tree_height(rng: Rows) -> Pair:
        age = rng.gamma(3.0, rng.between(10.0, 20.0)) + 6.0
        ground = rng.errors(0.08, 0.2)
        trunk = rng.between(0.45, 0.8) * age**0.95 * np.exp(ground + rng.normal(0.0, 0.15))
        tall = 1.3 + rng.between(22.0, 34.0) * (1.0 - np.exp(-age / rng.between(30.0, 50.0)))
        tall = tall * np.exp(ground + rng.normal(0.0, 0.08))
        return np.round(trunk, 1), np.round(tall * 2.0) / 2.0

    def sand_and_clay_in_soil(rng: Rows) -> Pair:
        fields = rng.plain.integers(1, 4)
        centre = rng.plain.dirichlet([4.0, 3.0, 4.0], fields) * rng.between(8.0, 25.0) + 0.5
        grains = rng.plain.standard_gamma(centre[rng.integers(0, fields)])
        share = np.round(100.0 * grains / grains.sum(axis=1, keepdims=True))
        return share[:, 0], share[:, 1]

    def ages_of_bride_and_groom(rng: Rows) -> Pair:
        again = rng.some(0.1, 0.35)  # second marriages
        shared = np.where(again, 32.0, 22.0) + rng.gamma(3.0, np.where(again, 4.5, 2.3))
        bride = shared - rng.between(0.5, 1.5) + rng.normal(0.0, 2.0)
        groom = shared + rng.between(0.5, 1.5) + rng.normal(0.0, 2.5) + rng.exponential(0.8)
        return np.floor(np.maximum(bride, 18.0)), np.floor(np.maximum(groom, 18.0))

    def fire_engines_and_damage(rng: Rows) -> Pair:
        size = rng.lognormal(0.0, rng.between(0.6, 1.0))
        engines = 1.0 + rng.poisson(rng.between(0.8, 1.6) * size**0.7)
        damage = rng.between(8.0, 25.0) * size**1.2 * rng.lognormal(0.0, rng.between(0.5, 0.9))
        return np.minimum(engines, 15.0), np.round(damage, 1)

    def hare_and_lynx_tracks(rng: Rows) -> Pair:
        phase = rng.uniform(0.0, 2.0 * np.pi)
        swing = rng.between(0.5, 1.0)
        lag = rng.between(0.8, 1.6)
        hares = rng.between(40.0, 90.0) * np.exp(swing * np.cos(phase) + rng.normal(0.0, 0.25))
        lynx = rng.between(6.0, 15.0) * np.exp(swing * np.cos(phase - lag))
        lynx = lynx * rng.lognormal(0.0, 0.25)
        return rng.poisson(hares), rng.poisson(lynx)


class ThirdCauses(Kinds, number=3, truth=CAUSE):
    """x is the cause."""

    def bath_temperature_and_thermistor_counts(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 5)
        t = rng.between(-30, 10) + rng.between(50, 110) * rng.beta(
            rng.between(0.8, 2), rng.between(0.8, 2)
        )
        t = np.round(t, 1)
        beta = source.uniform(3300, 4200)
        r0 = 10e3 * source.normal(1, 0.03)
        pull = source.choice([4.7e3, 10e3, 22e3]) * source.normal(1, 0.01)
        r = r0 * np.exp(beta * (1 / (t + 273.15) - 1 / 298.15))
        full = rng.plain.choice([1023, 4095])
        c = full * r / (r + pull) + rng.normal(0, full * rng.between(0.001, 0.01))
        return t, np.clip(np.round(c), 0, full)

    def shutter_time_and_grey_level(rng: Rows) -> Pair:
        stops = rng.integers(0, rng.plain.integers(18, 31))
        t = 2.0 ** (stops / 3) / rng.plain.choice([1000, 2000, 4000])
        sat = np.median(t) * rng.between(1.5, 12)
        e = rng.between(800, 20000)  # electrons at full well
        light = t / sat * rng.normal(1, rng.between(0.01, 0.12)).clip(0.3)
        sig = rng.poisson(e * np.minimum(light, 3))
        g = 255 * np.clip((sig + rng.normal(0, 8)) / e, 0, 1) ** (1 / rng.between(1, 2.4))
        return np.round(t, 5), np.round(g)

    def backup_size_and_duration(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 6)
        size = np.exp(rng.normal(rng.between(3, 7), rng.between(1, 2)))
        size = np.where(rng.some(0, 0.2), np.exp(rng.between(8, 10)), size)  # same nightly image
        rate = np.exp(source.normal(np.log(rng.between(5, 80)), rng.between(0.1, 0.6)))
        busy = 1 + rng.gamma(rng.between(0.4, 1.5), rng.between(0.05, 0.4))
        sec = source.uniform(0.5, 10) * rng.gamma(8, 1 / 8) + size / rate * busy
        return np.round(size, 1), np.maximum(np.round(sec, rng.plain.integers(0, 3)), 0)

    def lake_depth_and_light(rng: Rows) -> Pair:
        source = rng.numbered_sources(1, 5)
        step = rng.plain.choice([0.25, 0.5, 1.0])
        zmax = rng.between(6, 18)
        z = np.round(rng.uniform(0, 1) ** rng.between(0.8, 2) * zmax / step) * step
        att = np.exp(source.normal(np.log(0.5), rng.between(0.1, 0.6)))
        surf = rng.between(900, 1800) * rng.beta(3, rng.between(0.5, 2)).clip(0.05, 1)  # clouds
        # With a layer of algae.
        deep = att * z + rng.between(0, 0.06) * np.maximum(z - rng.between(3, 8), 0) ** 1.5
        light = surf * np.exp(-deep) * rng.factors(0.05, 0.3)
        return z, np.maximum(np.round(light, 1), rng.plain.choice([0.1, 0.5, 1.0]))

    def cable_run_and_voltage_drop(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 4)
        length = np.round(2 * (2 + rng.gamma(rng.between(1.2, 4), rng.between(5, 14)))) / 2
        area = source.choice([1.5, 2.5, 4.0, 6.0, 10.0])
        amps = np.where(rng.random() < 0.8, rng.plain.choice([6.0, 10.0, 16.0]), rng.uniform(4, 20))
        amps = amps * rng.normal(1, rng.between(0.02, 0.1))
        joint = rng.exponential(rng.between(0.005, 0.04))  # bad terminals, ohm
        drop = amps * (2 * 0.0178 * length / area * rng.between(1, 1.2) + joint)
        return length, np.round(np.abs(drop + rng.normal(0, 0.1)), 1)

    def tyre_pressure_and_rolling_resistance(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 6)
        levels = np.arange(2.0, rng.between(6.5, 9.5), rng.plain.choice([0.5, 1.0]))
        p = rng.choice(levels)
        base = rng.between(5, 9) + source.uniform(0, 4)
        soft = source.uniform(18, 45)
        knee = source.uniform(5, 8)
        bump = source.choice([0.0, 1.0, 3.0])
        w = base + soft / (p + rng.normal(0, 0.08)) + bump * np.maximum(p - knee, 0) ** 1.3
        return p, np.round(w * rng.normal(1, rng.between(0.01, 0.05)), 1)

    def trail_climb_and_walking_time(rng: Rows) -> Pair:
        source = rng.numbered_sources(3, 9)
        climb = steps(rng.gamma(rng.between(1.2, 3), rng.between(150, 350)).clip(10, 2200), 10)
        rate = source.uniform(280, 620)  # metres of climb per hour
        km = rng.gamma(6, rng.between(0.3, 1))  # flat part, unrelated to the climb
        hours = climb / rate * (1 + climb / rng.between(4000, 15000))
        hours = hours + km / source.uniform(3.8, 5.2)
        minutes = 60 * hours * rng.factors(0.04, 0.15) + rng.exponential(rng.between(3, 20))
        r = np.where(rng.some(0.3, 0.9), 5, 1)
        return climb, np.maximum(steps(minutes, r), 1)

    def substrate_and_enzyme_rate_with_inhibition(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 5)
        levels = rng.between(10, 60)
        ratio = rng.plain.choice([1.5, 2.0, 3.0])
        c = rng.choice(levels / ratio ** np.arange(rng.plain.integers(7, 12)))
        vmax = np.exp(source.normal(3, rng.between(0.1, 0.6)))
        km = source.uniform(0.3, 3)
        ki = source.uniform(4, 60)
        true = c * rng.normal(1, rng.between(0.02, 0.1)).clip(0.5)  # pipetting
        v = vmax * true / (km + true + true**2 / ki)
        return np.round(c, 4), np.round(v * rng.factors(0.05, 0.25) + rng.errors(0.1, 0.8), 2)

    def print_infill_and_breaking_load(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 5)
        levels = [5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100]
        infill = rng.choice(levels, p=rng.plain.dirichlet(np.full(11, 2.0)))
        shell = source.uniform(200, 700)
        load = shell + source.uniform(300, 1400) * (infill / 100) ** source.uniform(0.8, 1.8)
        load = load * (1 - np.where(rng.some(0.05, 0.25), rng.beta(2, 3), 0))  # delamination
        load = load * rng.weibull(rng.between(6, 16))
        return infill, np.minimum(np.round(load / 5) * 5, rng.between(1500, 2500) // 100 * 100)

    def proofing_time_and_loaf_volume(rng: Rows) -> Pair:
        source = rng.numbered_sources(1, 4)
        t = steps(rng.normal(rng.between(60, 110), rng.between(20, 45)).clip(10, 240), 5)
        speed = source.factors(0.05, 0.25)
        u = t * speed * np.exp(rng.normal(0, 0.1)) / rng.between(70, 120)
        vol = rng.between(700, 1000) + rng.between(600, 1200) * (1 - np.exp(-1.8 * u))
        sunk = rng.between(300, 900)
        vol = vol - sunk / (1 + np.exp(-(u - rng.between(1.2, 1.7)) * rng.between(4, 10)))
        vol = vol + rng.errors(50, 150) - rng.exponential(rng.between(5, 60))
        return t, np.round(np.maximum(vol, 400) / 25) * 25

    def passengers_boarding_and_bus_dwell(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 4)
        m = rng.between(2, 7)
        b = rng.poisson(m * rng.gamma(rng.between(0.6, 2), 1))
        per = source.uniform(1.2, 6)
        each = per * b * np.exp(rng.normal(0, 0.6) / np.sqrt(b + 1))
        alight = rng.poisson(m) * rng.between(0.8, 1.8)  # the other door
        hold = np.where(rng.some(0.02, 0.1), rng.exponential(40), 0)
        dwell = rng.between(3, 8) + np.maximum(each, alight) + rng.exponential(rng.between(1, 5))
        return b, np.round(dwell + hold)

    def cloud_oktas_and_solar_panel_output(rng: Rows) -> Pair:
        okta = np.round(8 * rng.beta(rng.between(0.3, 0.9), rng.between(0.3, 0.8)))
        cap = rng.plain.choice([3.0, 5.0, 10.0])
        sun = 1 - rng.between(0.1, 0.6) * (1 + np.cos(2 * np.pi * rng.random())) / 2
        thick = rng.beta(rng.between(1.5, 4), rng.between(1, 2))
        clear = 1 - thick * rng.between(0.6, 0.9) * (okta / 8) ** rng.between(1, 3.4)
        kw = cap * rng.between(0.9, 1.3) * sun * clear * rng.normal(1, 0.04)
        return okta, np.round(np.clip(kw, 0, cap), 2)

    def road_salt_and_stream_chloride(rng: Rows) -> Pair:
        cold = np.zeros(rng.n)
        shock = rng.normal(0, 1)
        for i in range(1, rng.n):
            cold[i] = 0.7 * cold[i - 1] + shock[i]
        frost = cold > rng.between(-0.3, 0.8)
        salt = np.where(frost, np.round(rng.gamma(rng.between(1.5, 4), 6), 1), 0)
        store = 0.0
        out = np.zeros(rng.n)
        first = rng.between(0.2, 0.6)
        leak = rng.between(0.2, 0.6)
        for i in range(rng.n):
            out[i] = first * salt[i] + leak * store
            store = (1 - leak) * store + (1 - first) * salt[i]
        cl = (rng.between(20, 80) + rng.between(5, 15) * out) * rng.factors(0.1, 0.35)
        return salt, np.minimum(np.round(cl), rng.between(400, 900) // 50 * 50)

    def sowing_depth_and_seedlings(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 5)
        d = rng.choice(np.arange(1, rng.plain.integers(7, 12))) * rng.plain.choice([0.5, 1.0, 1.5])
        best = source.uniform(1, 4)
        wide = source.uniform(0.5, 1.1)
        p = source.uniform(0.6, 0.97) * np.exp(-0.5 * (np.log(d / best) / wide) ** 2)
        conc = rng.between(4, 25)  # tray-to-tray variation
        p = rng.plain.beta(conc * p + 0.05, conc * (1 - p) + 0.05)
        return d, rng.plain.binomial(rng.plain.choice([25, 50]), p)

    def plot_slope_and_soil_loss(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 5)
        slope = np.round(np.clip(rng.weibull(rng.between(1, 2)) * rng.between(6, 15), 0.5, 55))
        slope = np.maximum(slope, 1)
        power = source.uniform(0.8, 1.8)
        soil = np.exp(source.normal(2, rng.between(0.2, 0.9)))
        storm = rng.gamma(rng.between(1, 3), 1)
        loss = soil * storm * slope**power / 10 * rng.factors(0.2, 0.7)
        loss = np.maximum(loss - rng.between(0.5, 6), 0)  # caught by surface litter
        return slope, np.round(loss, 1)

    def pattern_contrast_and_right_answer(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 8)
        least = rng.between(0.3, 1)
        level = rng.integers(0, rng.plain.integers(5, 10))
        c = np.round(least * 10 ** (level * rng.between(0.1, 0.25)), 2)
        thr = np.median(c) * source.factors(0.2, 0.7)
        slope = source.uniform(1, 3.5)
        guess = rng.plain.choice([0.25, 0.5])
        lapse = rng.between(0.01, 0.1)
        return c, rng.random() < guess + (1 - guess - lapse) * (1 - np.exp(-((c / thr) ** slope)))

    def analgesic_dose_and_pain_grade(rng: Rows) -> Pair:
        dose = rng.choice([0, 25, 50, 100, 200, 400], p=rng.plain.dirichlet(np.full(6, 5.0)))
        start = np.clip(rng.normal(rng.between(5, 7), 1.6), 2, 10)
        responds = rng.some(0.4, 0.8)
        ed50 = np.exp(rng.normal(np.log(120), 0.6))
        relief = rng.beta(1, 3) + responds * rng.between(0.3, 0.7) * dose / (dose + ed50)
        pain = start * (1 - np.minimum(relief, 1)) + rng.normal(0, 0.8)
        return dose, np.round(pain).clip(0, 10)

    def sow_parity_and_litter_size(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 6)
        stay = rng.between(0.68, 0.88)
        w = stay ** np.arange(9)
        par = rng.choice(np.arange(1, 10), p=w / w.sum())
        top = source.uniform(10.5, 15)
        peak = source.uniform(3, 5)
        total = np.round(top - source.uniform(0.08, 0.28) * (par - peak) ** 2 + rng.errors(2, 3.2))
        dead = np.clip(0.04 + 0.012 * par, 0, 1)
        return par, rng.plain.binomial(np.clip(total, 1, 25).astype(int), 1 - dead)

    def moonlight_and_moth_catch(rng: Rows) -> Pair:
        source = rng.numbered_sources(1, 4)
        day = np.sort(rng.choice(np.arange(3 * rng.n), replace=False)) + rng.between(0, 29)
        lit = np.round(50 * (1 - np.cos(2 * np.pi * day / 29.53)))
        cloudy = rng.some(0.2, 0.6)
        warm = rng.errors(0.3, 0.8)
        most = rng.between(5, 60)
        logs = source.normal(0, 0.4) + warm - rng.between(0.4, 1.4) * (lit / 100) * ~cloudy
        shape = rng.between(1, 4)
        return lit, rng.poisson(most * np.exp(logs) * rng.gamma(shape, 1 / shape))

    def class_size_and_test_score(rng: Rows) -> Pair:
        source = rng.numbered_sources(4, 15)
        small = rng.between(13, 17)
        big = rng.between(22, 29)
        size = np.where(rng.some(0.3, 0.6), rng.normal(small, 1.5), rng.normal(big, 2.5))
        size = np.clip(np.round(size), 9, 36)
        slope = source.uniform(0.2, 1.1)
        sd = rng.between(9, 14)
        score = rng.between(65, 80) + source.errors(2, 7) - slope * np.maximum(size - 15, -3)
        score = score + sd * (rng.gamma(6, 1) - 6) / -np.sqrt(6)  # tail to the low side
        return size, np.clip(np.round(score), 0, 100)

    def tap_water_fluoride_and_decayed_teeth(rng: Rows) -> Pair:
        k = rng.plain.integers(8, 30)
        treated = rng.plain.random(k) < rng.between(0.2, 0.5)
        added = rng.plain.normal(rng.between(0.7, 1), 0.08, k)
        town = np.where(treated, added, rng.plain.gamma(1.2, 0.25, k))
        f = np.maximum(np.round(town[rng.integers(0, k)] + rng.normal(0, 0.05), 1), 0.1)
        risk = rng.gamma(rng.between(1, 2.5), 0.6)  # sugar, brushing
        mu = rng.between(1.5, 4) * risk
        mu = mu * (rng.between(0.2, 0.4) + 0.8 * np.exp(-rng.between(1, 3) * f))
        return f, np.minimum(rng.poisson(mu), 28)

    def afternoon_coffee_and_minutes_to_sleep(rng: Rows) -> Pair:
        source = rng.numbered_sources(4, 20)
        cups = np.minimum(rng.poisson(source.gamma(2, rng.between(0.4, 1))), 8)
        sens = np.maximum(source.normal(rng.between(0.1, 0.25), 0.1), 0)  # some feel nothing
        mins = np.exp(source.normal(2.6, 0.25) + sens * cups + rng.errors(0.4, 0.8))
        step = np.where(mins > 20, rng.plain.choice([10, 15]), 5)
        if np.all(cups == cups[0]):
            cups[: rng.n // 5] += 1
        return cups, np.clip(np.round(mins / step) * step, 0, 240)


class ThirdNeither(Kinds, number=3, truth=NEITHER):
    """No direction is right."""

    def milk_teeth_and_words_spoken(rng: Rows) -> Pair:
        if rng.plain.random() < 0.5:
            age = rng.choice([9, 12, 15, 18, 24, 30]) + rng.normal(0, 0.6)
        else:
            age = rng.uniform(7, 32)
        first = rng.normal(rng.between(14, 17), rng.between(1, 2.5))
        teeth = 20 / (1 + np.exp(-(age - first) / rng.between(2.5, 4)))
        fast = rng.factors(0.3, 0.6)
        fast = fast * rng.between(150, 350)
        words = rng.poisson(fast / (1 + np.exp(-(age - rng.between(19, 24)) / rng.between(2, 3))))
        words = np.where(words > 50, steps(words, 10), words)
        return np.clip(np.round(teeth + rng.normal(0, 0.5)), 0, 20), words

    def back_fat_by_caliper_and_ultrasound(rng: Rows) -> Pair:
        fat = np.exp(rng.normal(np.log(rng.between(6, 18)), rng.between(0.2, 0.5)))
        source = rng.numbered_sources(1, 4)  # people holding the caliper
        cal = rng.between(0.7, 1.6) * fat ** rng.between(0.75, 1.05) * np.exp(source.normal(0, 0.1))
        cal = cal * rng.factors(0.06, 0.2)
        us = rng.between(-1, 1) + fat * rng.between(0.85, 1.1)
        us = us + rng.standard_t(4) * rng.between(0.3, 1.5)
        a = np.clip(np.round(cal), 1, 40)
        b = np.round(np.maximum(us, 0.8), 1)
        return (a, b) if rng.plain.random() < 0.5 else (b, a)

    def passers_by_and_food_score_of_surviving_restaurants(rng: Rows) -> Pair:
        m = 12 * rng.n
        passers = np.exp(rng.plain.normal(rng.between(3.5, 5.5), rng.between(0.6, 1.1), m))
        food = rng.plain.normal(rng.between(2.8, 3.4), rng.between(0.6, 0.9), m)
        z = zscore(np.log(passers)) + zscore(food)
        z = z + rng.errors(0.1, 0.8, m)
        keep = rng.plain.permutation(np.argsort(-z)[: int(rng.n * rng.between(1.3, 4))])[: rng.n]
        return np.round(passers[keep]), np.clip(np.round(food[keep] * 10) / 10, 1, 5)

    def pump_prices_of_two_rival_stations(rng: Rows) -> Pair:
        oil = 150.0
        prices = np.zeros((rng.n, 2))
        prices[0] = oil + rng.plain.normal(0, 2, 2)
        follow = rng.plain.uniform(0.15, 0.5, 2)
        pull = rng.between(0.05, 0.3)
        vol = rng.between(0.3, 1.2)
        sd = rng.between(0.5, 2)
        for i in range(1, rng.n):
            oil += vol * rng.plain.normal() + 0.02 * (150 - oil)
            last = prices[i - 1]
            prices[i] = last + follow * (last[::-1] - last) + pull * (oil - last)
            prices[i] += sd * rng.plain.normal(size=2)
        return np.floor(prices[:, 0]) + 0.9, np.floor(prices[:, 1]) + 0.9

    def phone_contracts_and_glacier_length(rng: Rows) -> Pair:
        t = np.linspace(0, 1, rng.n)
        phones = rng.between(500, 5000)
        phones = phones / (1 + np.exp(-(t - rng.between(0.3, 0.7)) * rng.between(4, 12)))
        phones = phones * rng.factors(0.005, 0.05)
        wander = np.cumsum(rng.normal(0, 1)) * rng.between(10, 60) / np.sqrt(rng.n)
        ice = rng.between(1500, 6000) - rng.between(200, 700) * t ** rng.between(0.8, 2.5) + wander
        ice = ice + rng.between(2, 15) * np.sin(2 * np.pi * rng.plain.integers(15, 31) * t)
        return np.round(phones), np.round(ice + rng.errors(3, 15))

    def bars_and_burglaries_per_resident(rng: Rows) -> Pair:
        # In thousands.
        pop = np.exp(rng.normal(rng.between(0.3, 1.2), rng.between(0.6, 1.1))).clip(0.2)
        bars = rng.poisson(rng.between(3, 12) * pop ** rng.between(0, 0.5) * rng.gamma(5, 0.2))
        burg = rng.poisson(rng.between(6, 30) * pop ** rng.between(0, 0.5) * rng.gamma(3, 1 / 3))
        return np.round((bars + 1) / pop, 2), np.round(burg / pop, 1)

    def stream_turbidity_and_bacteria(rng: Rows) -> Pair:
        source = rng.numbered_sources(1, 5)
        rain = np.where(rng.some(0.3, 0.6), rng.gamma(0.8, rng.between(5, 15)), 0)
        ntu = source.uniform(1, 6) * rng.factors(0.3, 0.6)
        ntu = ntu + rng.between(0.5, 3) * rain ** rng.between(0.8, 1.3)
        dung = np.exp(source.normal(rng.between(3, 5), rng.between(0.2, 1)))
        coli = dung * (1 + rng.between(0.3, 2) * rain) * rng.factors(0.5, 1.2)
        ntu = ntu * np.exp(rng.normal(0, 0.2))
        return np.round(ntu, 1), np.clip(np.round(coli), 10, 24196)

    def one_quake_at_two_stations(rng: Rows) -> Pair:
        mag = rng.between(1.8, 2.8) + rng.exponential(1 / (rng.between(0.8, 1.2) * np.log(10)))
        ang = rng.uniform(0, 2 * np.pi)
        r = rng.gamma(2, rng.between(10, 40))
        half = rng.between(5, 60)  # half the distance of the stations, km
        d1 = np.sqrt((r * np.cos(ang) - half) ** 2 + (r * np.sin(ang)) ** 2 + 64)
        d2 = np.sqrt((r * np.cos(ang) + half) ** 2 + (r * np.sin(ang)) ** 2 + 64)
        v1 = 10 ** (mag - rng.between(1.3, 1.8) * np.log10(d1 / 20) + rng.errors(0.1, 0.3))
        v2 = mag - rng.between(1.3, 1.8) * np.log10(d2 / 20)
        v2 = 10 ** (v2 + rng.normal(rng.between(-0.3, 0.3), rng.between(0.1, 0.3)))
        noise = rng.between(0.5, 5)
        clip = 10 ** rng.between(3.5, 5)
        v1 = np.minimum(v1 + noise * rng.exponential(1), clip)
        return np.round(v1, 1), np.round(v2 + noise * rng.exponential(1), 1)

    def bill_length_and_bill_depth(rng: Rows) -> Pair:
        source = rng.numbered_sources(2, 4)
        ml = source.uniform(34, 52)
        md = source.uniform(13, 20)
        male = rng.random() < 0.5
        size = rng.normal(0, 1) + rng.between(0.3, 1.2) * male
        length = ml + rng.between(0.5, 2) * size + rng.errors(0.8, 2)
        depth = md + rng.between(0.2, 0.8) * size + rng.errors(0.3, 0.8)
        return np.round(length, 1), np.round(depth, 1)

    def hours_asleep_and_screen_hours(rng: Rows) -> Pair:
        worker = rng.some(0.4, 0.7)
        sleep = rng.gamma(rng.between(30, 80), 1)
        sleep = sleep / sleep.mean() * rng.between(7.5, 8.5)
        screen = rng.gamma(rng.between(1.2, 3), rng.between(0.8, 1.6))
        job = np.where(worker, rng.gamma(40, 0.2), rng.gamma(2, 0.5))
        rest = rng.gamma(rng.between(6, 14), rng.between(0.4, 0.7))
        rest = rest + np.where(worker, 0, rng.gamma(20, 0.25))
        day = 24 / (sleep + screen + job + rest)
        return np.round(4 * sleep * day) / 4, np.round(4 * screen * day) / 4


class FourthCauses(Kinds, number=4, truth=CAUSE):
    """x is the cause."""

    def irrigation_salinity_and_tomato_yield(rng: Rows) -> Pair:
        field = rng.sources(3, 15, 6.0)
        x = rounded(rng.gamma(rng.between(2.0, 4.0), rng.between(1.2, 2.0)) + 0.3, 0.1)
        loss = field.between(0.08, 0.13) * np.maximum(x - field.between(1.5, 3.5), 0.0)
        y = field.between(65.0, 100.0) * np.maximum(1.0 - loss, 0.04)
        return x, rounded(np.maximum(y * rng.factors(0.09, 0.16) + rng.normal(0, 3), 0.0), 0.1)

    def seed_inoculation_and_root_nodules(rng: Rows) -> Pair:
        x = rng.some(0.35, 0.65)
        mean = rng.between(2.0, 7.0) + x * rng.between(22.0, 45.0)
        return x, rng.counted(mean, 4.0, 9.0)

    def truck_load_and_fuel_use(rng: Rows) -> Pair:
        truck = rng.sources(3, 20, 6.0)
        load = 26.0 * rng.beta(rng.between(1.2, 2.5), rng.between(0.9, 1.8))
        load[rng.some(0.08, 0.2)] = 0.0
        y = (truck.between(20.0, 26.0) + truck.between(0.4, 0.7) * load) * rng.factors(0.03, 0.09)
        load = load + 14.0 * (rng.random() < 0.007)
        return rounded(load, 0.1), rounded(y, 0.1)

    def request_payload_and_response_time(rng: Rows) -> Pair:
        server = rng.sources(2, 12, 6.0)
        x = np.maximum(np.round(np.exp(rng.normal(rng.between(4.8, 6), rng.between(0.9, 1.3)))), 1)
        y = (server.between(15.0, 60.0) + x / server.between(2.0, 6.0)) * rng.factors(0.2, 0.38)
        return x, np.round(y + (rng.random() < 0.01) * rng.uniform(200.0, 600.0))

    def light_on_a_leaf_and_carbon_uptake(rng: Rows) -> Pair:
        plant = rng.sources(4, 20, 6.0)
        x = rounded(rng.between(1200, 2000) * rng.beta(rng.between(0.8, 1.3), 1.6), 10.0)
        top = plant.between(12.0, 22.0)
        y = top * (1.0 - np.exp(-plant.between(0.04, 0.065) * x / top)) - plant.between(0.8, 2)
        return x, rounded(y + rng.errors(0.8, 2.2), 0.1)

    def kidney_function_and_drug_level(rng: Rows) -> Pair:
        x = np.round(12.0 + 115.0 * rng.beta(rng.between(1.8, 3.0), rng.between(1.8, 3.0)))
        clearance = rng.between(4.0, 12.0) + rng.between(0.6, 0.9) * x
        y = rng.between(450.0, 800.0) / clearance * rng.factors(0.18, 0.33)
        return x, rounded(np.maximum(y, 3.0), 0.1)

    def wind_at_the_hub_and_turbine_power(rng: Rows) -> Pair:
        wind = np.minimum(rng.between(6.5, 9.0) * rng.weibull(rng.between(1.8, 2.3)), 24.0)
        rated = rng.between(11.0, 13.0)
        cut = rng.between(2.8, 3.6)
        felt = np.clip(wind + rng.errors(0.8, 1.3), cut, rated)
        y = rng.between(1800, 3400) * (felt**3 - cut**3) / (rated**3 - cut**3)
        y = np.where(rng.some(0.0, 0.02), 0.0, y) + rng.normal(-8.0, 6.0)
        return rounded(wind, 0.1), np.round(y)

    def grain_size_and_sand_permeability(rng: Rows) -> Pair:
        site = rng.sources(2, 10, 6.0)
        x = np.exp(rng.normal(np.log(rng.between(0.2, 0.5)), rng.between(0.6, 0.85)))
        x = np.clip(rounded(x, 0.01), 0.03, 4.0)
        y = site.between(350.0, 1000.0) * x ** site.between(1.7, 2.2)
        return x, digits(y * rng.factors(0.35, 0.7), 2)

    def storage_temperature_and_vitamin_c(rng: Rows) -> Pair:
        batch = rng.sources(3, 12, 6.0)
        x = rounded(rng.uniform(2.0, rng.between(34.0, 42.0)), 0.5)
        rate = batch.between(0.006, 0.016) * rng.between(2.0, 2.8) ** ((x - 20.0) / 10.0)
        y = batch.between(42.0, 56.0) * np.exp(-30.0 * rate)
        return x, rounded(np.maximum(y + rng.errors(2.5, 5.0), 0.0), 0.1)

    def shelf_price_and_packs_sold(rng: Rows) -> Pair:
        shop = rng.sources(3, 16, 6.0)
        x = rounded(rng.uniform(rng.between(1.4, 2.2), rng.between(4.2, 5.5)), 0.1) - 0.01
        mean = rng.between(40.0, 90.0) * shop.between(0.7, 1.4)
        y = rng.counted(mean * (x / 2.5) ** -shop.between(1.6, 3.2), 6.0, 18.0)
        y[rng.some(0.0, 0.03)] = 0.0
        return np.round(x, 2), y

    def outdoor_temperature_and_home_electricity(rng: Rows) -> Pair:
        home = rng.sources(4, 20, 6.0)
        x = rounded(rng.normal(rng.between(11.0, 18.0), rng.between(8.0, 10.0)), 0.1)
        heat = home.between(0.9, 1.7) * np.maximum(home.between(14.0, 17.0) - x, 0.0)
        cool = home.between(0.8, 1.8) * np.maximum(x - home.between(20.0, 23.0), 0.0)
        return x, rounded((home.between(6.0, 11.0) + heat + cool) * rng.factors(0.1, 0.24), 0.1)

    def vehicle_density_and_road_speed(rng: Rows) -> Pair:
        x = np.round(3.0 + 110.0 * rng.beta(rng.between(0.9, 1.4), rng.between(1.8, 2.8)))
        y = rng.between(90.0, 120.0) * np.exp(-0.5 * (x / rng.between(28.0, 42.0)) ** 2)
        y = y + rng.between(5.0, 9.0) + rng.errors(8.0, 14.0)
        return x, np.round(np.maximum(y, rng.uniform(3.0, 6.0)))

    def zenith_angle_and_star_magnitude(rng: Rows) -> Pair:
        night = rng.sources(4, 20, 6.0)
        cosine = rng.uniform(np.cos(np.radians(rng.between(68.0, 76.0))), 1.0)
        x = rounded(np.degrees(np.arccos(cosine)), 0.1)
        y = rng.between(8.0, 12.0) + night.between(0.16, 0.4) / cosine
        y = y + night.normal(0.0, 0.02) + rng.errors(0.03, 0.07)
        return x, rounded(y + (rng.random() < 0.01) * rng.uniform(0.1, 0.4), 0.01)

    def trail_slope_and_walking_speed(rng: Rows) -> Pair:
        walker = rng.sources(4, 20, 6.0)
        x = np.round(rng.normal(rng.between(-3.0, 6.0), rng.between(12.0, 17.0)))
        steep = np.abs(x / 100.0 + walker.between(0.03, 0.07))
        y = walker.between(5.2, 6.6) * np.exp(-walker.between(2.8, 4.0) * steep)
        return x, rounded(y * rng.factors(0.07, 0.15), 0.1)

    def drop_height_and_broken_eggs(rng: Rows) -> Pair:
        x = rounded(rng.uniform(10.0, rng.between(110.0, 140.0)), 5.0)
        logit = (x - rng.between(50.0, 80.0)) / rng.between(12.0, 20.0) + rng.errors(0.5, 1.2)
        return x, rng.plain.binomial(12, 1.0 / (1.0 + np.exp(-logit)))

    def bar_load_and_repetitions(rng: Rows) -> Pair:
        athlete = rng.sources(4, 20, 6.0)
        x = rounded(rng.uniform(rng.between(38.0, 50.0), 96.0), 2.5)
        y = athlete.between(24.0, 40.0) * (100.0 / x - 1.0) ** athlete.between(0.9, 1.1)
        return x, np.maximum(np.round(y * rng.factors(0.16, 0.32)), 1.0)

    def chili_amount_and_rated_hotness(rng: Rows) -> Pair:
        taster = rng.sources(4, 15, 6.0)
        x = rounded(rng.uniform(0.0, rng.between(7.0, 12.0)), 0.1)
        y = taster.between(1.7, 2.6) * x ** taster.between(0.5, 0.75)
        return x, np.clip(np.round(y + taster.between(-0.3, 0.8) + rng.errors(0.6, 1.3)), 0.0, 10.0)

    def text_length_and_reading_time(rng: Rows) -> Pair:
        pupil = rng.sources(5, 20, 6.0)
        x = np.round(np.exp(rng.normal(np.log(rng.between(180, 350)), rng.between(0.4, 0.65))))
        y = pupil.between(4.0, 20.0) + 60.0 * x / pupil.between(100.0, 200.0)
        return x, rounded(y * rng.factors(0.1, 0.28), 5.0)


class FourthNeither(Kinds, number=4, truth=NEITHER):
    """No direction is right."""

    def home_and_clinic_blood_pressure(rng: Rows) -> Pair:
        usual = rng.between(122.0, 132.0) + rng.gamma(3.0, rng.between(7.0, 10.0)) - 20.0
        home = usual + rng.errors(4.0, 8.0)
        clinic = rng.between(0.95, 1.1) * usual + rng.normal(3.0, rng.between(6.0, 12.0))
        slip = rng.random() < 0.004
        home = np.where(slip, home + rng.choice([-40.0, 50.0]), home)
        return np.round(home), rounded(clinic, rng.plain.choice([2.0, 5.0]))

    def scores_of_two_gymnastics_judges(rng: Rows) -> Pair:
        event = rng.sources(2, 8, 6.0)
        flaws = event.between(0.8, 2.0) * rng.gamma(rng.between(1.8, 3.5), 0.5)
        a = 10.0 - rng.between(0.8, 1.2) * flaws - event.between(-0.1, 0.3)
        b = 10.0 - rng.between(0.8, 1.2) * flaws - event.between(-0.1, 0.3)
        a = a + rng.errors(0.15, 0.4)
        b = b + rng.errors(0.15, 0.4)
        return rounded(np.clip(a, 0.0, 10.0), 0.05), rounded(np.clip(b, 0.0, 10.0), 0.05)

    def zinc_and_lead_in_stream_sediment(rng: Rows) -> Pair:
        basin = rng.sources(3, 14, 6.0)
        ore = rng.normal(0.0, 1.0) + basin.normal(0.0, 0.6)
        zinc = np.exp(basin.between(4.2, 4.9) + rng.between(0.5, 0.8) * ore)
        lead = np.exp(basin.between(3.0, 3.7) + rng.between(0.6, 1.0) * ore)
        zinc = zinc * rng.factors(0.2, 0.4)
        lead = lead * rng.factors(0.25, 0.5)
        return digits(zinc, 3), np.where(lead < 10.0, 5.0, digits(lead, 3))

    def clay_and_sand_in_topsoil(rng: Rows) -> Pair:
        energy = rng.errors(0.5, 0.9)
        clay = np.exp(rng.between(-0.6, 0.1) - 0.6 * energy + rng.errors(0.2, 0.5))
        sand = np.exp(rng.between(-0.2, 0.8) + energy + rng.errors(0.3, 0.6))
        whole = clay + sand + rng.factors(0.2, 0.4)
        return np.round(100.0 * clay / whole), np.round(100.0 * sand / whole)

    def vote_shares_of_two_parties(rng: Rows) -> Pair:
        region = rng.sources(3, 12, 6.0)
        urban = rng.errors(0.6, 0.9)
        left = region.between(-0.2, 0.6) + rng.between(0.3, 0.7) * urban
        right = region.between(-0.1, 0.7) - rng.between(0.3, 0.7) * urban
        logits = np.stack([left, right, np.zeros(rng.n)])
        logits = logits + rng.plain.normal(0, rng.between(0.1, 0.3), logits.shape)
        share = np.exp(logits) / np.exp(logits).sum(axis=0)
        votes = rng.plain.multinomial(rng.integers(250, 1400), share.T)
        percent = rounded(100.0 * votes / votes.sum(axis=1, keepdims=True), 0.1)
        return percent[:, 0], percent[:, 1]

    def bakeries_and_hairdressers_in_towns(rng: Rows) -> Pair:
        people = np.exp(rng.normal(np.log(rng.between(9.0, 20.0)), rng.between(0.6, 1.0)))
        bakeries = rng.counted(rng.between(0.45, 0.8) * people ** rng.between(0.85, 1.0), 5.0, 15.0)
        salons = rng.counted(rng.between(0.7, 1.3) * people ** rng.between(0.95, 1.15), 5.0, 15.0)
        return bakeries, salons

    def test_and_interview_of_admitted_applicants(rng: Rows) -> Pair:
        everyone = int(rng.n / rng.between(0.03, 0.1))
        test = rng.plain.normal(0.0, 1.0, everyone)
        talk = rng.between(0.0, 0.15) * test + rng.plain.normal(0.0, 1.0, everyone)
        total = test + rng.between(0.8, 1.2) * talk + rng.errors(0.05, 0.4, everyone)
        kept = rng.plain.permutation(np.argsort(total)[-rng.n :])
        test = np.clip(rng.between(50, 60) + rng.between(11, 14) * test[kept], 0.0, 100.0)
        talk = np.clip(rng.between(52, 62) + rng.between(9, 12) * talk[kept], 0.0, 100.0)
        return rounded(test, 0.5), rounded(talk, 0.5)

    def disk_reads_and_network_traffic(rng: Rows) -> Pair:
        machine = rng.sources(3, 15, 6.0)
        jobs = np.exp(rng.normal(2.5, rng.between(0.6, 0.9)))
        reads = machine.between(10.0, 22.0) * jobs ** rng.between(0.7, 1.0) + 5.0
        reads = reads * rng.factors(0.2, 0.4)
        link = machine.between(150.0, 400.0)
        traffic = link * (1.0 - np.exp(-machine.between(4.0, 9.0) * jobs / link))
        return np.round(reads), rounded(traffic * rng.factors(0.15, 0.35), 0.1)

    def leaf_thickness_and_leaf_nitrogen(rng: Rows) -> Pair:
        k = rng.plain.integers(4, 13)
        kind = rng.integers(0, k)
        life = (np.linspace(-1.5, 1.5, k) + rng.plain.normal(0.0, 0.25, k))[kind]
        offset = rng.plain.normal(0.0, 0.08, (2, k))[:, kind]
        thick = rng.between(200, 290) * np.exp(rng.between(0.24, 0.36) * life + offset[0])
        nitrogen = rng.between(1.7, 2.3) * np.exp(-rng.between(0.24, 0.34) * life + offset[1])
        thick = thick * rng.factors(0.08, 0.15)
        return rounded(thick, 5.0), rounded(nitrogen * rng.factors(0.08, 0.16), 0.01)

    def infrared_and_radio_luminosity_of_galaxies(rng: Rows) -> Pair:
        many = 3 * rng.n
        birth = rng.plain.normal(rng.between(0.0, 0.6), rng.between(0.5, 0.7), many)
        infrared = 9.8 + rng.between(0.95, 1.1) * birth + rng.errors(0.1, 0.25, many)
        radio = 21.2 + rng.between(0.9, 1.2) * birth + rng.errors(0.15, 0.3, many)
        radio = radio + (rng.plain.random(many) < 0.015) * rng.plain.uniform(0.5, 1.5, many)
        flux = infrared - 2.0 * rng.plain.normal(0.0, 0.25, many)
        kept = rng.plain.permutation(np.argsort(flux)[int(rng.between(0.2, 0.6) * many) :])[: rng.n]
        return rounded(infrared[kept], 0.01), rounded(radio[kept], 0.01)

    def moths_and_beetles_in_traps(rng: Rows) -> Pair:
        site = rng.sources(3, 18, 6.0)
        warm = rng.normal(0.0, 1.0)
        moths = np.exp(site.between(2.7, 3.4) + rng.between(0.7, 1.0) * warm)
        beetles = np.exp(site.between(2.9, 3.6)) / (1.0 + np.exp(-rng.between(1.5, 2.5) * warm))
        moths = rng.counted(moths, 7.0, 16.0) * (rng.random() > rng.between(0.0, 0.03))
        beetles = rng.counted(beetles, 7.0, 16.0) * (rng.random() > rng.between(0.0, 0.03))
        return moths, beetles

    def milk_fat_and_milk_protein(rng: Rows) -> Pair:
        breed = rng.sources(2, 6, 6.0)
        rich = breed.normal(0.0, rng.between(0.5, 0.9))
        day = rng.uniform(4.0, 320.0)
        stage = 1.3 * np.exp(-day / 22.0) + day / 300.0 - 0.5
        fat = 4.1 + rng.between(0.4, 0.6) * rich + rng.between(0.6, 0.9) * stage
        protein = 3.4 + rng.between(0.2, 0.3) * rich + rng.between(0.4, 0.7) * stage
        fat = fat + rng.errors(0.12, 0.22)
        return rounded(fat, 0.01), rounded(protein + rng.errors(0.07, 0.14), 0.01)

    def hardness_and_conductivity_of_aluminum_parts(rng: Rows) -> Pair:
        lot = rng.sources(2, 12, 6.0)
        age = rng.normal(rng.between(1.0, 1.6), rng.between(0.6, 0.8))
        hard = lot.between(168.0, 182.0) - rng.between(12.0, 18.0) * np.minimum(age**2, 5.0)
        conduct = lot.between(33.0, 34.0) + rng.between(6.0, 9.0) / (1.0 + np.exp(1.2 - 1.3 * age))
        hard = hard + rng.errors(4.0, 8.0)
        return np.round(hard), rounded(conduct + rng.errors(0.25, 0.5), 0.1)

    def crust_lightness_and_core_temperature_of_loaves(rng: Rows) -> Pair:
        oven = rng.sources(2, 8, 6.0)
        heat = rng.factors(0.22, 0.35)
        brown = (heat - oven.between(0.95, 1.15)) / rng.between(0.18, 0.3)
        light = 78.0 - oven.between(26.0, 36.0) / (1.0 + np.exp(-brown))
        core = 98.5 - oven.between(68.0, 74.0) * np.exp(-oven.between(1.9, 2.5) * heat)
        light = light + rng.errors(1.5, 3.5)
        core = np.minimum(core + rng.errors(0.8, 2.0), 99.5)
        return rounded(light, 0.1), rounded(core, 0.5)


class FifthCauses(Kinds, number=5, truth=CAUSE):
    """x is the cause."""

    def insured_value_and_premium(rng: Rows) -> Pair:
        insurer = rng.sources(2, 8)
        x = np.maximum(rounded(rng.between(180, 320) * rng.factors(0.4, 0.6), 5.0), 30.0)
        limit = rng.between(250.0, 450.0)
        rated = np.minimum(x, limit) + rng.between(0.5, 0.8) * np.maximum(x - limit, 0.0)
        premium = insurer.between(40.0, 110.0) + insurer.between(0.9, 1.6) * rated
        discount = rng.choice([1.0, 0.9, 0.8], p=[0.55, 0.3, 0.15])
        return x, rounded(premium * discount * rng.factors(0.1, 0.22), 1.0)

    def stand_density_and_tree_growth(rng: Rows) -> Pair:
        site = rng.sources(2, 10)
        planted = rng.settings([400, 600, 800, 1100, 1500, 2000, 2500, 3200], 5)
        x = rounded(planted * (1.0 - rng.beta(2.0, rng.between(12.0, 25.0))), 10.0)
        slow = np.exp(-site.between(0.5, 0.9) * x / 1000.0)
        y = site.between(1.0, 2.2) + site.between(6.5, 10.0) * slow
        return x, rounded(np.maximum(y * rng.factors(0.1, 0.2) + rng.normal(0.0, 0.3), 0.1), 0.1)

    def curing_light_and_filling_hardness(rng: Rows) -> Pair:
        lamp = rng.sources(2, 8)
        x = rng.settings([5, 10, 15, 20, 30, 40, 60], 5)
        cured = 1.0 - np.exp(-((x / lamp.between(10.0, 24.0)) ** rng.between(0.8, 1.3)))
        y = lamp.between(48.0, 72.0) * cured * rng.factors(0.04, 0.1)
        return x, rounded(np.maximum(y + rng.errors(2.0, 5.0), 2.0), 0.1)

    def train_speed_and_noise(rng: Rows) -> Pair:
        kind = rng.sources(2, 7)
        fast = rng.some(0.3, 0.7)
        speed = np.where(fast, rng.normal(135.0, 18.0), rng.normal(78.0, 17.0))
        x = rounded(np.clip(speed, 18.0, 200.0), 1.0)
        rolling = kind.between(79.0, 88.0) + rng.between(27.0, 33.0) * np.log10(x / 80.0)
        motor = kind.between(68.0, 76.0)
        y = 10.0 * np.log10(10.0 ** (rolling / 10.0) + 10.0 ** (motor / 10.0))
        flats = np.where(rng.some(0.02, 0.08), rng.gamma(2.0, 2.0), 0.0)
        return x, rounded(y + flats + rng.errors(1.5, 3.0), 0.1)

    def air_temperature_and_bees_in_flight(rng: Rows) -> Pair:
        hive = rng.sources(3, 15)
        x = rounded(rng.normal(rng.between(17.0, 23.0), rng.between(5.0, 7.0)), 0.5)
        warm = 1.0 / (1.0 + np.exp(-(x - hive.between(12.0, 17.0)) / rng.between(1.5, 2.5)))
        hot = 1.0 / (1.0 + np.exp((x - rng.between(31.0, 36.0)) / rng.between(1.5, 3.0)))
        return x, rng.counted(hive.between(35.0, 110.0) * warm * hot + 0.2, 4.0, 10.0)

    def fiber_bend_radius_and_loss(rng: Rows) -> Pair:
        fiber = rng.sources(2, 6)
        low = rng.between(4.0, 7.0)
        x = rounded(rng.uniform(low, low + rng.between(8.0, 14.0)), 0.5)
        bent = fiber.between(3.0, 9.0) * np.exp(-(x - low) / fiber.between(1.8, 4.0))
        joint = rng.gamma(3.0, rng.between(0.02, 0.06))
        return x, rounded(bent * rng.factors(0.15, 0.4) + joint, 0.01)

    def order_lines_and_picking_time(rng: Rows) -> Pair:
        picker = rng.sources(4, 20)
        shape = rng.between(0.7, 1.6)
        x = 1.0 + rng.poisson(rng.gamma(shape, rng.between(5.0, 12.0) / shape))
        lines = picker.between(0.5, 1.1) * x ** rng.between(0.78, 0.95)
        spread = rng.between(8.0, 20.0)
        y = (picker.between(1.0, 3.5) + lines) * rng.gamma(spread, 1.0 / spread)
        hunt = np.where(rng.some(0.02, 0.1), rng.exponential(4.0), 0.0)
        return x, rounded(np.maximum(y + hunt, 0.3), 0.1)

    def time_on_hold_and_caller_grade(rng: Rows) -> Pair:
        agent = rng.sources(4, 20)
        wait = rng.between(90.0, 240.0) * rng.factors(0.8, 1.2)
        at_once = rng.some(0.05, 0.25)
        x = rounded(np.where(at_once, rng.uniform(1.0, 8.0), np.minimum(wait, 3600.0)), 1.0)
        grade = agent.between(8.4, 10.6) - rng.between(1.5, 2.6) * np.log1p(x / 60.0)
        return x, np.clip(np.round(grade + rng.errors(1.1, 1.9)), 1.0, 10.0)

    def pond_oxygen_and_shrimp_growth(rng: Rows) -> Pair:
        pond = rng.sources(3, 14)
        x = rounded(1.0 + 8.0 * rng.beta(rng.between(1.8, 3.0), rng.between(2.0, 3.5)), 0.1)
        least = rng.between(0.3, 1.2)
        enough = np.clip((x - least) / (pond.between(4.2, 6.0) - least), 0.0, 1.0)
        y = pond.between(1.2, 2.1) * enough * rng.factors(0.1, 0.2)
        return x, rounded(np.maximum(y + rng.errors(0.06, 0.14), 0.0), 0.01)

    def ink_film_and_print_density(rng: Rows) -> Pair:
        paper = rng.sources(2, 8)
        x = rounded(rng.gamma(rng.between(3.5, 7.0), rng.between(0.17, 0.24)), 0.05).clip(0.1)
        y = paper.between(1.6, 2.5) * (1.0 - np.exp(-paper.between(0.8, 1.5) * x))
        y = y * rng.factors(0.03, 0.08) + rng.errors(0.03, 0.08)
        return x, rounded(np.maximum(y, 0.02), 0.01)

    def soil_water_and_cone_resistance(rng: Rows) -> Pair:
        plot = rng.sources(2, 12)
        wet = rng.some(0.35, 0.65)
        water = np.where(wet, rng.normal(31.0, 3.5), rng.normal(17.0, 4.0))
        x = rounded(np.clip(water, 5.0, 42.0), 0.5)
        y = plot.between(2.6, 4.2) * np.exp(-plot.between(0.045, 0.08) * (x - 12.0))
        return x, rounded(np.clip(0.15 + y * rng.factors(0.18, 0.38), 0.05, 6.0), 0.05)

    def treadmill_speed_and_heart_rate(rng: Rows) -> Pair:
        runner = rng.sources(5, 25)
        x = rounded(rng.uniform(5.0, rng.between(16.0, 20.0)), rng.plain.choice([0.5, 1.0]))
        top = runner.between(178.0, 202.0)
        line = runner.between(62.0, 88.0) + runner.between(6.5, 9.5) * x
        bend = rng.between(3.0, 7.0)
        y = top - bend * np.logaddexp(0.0, (top - line) / bend)
        return x, rounded(y + rng.errors(3.0, 8.0), 1.0)

    def yarn_twist_and_tenacity(rng: Rows) -> Pair:
        cotton = rng.sources(2, 9)
        x = rounded(rng.uniform(rng.between(400, 560), rng.between(1050, 1250)), 20.0)
        off = (x - cotton.between(780.0, 930.0)) / 100.0
        curve = np.where(off < 0.0, rng.between(0.45, 0.8), rng.between(0.25, 0.6))
        y = cotton.between(14.0, 19.0) - curve * off**2
        y = y - rng.gamma(1.5, rng.between(0.4, 0.9)) + rng.errors(0.4, 0.8)
        return x, rounded(np.maximum(y, 2.0), 0.1)

    def clock_left_and_centipawn_loss(rng: Rows) -> Pair:
        player = rng.sources(4, 20)
        start = rng.plain.choice([180.0, 300.0, 600.0])
        x = rounded(start * rng.beta(rng.between(0.8, 1.2), rng.between(1.2, 2.2)), 1.0).clip(1)
        rush = rng.between(2.5, 5.0) * np.exp(-x / (start * rng.between(0.06, 0.16)))
        shape = rng.between(2.0, 4.0)
        y = player.between(14.0, 40.0) * (1.0 + rush) * rng.gamma(shape, 1.0 / shape)
        flawless = rng.some(0.0, 0.05)
        return x, rounded(np.where(flawless, 0.0, np.minimum(y, 600.0)), 1.0)

    def nitrate_and_algal_growth(rng: Rows) -> Pair:
        strain = rng.sources(2, 10)
        x = np.maximum(rounded(rng.between(0.8, 2.2) * rng.factors(0.9, 1.3), 0.01), 0.05)
        y = strain.between(1.0, 2.0) * x / (strain.between(0.4, 1.6) + x)
        y = y * rng.factors(0.1, 0.22) + rng.errors(0.02, 0.07)
        return x, rounded(np.maximum(y, 0.0), 0.01)

    def parallel_jobs_and_build_time(rng: Rows) -> Pair:
        machine = rng.sources(2, 10)
        x = rng.settings([1, 2, 3, 4, 6, 8, 12, 16, 24, 32], 7)
        serial = machine.between(0.06, 0.22)
        share = serial + (1.0 - serial) / x + rng.between(0.0005, 0.003) * x
        busy = np.exp(rng.exponential(rng.between(0.08, 0.22)))
        y = rng.between(300, 1500) * machine.between(0.7, 1.5) * share
        return x, rounded(y * busy * rng.factors(0.06, 0.15), 1.0)

    def playlist_place_and_plays(rng: Rows) -> Pair:
        playlist = rng.sources(3, 15)
        x = rng.integers(1, int(rng.plain.choice([30, 50, 80, 100])) + 1)
        seen = (x + rng.between(0.0, 4.0)) ** -playlist.between(0.5, 1.1)
        followers = rng.between(800, 8000) * playlist.between(0.5, 1.6)
        return x, rng.poisson(followers * seen * rng.factors(0.25, 0.55))

    def polling_distance_and_turnout(rng: Rows) -> Pair:
        town = rng.sources(3, 18)
        x = np.maximum(rounded(rng.gamma(rng.between(1.5, 2.5), rng.between(0.8, 1.4)), 0.1), 0.1)
        far = np.maximum(x - rng.between(0.2, 0.9), 0.0)
        logit = town.between(0.6, 1.4) - town.between(0.2, 0.4) * far ** rng.between(0.7, 1.0)
        logit = logit + rng.between(0.14, 0.28) * rng.standard_t(6)
        return x, rounded(100.0 / (1.0 + np.exp(-logit)), 0.1)

    def advertised_pay_and_applicants(rng: Rows) -> Pair:
        portal = rng.sources(2, 8)
        pay = rng.between(40.0, 52.0) * rng.factors(0.2, 0.32)
        x = np.maximum(np.where(rng.some(0.4, 0.8), rounded(pay, 5.0), rounded(pay, 1.0)), 20.0)
        drawn = 1.0 / (1.0 + (portal.between(45.0, 60.0) / x) ** rng.between(4.0, 7.0))
        return x, rng.counted(1.0 + portal.between(30.0, 80.0) * drawn, 4.0, 9.0)

    def pack_years_and_lung_function(rng: Rows) -> Pair:
        clinic = rng.sources(2, 10)
        smoked = rng.random() > rng.between(0.2, 0.4)
        dose = np.clip(rng.gamma(rng.between(1.5, 2.2), rng.between(11.0, 16.0)), 1.0, 110.0)
        x = rounded(np.where(smoked, dose, 0.0), 1.0)
        harm = rng.gamma(rng.between(2.0, 4.0), 1.0) * rng.between(0.16, 0.28)
        y = clinic.between(94.0, 104.0) - harm * x + rng.errors(8.0, 12.0)
        return x, rounded(np.maximum(y, 18.0 + rng.gamma(3.0, 2.0)), 1.0)


class FifthNeither(Kinds, number=5, truth=NEITHER):
    """No direction is right."""

    def cubes_at_7_and_at_28_days(rng: Rows) -> Pair:
        plant = rng.sources(2, 8)
        batch = rng.between(34.0, 48.0) * rng.factors(0.12, 0.22)
        early = batch * plant.between(0.6, 0.8) * rng.factors(0.05, 0.1)
        late = batch * rng.factors(0.05, 0.1)
        return rounded(early, 0.5), rounded(late, 0.5)

    def sleep_by_wrist_and_by_diary(rng: Rows) -> Pair:
        sleeper = rng.sources(5, 20)
        night = sleeper.between(6.0, 8.0) + rng.errors(0.8, 1.2)
        night = night - np.where(rng.random() < 0.06, rng.gamma(2.0, 0.7), 0.0)
        wrist = night - rng.gamma(2.0, rng.between(0.1, 0.25)) + rng.normal(0.0, 0.25)
        noted = night + sleeper.between(-0.2, 0.6) + rng.errors(0.3, 0.6)
        unit = rng.plain.choice([0.25, 0.5])
        return rounded(wrist.clip(0.5), 0.1), rounded(noted.clip(0.5), unit)

    def points_at_half_time_and_at_the_end(rng: Rows) -> Pair:
        league = rng.sources(1, 6)
        pace = league.between(34.0, 48.0) * rng.factors(0.06, 0.12)
        first = np.maximum(np.round(rng.plain.normal(pace, rng.between(5.0, 7.5))), 8.0)
        second = np.maximum(np.round(rng.plain.normal(pace, rng.between(5.0, 7.5))), 8.0)
        return first, first + second

    def glass_and_cans_in_recycling_sacks(rng: Rows) -> Pair:
        district = rng.sources(2, 10)
        glass = rng.gamma(district.between(1.5, 6.0), 1.0) * rng.between(0.8, 2.0)
        cans = rng.gamma(district.between(1.5, 5.0), 1.0)
        rest = rng.gamma(district.between(1.0, 4.0), 1.0) * rng.between(0.2, 1.0)
        whole = glass + cans + rest + 1e-9
        return rounded(100.0 * glass / whole, 0.5), rounded(100.0 * cans / whole, 0.5)

    def practice_and_memory_of_titled_players(rng: Rows) -> Pair:
        many = rng.n * rng.plain.integers(5, 12)
        hours = rng.plain.gamma(rng.between(2.0, 4.0), rng.between(3.0, 6.0), many)
        memory = np.clip(rng.plain.normal(100.0, 15.0, many), 45.0, 160.0)
        logs = np.log(hours + 1.0)
        merit = logs / logs.std() + rng.between(0.7, 1.2) * memory / 15.0
        merit = merit + rng.errors(0.2, 0.7, many)
        titled = rng.plain.permutation(np.argsort(merit)[-rng.n :])
        return rounded(hours[titled], 1.0), rounded(memory[titled], 1.0)

    def pool_chlorine_and_dose_under_control(rng: Rows) -> Pair:
        pool = rng.sources(1, 6)
        target = pool.between(0.8, 1.3)
        rise = rng.between(0.0006, 0.0015)
        gain = rng.between(600.0, 1600.0)
        alone = target - rng.gamma(2.0, rng.between(0.15, 0.4)) + rng.normal(0.0, 0.15)
        slip = rng.errors(60.0, 160.0)
        within = (alone + rise * (gain * target + slip)) / (1.0 + rise * gain)
        dose = np.maximum(gain * (target - within) + slip, 0.0)
        level = alone + rise * dose + rng.normal(0.0, 0.03)
        return rounded(np.maximum(level, 0.0), 0.05), rounded(dose, 10.0)

    def locker_number_and_time_filled(rng: Rows) -> Pair:
        courier = rng.sources(1, 6)
        last = rng.plain.integers(40, 140)
        weight = rng.plain.gamma(rng.between(0.8, 3.0), 1.0, last)
        weight = weight * np.linspace(rng.between(1, 3), 1.0, last)
        number = 1.0 + rng.choice(last, p=weight / weight.sum())
        morning = rng.some(0.45, 0.85)
        round_ = np.where(morning, courier.between(520.0, 680.0), courier.between(840.0, 1000.0))
        return number, rounded(np.clip(round_ + rng.gamma(2.0, 22.0), 360.0, 1320.0), 5.0)

    def clear_root_and_pulp_width_of_teeth(rng: Rows) -> Pair:
        tooth = rng.sources(2, 6)
        age = 18.0 + 67.0 * rng.beta(rng.between(1.2, 2.5), rng.between(1.5, 2.5))
        clear = tooth.between(0.06, 0.12) * (age - 16.0) ** rng.between(0.95, 1.12)
        clear = clear * rng.factors(0.12, 0.3) + rng.normal(0.0, 0.25)
        pulp = tooth.between(1.8, 2.8) * np.exp(-rng.between(0.012, 0.02) * (age - 18.0))
        pulp = pulp * rng.factors(0.1, 0.22)
        return rounded(np.maximum(clear, 0.0), 0.1), rounded(pulp, 0.05)

    def temperature_and_salinity_of_mixed_water(rng: Rows) -> Pair:
        cruise = rng.sources(1, 6)
        parts = rng.dirichlet(rng.plain.uniform(0.5, 2.0, 3) * [1.0, 1.0, rng.between(0.1, 1)])
        warm = np.array([rng.between(13.0, 20.0), rng.between(2.0, 4.5), rng.between(5.0, 10.0)])
        salt = np.array([rng.between(35.6, 36.6), rng.between(34.7, 35.0), rng.between(34.2, 35.8)])
        t = parts @ warm + cruise.between(-0.8, 0.8) + rng.errors(0.4, 1.2)
        s = parts @ salt + cruise.between(-0.1, 0.1) + rng.errors(0.06, 0.15)
        return rounded(t, 0.01), rounded(s, 0.01)

    def fabric_weight_and_warp_breaks_across_looms(rng: Rows) -> Pair:
        loom = rng.sources(4, 14)
        yarn = loom.normal(0.0, 1.0)
        tilt = rng.between(0.15, 0.35) * rng.plain.choice([-1.0, 1.0])
        weight = rng.between(130.0, 220.0) * np.exp(rng.between(0.12, 0.25) * yarn)
        weight = weight * rng.factors(0.05, 0.1)
        often = rng.between(8.0, 20.0) * np.exp(tilt * yarn + loom.normal(0.0, 0.15))
        return rounded(weight, 1.0), rng.counted(often, 6.0, 20.0)

    def first_sprint_and_improvement(rng: Rows) -> Pair:
        club = rng.sources(2, 10)
        form = club.between(12.2, 14.0) + rng.gamma(3.0, rng.between(0.15, 0.35))
        first = form + rng.gamma(2.0, rng.between(0.1, 0.25))
        second = form - club.between(0.0, 0.35) + rng.gamma(2.0, rng.between(0.1, 0.25))
        first = rounded(first, 0.01)
        return first, rounded(first - rounded(second, 0.01), 0.01)

    def repair_and_injury_cost_of_entered_crashes(rng: Rows) -> Pair:
        many = 4 * rng.n
        force = rng.errors(0.4, 0.8, many)
        region = rng.sources(2, 8, n=many)
        repair = rng.between(1800.0, 3500.0) * region.between(0.8, 1.3) * np.exp(0.7 * force)
        repair = repair * rng.factors(0.3, 0.6, many)
        injury = rng.between(900.0, 2500.0) * np.exp(rng.between(0.8, 1.3) * force)
        injury = injury * rng.factors(0.5, 0.9, many)
        total = repair + injury
        entered = np.flatnonzero(total >= np.quantile(total, rng.between(0.3, 0.7)))
        kept = rng.plain.permutation(entered)[: rng.n]
        return rounded(repair[kept], 10.0), rounded(injury[kept], 10.0)
