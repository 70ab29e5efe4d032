"""What fits and evaluations cost by engine and settings: ``python -m benchmarks.studies.engines``.

... fits N ...         milliseconds an evaluation during whole fits
... fitted N ...       both engines against the lower bound where a fit ends
... large N ...        default clusterings of many observations; one N a process for the memory
... begun N ...        fits of f1 to f4 that start at init, and at the fit of a subsample
... evaluation N ...   one evaluation for many observations; one N a process for the memory
... descent COUNT N    evaluations and final J by the settings of a descent
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from anmmm import FitOptions, cluster_mechanisms, warm_up
from anmmm._kernels._lapack import potrf, potri
from anmmm.datasets import draw_anm_mixture, make_anm_mixture
from anmmm.gppom import fit_gppom, optimize, parameters
from anmmm.gppom.objective import GPPOMObjective
from anmmm.preprocessing import standardize
from benchmarks.speed.common import fitted_objective
from benchmarks.studies.common import print_header, print_row, quartiles

MECHANISMS = ("f1", "f2", "f3", "f4")
# A dense fit of more takes minutes.
LARGEST_DENSE = 1100
# From init a fit of more takes many minutes.
LARGEST_FROM_INIT = 300_000
# Observations of the fit where a large evaluation is measured.
FITTED = 10_000
# Of a descent: unit of log Ω, pairs of L-BFGS memory, tol.
SETTINGS = (
    (1.0, 10, 1e-7),
    (1.0, 20, 1e-7),
    (0.3, 10, 1e-7),
    (3.0, 10, 1e-7),
    (3.0, 20, 1e-7),
    (3.0, 20, 1e-6),
    (3.0, 40, 1e-6),
    (8.0, 20, 1e-6),
)


def both_ways(mechanism: str, n: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield a standardized mixture as cause and effect, and the other way round."""
    x, y, _ = make_anm_mixture(mechanism, n, random_state=seed)
    X, Y = standardize(x[:, None])[0], standardize(y[:, None])[0]
    yield X, Y
    yield Y, X


def seconds_of(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def peak_gigabytes() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f}"


