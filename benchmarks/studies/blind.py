"""Pairs of many sciences and trades, written by someone who did not know the library's models.

Of those in `BLIND_DIRECT` x is the cause; of those in `BLIND_NEITHER` nothing tells a direction, or
there is none. No limit of the library was chosen on them: they only report.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.signal import lfilter
from scipy.special import expit, ndtr

from benchmarks.studies.unforeseen import Drawn, Family


def qpcr(rng: Generator, n: int) -> Drawn:
    """Molecular biology: log10 copies of dilution series -> cycle, 40 = nothing amplified."""
    plates = n // 24 + 1
    stock = np.repeat(rng.normal(6.0, 0.4, plates), 24)[:n]
    logc = stock - rng.integers(0, 8, n)
    copies = rng.poisson(10**logc * rng.lognormal(0, 0.1, n))
    cycle = 37.5 - 3.4 * np.log10(np.maximum(copies, 1)) + rng.normal(0, 0.25, n)
    return logc, np.round(np.where(copies > 0, np.minimum(cycle, 40), 40.0), 2)


def resonance(rng: Generator, n: int) -> Drawn:
    """Vibration test bench: drive frequency (coarse and fine sweeps, Hz) -> amplitude (mm)."""
    f0, q = rng.uniform(80, 140), rng.uniform(5, 20)
    coarse, fine = rng.uniform(20, 250, n), rng.normal(f0, 1.5 * f0 / q, n)
    f = np.round(np.where(rng.random(n) < 0.6, coarse, np.clip(fine, 20, 250)), 1)
    r = f / f0
    gain = 0.2 / np.sqrt((1 - r**2) ** 2 + (r / q) ** 2)
    return f, gain * rng.lognormal(0, 0.08, n) + np.abs(rng.normal(0, 0.02, n))


def elisa(rng: Generator, n: int) -> Drawn:
    """Immunoassay: concentration (pg/mL) -> optical density, gain by plate, reader ends at 4."""
    plates = n // 80 + 1
    gain = np.repeat(rng.lognormal(0, 0.15, plates), 80)[:n]
    conc = rng.lognormal(np.log(120), 1.3, n)
    od = 0.06 + gain * 3.8 / (1 + (200 / conc) ** 1.2) * rng.lognormal(0, 0.07, n)
    return conc, np.round(np.minimum(od, 4.0), 3)


def absences(rng: Generator, n: int) -> Drawn:
    """Education: classes missed in the term -> exam mark 0 to 100 (weak)."""
    missed = rng.negative_binomial(1.2, 0.18, n).astype(float)
    mark = 68 - 2.4 * missed**0.8 + rng.normal(0, 13, n)
    return missed, np.round(np.clip(mark, 0, 100))


def postage(rng: Generator, n: int) -> Drawn:
    """Mail order: weight of the parcel (kg) -> postage by weight tier, zone not in the table."""
    kg = np.round(np.clip(rng.lognormal(np.log(1.8), 1.0, n), 0.05, 31.5), 2)
    tier = np.searchsorted([0.5, 1, 2, 5, 10, 20], kg)
    price = np.array([3.9, 4.9, 5.9, 7.5, 10.5, 16.5, 23.0])[tier]
    zone = rng.choice([1.0, 1.4, 2.1], n, p=[0.7, 0.2, 0.1])
    return kg, np.round(price * zone + 4.0 * (rng.random(n) < 0.08), 2)


def server_load(rng: Generator, n: int) -> Drawn:
    """Web logs: requests per second -> median latency (ms), queueing near capacity."""
    rho = np.minimum(rng.beta(2.5, 2.0, n), 0.97)
    return np.round(450 * rho, 1), 3 + 18 / (1 - rho) * rng.gamma(8, 1 / 8, n)


def outbreak(rng: Generator, n: int) -> Drawn:
    """Epidemiology: vaccinated share of a district -> cases per 10,000 after measles arrives."""
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


def goal_difference(rng: Generator, n: int) -> Drawn:
    """Sports: rating gap before the match -> goals of home minus away (weak)."""
    gap = rng.normal(0, 190, n)
    home, away = 1.5 * 10 ** (gap / 900), 1.15 * 10 ** (-gap / 900)
    return np.round(gap), (rng.poisson(home) - rng.poisson(away)).astype(float)


def station_altitude(rng: Generator, n: int) -> Drawn:
    """Climate: altitude of a station (m) -> winter temperature, cold pools in the valleys."""
    alt = rng.gamma(1.5, 450, n)
    pool = rng.random(n) < 0.4 * expit((400 - alt) / 100)
    temp = 4 - 6.3e-3 * alt + rng.normal(0, 1.3, n) - pool * rng.gamma(2, 2.0, n)
    return np.round(alt), np.round(temp, 1)


def hearing(rng: Generator, n: int) -> Drawn:
    """Medicine: age (years) -> hearing threshold at 4 kHz in steps of 5 dB."""
    age = np.round(18 + 72 * rng.beta(1.3, 1.8, n))
    loss = 0.011 * (age - 18) ** 2 * rng.gamma(3.5, 1 / 3.5, n) + rng.normal(4, 5, n)
    return age, 5 * np.round(np.clip(loss, -10, 110) / 5)


def birth_weight(rng: Generator, n: int) -> Drawn:
    """Obstetrics: weeks of gestation (early births are the tail) -> birth weight (g)."""
    early = rng.random(n) < 0.12
    weeks = np.where(early, 37 - rng.gamma(1.3, 2.2, n), rng.normal(39.6, 1.2, n))
    weeks = np.floor(7 * np.clip(weeks, 24, 42)) / 7
    grams = np.exp(8.2 - 0.0064 * (42 - weeks) ** 2) * rng.lognormal(0, 0.12, n)
    return weeks, 10 * np.round(grams / 10)


def advertising(rng: Generator, n: int) -> Drawn:
    """Marketing: weekly spend in bursts (k$) -> sales of the week, with carry-over."""
    on = np.repeat(rng.random(n // 4 + 1) < 0.45, 4)[:n]
    spend = np.where(on, rng.gamma(2.5, 12.0, n), rng.gamma(0.5, 2.0, n))
    stock = lfilter([1.0], [1.0, -0.45], spend)
    sales = 200 + 160 * stock / (stock + 40) + 14 * rng.standard_t(5, n)
    return np.round(spend, 1), np.round(sales)


def runoff(rng: Generator, n: int) -> Drawn:
    """Hydrology: rain of an event (0.2 mm tips) -> runoff (mm), soil moisture not known."""
    rain = 0.2 * np.ceil(5 * rng.gamma(0.9, 22.0, n) + 1e-9)
    store = 25400 / np.clip(rng.normal(80, 7, n), 55, 97) - 254
    excess = np.maximum(rain - 0.2 * store, 0)
    return rain, np.round(excess**2 / (excess + store), 1)


def turbine(rng: Generator, n: int) -> Drawn:
    """Wind farms: wind speed (m/s) -> power (kW), cut-in, rated, cut-out, curtailed rows."""
    wind = np.round(8.5 * rng.weibull(2.0, n), 1)
    felt = wind * rng.normal(1, 0.05, n)
    power = 2000 * np.clip((felt**3 - 27) / (12**3 - 27), 0, 1) * (wind < 25)
    cap = np.where(rng.random(n) < 0.05, rng.choice([0.0, 1000.0], n), np.inf)
    return wind, np.minimum(power, cap) + rng.normal(0, 8, n)


def stopping(rng: Generator, n: int) -> Drawn:
    """Traffic safety: speed at the alarm (km/h) -> stopping distance (m), dry or wet road."""
    limit = rng.choice([30, 50, 80, 100], n, p=[0.25, 0.4, 0.2, 0.15])
    v = np.round(limit * rng.normal(0.97, 0.13, n), 1) / 3.6
    grip = np.where(rng.random(n) < 0.3, 0.45, 0.75) * rng.lognormal(0, 0.08, n)
    return 3.6 * v, v * rng.lognormal(0.1, 0.3, n) + v**2 / (2 * 9.81 * grip)


def sleep_loss(rng: Generator, n: int) -> Drawn:
    """Psychology: hours awake -> reaction time (ms), longer tail and lapses when tired."""
    late = rng.random(n) < 0.35
    hours = np.round(2 * np.where(late, rng.uniform(16, 38, n), rng.uniform(1, 16, n))) / 2
    tired = np.logaddexp(0, (hours - 16) / 3)
    rt = rng.normal(215 + 4 * tired, 25) + rng.exponential(30 + 16 * tired)
    lapse = rng.random(n) < 0.02 + 0.02 * tired
    return hours, np.round(rt + lapse * rng.gamma(2, 150, n))


def option_price(rng: Generator, n: int) -> Drawn:
    """Finance: price of the share ($) -> quoted call at strike 100, term and volatility unseen."""
    share = np.round(rng.lognormal(np.log(99), 0.12, n), 2)
    sd = rng.lognormal(np.log(0.25), 0.25, n) * np.sqrt(rng.uniform(10, 90, n) / 365)
    d = np.log(share / 100) / sd + sd / 2
    call = share * ndtr(d) - 100 * ndtr(d - sd)
    return share, 0.05 * np.round(call * rng.lognormal(0, 0.03, n) / 0.05)


def settling(rng: Generator, n: int) -> Drawn:
    """Sedimentology: grain diameter (mm, silt and sand) -> settling velocity (mm/s)."""
    silt = rng.random(n) < 0.4
    mm = np.where(silt, rng.lognormal(np.log(0.03), 0.5, n), rng.lognormal(np.log(0.4), 0.6, n))
    d, shape, nu = mm / 1000, rng.uniform(0.4, 1.2, n), 1e-6 * rng.uniform(0.9, 1.5, n)
    w = 16.2 * d**2 / (18 * nu + np.sqrt(0.75 * shape * 16.2 * d**3))
    return mm, 1000 * w * rng.lognormal(0, 0.06, n)


def titration(rng: Generator, n: int) -> Drawn:
    """Chemistry: volume of base added (mL, small steps near the end) -> pH of a weak acid."""
    near = rng.random(n) < 0.4
    ml = np.where(near, rng.normal(25, 1.5, n), rng.uniform(0.5, 45, n))
    ml = 0.05 * np.round(ml / 0.05)
    ph = np.linspace(2.5, 12.9, 600)
    h = 10.0**-ph
    net = h - 1e-14 / h
    volume = 25 * (0.1 * 1.8e-5 / (1.8e-5 + h) - net) / (0.1 + net)
    added = ml + rng.normal(0, 0.15, n)
    return ml, np.round(np.interp(added, volume, ph) + rng.normal(0, 0.06, n), 2)


def power_demand(rng: Generator, n: int) -> Drawn:
    """Energy: daily mean temperature (C) -> demand (GW), heating and cooling, weekends low."""
    day = rng.integers(0, 365) + np.arange(n)
    weather = lfilter([1.0], [1.0, -0.75], rng.normal(0, 2.5, n))
    temp = 14 - 11 * np.cos(2 * np.pi * day / 365) + weather
    need = 48 + 1.0 * np.maximum(15 - temp, 0) + 1.7 * np.maximum(temp - 21, 0)
    return np.round(temp, 1), need - 6 * (day % 7 > 4) + rng.normal(0, 1.6, n)


def shelf_price(rng: Generator, n: int) -> Drawn:
    """Retail: shelf price at .49 and .99 -> units sold in the week, appeal not in the table."""
    price = np.ceil(2 * rng.lognormal(np.log(5), 0.6, n)) / 2 - 0.01
    mean = 60 * (price / 5) ** -1.5 * rng.lognormal(0, 0.6, n)
    return price, rng.poisson(mean).astype(float)


def sunflecks(rng: Generator, n: int) -> Drawn:
    """Ecology: light on a leaf (shade, fleck; umol/m2/s) -> carbon uptake, with inhibition."""
    fleck = rng.random(n) < 0.35
    bright = np.clip(rng.normal(1200, 350, n), 200, 2100)
    light = np.where(fleck, bright, rng.lognormal(np.log(70), 0.7, n))
    top = rng.lognormal(np.log(14), 0.18, n)
    uptake = top * (1 - np.exp(-0.055 * light / top)) * np.exp(-0.005 * light / top)
    return np.round(light), uptake - 0.8 + rng.normal(0, 0.4, n)


def flux_limited(rng: Generator, n: int) -> Drawn:
    """Astronomy: distance and log luminosity, unrelated, only bright enough objects listed."""
    dist = 200 * rng.random(20 * n) ** (1 / 3)
    lum = rng.normal(10, 0.6, 20 * n)
    seen = np.flatnonzero(lum - 2 * np.log10(dist) > 6.0)[:n]
    return dist[seen], lum[seen]


def thin_lens(rng: Generator, n: int) -> Drawn:
    """Physics class: distances of object and image (cm) read at the bench, a symmetric law."""
    t = rng.normal(0, 0.8, n)
    noise = rng.normal(0, 0.04, (2, n))
    focus = 20 * rng.lognormal(0, 0.02, n)
    x, y = focus * (1 + np.exp(t + noise[0])), focus * (1 + np.exp(-t + noise[1]))
    return np.round(x, 1), np.round(y, 1)


def sequencing_depth(rng: Generator, n: int) -> Drawn:
    """Genomics: raw counts of two unrelated genes, both scaled by the depth of the cell."""
    depth = rng.lognormal(0, 0.8, n)
    x = rng.poisson(12 * depth * rng.gamma(4, 0.25, n))
    y = rng.poisson(5 * depth * rng.gamma(4, 0.25, n))
    return x.astype(float), y.astype(float)


def two_eyes(rng: Generator, n: int) -> Drawn:
    """Optometry: refraction of left and right eye (quarter dioptres), one person behind both."""
    person = 0.6 + rng.normal(0, 0.5, n) - (rng.random(n) < 0.45) * rng.gamma(2, 1.5, n)
    x, y = person + rng.normal(0, 0.45, (2, n))
    return np.round(4 * x) / 4, np.round(4 * y) / 4


def low_and_high(rng: Generator, n: int) -> Drawn:
    """Finance: lowest and highest price of the day against the opening (%), one path gives both."""
    vol = rng.lognormal(np.log(1.2), 0.4, (n, 1))
    path = np.cumsum(vol * rng.normal(0, 1 / np.sqrt(40), (n, 40)), axis=1)
    low, high = np.minimum(path.min(1), 0), np.maximum(path.max(1), 0)
    return np.round(low, 2), np.round(high, 2)


def channel_bleed(rng: Generator, n: int) -> Drawn:
    """Flow cytometry: two unrelated markers, each dye also seen in the other channel."""
    a, b = rng.lognormal(np.log(200), 0.9, (2, n))
    noise = rng.normal(0, 12, (2, n))
    return a + 0.25 * b + noise[0], b + 0.25 * a + noise[1]


def successive_changes(rng: Generator, n: int) -> Drawn:
    """Public statistics: change to this year and change to next year, levels being pure noise."""
    level = rng.gamma(3, 10, (3, n))
    return np.round(level[1] - level[0], 1), np.round(level[2] - level[1], 1)


def ice_and_sunburn(rng: Generator, n: int) -> Drawn:
    """Public health: ice creams sold and sunburns treated in a day, both made by the weather."""
    warm = rng.normal(20, 6, n)
    x = rng.poisson(12 * np.exp(0.09 * warm) * rng.gamma(12, 1 / 12, n))
    y = rng.poisson(45 * expit((warm - 26) / 3) * rng.gamma(8, 1 / 8, n))
    return x.astype(float), y.astype(float)


def rolling_returns(rng: Generator, n: int) -> Drawn:
    """Investment: returns over rolling 24 months of two unrelated funds (%)."""
    monthly = rng.standard_t(4, (2, n + 23))
    x, y = (np.convolve(m, np.ones(24), "valid") for m in monthly)
    return 8 + 2.0 * x, 10 + 3.0 * y


def common_drift(rng: Generator, n: int) -> Drawn:
    """Laboratory: two unrelated analytes from one instrument that drifts until recalibrated."""
    step = np.arange(n) % 50
    drift = np.exp(-0.02 * step * np.repeat(rng.gamma(4, 0.25, n // 50 + 1), 50)[:n])
    x, y = rng.gamma(12, 0.5, n) * drift, rng.lognormal(np.log(80), 0.25, n) * drift
    return np.round(x, 2), np.round(y, 1)


BLIND_DIRECT: dict[str, Family] = {
    "dilution series and PCR cycle": qpcr,
    "drive frequency and resonance": resonance,
    "concentration and ELISA by plate": elisa,
    "absences and exam mark": absences,
    "parcel weight and postage tier": postage,
    "server load and latency": server_load,
    "vaccine cover and outbreak": outbreak,
    "rating gap and goal difference": goal_difference,
    "station altitude and winter cold": station_altitude,
    "age and hearing threshold": hearing,
    "gestation and birth weight": birth_weight,
    "advertising with carry-over": advertising,
    "rain and runoff": runoff,
    "wind speed and turbine power": turbine,
    "speed and stopping distance": stopping,
    "hours awake and reaction time": sleep_loss,
    "share price and call option": option_price,
    "grain size and settling velocity": settling,
    "titrant volume and pH": titration,
    "temperature and power demand": power_demand,
    "shelf price and units sold": shelf_price,
    "sunflecks and photosynthesis": sunflecks,
}

BLIND_NEITHER: dict[str, Family] = {
    "distance and luminosity, flux limited": flux_limited,
    "object and image of a thin lens": thin_lens,
    "two genes and sequencing depth": sequencing_depth,
    "left and right eye": two_eyes,
    "low and high of the day": low_and_high,
    "dyes bleeding into channels": channel_bleed,
    "successive changes of noise": successive_changes,
    "ice cream and sunburn": ice_and_sunburn,
    "rolling returns of unrelated funds": rolling_returns,
    "two analytes under one drift": common_drift,
}
