"""More pairs of sciences and trades, by someone else who did not know the library's models.

Written and decided after everything that the first ones of `benchmarks.studies.blind` taught. Of
those in `AGAIN_DIRECT` x is the cause; of those in `AGAIN_NEITHER` no direction is right.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.studies.unforeseen import Drawn, Family


def pendulum(rng: Generator, n: int) -> Drawn:
    """School physics: string length (cm) -> time of ten swings (s), hand-held stopwatch."""
    length = np.round(rng.uniform(15.0, rng.uniform(90.0, 150.0), n), 1)
    offset = rng.uniform(0.5, 2.0)  # bob radius, left out of the measured length
    time = 20.0 * np.pi * np.sqrt((length + offset) / 981.0)
    time = time + rng.normal(0.0, rng.uniform(0.1, 0.3), n)
    return length, np.round(time, 2)


def nitrogen_wheat(rng: Generator, n: int) -> Drawn:
    """Agronomy: nitrogen plot dose (kg/ha, trial levels) -> grain yield (t/ha), several farms."""
    dose = rng.choice(np.array([0.0, 40.0, 80.0, 120.0, 160.0, 200.0, 240.0]), n)
    sites = int(rng.integers(2, 7))
    farm = rng.integers(0, sites, n)
    base = rng.normal(4.0, 0.8, sites)[farm]
    gain = rng.uniform(2.5, 5.0, sites)[farm]
    top = rng.uniform(150.0, 210.0, sites)[farm]
    part = np.minimum(dose / top, 1.0)
    crop = base + gain * (2.0 * part - part**2) + rng.normal(0.0, rng.uniform(0.3, 0.6), n)
    return dose, np.round(np.maximum(crop, 0.3), 2)


def cafe_tempo(rng: Generator, n: int) -> Drawn:
    """Hospitality: tempo of assigned music (bpm) -> stay of a table (min), weak and skewed."""
    tempo = np.round(rng.uniform(60.0, 140.0, n))
    slope = rng.uniform(0.1, 0.3)
    middle = rng.uniform(35.0, 60.0) * np.exp(-slope * (tempo - 100.0) / 40.0)
    stay = middle * rng.lognormal(0.0, rng.uniform(0.3, 0.45), n)
    return tempo, np.round(np.maximum(stay, 4.0))


def fret_pitch(rng: Generator, n: int) -> Drawn:
    """Music: fret pressed (0 to 19) -> pitch (Hz), read off a clip-on tuner, one string."""
    fret = np.minimum(rng.geometric(rng.uniform(0.1, 0.2), n) - 1, 19).astype(float)
    opened = rng.choice(np.array([82.41, 110.0, 146.83, 196.0, 246.94, 329.63]))
    stretch = rng.uniform(0.0, 1.2)  # cents sharp a fret, from a poorly set saddle
    cents = fret * (100.0 + stretch) + rng.normal(0.0, rng.uniform(4.0, 9.0), n)
    return fret, np.round(opened * 2.0 ** (cents / 1200.0), 1)


def dive_air(rng: Generator, n: int) -> Drawn:
    """Scuba: mean depth of a dive leg (m) -> air drawn from the tank (L/min at the surface)."""
    depth = np.round(np.clip(rng.gamma(4.0, rng.uniform(3.0, 5.0), n), 2.0, 42.0), 1)
    breathing = rng.uniform(14.0, 19.0) * rng.lognormal(0.0, rng.uniform(0.1, 0.22), n)
    minutes = rng.integers(8, 21, n)
    bars = np.round(breathing * (1.0 + depth / 10.0) * minutes / 12.0 / 5.0) * 5.0
    return depth, np.round(bars * 12.0 / minutes, 1)


def river_season(rng: Generator, n: int) -> Drawn:
    """Hydrology: day of the year (1 to 365) -> river temperature (C), periodic, not below 0."""
    day = rng.integers(1, 366, n).astype(float)
    peak = rng.uniform(195.0, 220.0)
    season = rng.uniform(7.0, 10.0) * np.cos(2.0 * np.pi * (day - peak) / 365.0)
    water = rng.uniform(8.0, 12.0) + season + rng.normal(0.0, rng.uniform(1.0, 2.0), n)
    return day, np.round(np.maximum(water, 0.0), 1)


def soil_valve(rng: Generator, n: int) -> Drawn:
    """Irrigation: tension read at dawn (kPa) -> valve opened that morning (0/1), threshold."""
    tension = rng.gamma(rng.uniform(2.5, 5.0), rng.uniform(8.0, 14.0), n)
    tension = np.round(np.clip(tension, 1.0, 85.0))
    beds = int(rng.integers(1, 5))
    limit = (np.quantile(tension, rng.uniform(0.4, 0.75)) + rng.normal(0.0, 4.0, beds))[
        rng.integers(0, beds, n)
    ]
    chance = 1.0 / (1.0 + np.exp(-(tension - limit) / rng.uniform(0.8, 4.0)))
    return tension, (rng.random(n) < chance).astype(float)


def mite_dose(rng: Generator, n: int) -> Drawn:
    """Entomology: acaricide dose (mg/L, twofold series) -> dead mites of 20 on a leaf disc."""
    dose = rng.uniform(0.4, 0.8) * 2.0 ** rng.integers(0, 8, n)
    half = rng.uniform(4.0, 15.0)
    logit = rng.uniform(1.2, 2.5) * np.log(dose / half) + rng.normal(0.0, 0.4, n)
    natural = rng.uniform(0.01, 0.08)
    chance = natural + (1.0 - natural) / (1.0 + np.exp(-logit))
    return np.round(dose, 2), rng.binomial(20, chance).astype(float)


def library_reminder(rng: Generator, n: int) -> Drawn:
    """Library: reminder text sent, by lot (0/1) -> days a loan came back late, many zeros."""
    sent = (rng.random(n) < rng.choice(np.array([0.3, 0.5, 0.5, 0.6]))).astype(float)
    sent[:2] = 0.0, 1.0
    late = rng.random(n) < rng.uniform(0.45, 0.65) - rng.uniform(0.1, 0.25) * sent
    days = np.ceil(rng.lognormal(1.6, 0.9, n) * np.exp(-rng.uniform(0.0, 0.4) * sent))
    return sent, np.where(late, np.minimum(days, 90.0), 0.0)


def tills_wait(rng: Generator, n: int) -> Drawn:
    """Shop floor: tills open under a fixed rota (2 to 8) -> mean wait in the hour (min)."""
    tills = rng.integers(2, 9, n).astype(float)
    load = rng.uniform(1.0, 1.6) * rng.lognormal(0.0, 0.15, n)  # tills' worth of customers
    wait = rng.uniform(1.0, 2.0) * load / np.maximum(tills - load, 0.25)
    wait = wait * rng.lognormal(0.0, rng.uniform(0.15, 0.35), n)
    return tills, np.round(wait, 1)


def laser_depth(rng: Generator, n: int) -> Drawn:
    """Workshop: laser power set (%) -> depth of cut in plywood (mm), two cutters, sheet 6 mm."""
    power = np.round(rng.uniform(5.0, 100.0, n))
    tired = rng.random(n) < rng.uniform(0.2, 0.6)
    watts = np.where(tired, rng.uniform(25.0, 34.0), rng.uniform(38.0, 50.0)) * power / 100.0
    depth = rng.uniform(0.14, 0.22) * np.maximum(watts - rng.uniform(2.0, 6.0), 0.0)
    depth = depth * rng.lognormal(0.0, 0.08, n) + np.abs(rng.normal(0.0, 0.05, n))
    return power, np.round(np.minimum(depth, 6.0) / 0.05) * 0.05


def furnace_oxide(rng: Generator, n: int) -> Drawn:
    """Semiconductors: furnace temperature (C) -> oxide grown in fixed time (nm), Arrhenius."""
    celsius = rng.normal(rng.uniform(950.0, 1030.0), rng.uniform(25.0, 50.0), n)
    kelvin = celsius + 273.15
    energy = rng.uniform(1.1, 1.4)
    growth = np.exp(-energy / 8.617e-5 * (1.0 / kelvin - 1.0 / 1273.15))
    thick = rng.uniform(40.0, 90.0) * growth * rng.lognormal(0.0, rng.uniform(0.03, 0.12), n)
    return np.round(celsius, 1), np.round(thick + rng.normal(0.0, 0.5, n), 1)


def wage_tax(rng: Generator, n: int) -> Drawn:
    """Payroll: gross yearly wage (EUR) -> tax withheld (EUR), brackets, some at zero."""
    wage = np.round(rng.lognormal(np.log(rng.uniform(22e3, 36e3)), rng.uniform(0.4, 0.7), n))
    deducted = np.round(rng.gamma(1.5, rng.uniform(500.0, 1500.0), n))
    taxed = np.maximum(wage - deducted - rng.uniform(9e3, 13e3), 0.0)
    edges = np.array([0.0, 16e3, 38e3, 90e3])
    steps = np.array([0.2, 0.12, 0.08, 0.05])
    tax = (np.maximum(taxed[:, None] - edges, 0.0) * steps).sum(axis=1)
    return wage, np.round(tax)


def geiger_distance(rng: Generator, n: int) -> Drawn:
    """Physics lab: distance to a source (cm) -> counts in a minute, background, dead time."""
    distance = np.round(rng.uniform(3.0, rng.uniform(30.0, 60.0), n) * 2.0) / 2.0
    strength = rng.uniform(4e4, 3e5)
    rate = strength / (distance + rng.uniform(0.5, 1.5)) ** 2 + rng.uniform(15.0, 35.0)
    seen = rate / (1.0 + rate * rng.uniform(1.5e-6, 4e-6))
    return distance, rng.poisson(seen).astype(float)


def hops_bitterness(rng: Generator, n: int) -> Drawn:
    """Home brewing: hop boil time (min) -> bitterness (IBU), levelling off."""
    usual = rng.choice(np.array([5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 75.0, 90.0]), n)
    minutes = np.maximum(usual + np.round(rng.normal(0.0, 1.0, n)), 1.0)
    alpha = rng.normal(1.0, rng.uniform(0.05, 0.15), n)  # harvest strength of the hops
    bitter = rng.uniform(30.0, 60.0) * alpha * (1.0 - np.exp(-0.04 * minutes))
    return minutes, np.round(np.maximum(bitter + rng.normal(0.0, 1.5, n), 1.0))


def concrete_strength(rng: Generator, n: int) -> Drawn:
    """Concrete: water-cement ratio -> 28-day cube strength (MPa), Abrams' law, three labs."""
    ratio = np.round(rng.triangular(0.32, rng.uniform(0.42, 0.55), 0.8, n), 2)
    lab = rng.normal(0.0, rng.uniform(0.01, 0.06), 3)[rng.integers(0, 3, n)]
    strength = rng.uniform(95.0, 125.0) / rng.uniform(6.0, 9.0) ** ratio * np.exp(lab)
    strength = strength + rng.normal(0.0, rng.uniform(1.5, 3.5), n)
    return ratio, np.round(np.maximum(strength, 3.0) * 2.0) / 2.0


