"""Pairs of sciences and trades, by a fourth author who did not know the library's models.

Of those in `FOURTH_DIRECT` x is the cause; of those in `FOURTH_NEITHER` no direction is right. Most
have several sources that nobody recorded.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.studies.sources import counted, factors, per_source, rounded, sources
from benchmarks.studies.unforeseen import Drawn, Family


def _digits(values: np.ndarray, digits: int) -> np.ndarray:
    """Round positive values to a number of significant digits."""
    scale = 10.0 ** (digits - 1 - np.floor(np.log10(values)))
    return np.round(np.round(values * scale) / scale, 9)


def irrigation_salinity(rng: Generator, n: int) -> Drawn:
    """Agriculture: salinity of irrigation water (dS/m, 0.1) and tomato yield (t/ha, 0.1).

    Above a threshold, salt takes a fixed share of the yield per dS/m; fields differ.
    """
    field = sources(rng, n, 3, 15)
    x = rounded(rng.gamma(rng.uniform(2.0, 4.0), rng.uniform(1.2, 2.0), n) + 0.3, 0.1)
    loss = per_source(rng, field, 0.08, 0.13) * np.maximum(
        x - per_source(rng, field, 1.5, 3.5), 0.0
    )
    y = per_source(rng, field, 65.0, 100.0) * np.maximum(1.0 - loss, 0.04)
    return x, rounded(np.maximum(y * factors(rng, n, 0.09, 0.16) + rng.normal(0, 3, n), 0.0), 0.1)


def seed_inoculation(rng: Generator, n: int) -> Drawn:
    """Agriculture: soybean seed inoculated (0 or 1) and root nodules per plant (count).

    The rhizobia put on the seed form the nodules; a few live in the soil anyway.
    """
    x = (rng.random(n) < rng.uniform(0.35, 0.65)).astype(float)
    mean = rng.uniform(2.0, 7.0) + x * rng.uniform(22.0, 45.0)
    y = counted(rng, mean, 4.0, 9.0)
    return x, y


def truck_load(rng: Generator, n: int) -> Drawn:
    """Logistics: load of a truck (t, 0.1) and fuel use of the trip (L/100 km, 0.1).

    More mass takes more fuel; trucks differ, some trips are empty, some loads entered as gross.
    """
    truck = sources(rng, n, 3, 20)
    load = 26.0 * rng.beta(rng.uniform(1.2, 2.5), rng.uniform(0.9, 1.8), n)
    load[rng.random(n) < rng.uniform(0.08, 0.2)] = 0.0
    y = per_source(rng, truck, 20.0, 26.0) + per_source(rng, truck, 0.4, 0.7) * load
    y = y * factors(rng, n, 0.03, 0.09)
    load = load + 14.0 * (rng.random(n) < 0.007)
    return rounded(load, 0.1), rounded(y, 0.1)


def payload_size(rng: Generator, n: int) -> Drawn:
    """Web servers: payload of a request (kB, 1) and response time (ms, 1).

    Time is overhead plus size over throughput; servers differ in both, some requests stall.
    """
    server = sources(rng, n, 2, 12)
    x = np.maximum(np.round(np.exp(rng.normal(rng.uniform(4.8, 6), rng.uniform(0.9, 1.3), n))), 1)
    y = per_source(rng, server, 15.0, 60.0) + x / per_source(rng, server, 2.0, 6.0)
    y = y * factors(rng, n, 0.2, 0.38)
    y = y + (rng.random(n) < 0.01) * rng.uniform(200.0, 600.0, n)
    return x, np.round(y)


def leaf_light(rng: Generator, n: int) -> Drawn:
    """Plant ecology: light on a leaf (umol/m2/s, 10) and net carbon uptake (umol/m2/s, 0.1).

    Photosynthesis saturates with light, minus respiration; plants differ in capacity.
    """
    plant = sources(rng, n, 4, 20)
    x = rounded(rng.uniform(1200, 2000) * rng.beta(rng.uniform(0.8, 1.3), 1.6, n), 10.0)
    top = per_source(rng, plant, 12.0, 22.0)
    y = top * (1.0 - np.exp(-per_source(rng, plant, 0.04, 0.065) * x / top)) - per_source(
        rng, plant, 0.8, 2
    )
    return x, rounded(y + rng.normal(0.0, rng.uniform(0.8, 2.2), n), 0.1)


def kidney_function(rng: Generator, n: int) -> Drawn:
    """Medicine: kidney filtration (mL/min, 1) and trough level of a fixed drug dose (mg/L, 0.1).

    The kidney clears the drug, so the level falls like one over filtration; below 3 reads 3.
    """
    x = np.round(12.0 + 115.0 * rng.beta(rng.uniform(1.8, 3.0), rng.uniform(1.8, 3.0), n))
    clearance = rng.uniform(4.0, 12.0) + rng.uniform(0.6, 0.9) * x
    y = rng.uniform(450.0, 800.0) / clearance * factors(rng, n, 0.18, 0.33)
    return x, rounded(np.maximum(y, 3.0), 0.1)


def wind_power(rng: Generator, n: int) -> Drawn:
    """Energy: wind speed at the hub (m/s, 0.1) and power of the turbine (kW, 1).

    Cubic between cut-in and rated speed, flat above; gusts and a few stops add noise.
    """
    wind = np.minimum(rng.uniform(6.5, 9.0) * rng.weibull(rng.uniform(1.8, 2.3), n), 24.0)
    rated, cut = rng.uniform(11.0, 13.0), rng.uniform(2.8, 3.6)
    felt = np.clip(wind + rng.normal(0.0, rng.uniform(0.8, 1.3), n), cut, rated)
    y = rng.uniform(1800, 3400) * (felt**3 - cut**3) / (rated**3 - cut**3)
    y = np.where(rng.random(n) < rng.uniform(0.0, 0.02), 0.0, y) + rng.normal(-8.0, 6.0, n)
    return rounded(wind, 0.1), np.round(y)


def grain_size(rng: Generator, n: int) -> Drawn:
    """Geology: effective grain size of sand (mm, 0.01) and permeability (m/day, 2 digits).

    Wider pores let water pass, about with the square of grain size; sites differ in packing.
    """
    site = sources(rng, n, 2, 10)
    x = np.exp(rng.normal(np.log(rng.uniform(0.2, 0.5)), rng.uniform(0.6, 0.85), n))
    x = np.clip(rounded(x, 0.01), 0.03, 4.0)
    y = per_source(rng, site, 350.0, 1000.0) * x ** per_source(rng, site, 1.7, 2.2)
    return x, _digits(y * factors(rng, n, 0.35, 0.7), 2)


def storage_heat(rng: Generator, n: int) -> Drawn:
    """Food chemistry: storage temperature (C, 0.5) and vitamin C after a month (mg/100 mL, 0.1).

    First-order decay whose rate doubles or triples per ten degrees; juice batches differ.
    """
    batch = sources(rng, n, 3, 12)
    x = rounded(rng.uniform(2.0, rng.uniform(34.0, 42.0), n), 0.5)
    rate = per_source(rng, batch, 0.006, 0.016) * rng.uniform(2.0, 2.8) ** ((x - 20.0) / 10.0)
    y = per_source(rng, batch, 42.0, 56.0) * np.exp(-30.0 * rate)
    return x, rounded(np.maximum(y + rng.normal(0.0, rng.uniform(2.5, 5.0), n), 0.0), 0.1)


def shelf_price(rng: Generator, n: int) -> Drawn:
    """Economics: price in a randomized test (USD, ends in 9) and packs sold per week (count).

    Demand falls as a power of price; shops differ in size, a few weeks are out of stock.
    """
    shop = sources(rng, n, 3, 16)
    x = rounded(rng.uniform(rng.uniform(1.4, 2.2), rng.uniform(4.2, 5.5), n), 0.1) - 0.01
    mean = rng.uniform(40.0, 90.0) * per_source(rng, shop, 0.7, 1.4)
    y = counted(rng, mean * (x / 2.5) ** -per_source(rng, shop, 1.6, 3.2), 6.0, 18.0)
    y[rng.random(n) < rng.uniform(0.0, 0.03)] = 0.0
    return np.round(x, 2), y


def outdoor_temperature(rng: Generator, n: int) -> Drawn:
    """Energy: outdoor daily mean temperature (C, 0.1) and home electricity use (kWh/day, 0.1).

    Heat pump use below about 15 C and cooling above about 22 C; homes differ.
    """
    home = sources(rng, n, 4, 20)
    x = rounded(rng.normal(rng.uniform(11.0, 18.0), rng.uniform(8.0, 10.0), n), 0.1)
    heat = per_source(rng, home, 0.9, 1.7) * np.maximum(per_source(rng, home, 14.0, 17.0) - x, 0.0)
    cool = per_source(rng, home, 0.8, 1.8) * np.maximum(x - per_source(rng, home, 20.0, 23.0), 0.0)
    y = (per_source(rng, home, 6.0, 11.0) + heat + cool) * factors(rng, n, 0.1, 0.24)
    return x, rounded(y, 0.1)


def vehicle_density(rng: Generator, n: int) -> Drawn:
    """Transport: vehicles per km of lane (1) and mean speed of the stretch (km/h, 1).

    Drivers slow down when gaps close: flat at first, then falling to a crawl.
    """
    x = np.round(3.0 + 110.0 * rng.beta(rng.uniform(0.9, 1.4), rng.uniform(1.8, 2.8), n))
    y = rng.uniform(90.0, 120.0) * np.exp(-0.5 * (x / rng.uniform(28.0, 42.0)) ** 2)
    y = y + rng.uniform(5.0, 9.0) + rng.normal(0.0, rng.uniform(8.0, 14.0), n)
    return x, np.round(np.maximum(y, rng.uniform(3.0, 6.0, n)))


def zenith_angle(rng: Generator, n: int) -> Drawn:
    """Astronomy: angle of a star from the zenith (degrees, 0.1) and its magnitude (0.01).

    A longer path through air dims the light; nights differ in clearness, few have thin cloud.
    """
    night = sources(rng, n, 4, 20)
    cosine = rng.uniform(np.cos(np.radians(rng.uniform(68.0, 76.0))), 1.0, n)
    x = rounded(np.degrees(np.arccos(cosine)), 0.1)
    y = rng.uniform(8.0, 12.0) + per_source(rng, night, 0.16, 0.4) / cosine
    y = y + rng.normal(0.0, 0.02, int(night.max()) + 1)[night]
    y = y + rng.normal(0.0, rng.uniform(0.03, 0.07), n)
    return x, rounded(y + (rng.random(n) < 0.01) * rng.uniform(0.1, 0.4, n), 0.01)


def trail_slope(rng: Generator, n: int) -> Drawn:
    """Sport: slope of a trail segment (percent, 1) and walking speed (km/h, 0.1).

    Speed peaks on a gentle descent and falls exponentially to both sides; walkers differ.
    """
    walker = sources(rng, n, 4, 20)
    x = np.round(rng.normal(rng.uniform(-3.0, 6.0), rng.uniform(12.0, 17.0), n))
    steep = np.abs(x / 100.0 + per_source(rng, walker, 0.03, 0.07))
    y = per_source(rng, walker, 5.2, 6.6) * np.exp(-per_source(rng, walker, 2.8, 4.0) * steep)
    return x, rounded(y * factors(rng, n, 0.07, 0.15), 0.1)


def drop_height(rng: Generator, n: int) -> Drawn:
    """Food logistics: drop height of an egg carton (cm, 5) and broken eggs out of 12 (count).

    Impact energy grows with height; a logistic share of the eggs breaks.
    """
    x = rounded(rng.uniform(10.0, rng.uniform(110.0, 140.0), n), 5.0)
    logit = (x - rng.uniform(50.0, 80.0)) / rng.uniform(12.0, 20.0)
    logit = logit + rng.normal(0.0, rng.uniform(0.5, 1.2), n)
    return x, rng.binomial(12, 1.0 / (1.0 + np.exp(-logit))).astype(float)


def bar_load(rng: Generator, n: int) -> Drawn:
    """Sport: assigned load on the bar (percent of maximum, 2.5) and repetitions done (count).

    A heavier bar ends the set earlier, about hyperbolic; athletes differ in endurance.
    """
    athlete = sources(rng, n, 4, 20)
    x = rounded(rng.uniform(rng.uniform(38.0, 50.0), 96.0, n), 2.5)
    y = per_source(rng, athlete, 24.0, 40.0) * (100.0 / x - 1.0) ** per_source(
        rng, athlete, 0.9, 1.1
    )
    return x, np.maximum(np.round(y * factors(rng, n, 0.16, 0.32)), 1.0)


def chili_amount(rng: Generator, n: int) -> Drawn:
    """Cooking: chili powder in a sauce (g/kg, 0.1) and rated hotness (0 to 10, 1).

    Perceived heat grows as a power below one of the amount; tasters use the scale differently.
    """
    taster = sources(rng, n, 4, 15)
    x = rounded(rng.uniform(0.0, rng.uniform(7.0, 12.0), n), 0.1)
    y = per_source(rng, taster, 1.7, 2.6) * x ** per_source(rng, taster, 0.5, 0.75)
    y = y + per_source(rng, taster, -0.3, 0.8) + rng.normal(0.0, rng.uniform(0.6, 1.3), n)
    return x, np.clip(np.round(y), 0.0, 10.0)


def text_length(rng: Generator, n: int) -> Drawn:
    """Schools: length of an assigned text (words, 1) and reading time (s, 5).

    More words take longer; pupils differ in words per minute and in time to settle.
    """
    pupil = sources(rng, n, 5, 20)
    x = np.round(np.exp(rng.normal(np.log(rng.uniform(180, 350)), rng.uniform(0.4, 0.65), n)))
    y = per_source(rng, pupil, 4.0, 20.0) + 60.0 * x / per_source(rng, pupil, 100.0, 200.0)
    return x, rounded(y * factors(rng, n, 0.1, 0.28), 5.0)


def home_and_clinic_pressure(rng: Generator, n: int) -> Drawn:
    """Medicine: systolic pressure at home (mmHg, 1) and in the clinic (mmHg, 2 or 5).

    Two measurements of the patient's usual pressure, each with its own error.
    """
    usual = rng.uniform(122.0, 132.0) + rng.gamma(3.0, rng.uniform(7.0, 10.0), n) - 20.0
    home = usual + rng.normal(0.0, rng.uniform(4.0, 8.0), n)
    clinic = rng.uniform(0.95, 1.1) * usual + rng.normal(3.0, rng.uniform(6.0, 12.0), n)
    slip = rng.random(n) < 0.004
    home = np.where(slip, home + rng.choice([-40.0, 50.0], n), home)
    return np.round(home), rounded(clinic, float(rng.choice([2.0, 5.0])))


def two_judges(rng: Generator, n: int) -> Drawn:
    """Sport: scores of two judges for one gymnastics routine (points, 0.05 each).

    Both see the same routine; events differ in level and judges in strictness, top is 10.
    """
    event = sources(rng, n, 2, 8)
    flaws = per_source(rng, event, 0.8, 2.0) * rng.gamma(rng.uniform(1.8, 3.5), 0.5, n)
    a = 10.0 - rng.uniform(0.8, 1.2) * flaws - per_source(rng, event, -0.1, 0.3)
    b = 10.0 - rng.uniform(0.8, 1.2) * flaws - per_source(rng, event, -0.1, 0.3)
    a = a + rng.normal(0.0, rng.uniform(0.15, 0.4), n)
    b = b + rng.normal(0.0, rng.uniform(0.15, 0.4), n)
    return rounded(np.clip(a, 0.0, 10.0), 0.05), rounded(np.clip(b, 0.0, 10.0), 0.05)


def zinc_and_lead(rng: Generator, n: int) -> Drawn:
    """Geochemistry: zinc and lead in stream sediment (mg/kg, 3 digits; lead below 10 reads 5).

    Both come from the same ore veins upstream; catchments differ in rock and mineralization.
    """
    basin = sources(rng, n, 3, 14)
    ore = rng.normal(0.0, 1.0, n) + rng.normal(0.0, 0.6, int(basin.max()) + 1)[basin]
    zinc = np.exp(per_source(rng, basin, 4.2, 4.9) + rng.uniform(0.5, 0.8) * ore)
    lead = np.exp(per_source(rng, basin, 3.0, 3.7) + rng.uniform(0.6, 1.0) * ore)
    zinc = zinc * factors(rng, n, 0.2, 0.4)
    lead = lead * factors(rng, n, 0.25, 0.5)
    return _digits(zinc, 3), np.where(lead < 10.0, 5.0, _digits(lead, 3))


def clay_and_sand(rng: Generator, n: int) -> Drawn:
    """Soil science: clay and sand in topsoil samples (percent by mass, 1 each).

    Parts of a whole: with silt they add to 100, and all follow from how the soil was laid down.
    """
    energy = rng.normal(0.0, rng.uniform(0.5, 0.9), n)
    clay = np.exp(rng.uniform(-0.6, 0.1) - 0.6 * energy + rng.normal(0, rng.uniform(0.2, 0.5), n))
    sand = np.exp(rng.uniform(-0.2, 0.8) + energy + rng.normal(0.0, rng.uniform(0.3, 0.6), n))
    whole = clay + sand + np.exp(rng.normal(0.0, rng.uniform(0.2, 0.4), n))
    return np.round(100.0 * clay / whole), np.round(100.0 * sand / whole)


def party_shares(rng: Generator, n: int) -> Drawn:
    """Politics: vote shares of two parties by precinct (percent, 0.1 each).

    Both are parts of one vote and both follow how urban the precinct is; regions differ.
    """
    region = sources(rng, n, 3, 12)
    urban = rng.normal(0.0, rng.uniform(0.6, 0.9), n)
    left = per_source(rng, region, -0.2, 0.6) + rng.uniform(0.3, 0.7) * urban
    right = per_source(rng, region, -0.1, 0.7) - rng.uniform(0.3, 0.7) * urban
    logits = np.stack([left, right, np.zeros(n)]) + rng.normal(0, rng.uniform(0.1, 0.3), (3, n))
    share = np.exp(logits) / np.exp(logits).sum(axis=0)
    votes = rng.multinomial(rng.integers(250, 1400, n), share.T)
    percent = rounded(100.0 * votes / votes.sum(axis=1, keepdims=True), 0.1)
    return percent[:, 0], percent[:, 1]


def bakeries_and_hairdressers(rng: Generator, n: int) -> Drawn:
    """Regional economics: bakeries and hairdressers in a town (counts).

    Both follow the number of inhabitants, which is not in the file.
    """
    people = np.exp(rng.normal(np.log(rng.uniform(9.0, 20.0)), rng.uniform(0.6, 1.0), n))
    bakeries = counted(rng, rng.uniform(0.45, 0.8) * people ** rng.uniform(0.85, 1.0), 5.0, 15.0)
    salons = counted(rng, rng.uniform(0.7, 1.3) * people ** rng.uniform(0.95, 1.15), 5.0, 15.0)
    return bakeries, salons


def test_and_interview(rng: Generator, n: int) -> Drawn:
    """Schools: written test and interview of admitted applicants (points of 100, 0.5 each).

    Almost unrelated among all applicants, but only the best sums were admitted and recorded.
    """
    everyone = int(n / rng.uniform(0.03, 0.1))
    test = rng.normal(0.0, 1.0, everyone)
    talk = rng.uniform(0.0, 0.15) * test + rng.normal(0.0, 1.0, everyone)
    total = test + rng.uniform(0.8, 1.2) * talk + rng.normal(0.0, rng.uniform(0.05, 0.4), everyone)
    kept = rng.permutation(np.argsort(total)[-n:])
    test = np.clip(rng.uniform(50, 60) + rng.uniform(11, 14) * test[kept], 0.0, 100.0)
    talk = np.clip(rng.uniform(52, 62) + rng.uniform(9, 12) * talk[kept], 0.0, 100.0)
    return rounded(test, 0.5), rounded(talk, 0.5)


def disk_and_network(rng: Generator, n: int) -> Drawn:
    """Informatics: disk reads per second (1) and network traffic (Mbit/s, 0.1) of servers.

    Both are driven by the unrecorded number of user jobs; machines differ, the link saturates.
    """
    machine = sources(rng, n, 3, 15)
    jobs = np.exp(rng.normal(2.5, rng.uniform(0.6, 0.9), n))
    reads = per_source(rng, machine, 10.0, 22.0) * jobs ** rng.uniform(0.7, 1.0) + 5.0
    reads = reads * factors(rng, n, 0.2, 0.4)
    link = per_source(rng, machine, 150.0, 400.0)
    traffic = link * (1.0 - np.exp(-per_source(rng, machine, 4.0, 9.0) * jobs / link))
    return np.round(reads), rounded(traffic * factors(rng, n, 0.15, 0.35), 0.1)


def leaf_thickness_and_nitrogen(rng: Generator, n: int) -> Drawn:
    """Botany: leaf thickness (um, 5) and leaf nitrogen (percent of dry mass, 0.01).

    Species: long-lived leaves are thick and poor, short-lived ones thin and rich in nitrogen.
    """
    k = int(rng.integers(4, 13))
    kind = rng.integers(0, k, n)
    life = (np.linspace(-1.5, 1.5, k) + rng.normal(0.0, 0.25, k))[kind]
    offset = rng.normal(0.0, 0.08, (2, k))[:, kind]
    thick = rng.uniform(200, 290) * np.exp(rng.uniform(0.24, 0.36) * life + offset[0])
    nitrogen = rng.uniform(1.7, 2.3) * np.exp(-rng.uniform(0.24, 0.34) * life + offset[1])
    thick = thick * factors(rng, n, 0.08, 0.15)
    return rounded(thick, 5.0), rounded(nitrogen * factors(rng, n, 0.08, 0.16), 0.01)


def infrared_and_radio(rng: Generator, n: int) -> Drawn:
    """Astronomy: infrared (log solar, 0.01) and radio luminosity (log W/Hz, 0.01) of galaxies.

    Both come from young stars, whose birth rate is not recorded; faint galaxies are missed.
    """
    many = 3 * n
    birth = rng.normal(rng.uniform(0.0, 0.6), rng.uniform(0.5, 0.7), many)
    infrared = 9.8 + rng.uniform(0.95, 1.1) * birth + rng.normal(0, rng.uniform(0.1, 0.25), many)
    radio = 21.2 + rng.uniform(0.9, 1.2) * birth + rng.normal(0, rng.uniform(0.15, 0.3), many)
    radio = radio + (rng.random(many) < 0.015) * rng.uniform(0.5, 1.5, many)
    flux = infrared - 2.0 * rng.normal(0.0, 0.25, many)
    kept = rng.permutation(np.argsort(flux)[int(rng.uniform(0.2, 0.6) * many) :])[:n]
    return rounded(infrared[kept], 0.01), rounded(radio[kept], 0.01)


def moths_and_beetles(rng: Generator, n: int) -> Drawn:
    """Ecology: moths in a light trap and ground beetles in a pitfall trap per night (counts).

    Both are active on warm nights, which were not measured; sites differ, some traps fail.
    """
    site = sources(rng, n, 3, 18)
    warm = rng.normal(0.0, 1.0, n)
    moths = np.exp(per_source(rng, site, 2.7, 3.4) + rng.uniform(0.7, 1.0) * warm)
    beetles = np.exp(per_source(rng, site, 2.9, 3.6)) / (
        1.0 + np.exp(-rng.uniform(1.5, 2.5) * warm)
    )
    moths = counted(rng, moths, 7.0, 16.0) * (rng.random(n) > rng.uniform(0.0, 0.03))
    beetles = counted(rng, beetles, 7.0, 16.0) * (rng.random(n) > rng.uniform(0.0, 0.03))
    return moths, beetles


def milk_fat_and_protein(rng: Generator, n: int) -> Drawn:
    """Dairy farming: fat and protein in the milk of single cows (percent, 0.01 each).

    Breed and days since calving set both: high at first, lowest at week eight, then rising.
    """
    breed = sources(rng, n, 2, 6)
    rich = rng.normal(0.0, rng.uniform(0.5, 0.9), int(breed.max()) + 1)[breed]
    day = rng.uniform(4.0, 320.0, n)
    stage = 1.3 * np.exp(-day / 22.0) + day / 300.0 - 0.5
    fat = 4.1 + rng.uniform(0.4, 0.6) * rich + rng.uniform(0.6, 0.9) * stage
    protein = 3.4 + rng.uniform(0.2, 0.3) * rich + rng.uniform(0.4, 0.7) * stage
    fat = fat + rng.normal(0.0, rng.uniform(0.12, 0.22), n)
    return rounded(fat, 0.01), rounded(protein + rng.normal(0.0, rng.uniform(0.07, 0.14), n), 0.01)


def hardness_and_conductivity(rng: Generator, n: int) -> Drawn:
    """Metal working: hardness (HV, 1) and conductivity (percent IACS, 0.1) of aluminum parts.

    Unrecorded aging beyond the hardness peak softens the part and raises conductivity; lots differ.
    """
    lot = sources(rng, n, 2, 12)
    age = rng.normal(rng.uniform(1.0, 1.6), rng.uniform(0.6, 0.8), n)
    hard = per_source(rng, lot, 168.0, 182.0) - rng.uniform(12.0, 18.0) * np.minimum(age**2, 5.0)
    conduct = per_source(rng, lot, 33.0, 34.0) + rng.uniform(6.0, 9.0) / (
        1.0 + np.exp(1.2 - 1.3 * age)
    )
    hard = hard + rng.normal(0.0, rng.uniform(4.0, 8.0), n)
    return np.round(hard), rounded(conduct + rng.normal(0.0, rng.uniform(0.25, 0.5), n), 0.1)


def crust_and_core(rng: Generator, n: int) -> Drawn:
    """Baking: lightness of the crust (L*, 0.1) and core temperature (C, 0.5) of loaves.

    Both follow the unrecorded heat a loaf got; the core levels off near 98 C; ovens differ.
    """
    oven = sources(rng, n, 2, 8)
    heat = np.exp(rng.normal(0.0, rng.uniform(0.22, 0.35), n))
    brown = (heat - per_source(rng, oven, 0.95, 1.15)) / rng.uniform(0.18, 0.3)
    light = 78.0 - per_source(rng, oven, 26.0, 36.0) / (1.0 + np.exp(-brown))
    core = 98.5 - per_source(rng, oven, 68.0, 74.0) * np.exp(
        -per_source(rng, oven, 1.9, 2.5) * heat
    )
    light = light + rng.normal(0.0, rng.uniform(1.5, 3.5), n)
    core = np.minimum(core + rng.normal(0.0, rng.uniform(0.8, 2.0), n), 99.5)
    return rounded(light, 0.1), rounded(core, 0.5)


FOURTH_DIRECT: dict[str, Family] = {
    "irrigation salinity and tomato yield": irrigation_salinity,
    "seed inoculation and root nodules": seed_inoculation,
    "truck load and fuel use": truck_load,
    "request payload and response time": payload_size,
    "light on a leaf and carbon uptake": leaf_light,
    "kidney function and drug level": kidney_function,
    "wind at the hub and turbine power": wind_power,
    "grain size and sand permeability": grain_size,
    "storage temperature and vitamin C": storage_heat,
    "shelf price and packs sold": shelf_price,
    "outdoor temperature and home electricity": outdoor_temperature,
    "vehicle density and road speed": vehicle_density,
    "zenith angle and star magnitude": zenith_angle,
    "trail slope and walking speed": trail_slope,
    "drop height and broken eggs": drop_height,
    "bar load and repetitions": bar_load,
    "chili amount and rated hotness": chili_amount,
    "text length and reading time": text_length,
}

FOURTH_NEITHER: dict[str, Family] = {
    "home and clinic blood pressure": home_and_clinic_pressure,
    "scores of two gymnastics judges": two_judges,
    "zinc and lead in stream sediment": zinc_and_lead,
    "clay and sand in topsoil": clay_and_sand,
    "vote shares of two parties": party_shares,
    "bakeries and hairdressers in towns": bakeries_and_hairdressers,
    "test and interview of admitted applicants": test_and_interview,
    "disk reads and network traffic": disk_and_network,
    "leaf thickness and leaf nitrogen": leaf_thickness_and_nitrogen,
    "infrared and radio luminosity of galaxies": infrared_and_radio,
    "moths and beetles in traps": moths_and_beetles,
    "milk fat and milk protein": milk_fat_and_protein,
    "hardness and conductivity of aluminum parts": hardness_and_conductivity,
    "crust lightness and core temperature of loaves": crust_and_core,
}
