"""Pairs of trades, services and sciences, by a fifth author who did not know the library's models.

Of those in `FIFTH_DIRECT` x is the cause; of those in `FIFTH_NEITHER` no direction is right. Most
have several sources that nobody recorded.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.random import Generator

from benchmarks.studies.sources import counted, factors, per_source, rounded, sources
from benchmarks.studies.unforeseen import Drawn, Family

_sources = partial(sources, evenness=4.0)


def _settings(rng: Generator, n: int, levels: list[float], low: int) -> np.ndarray:
    """Set each row to one of at least low of the levels, some used more often than others."""
    k = int(rng.integers(low, len(levels) + 1))
    used = np.sort(rng.choice(np.array(levels), size=k, replace=False)).astype(float)
    return rng.choice(used, size=n, p=rng.dirichlet(np.full(k, 8.0)))


def insured_value(rng: Generator, n: int) -> Drawn:
    """Insurance: insured value of a home (1000 EUR, 5) and yearly premium (EUR, 1).

    A fee plus a rate on the value, lower above a limit; insurers, discounts and risk grades differ.
    """
    insurer = _sources(rng, n, 2, 8)
    x = np.maximum(rounded(rng.uniform(180, 320) * factors(rng, n, 0.4, 0.6), 5.0), 30.0)
    limit = rng.uniform(250.0, 450.0)
    rated = np.minimum(x, limit) + rng.uniform(0.5, 0.8) * np.maximum(x - limit, 0.0)
    premium = per_source(rng, insurer, 40.0, 110.0) + per_source(rng, insurer, 0.9, 1.6) * rated
    discount = rng.choice([1.0, 0.9, 0.8], size=n, p=[0.55, 0.3, 0.15])
    return x, rounded(premium * discount * factors(rng, n, 0.1, 0.22), 1.0)


def stand_density(rng: Generator, n: int) -> Drawn:
    """Forestry: stems per hectare of a spruce plot (10) and diameter growth (mm a year, 0.1).

    Planting density was set by design and some stems died; crowding slows growth, by site.
    """
    site = _sources(rng, n, 2, 10)
    planted = _settings(rng, n, [400, 600, 800, 1100, 1500, 2000, 2500, 3200], 5)
    x = rounded(planted * (1.0 - rng.beta(2.0, rng.uniform(12.0, 25.0), n)), 10.0)
    slow = np.exp(-per_source(rng, site, 0.5, 0.9) * x / 1000.0)
    y = per_source(rng, site, 1.0, 2.2) + per_source(rng, site, 6.5, 10.0) * slow
    y = y * factors(rng, n, 0.1, 0.2) + rng.normal(0.0, 0.3, n)
    return x, rounded(np.maximum(y, 0.1), 0.1)


def curing_light(rng: Generator, n: int) -> Drawn:
    """Dentistry: seconds of curing light (preset) and Vickers hardness of the filling (0.1).

    Hardness saturates with the light received; lamps differ in power, resins in final hardness.
    """
    lamp = _sources(rng, n, 2, 8)
    x = _settings(rng, n, [5, 10, 15, 20, 30, 40, 60], 5)
    cured = 1.0 - np.exp(-((x / per_source(rng, lamp, 10.0, 24.0)) ** rng.uniform(0.8, 1.3)))
    y = per_source(rng, lamp, 48.0, 72.0) * cured * factors(rng, n, 0.04, 0.1)
    return x, rounded(np.maximum(y + rng.normal(0.0, rng.uniform(2.0, 5.0), n), 2.0), 0.1)


def train_speed(rng: Generator, n: int) -> Drawn:
    """Rail: speed of a passing train (km/h, 1) and its noise beside the track (dB(A), 0.1).

    Rolling noise grows with the cube of speed, above that of the motor; a few wheels have flats.
    """
    kind = _sources(rng, n, 2, 7)
    fast = rng.random(n) < rng.uniform(0.3, 0.7)
    speed = np.where(fast, rng.normal(135.0, 18.0, n), rng.normal(78.0, 17.0, n))
    x = rounded(np.clip(speed, 18.0, 200.0), 1.0)
    rolling = per_source(rng, kind, 79.0, 88.0) + rng.uniform(27.0, 33.0) * np.log10(x / 80.0)
    motor = per_source(rng, kind, 68.0, 76.0)
    y = 10.0 * np.log10(10.0 ** (rolling / 10.0) + 10.0 ** (motor / 10.0))
    flats = np.where(rng.random(n) < rng.uniform(0.02, 0.08), rng.gamma(2.0, 2.0, n), 0.0)
    return x, rounded(y + flats + rng.normal(0.0, rng.uniform(1.5, 3.0), n), 0.1)


def bee_flight(rng: Generator, n: int) -> Drawn:
    """Beekeeping: air temperature (deg C, 0.5) and bees leaving the hive in a minute (count).

    Hardly any fly in the cold, most on warm days, fewer in great heat; colonies differ in size.
    """
    hive = _sources(rng, n, 3, 15)
    x = rounded(rng.normal(rng.uniform(17.0, 23.0), rng.uniform(5.0, 7.0), n), 0.5)
    warm = 1.0 / (1.0 + np.exp(-(x - per_source(rng, hive, 12.0, 17.0)) / rng.uniform(1.5, 2.5)))
    hot = 1.0 / (1.0 + np.exp((x - rng.uniform(31.0, 36.0)) / rng.uniform(1.5, 3.0)))
    return x, counted(rng, per_source(rng, hive, 35.0, 110.0) * warm * hot + 0.2, 4.0, 10.0)


def fiber_bend(rng: Generator, n: int) -> Drawn:
    """Optics: bend radius of a fiber (mm, 0.5) and loss of light in one turn (dB, 0.01).

    Loss falls exponentially with the radius, down to that of the connectors; fiber types differ.
    """
    fiber = _sources(rng, n, 2, 6)
    low = rng.uniform(4.0, 7.0)
    x = rounded(rng.uniform(low, low + rng.uniform(8.0, 14.0), n), 0.5)
    bent = per_source(rng, fiber, 3.0, 9.0) * np.exp(-(x - low) / per_source(rng, fiber, 1.8, 4.0))
    joint = rng.gamma(3.0, rng.uniform(0.02, 0.06), n)
    return x, rounded(bent * factors(rng, n, 0.15, 0.4) + joint, 0.01)


def order_lines(rng: Generator, n: int) -> Drawn:
    """Warehousing: lines on an order (count) and time to pick it (minutes, 0.1).

    A start-up time plus a little less for each further line; pickers and zones differ.
    """
    picker = _sources(rng, n, 4, 20)
    shape = rng.uniform(0.7, 1.6)
    x = 1.0 + rng.poisson(rng.gamma(shape, rng.uniform(5.0, 12.0) / shape, n))
    lines = per_source(rng, picker, 0.5, 1.1) * x ** rng.uniform(0.78, 0.95)
    spread = rng.uniform(8.0, 20.0)
    y = (per_source(rng, picker, 1.0, 3.5) + lines) * rng.gamma(spread, 1.0 / spread, n)
    hunt = np.where(rng.random(n) < rng.uniform(0.02, 0.1), rng.exponential(4.0, n), 0.0)
    return x, rounded(np.maximum(y + hunt, 0.3), 0.1)


def hold_time(rng: Generator, n: int) -> Drawn:
    """Call center: time on hold (s, 1) and the caller's grade (1 to 10).

    Some are answered at once; the grade falls with the logarithm of the wait; agents differ.
    """
    agent = _sources(rng, n, 4, 20)
    wait = rng.uniform(90.0, 240.0) * factors(rng, n, 0.8, 1.2)
    at_once = rng.random(n) < rng.uniform(0.05, 0.25)
    x = rounded(np.where(at_once, rng.uniform(1.0, 8.0, n), np.minimum(wait, 3600.0)), 1.0)
    grade = per_source(rng, agent, 8.4, 10.6) - rng.uniform(1.5, 2.6) * np.log1p(x / 60.0)
    return x, np.clip(np.round(grade + rng.normal(0.0, rng.uniform(1.1, 1.9), n)), 1.0, 10.0)


def pond_oxygen(rng: Generator, n: int) -> Drawn:
    """Aquaculture: dissolved oxygen at dawn (mg/L, 0.1) and shrimp growth (g a week, 0.01).

    Below a critical level growth falls in a line, above it oxygen no longer matters; ponds differ.
    """
    pond = _sources(rng, n, 3, 14)
    x = rounded(1.0 + 8.0 * rng.beta(rng.uniform(1.8, 3.0), rng.uniform(2.0, 3.5), n), 0.1)
    least = rng.uniform(0.3, 1.2)
    enough = np.clip((x - least) / (per_source(rng, pond, 4.2, 6.0) - least), 0.0, 1.0)
    y = per_source(rng, pond, 1.2, 2.1) * enough * factors(rng, n, 0.1, 0.2)
    return x, rounded(np.maximum(y + rng.normal(0.0, rng.uniform(0.06, 0.14), n), 0.0), 0.01)


def ink_film(rng: Generator, n: int) -> Drawn:
    """Print shop: ink film on the sheet (micrometers, 0.05) and optical density (0.01).

    Density nears that of solid ink by an exponential; papers take the ink differently.
    """
    paper = _sources(rng, n, 2, 8)
    x = np.maximum(rounded(rng.gamma(rng.uniform(3.5, 7.0), rng.uniform(0.17, 0.24), n), 0.05), 0.1)
    y = per_source(rng, paper, 1.6, 2.5) * (1.0 - np.exp(-per_source(rng, paper, 0.8, 1.5) * x))
    y = y * factors(rng, n, 0.03, 0.08) + rng.normal(0.0, rng.uniform(0.03, 0.08), n)
    return x, rounded(np.maximum(y, 0.02), 0.01)


def soil_hardness(rng: Generator, n: int) -> Drawn:
    """Soil physics: water in the soil (% by volume, 0.5) and cone resistance (MPa, 0.05).

    Resistance falls exponentially as soil gets wetter; the gauge ends at 6 MPa; plots differ.
    """
    plot = _sources(rng, n, 2, 12)
    wet = rng.random(n) < rng.uniform(0.35, 0.65)
    water = np.where(wet, rng.normal(31.0, 3.5, n), rng.normal(17.0, 4.0, n))
    x = rounded(np.clip(water, 5.0, 42.0), 0.5)
    y = per_source(rng, plot, 2.6, 4.2) * np.exp(-per_source(rng, plot, 0.045, 0.08) * (x - 12.0))
    y = 0.15 + y * factors(rng, n, 0.18, 0.38)
    return x, rounded(np.clip(y, 0.05, 6.0), 0.05)


def treadmill_speed(rng: Generator, n: int) -> Drawn:
    """Physiology of sport: treadmill speed (km/h, 1 or 0.5) and heart rate (beats a minute, 1).

    The rate rises in a line and bends toward a maximum; runners differ in slope and maximum.
    """
    runner = _sources(rng, n, 5, 25)
    x = rounded(rng.uniform(5.0, rng.uniform(16.0, 20.0), n), float(rng.choice([0.5, 1.0])))
    top = per_source(rng, runner, 178.0, 202.0)
    line = per_source(rng, runner, 62.0, 88.0) + per_source(rng, runner, 6.5, 9.5) * x
    bend = rng.uniform(3.0, 7.0)
    y = top - bend * np.logaddexp(0.0, (top - line) / bend)
    return x, rounded(y + rng.normal(0.0, rng.uniform(3.0, 8.0), n), 1.0)


def yarn_twist(rng: Generator, n: int) -> Drawn:
    """Textiles: twist set on the spinning frame (turns/m, 20) and yarn tenacity (cN/tex, 0.1).

    Strength peaks at a twist and falls slower above it; weak spots make some breaks early.
    """
    cotton = _sources(rng, n, 2, 9)
    x = rounded(rng.uniform(rng.uniform(400, 560), rng.uniform(1050, 1250), n), 20.0)
    off = (x - per_source(rng, cotton, 780.0, 930.0)) / 100.0
    curve = np.where(off < 0.0, rng.uniform(0.45, 0.8), rng.uniform(0.25, 0.6))
    y = per_source(rng, cotton, 14.0, 19.0) - curve * off**2
    y = y - rng.gamma(1.5, rng.uniform(0.4, 0.9), n) + rng.normal(0.0, rng.uniform(0.4, 0.8), n)
    return x, rounded(np.maximum(y, 2.0), 0.1)


def clock_left(rng: Generator, n: int) -> Drawn:
    """Chess: seconds left on the clock (1) and mean centipawn loss of the next moves (1).

    Loss climbs steeply in time trouble; it is skewed, and some sequences are played without fault.
    """
    player = _sources(rng, n, 4, 20)
    start = float(rng.choice([180.0, 300.0, 600.0]))
    x = np.maximum(
        rounded(start * rng.beta(rng.uniform(0.8, 1.2), rng.uniform(1.2, 2.2), n), 1.0), 1
    )
    rush = rng.uniform(2.5, 5.0) * np.exp(-x / (start * rng.uniform(0.06, 0.16)))
    shape = rng.uniform(2.0, 4.0)
    y = per_source(rng, player, 14.0, 40.0) * (1.0 + rush) * rng.gamma(shape, 1.0 / shape, n)
    flawless = rng.random(n) < rng.uniform(0.0, 0.05)
    return x, rounded(np.where(flawless, 0.0, np.minimum(y, 600.0)), 1.0)


def nitrate_growth(rng: Generator, n: int) -> Drawn:
    """Oceanography: nitrate in the bottle (micromol/L, 0.01) and algal doublings a day (0.01).

    Growth saturates with nitrate, by strain; below the detection limit the limit is written.
    """
    strain = _sources(rng, n, 2, 10)
    x = np.maximum(rounded(rng.uniform(0.8, 2.2) * factors(rng, n, 0.9, 1.3), 0.01), 0.05)
    y = per_source(rng, strain, 1.0, 2.0) * x / (per_source(rng, strain, 0.4, 1.6) + x)
    y = y * factors(rng, n, 0.1, 0.22) + rng.normal(0.0, rng.uniform(0.02, 0.07), n)
    return x, rounded(np.maximum(y, 0.0), 0.01)


def build_jobs(rng: Generator, n: int) -> Drawn:
    """Software builds: parallel jobs allowed (count) and time of a full build (s, 1).

    A serial part stays and every job costs a little; machines differ and are sometimes busy.
    """
    machine = _sources(rng, n, 2, 10)
    x = _settings(rng, n, [1, 2, 3, 4, 6, 8, 12, 16, 24, 32], 7)
    serial = per_source(rng, machine, 0.06, 0.22)
    share = serial + (1.0 - serial) / x + rng.uniform(0.0005, 0.003) * x
    busy = np.exp(rng.exponential(rng.uniform(0.08, 0.22), n))
    y = rng.uniform(300, 1500) * per_source(rng, machine, 0.7, 1.5) * share
    return x, rounded(y * busy * factors(rng, n, 0.06, 0.15), 1.0)


def playlist_place(rng: Generator, n: int) -> Drawn:
    """Music streaming: place of a track in a playlist (1 on) and plays a week (count).

    Places are dealt at random and listeners drop off by a power law; playlists differ.
    """
    playlist = _sources(rng, n, 3, 15)
    x = rng.integers(1, int(rng.choice([30, 50, 80, 100])) + 1, n).astype(float)
    seen = (x + rng.uniform(0.0, 4.0)) ** -per_source(rng, playlist, 0.5, 1.1)
    followers = rng.uniform(800, 8000) * per_source(rng, playlist, 0.5, 1.6)
    return x, rng.poisson(followers * seen * factors(rng, n, 0.25, 0.55)).astype(float)


def polling_distance(rng: Generator, n: int) -> Drawn:
    """Elections: mean way to the polling place (km, 0.1) and turnout of the precinct (%, 0.1).

    Up to a distance people walk, beyond it fewer and fewer come; municipalities differ.
    """
    town = _sources(rng, n, 3, 18)
    x = np.maximum(rounded(rng.gamma(rng.uniform(1.5, 2.5), rng.uniform(0.8, 1.4), n), 0.1), 0.1)
    far = np.maximum(x - rng.uniform(0.2, 0.9), 0.0)
    logit = per_source(rng, town, 0.6, 1.4) - per_source(rng, town, 0.2, 0.4) * far ** rng.uniform(
        0.7, 1.0
    )
    logit = logit + rng.uniform(0.14, 0.28) * rng.standard_t(6, n)
    return x, rounded(100.0 / (1.0 + np.exp(-logit)), 0.1)


def advertised_pay(rng: Generator, n: int) -> Drawn:
    """Hiring: yearly pay in a job ad (1000 EUR, mostly multiples of 5) and applicants (count).

    Below the going rate few apply, above it many until the field is exhausted; portals differ.
    """
    portal = _sources(rng, n, 2, 8)
    pay = rng.uniform(40.0, 52.0) * factors(rng, n, 0.2, 0.32)
    x = np.where(rng.random(n) < rng.uniform(0.4, 0.8), rounded(pay, 5.0), rounded(pay, 1.0))
    x = np.maximum(x, 20.0)
    drawn = 1.0 / (1.0 + (per_source(rng, portal, 45.0, 60.0) / x) ** rng.uniform(4.0, 7.0))
    return x, counted(rng, 1.0 + per_source(rng, portal, 30.0, 80.0) * drawn, 4.0, 9.0)


def pack_years(rng: Generator, n: int) -> Drawn:
    """Epidemiology: pack-years smoked (1, many zeros) and lung function FEV1 (% predicted, 1).

    Each pack-year costs a little, more for the susceptible; clinics' spirometers differ.
    """
    clinic = _sources(rng, n, 2, 10)
    smoked = rng.random(n) > rng.uniform(0.2, 0.4)
    dose = np.clip(rng.gamma(rng.uniform(1.5, 2.2), rng.uniform(11.0, 16.0), n), 1.0, 110.0)
    x = rounded(np.where(smoked, dose, 0.0), 1.0)
    harm = rng.gamma(rng.uniform(2.0, 4.0), 1.0, n) * rng.uniform(0.16, 0.28)
    y = per_source(rng, clinic, 94.0, 104.0) - harm * x + rng.normal(0.0, rng.uniform(8.0, 12.0), n)
    return x, rounded(np.maximum(y, 18.0 + rng.gamma(3.0, 2.0, n)), 1.0)


def mortar_cubes(rng: Generator, n: int) -> Drawn:
    """Cement: strength of one cube at 7 days and of another at 28 days (MPa, 0.5).

    Both were cast from the same batch, whose quality nobody wrote down; plants gain differently.
    """
    plant = _sources(rng, n, 2, 8)
    batch = rng.uniform(34.0, 48.0) * factors(rng, n, 0.12, 0.22)
    early = batch * per_source(rng, plant, 0.6, 0.8) * factors(rng, n, 0.05, 0.1)
    late = batch * factors(rng, n, 0.05, 0.1)
    return rounded(early, 0.5), rounded(late, 0.5)


def wrist_and_diary(rng: Generator, n: int) -> Drawn:
    """Sleep: hours asleep by a wrist sensor (0.1) and by the morning diary (0.5 or 0.25).

    Both tell of the same night; sleepers overstate differently and write round numbers.
    """
    sleeper = _sources(rng, n, 5, 20)
    night = per_source(rng, sleeper, 6.0, 8.0) + rng.normal(0.0, rng.uniform(0.8, 1.2), n)
    night = night - np.where(rng.random(n) < 0.06, rng.gamma(2.0, 0.7, n), 0.0)
    wrist = night - rng.gamma(2.0, rng.uniform(0.1, 0.25), n) + rng.normal(0.0, 0.25, n)
    noted = night + per_source(rng, sleeper, -0.2, 0.6) + rng.normal(0.0, rng.uniform(0.3, 0.6), n)
    return (
        rounded(np.maximum(wrist, 0.5), 0.1),
        rounded(np.maximum(noted, 0.5), float(rng.choice([0.25, 0.5]))),
    )


def half_and_full(rng: Generator, n: int) -> Drawn:
    """Games: points of a basketball team at half-time and at the end (count).

    The first is a part of the second; leagues and opponents differ.
    """
    league = _sources(rng, n, 1, 6)
    pace = per_source(rng, league, 34.0, 48.0) * factors(rng, n, 0.06, 0.12)
    first = np.maximum(np.round(rng.normal(pace, rng.uniform(5.0, 7.5))), 8.0)
    second = np.maximum(np.round(rng.normal(pace, rng.uniform(5.0, 7.5))), 8.0)
    return first, first + second


def glass_and_cans(rng: Generator, n: int) -> Drawn:
    """Recycling: share of glass and share of cans in a sorted sack (% of mass, 0.5).

    Shares of one whole, with paper and plastic making up the rest; districts sort differently.
    """
    district = _sources(rng, n, 2, 10)
    grams = np.column_stack(
        [
            rng.gamma(per_source(rng, district, 1.5, 6.0), 1.0) * rng.uniform(0.8, 2.0),
            rng.gamma(per_source(rng, district, 1.5, 5.0), 1.0),
            rng.gamma(per_source(rng, district, 1.0, 4.0), 1.0) * rng.uniform(0.2, 1.0),
        ]
    )
    share = 100.0 * grams / (grams.sum(axis=1, keepdims=True) + 1e-9)
    return rounded(share[:, 0], 0.5), rounded(share[:, 1], 0.5)


def titled_players(rng: Generator, n: int) -> Drawn:
    """Chess: weekly hours of practice (1) and memory test mark (1) of titled players.

    The two are unrelated among all players; only those high in a mix of both got the title.
    """
    many = n * int(rng.integers(5, 12))
    hours = rng.gamma(rng.uniform(2.0, 4.0), rng.uniform(3.0, 6.0), many)
    memory = np.clip(rng.normal(100.0, 15.0, many), 45.0, 160.0)
    merit = np.log(hours + 1.0) / np.log(hours + 1.0).std() + rng.uniform(0.7, 1.2) * memory / 15.0
    merit = merit + rng.normal(0.0, rng.uniform(0.2, 0.7), many)
    titled = rng.permutation(np.argsort(merit)[-n:])
    return rounded(hours[titled], 1.0), rounded(memory[titled], 1.0)


def pool_chlorine(rng: Generator, n: int) -> Drawn:
    """Swimming pools: free chlorine (mg/L, 0.05) and hypochlorite dosed in the hour (mL, 10).

    A controller doses more when chlorine is low and the dose raises it; bathers use it up.
    """
    pool = _sources(rng, n, 1, 6)
    target = per_source(rng, pool, 0.8, 1.3)
    rise, gain = rng.uniform(0.0006, 0.0015), rng.uniform(600.0, 1600.0)
    alone = target - rng.gamma(2.0, rng.uniform(0.15, 0.4), n) + rng.normal(0.0, 0.15, n)
    slip = rng.normal(0.0, rng.uniform(60.0, 160.0), n)
    within = (alone + rise * (gain * target + slip)) / (1.0 + rise * gain)
    dose = np.maximum(gain * (target - within) + slip, 0.0)
    level = alone + rise * dose + rng.normal(0.0, 0.03, n)
    return rounded(np.maximum(level, 0.0), 0.05), rounded(dose, 10.0)


def locker_and_hour(rng: Generator, n: int) -> Drawn:
    """Parcel lockers: number of the compartment (1 on) and minute of the day it was filled (5).

    Nothing links the two; small compartments are used most, and couriers come in two rounds.
    """
    courier = _sources(rng, n, 1, 6)
    last = int(rng.integers(40, 140))
    weight = rng.gamma(rng.uniform(0.8, 3.0), 1.0, last) * np.linspace(rng.uniform(1, 3), 1.0, last)
    number = 1.0 + rng.choice(last, size=n, p=weight / weight.sum())
    morning = rng.random(n) < rng.uniform(0.45, 0.85)
    round_ = np.where(
        morning, per_source(rng, courier, 520.0, 680.0), per_source(rng, courier, 840.0, 1000.0)
    )
    return number, rounded(np.clip(round_ + rng.gamma(2.0, 22.0, n), 360.0, 1320.0), 5.0)


def tooth_age(rng: Generator, n: int) -> Drawn:
    """Forensic dentistry: length of clear root (mm, 0.1) and width of the pulp (mm, 0.05).

    The age of the person, not in the table, lengthens the one and narrows the other.
    """
    tooth = _sources(rng, n, 2, 6)
    age = 18.0 + 67.0 * rng.beta(rng.uniform(1.2, 2.5), rng.uniform(1.5, 2.5), n)
    clear = per_source(rng, tooth, 0.06, 0.12) * (age - 16.0) ** rng.uniform(0.95, 1.12)
    clear = clear * factors(rng, n, 0.12, 0.3) + rng.normal(0.0, 0.25, n)
    pulp = per_source(rng, tooth, 1.8, 2.8) * np.exp(-rng.uniform(0.012, 0.02) * (age - 18.0))
    pulp = pulp * factors(rng, n, 0.1, 0.22)
    return rounded(np.maximum(clear, 0.0), 0.1), rounded(pulp, 0.05)


def water_masses(rng: Generator, n: int) -> Drawn:
    """Oceanography: temperature (deg C, 0.01) and salinity (g/kg, 0.01) of water samples.

    Two or three water masses mix in unrecorded parts, which set both; cruises differ a little.
    """
    cruise = _sources(rng, n, 1, 6)
    parts = rng.dirichlet(rng.uniform(0.5, 2.0, 3) * np.array([1.0, 1.0, rng.uniform(0.1, 1)]), n)
    warm = np.array([rng.uniform(13.0, 20.0), rng.uniform(2.0, 4.5), rng.uniform(5.0, 10.0)])
    salt = np.array([rng.uniform(35.6, 36.6), rng.uniform(34.7, 35.0), rng.uniform(34.2, 35.8)])
    t = (
        parts @ warm
        + per_source(rng, cruise, -0.8, 0.8)
        + rng.normal(0.0, rng.uniform(0.4, 1.2), n)
    )
    s = (
        parts @ salt
        + per_source(rng, cruise, -0.1, 0.1)
        + rng.normal(0.0, rng.uniform(0.06, 0.15), n)
    )
    return rounded(t, 0.01), rounded(s, 0.01)


def looms(rng: Generator, n: int) -> Drawn:
    """Weaving: fabric weight (g/m2, 1) and warp breaks in a shift (count).

    On one loom the two are unrelated; coarse-yarn looms, which nobody noted, have more of both.
    """
    loom = _sources(rng, n, 4, 14)
    k = int(loom.max()) + 1
    yarn = rng.normal(0.0, 1.0, k)
    tilt = rng.uniform(0.15, 0.35) * float(rng.choice([-1.0, 1.0]))
    weight = rng.uniform(130.0, 220.0) * np.exp(rng.uniform(0.12, 0.25) * yarn)[loom]
    weight = weight * factors(rng, n, 0.05, 0.1)
    often = rng.uniform(8.0, 20.0) * np.exp(tilt * yarn + rng.normal(0.0, 0.15, k))[loom]
    return rounded(weight, 1.0), counted(rng, often, 6.0, 20.0)


def sprint_gain(rng: Generator, n: int) -> Drawn:
    """Sports training: first 100 m time (s, 0.01) and improvement at the second test (s, 0.01).

    The improvement is the first time less the second, so an unlucky first run shows in both.
    """
    club = _sources(rng, n, 2, 10)
    form = per_source(rng, club, 12.2, 14.0) + rng.gamma(3.0, rng.uniform(0.15, 0.35), n)
    first = form + rng.gamma(2.0, rng.uniform(0.1, 0.25), n)
    second = form - per_source(rng, club, 0.0, 0.35) + rng.gamma(2.0, rng.uniform(0.1, 0.25), n)
    first, second = rounded(first, 0.01), rounded(second, 0.01)
    return first, rounded(first - second, 0.01)


def crash_claims(rng: Generator, n: int) -> Drawn:
    """Car insurance: cost of repair and cost of injury in a crash (EUR, 10).

    How hard the crash was sets both; only crashes above a sum in total entered the table.
    """
    many = 4 * n
    force = rng.normal(0.0, rng.uniform(0.4, 0.8), many)
    region = _sources(rng, many, 2, 8)
    repair = rng.uniform(1800.0, 3500.0) * per_source(rng, region, 0.8, 1.3) * np.exp(0.7 * force)
    repair = repair * factors(rng, many, 0.3, 0.6)
    injury = rng.uniform(900.0, 2500.0) * np.exp(rng.uniform(0.8, 1.3) * force)
    injury = injury * factors(rng, many, 0.5, 0.9)
    total = repair + injury
    entered = np.flatnonzero(total >= np.quantile(total, rng.uniform(0.3, 0.7)))
    kept = rng.permutation(entered)[:n]
    return rounded(repair[kept], 10.0), rounded(injury[kept], 10.0)


FIFTH_DIRECT: dict[str, Family] = {
    "insured value and premium": insured_value,
    "stand density and tree growth": stand_density,
    "curing light and filling hardness": curing_light,
    "train speed and noise": train_speed,
    "air temperature and bees in flight": bee_flight,
    "fiber bend radius and loss": fiber_bend,
    "order lines and picking time": order_lines,
    "time on hold and caller grade": hold_time,
    "pond oxygen and shrimp growth": pond_oxygen,
    "ink film and print density": ink_film,
    "soil water and cone resistance": soil_hardness,
    "treadmill speed and heart rate": treadmill_speed,
    "yarn twist and tenacity": yarn_twist,
    "clock left and centipawn loss": clock_left,
    "nitrate and algal growth": nitrate_growth,
    "parallel jobs and build time": build_jobs,
    "playlist place and plays": playlist_place,
    "polling distance and turnout": polling_distance,
    "advertised pay and applicants": advertised_pay,
    "pack-years and lung function": pack_years,
}
FIFTH_NEITHER: dict[str, Family] = {
    "cubes at 7 and at 28 days": mortar_cubes,
    "sleep by wrist and by diary": wrist_and_diary,
    "points at half-time and at the end": half_and_full,
    "glass and cans in recycling sacks": glass_and_cans,
    "practice and memory of titled players": titled_players,
    "pool chlorine and dose under control": pool_chlorine,
    "locker number and time filled": locker_and_hour,
    "clear root and pulp width of teeth": tooth_age,
    "temperature and salinity of mixed water": water_masses,
    "fabric weight and warp breaks across looms": looms,
    "first sprint and improvement": sprint_gain,
    "repair and injury cost of entered crashes": crash_claims,
}
