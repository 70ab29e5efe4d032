"""Pairs of sciences, trades and services: 32 kinds of an author who did not know the models.

They only report. A kind is a function of a class, which has its truth: x is the cause, or no
direction is right. The round is the fifth one; those before it are gone.
"""

from __future__ import annotations

import numpy as np

from benchmarks.families.base import CAUSE, NEITHER, Family, Pair, Rows, by_place, mapped

TRADES: list[Family] = []
# Places in the list of the study, which began with the designed families and four rounds.
FIRST_PLACE = 272


class Kinds:
    """Functions that draw pairs and take no instance; a subclass puts them into the list."""

    def __init_subclass__(cls, *, truth: int) -> None:
        for name, draw in vars(cls).items():
            if not name.startswith("_"):
                title = name.replace("_", " ")
                stream = by_place(FIRST_PLACE + len(TRADES))
                drawn = mapped(draw, as_floats)
                TRADES.append(Family(f"trades/5/{title}", drawn, truth, stream))


def as_floats(values: np.ndarray) -> np.ndarray:
    """Return values as floating-point numbers."""
    return np.asarray(values, dtype=float)


def rounded(values: np.ndarray, step: float) -> np.ndarray:
    """Round to the nearest multiple of a step."""
    return np.round(np.round(values / step) * step, 6) + 0.0


class FifthCauses(Kinds, truth=CAUSE):
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


class FifthNeither(Kinds, truth=NEITHER):
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
        many = Rows(rng.plain, rng.n * rng.plain.integers(5, 12))
        hours = many.gamma(rng.between(2.0, 4.0), rng.between(3.0, 6.0))
        memory = np.clip(many.normal(100.0, 15.0), 45.0, 160.0)
        logs = np.log(hours + 1.0)
        merit = logs / logs.std() + rng.between(0.7, 1.2) * memory / 15.0
        merit = merit + many.errors(0.2, 0.7)
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
        many = Rows(rng.plain, 4 * rng.n)
        force = many.errors(0.4, 0.8)
        region = many.sources(2, 8)
        repair = rng.between(1800.0, 3500.0) * region.between(0.8, 1.3) * np.exp(0.7 * force)
        repair = repair * many.factors(0.3, 0.6)
        injury = rng.between(900.0, 2500.0) * np.exp(rng.between(0.8, 1.3) * force)
        injury = injury * many.factors(0.5, 0.9)
        total = repair + injury
        entered = np.flatnonzero(total >= np.quantile(total, rng.between(0.3, 0.7)))
        kept = rng.plain.permutation(entered)[: rng.n]
        return rounded(repair[kept], 10.0), rounded(injury[kept], 10.0)