def patch_comments(rng: Generator, n: int) -> Drawn:
    """Software office: lines changed in a patch -> review comments, overdispersed counts."""
    lines = np.ceil(rng.lognormal(rng.uniform(3.0, 4.0), rng.uniform(1.1, 1.6), n))
    lines = np.minimum(lines, 5000.0)
    mean = rng.uniform(0.25, 0.6) * lines ** rng.uniform(0.4, 0.65)
    shape = rng.uniform(0.8, 2.5)
    return lines, rng.poisson(mean * rng.gamma(shape, 1.0 / shape, n)).astype(float)


def ship_fuel(rng: Generator, n: int) -> Drawn:
    """Shipping: mean speed in the noon report (knots) -> fuel burnt (t/day), heavy weather."""
    service = rng.uniform(14.0, 17.0)
    speed = np.clip(rng.normal(service, rng.uniform(1.2, 2.2), n), 7.0, 21.0)
    hull = rng.uniform(0.007, 0.012) * speed ** rng.uniform(2.8, 3.4)
    weather = 1.0 + 0.06 * np.abs(rng.standard_t(4, n))
    fuel = rng.uniform(2.0, 4.0) + hull * weather + rng.normal(0.0, 0.8, n)
    return np.round(speed, 1), np.round(fuel, 1)