class Clock:
    """Adds up the time spent in `GPPOMObjective.value_and_grad`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        original = GPPOMObjective.value_and_grad

        def timed(objective: GPPOMObjective, z: np.ndarray) -> tuple[float, np.ndarray]:
            start = time.perf_counter()
            result = original(objective, z)
            self.seconds += time.perf_counter() - start
            return result

        GPPOMObjective.value_and_grad = timed  # type: ignore[method-assign]


def fits(sizes: list[int]) -> None:
    """Mixtures of f1 to f4 (seeds from 0), both directions, engines by turns on the same data.

    Medians over fits of the time a fit takes for each evaluation, the part of it outside of
    `value_and_grad` (SciPy's L-BFGS-B, set-up, the record), and the evaluations; the mean final
    rank; the largest relative difference of the final J between the engines.
    """
    clock = Clock()
    print_header("N", "dense", "low rank", "outside", "evals", "rank", "J apart")
    for n in sizes:
        engines = ["lowrank"] if n > LARGEST_DENSE else ["dense", "lowrank"]
        times: dict[str, list[float]] = {engine: [] for engine in engines}
        ranks, apart, outside, evaluations = [], [], [], []
        for seed in range(max(2, min(8, 2000 // n))):
            for X, Y in both_ways(MECHANISMS[seed % 4], n, seed):
                ends = {}
                for engine in engines:
                    clock.seconds = 0.0
                    start = time.perf_counter()
                    fit = fit_gppom(X, Y, fit_options=FitOptions(engine=engine))
                    elapsed = time.perf_counter() - start
                    times[engine].append(1e3 * elapsed / fit.n_evaluations)
                    outside.append(1e3 * (elapsed - clock.seconds) / fit.n_evaluations)
                    evaluations.append(fit.n_evaluations)
                    ends[engine] = fit
                ranks.append(ends["lowrank"].rank)
                if "dense" in ends:
                    exact = ends["dense"].objective
                    apart.append(abs(ends["lowrank"].objective - exact) / abs(exact))
        print_row(
            n,
            f"{np.median(times['dense']):.2f}" if "dense" in times else "",
            f"{np.median(times['lowrank']):.2f}",
            f"{np.median(outside):.3f}",
            f"{np.median(evaluations):.0f}",
            f"{np.mean(ranks):.1f}",
            f"{max(apart):.1e}" if apart else "",
        )


def fitted(sizes: list[int], seconds: float = 4.0) -> None:
    """Value and gradient where a default fit of an f3 mixture (seed 0) ends.

    By turns with each engine and with one potrf and potri of the very covariance. Medians and
    quartiles of ratios to the bound; ranks of the factors of the covariance, K_X and K_θ.
    """
    print_header(
        "N", "dense ÷ bound", "low rank ÷ bound", "rank", "bound, ms", "dense, ms", "low rank, ms"
    )
    for n in sizes:
        lowrank, z = fitted_objective(n, engine="lowrank")
        dense, _ = fitted_objective(n, engine="dense")
        theta, omega = lowrank.unpack(z)
        apart = omega.gamma_theta[0] * (theta - theta.T) ** 2
        apart += omega.gamma_x[0] * (lowrank.X - lowrank.X.T) ** 2
        matrix = omega.amplitude * np.exp(-apart)
        matrix[np.diag_indices(n)] += 1.0 / omega.beta + lowrank.noise_floor
        work = np.empty_like(matrix)

        def bound(work: np.ndarray = work) -> None:
            potrf(work)
            potri(work)

        turns = []
        stop = time.perf_counter() + seconds
        while time.perf_counter() < stop or len(turns) < 5:
            np.copyto(work, matrix)
            evaluations = (lambda: dense.value_and_grad(z), lambda: lowrank.value_and_grad(z))  # noqa: B023
            turns.append([seconds_of(call) for call in (bound, *evaluations)])
        times = np.array(turns[1:])
        ratios = times[:, 1:] / np.median(times[:, 0])
        milliseconds = [f"{1e3 * median:.3g}" for median in np.median(times, axis=0)]
        print_row(n, *map(quartiles, ratios.T), lowrank.terms(z).rank, *milliseconds)


def large(sizes: list[int]) -> None:
    """Default clusterings of an f3 mixture of two mechanisms, seed 0.

    The last column is the ARI of the classifier that knows f, θ and noise.
    """
    print_header("N", "s", "evaluations", "rank", "status", "peak GB", "ARI", "Bayes")
    for n in sizes:
        sample = draw_anm_mixture("f3", n, random_state=0)
        start = time.perf_counter()
        result = cluster_mechanisms(sample.x, sample.y, random_state=0)
        elapsed = time.perf_counter() - start
        fit = result.fit
        labelings = (result.labels, sample.bayes_labels())
        aris = (f"{adjusted_rand_score(sample.labels, labels):.3f}" for labels in labelings)
        numbers = (fit.n_evaluations, fit.rank, fit.status, peak_gigabytes())
        print_row(n, f"{elapsed:.1f}", *numbers, *aris)


def begun(sizes: list[int]) -> None:
    """Fits of mixtures of f1 to f4, seed 10 000, from `init` (up to 300 000) and from a subsample.

    CPU seconds; the ARI is that of k-means on Θ.
    """
    print_header("f", "N", "start", "s", "evaluations", "J", "rank", "peak GB", "ARI")
    for n, mechanism in product(sizes, MECHANISMS):
        x, y, labels = make_anm_mixture(mechanism, n, random_state=10_000)
        X, Y = standardize(x[:, None])[0], standardize(y[:, None])[0]
        for subsample in (FitOptions.subsample, None)[: 2 if n <= LARGEST_FROM_INIT else 1]:
            start = time.process_time()
            fit = fit_gppom(X, Y, fit_options=FitOptions(subsample=subsample))
            elapsed = time.process_time() - start
            evaluations = fit.n_evaluations
            found = KMeans(2, n_init=2, random_state=0).fit(fit.latent).labels_
            few = "init" if fit.subsample is None else f"{len(fit.subsample.latent)}"
            numbers = (fit.rank, peak_gigabytes(), f"{adjusted_rand_score(labels, found):.4f}")
            print_row(
                mechanism, n, few, f"{elapsed:.1f}", evaluations, f"{fit.objective:.1f}", *numbers
            )


def evaluation(sizes: list[int]) -> None:
    """Value and gradient where a default fit of 10 000 observations ends, each of them repeated."""
    print_header("N", "s", "rank", "peak GB")
    for n in sizes:
        few, z = fitted_objective(FITTED)
        theta, omega = few.unpack(z)
        X, Y, latent = (np.tile(array, (n // FITTED, 1)) for array in (few.X, few.Y, theta))
        weights = {"lam": few.lam, "hyper_prior": few.hyper_prior}
        objective = GPPOMObjective(X, Y, fit_options={"engine": "lowrank", **weights})
        z = objective.pack(latent, omega)
        calls = [seconds_of(lambda: objective.value_and_grad(z)) for _ in range(6)]  # noqa: B023
        median = f"{np.median(calls[1:]):.4f}"
        print_row(n, median, objective.terms(z).rank, peak_gigabytes())


def descent(numbers: list[int]) -> None:
    """COUNT mixtures of each of f1 to f4 (seeds from 10 000), both directions.

    Mean evaluations, and the median and upper decile of how much higher J ends than with the
    settings of the first row.
    """
    count, n = (*numbers, *(20, 100)[len(numbers) :])
    seeds = range(10_000, 10_000 + count)
    pairs = [pair for m in MECHANISMS for seed in seeds for pair in both_ways(m, n, seed)]
    print_header("unit of log Ω", "memory", "tol", "evaluations", "J above the first row", "90 %")
    reference = None
    for unit, memory, tol in SETTINGS:
        parameters.LOG_UNIT = unit
        optimize.MEMORY = memory
        ends = [fit_gppom(X, Y, fit_options=FitOptions(tol=tol)) for X, Y in pairs]
        values = np.array([end.objective for end in ends])
        reference = values if reference is None else reference
        middle, high = np.quantile(values - reference, [0.5, 0.9])
        evaluations = np.mean([end.n_evaluations for end in ends])
        print_row(
            unit, memory, f"{tol:.0e}", f"{evaluations:.0f}", f"{middle:+.4f}", f"{high:+.4f}"
        )


STUDIES: dict[str, Callable[[list[int]], None]] = {
    study.__name__: study for study in (fits, fitted, large, begun, evaluation, descent)
}
SIZES = {
    "fits": (100, 200, 400),
    "fitted": (100, 300, 1000, 2000),
    "large": (10_000,),
    "begun": (100_000,),
    "evaluation": (1_000_000,),
    "descent": (20, 100),
}


def main() -> None:
    """Run one study."""
    if len(sys.argv) < 2 or sys.argv[1] not in STUDIES:
        sys.exit(__doc__)
    warnings.simplefilter("ignore", ConvergenceWarning)
    warm_up()
    name = sys.argv[1]
    STUDIES[name]([int(float(number)) for number in sys.argv[2:] or SIZES[name]])


if __name__ == "__main__":
    main()