def egg_yolk(rng: Generator, n: int) -> Drawn:
    """Kitchen: minutes in boiling water -> firmness of the yolk (1 runny to 5 chalky)."""
    minutes = np.round(rng.uniform(3.0, 13.0, n) * 2.0) / 2.0
    size = rng.normal(0.0, rng.uniform(0.4, 1.0), n)  # bigger or colder eggs set later
    cuts = np.sort(rng.uniform(-0.4, 0.4, 4) + np.array([4.5, 6.0, 8.0, 10.5]))
    return minutes, 1.0 + (minutes[:, None] - size[:, None] > cuts).sum(axis=1)


def bearing_life(rng: Generator, n: int) -> Drawn:
    """Machine testing: bearing load (kN) -> hours to failure, Weibull, stopped at run-out."""
    load = rng.choice(np.array([4.0, 5.0, 6.0, 7.0, 8.0, 10.0]), n) + rng.normal(0.0, 0.05, n)
    hours = rng.uniform(1.5e5, 4e5) / load**3 * rng.weibull(rng.uniform(1.1, 2.0), n)
    runout = rng.choice(np.array([2000.0, 3000.0, 5000.0]))
    return np.round(load, 2), np.round(np.minimum(hours, runout))


def wood_moisture(rng: Generator, n: int) -> Drawn:
    """Joinery: air humidity in the store (%) -> moisture of the boards (%), S-shaped."""
    humid = np.round(100.0 * rng.beta(rng.uniform(3.0, 5.0), rng.uniform(2.0, 3.5), n))
    humid = np.clip(humid, 12.0, 97.0)
    active = 0.8 * humid / 100.0
    bound = 0.065 * 12.0 * active / ((1.0 - active) * (1.0 + 11.0 * active))
    moist = 100.0 * bound * rng.uniform(0.85, 1.1) + rng.normal(0.0, rng.uniform(0.4, 1.1), n)
    return humid, np.round(np.clip(moist, 4.0, 40.0) * 2.0) / 2.0  # pin meter starts at 4 %


def wind_waves(rng: Generator, n: int) -> Drawn:
    """Oceanography: mean wind at a buoy (m/s) -> significant wave height (m), swell beneath."""
    wind = np.round(rng.uniform(6.5, 9.5) * rng.weibull(2.0, n), 1)
    sea = rng.uniform(0.014, 0.02) * wind**2 * rng.lognormal(0.0, rng.uniform(0.15, 0.35), n)
    swell = rng.gamma(2.5, rng.uniform(0.15, 0.4), n)
    return wind, np.round(np.sqrt(sea**2 + swell**2), 1)


def two_thermometers(rng: Generator, n: int) -> Drawn:
    """Greenhouse: logger (0.1 C) and wall thermometer (whole C) read at the same moments."""
    truth = rng.normal(rng.uniform(18.0, 24.0), rng.uniform(3.0, 5.0), n)
    truth = truth + rng.exponential(rng.uniform(0.5, 3.0), n)
    logger = truth + rng.normal(0.0, 0.4, n)
    bias, gain = rng.normal(0.0, 0.8), rng.normal(1.0, 0.03)
    wall = bias + gain * truth + rng.normal(0.0, rng.uniform(0.5, 1.2), n)
    step = rng.choice(np.array([0.5, 1.0]))
    return np.round(logger, 1), np.round(wall / step) * step


def paper_in_waste(rng: Generator, n: int) -> Drawn:
    """Refuse survey: paper in a week's bin (kg) and the whole bin (kg), a part and its whole."""
    paper = rng.gamma(1.8, rng.uniform(0.6, 1.2), n)
    food = rng.lognormal(rng.uniform(0.7, 1.3), 0.5, n)
    rest = rng.gamma(2.5, rng.uniform(0.8, 1.6), n)
    return np.round(paper, 1), np.round(paper + food + rest, 1)


def audition(rng: Generator, n: int) -> Drawn:
    """Orchestra: jury marks for technique and expression (0 to 100) of those let through."""
    marks = rng.normal(60.0, rng.uniform(10.0, 14.0), (12 * n, 2))
    marks = np.clip(np.round(marks), 0.0, 100.0)
    weight = rng.uniform(0.4, 0.6)
    total = weight * marks[:, 0] + (1.0 - weight) * marks[:, 1] + rng.normal(0.0, 2.0, 12 * n)
    through = marks[rng.permutation(np.argsort(total)[-int(rng.integers(n, 4 * n)) :])[:n]]
    return through[:, 0], through[:, 1]


def fish_auction(rng: Generator, n: int) -> Drawn:
    """Fish hall: day's tonnes sold and price (EUR/kg), supply and demand settled together."""
    demand = rng.normal(0.0, rng.uniform(0.15, 0.35), n)
    supply = rng.normal(0.0, rng.uniform(0.15, 0.35), n)
    down, up = rng.uniform(0.6, 1.5), rng.uniform(0.5, 1.5)
    price = (demand - supply) / (down + up)
    sold = supply + up * price
    tonnes = np.round(rng.uniform(8.0, 30.0) * np.exp(sold), 1)
    return tonnes, np.round(rng.uniform(3.0, 8.0) * np.exp(price), 2)


def drifting_series(rng: Generator, n: int) -> Drawn:
    """Unrelated: a reservoir's level (m) and a currency's rate by day, both drift."""
    level = rng.uniform(40.0, 90.0) + np.cumsum(rng.normal(rng.normal(0.0, 0.01), 0.12, n))
    steps = 0.005 * rng.standard_t(4, n) + rng.normal(0.0, 0.0003)
    rate = rng.uniform(0.8, 1.5) * np.exp(np.cumsum(steps))
    return np.round(level, 2), np.round(rate, 4)


def tree_size(rng: Generator, n: int) -> Drawn:
    """Forestry: trunk diameter (cm) and tree height (m), both grown by age and ground."""
    age = rng.gamma(3.0, rng.uniform(10.0, 20.0), n) + 6.0
    ground = rng.normal(0.0, rng.uniform(0.08, 0.2), n)
    trunk = rng.uniform(0.45, 0.8) * age**0.95 * np.exp(ground + rng.normal(0.0, 0.15, n))
    tall = 1.3 + rng.uniform(22.0, 34.0) * (1.0 - np.exp(-age / rng.uniform(30.0, 50.0)))
    tall = tall * np.exp(ground + rng.normal(0.0, 0.08, n))
    return np.round(trunk, 1), np.round(tall * 2.0) / 2.0


def soil_fractions(rng: Generator, n: int) -> Drawn:
    """Soil science: sand and clay shares of a sample (%), which sum to 100 with the silt."""
    fields = int(rng.integers(1, 4))
    centre = rng.dirichlet(np.array([4.0, 3.0, 4.0]), fields) * rng.uniform(8.0, 25.0) + 0.5
    grains = rng.standard_gamma(centre[rng.integers(0, fields, n)])
    share = np.round(100.0 * grains / grains.sum(axis=1, keepdims=True))
    return share[:, 0], share[:, 1]


def couple_ages(rng: Generator, n: int) -> Drawn:
    """Registry office: ages of bride and groom (whole years), who chose each other."""
    again = rng.random(n) < rng.uniform(0.1, 0.35)  # second marriages
    shared = np.where(again, 32.0, 22.0) + rng.gamma(3.0, np.where(again, 4.5, 2.3), n)
    bride = shared - rng.uniform(0.5, 1.5) + rng.normal(0.0, 2.0, n)
    groom = shared + rng.uniform(0.5, 1.5) + rng.normal(0.0, 2.5, n) + rng.exponential(0.8, n)
    return np.floor(np.maximum(bride, 18.0)), np.floor(np.maximum(groom, 18.0))


def fire_engines(rng: Generator, n: int) -> Drawn:
    """Fire service: engines sent and damage (thousand EUR), both due to the size of the fire."""
    size = rng.lognormal(0.0, rng.uniform(0.6, 1.0), n)
    engines = 1.0 + rng.poisson(rng.uniform(0.8, 1.6) * size**0.7)
    damage = rng.uniform(8.0, 25.0) * size**1.2 * rng.lognormal(0.0, rng.uniform(0.5, 0.9), n)
    return np.minimum(engines, 15.0), np.round(damage, 1)


def hares_lynx(rng: Generator, n: int) -> Drawn:
    """Ecology: hare and lynx track counts of the same winter in many valleys, out of cycle."""
    phase = rng.uniform(0.0, 2.0 * np.pi, n)
    swing = rng.uniform(0.5, 1.0)
    lag = rng.uniform(0.8, 1.6)
    hares = rng.uniform(40.0, 90.0) * np.exp(swing * np.cos(phase) + rng.normal(0.0, 0.25, n))
    lynx = rng.uniform(6.0, 15.0) * np.exp(swing * np.cos(phase - lag))
    lynx = lynx * rng.lognormal(0.0, 0.25, n)
    return rng.poisson(hares).astype(float), rng.poisson(lynx).astype(float)


AGAIN_DIRECT: dict[str, Family] = {
    "pendulum length and swing time": pendulum,
    "nitrogen dose and wheat yield": nitrogen_wheat,
    "cafe music tempo and stay": cafe_tempo,
    "guitar fret and pitch": fret_pitch,
    "dive depth and air use": dive_air,
    "day of year and river temperature": river_season,
    "soil tension and valve": soil_valve,
    "acaricide dose and dead mites": mite_dose,
    "library reminder and days late": library_reminder,
    "tills open and wait": tills_wait,
    "laser power and cut depth": laser_depth,
    "furnace temperature and oxide": furnace_oxide,
    "wage and tax withheld": wage_tax,
    "source distance and Geiger counts": geiger_distance,
    "hop boil time and bitterness": hops_bitterness,
    "water-cement ratio and strength": concrete_strength,
    "patch lines and review comments": patch_comments,
    "ship speed and fuel": ship_fuel,
    "egg boiling time and yolk": egg_yolk,
    "bearing load and life": bearing_life,
    "air humidity and wood moisture": wood_moisture,
    "wind and wave height": wind_waves,
}

AGAIN_NEITHER: dict[str, Family] = {
    "two greenhouse thermometers": two_thermometers,
    "paper in the bin and whole bin": paper_in_waste,
    "audition marks of those let through": audition,
    "fish auction tonnes and price": fish_auction,
    "reservoir level and currency rate": drifting_series,
    "trunk diameter and tree height": tree_size,
    "sand and clay in soil": soil_fractions,
    "ages of bride and groom": couple_ages,
    "fire engines and damage": fire_engines,
    "hare and lynx tracks": hares_lynx,
}
