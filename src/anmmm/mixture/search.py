"""Search over the number of mechanisms, and over what is free in their mixture.

Every number is fitted from cuts of residuals, from the mixture of the next smaller number with one
mechanism split, and from that of the next larger number with two merged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import numpy as np
from scipy.special import softmax

from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.em import fit_mixture
from anmmm.mixture.fits import MixtureFit
from anmmm.mixture.mechanisms import Mechanisms, Sample, Variant
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import least_squares_parts, soften, start_rows
from anmmm.preprocessing import mean_ranks

# Largest number that is tried by default, and the largest that is searched.
MAX_NUMBER = 6
MAX_SEARCHED = 8
# Variants that are searched for every number, and those that are fitted from their results.
CONSTANT = Variant("own", 0)
GATED = Variant("shared", 2)
EQUAL = Variant("shared", -1)
FREE = Variant("shared", 0)
LINEAR = Variant("linear", 0)
LOGISTIC = Variant("shared", 1)
OWN_LOGISTIC = Variant("own", 1)
# Variants with outliers, the first one also of one mechanism.
WITH_OUTLIERS = (Variant("shared", -1, outliers=True), Variant("own", 0, outliers=True))
# Curves that differ in smoothness, as a line and a wave do.
OWN_SMOOTHNESS = (
    Variant("shared", -1, smoothness="own"),
    Variant("own", 0, smoothness="own"),
)
# Largest number of mechanisms whose weights depend on the cause.
MAX_GATED = 4
# Numbers, of the smallest criteria, for which all variants are fitted.
N_REFINED = 2
# Noise variance that the fit of one mechanism starts from.
START_VARIANCE = 0.1
# Nats per observation by which the last iteration raises the bound, and most iterations.
SEARCH_TOLERANCE = 1e-5
SEARCH_ITER = 150
# The search itself ends earlier; the shortest fits are then continued.
COARSE = 10.0
COARSE_ITER = 40
# Pairs of mechanisms that are merged, those of the largest overlap.
N_MERGED = 2
# Starts from lines through rows drawn at random.
N_LINES = 6
# Singular values of a line's rows, relative to the largest, below which it is level.
LEVEL = 0.15
# Quantiles of the cause at which two curves may cross, besides its middle.
CROSSINGS = (0.2, 0.8)
# Iterations of k-means of cause and effect.
PLANE_ITER = 8
# Distance from a curve, in medians, beyond which rows may have larger noise.
FAR_MEDIANS = 1.5

# Decisions try five to eight mechanisms only if gaps separate the effects of neighboring causes
# into five parts: the narrowest gap exceeds the mean spacing inside of parts by this ratio. Of 300
# rows the ratio is 2 to 4 with fewer mechanisms, and at least 4.4 with five to eight.
MANY = 5
GAP_RATIO = 4.2
# Numbers that decisions have tried before: with five to eight mechanisms three or four, in 311 of
# 312 drawn pairs.
MIN_TRIED = 3
# Neighboring causes that are compared.
WINDOW = 20

# Log-odds of a given label. Where curves are well separated, likelihoods differ by much more; where
# they overlap, it keeps EM near the labels.
LABEL_EVIDENCE = 0.2
# Nats by which a fit must exceed that from the labels so that these are rejected.
OTHER_OPTIMUM = 1.0


def search_mechanisms(
    sample: Sample,
    *,
    number: int | None = None,
    max_mechanisms: int = MAX_NUMBER,
    tol: float = SEARCH_TOLERANCE,
    max_iter: int = SEARCH_ITER,
) -> dict[int, list[Mechanisms]]:
    """Fit variants of 1, 2, … mechanisms, or of 1 and `number`; by number, at least one of each.

    Beyond 4000 observations the search is on 2000 of them, and its shortest fits of each number are
    the starts of fits to all.
    """
    wanted = [number] if number else range(1, max_mechanisms + 1)
    rows = start_rows(sample.basis, sample.y)
    if isinstance(rows, slice):
        search = Search(sample, tol, max_iter)
        return search.numbers(wanted)
    part = Sample(
        SplineBasis.of(sample.points[rows]), sample.points[rows], sample.y[rows], sample.floor
    )
    search = Search(part, tol, max_iter)
    found = search.numbers(wanted)
    whole = Search(sample, tol, max_iter)
    fits = {}
    for n, candidates in found.items():
        shortest = min(candidates, key=lambda fit: fit.criterion)
        start = softmax(shortest.log_densities(sample.points, sample.y), axis=1)
        fits[n] = [whole.fit([start], shortest.variant)]
    return fits


def refine_by_labels(sample: Sample, fit: Mechanisms, labels: IntArray) -> Mechanisms:
    """Fit the variant of a fit to the effect and to labels, if the labels raise its bound.

    The labels, those of Θ, are a weak observation of each mechanism, compared with labels that are
    equally probable. Probabilities and bound of the result use them; new observations lack them.
    docs/method/decisions.md, eq. 10.
    """
    number = fit.n_mechanisms
    # Imported here because decisions have no labels and scipy.optimize loads slowly.
    from scipy.optimize import linear_sum_assignment

    given = np.eye(number)[labels]
    start = soften(given)
    search = Search(sample, SEARCH_TOLERANCE, SEARCH_ITER)
    led = search.fit([start], fit.variant)
    if fit.bound - led.bound > OTHER_OPTIMUM:
        # The labels belong to a worse optimum: do curves cross?
        return fit
    # Number the mechanisms so that they agree best with the labels.
    order = linear_sum_assignment(-given.T @ fit.probabilities)[1]
    likelihood = LABEL_EVIDENCE * given
    likelihood += math.log(number / (math.exp(LABEL_EVIDENCE) + number - 1.0))
    candidates = [fit]
    for probabilities in (start, fit.reordered(order).probabilities):
        refined = search.fit([probabilities], fit.variant, label_likelihood=likelihood)
        if refined.n_used == number:
            candidates.append(refined)
    return max(candidates, key=lambda candidate: candidate.bound)


def many_mechanisms(
    basis: SplineBasis,
    y: FloatArray,
    fits: Sequence[MixtureFit],
    *,
    floor: float,
    tol: float,
    max_iter: int,
) -> list[MixtureFit]:
    """Return the best fit of at least `MANY` mechanisms if gaps separate these, else no fit.

    `fits` are those of smaller numbers, and the options those of `fit_mixture`. The fit is returned
    if its criterion is the smallest.
    """
    if len(fits) < MIN_TRIED:
        return []
    rows = start_rows(basis, y)
    # The search draws lines: mirrored variables have the same ones.
    x = mirrored(basis.design[rows, 1])
    part_y = mirrored(y[rows])
    if not has_gaps(x, part_y):
        return []
    points = x[:, np.newaxis]
    sample = Sample(SplineBasis.of(points), points, part_y, floor)
    search = Search(sample, SEARCH_TOLERANCE, SEARCH_ITER)
    numbers = search.up_and_down(CONSTANT, MAX_SEARCHED, {}, min_merged=MANY)
    best = min(fits, key=lambda fit: fit.criterion)
    found = []
    for number in range(MANY, MAX_SEARCHED + 1):
        fit = fit_mixture(
            basis,
            y,
            starts=[numbers[number].probabilities],
            rows=rows,
            noise_variance=search.noise_variance / number**2,
            max_criterion=best.criterion,
            floor=floor,
            tol=tol,
            max_iter=max_iter,
        )
        if fit.criterion < best.criterion:
            best = fit
            found = [fit]
    return found


def mirrored(values: FloatArray) -> FloatArray:
    """Return values, negated if their third moment is negative."""
    centered = values - values.mean()
    return -values if float(centered @ (centered * centered)) < 0.0 else values


def has_gaps(x: FloatArray, y: FloatArray) -> bool:
    """Return whether gaps separate the effects of neighboring causes into at least `MANY` parts."""
    n_windows = len(y) // WINDOW
    if n_windows == 0:
        return False
    order = np.lexsort((y, x))[: n_windows * WINDOW]
    windows = np.sort(y[order].reshape(n_windows, WINDOW), axis=1)
    gaps = np.sort(np.diff(windows, axis=1), axis=1)
    inside = median(gaps[:, : 1 - MANY].mean(axis=1).tolist())
    between = median(gaps[:, 1 - MANY].tolist())
    return bool(0.0 < inside < between / GAP_RATIO)


class Search:
    """Fits of one sample, each from starts made of others."""

    def __init__(self, sample: Sample, tol: float, max_iter: int):
        self.sample = sample
        self.is_single_cause = sample.points.shape[1] == 1
        self.tol = tol
        self.max_iter = max_iter
        self.noise_variance = START_VARIANCE
        self.one = self.fit([np.ones((len(sample.y), 1))], EQUAL)
        self.noise_variance = float(self.one.noise_std[0, 0]) ** 2
        self.residuals = sample.y - self.one.curves[:, 0]
        self.made_cuts: dict[int, list[FloatArray]] = {}

    def numbers(self, wanted: Sequence[int]) -> dict[int, list[Mechanisms]]:
        """Fit 1 and the wanted numbers, all variants of those that may be the shortest."""
        fits = {1: [self.one]}
        if self.is_single_cause:
            fits[1].append(self.fit([self.one.probabilities], LINEAR))
        several = [number for number in wanted if number > 1]
        if not several:
            return fits
        largest = max(several)
        if largest > MAX_SEARCHED:
            for variant in (EQUAL, CONSTANT):
                fits.setdefault(largest, []).append(self.fit(self.cuts(largest), variant))
            return fits
        constant = self.up_and_down(CONSTANT, min(largest + 1, len(self.sample.y)), {})
        gated: dict[int, Mechanisms] = {}
        if self.is_single_cause:
            gated = self.up_and_down(GATED, min(largest + 1, MAX_GATED, len(constant)), constant)
        for number in several:
            fits[number] = list(self.main_variants(constant[number]))
            if number in gated:
                fits[number].append(gated[number])
        criteria = {n: min(fit.criterion for fit in fits[n]) for n in several}
        shortest = sorted(criteria, key=criteria.__getitem__)[:N_REFINED]
        for number in shortest:
            fits[number] += self.variants(fits[number], gated.get(number))
        # Outliers may have been a mechanism of their own.
        for number in {1, *shortest, *(n - 1 for n in shortest)}:
            if number in fits:
                fits[number] += self.with_outliers(constant, number)
        return fits

    def up_and_down(
        self,
        variant: Variant,
        max_mechanisms: int,
        others: Mapping[int, Mechanisms],
        min_merged: int = 2,
    ) -> dict[int, Mechanisms]:
        """Fit a variant from smaller numbers, then from larger ones down to `min_merged`.

        `others` are more starts.
        """
        fits = {1: self.one}
        for number in range(2, max_mechanisms + 1):
            starts: list[FloatArray] = []
            if variant.gate > 0:
                starts += self.cuts_of_the_cause(number)
            else:
                starts += self.cuts(number)
                starts += self.lines(number)
            if number > 2:
                starts += self.splits(fits[number - 1])
            if number in others:
                starts.append(others[number].probabilities)
            fits[number] = self.fit(starts, variant, is_coarse=True)
        for number in range(max_mechanisms - 1, min_merged - 1, -1):
            starts = [*self.merges(fits[number + 1])]
            merged = self.fit(starts, variant, is_coarse=True)
            if merged.bound > fits[number].bound:
                fits[number] = merged
        return fits

    def main_variants(self, constant: Mechanisms) -> Iterator[Mechanisms]:
        """Fit the variants that differ most: also equal weights and the same noise, growing noise.

        Equal weights start from cuts, too.
        """
        number = constant.n_mechanisms
        yield constant
        yield self.fit([constant.probabilities, *self.cuts(number)], EQUAL)
        if self.is_single_cause:
            yield self.fit([constant.probabilities], LINEAR)

    def variants(
        self, main: Sequence[Mechanisms], gated: Mechanisms | None
    ) -> Iterator[Mechanisms]:
        """Fit the other variants of a number, and continue those that ended early."""
        starts = [fit.probabilities for fit in main[:2]]
        for variant in (CONSTANT, FREE):
            yield self.fit(starts, variant)
        for variant in OWN_SMOOTHNESS:
            yield self.fit([*starts, *self.cuts(main[0].n_mechanisms)], variant)
        if gated is None:
            return
        yield self.fit([gated.probabilities], GATED)
        starts = [gated.probabilities, *self.cuts_of_the_cause(gated.n_mechanisms)]
        logistic = self.fit(starts, LOGISTIC)
        yield logistic
        yield self.fit([logistic.probabilities], OWN_LOGISTIC)

    def with_outliers(
        self, constant: Mapping[int, Mechanisms], number: int
    ) -> Iterator[Mechanisms]:
        """Fit a number of mechanisms with outliers, also from the rows of the largest noise."""
        starts = [constant[number].probabilities]
        if number > 1:
            starts += self.cuts(number)
        if number + 1 in constant:
            larger = constant[number + 1]
            widest = larger.noise[:, 0].argmax()
            starts.append(np.delete(larger.probabilities, widest, axis=1))
        for variant in WITH_OUTLIERS[: min(number, 2)]:
            yield self.fit(starts, variant)

    def fit(
        self,
        starts: Sequence[FloatArray],
        variant: Variant,
        *,
        is_coarse: bool = False,
        label_likelihood: FloatArray | None = None,
    ) -> Mechanisms:
        """Fit a variant from the best of several starts."""
        number = starts[0].shape[1]
        variance = self.noise_variance / number**2
        tol = self.tol
        max_iter = self.max_iter
        if is_coarse:
            tol = COARSE * tol
            max_iter = min(COARSE_ITER, max_iter)
        return self.sample.fit(
            starts,
            variant,
            variance,
            tol=tol,
            max_iter=max_iter,
            label_likelihood=label_likelihood,
        )

    def cuts(self, number: int) -> Sequence[FloatArray]:
        """Return the cuts of `_cuts`, made once."""
        if number not in self.made_cuts:
            self.made_cuts[number] = list(self._cuts(number))
        return self.made_cuts[number]

    def _cuts(self, number: int) -> Iterator[FloatArray]:
        """Cut the effect and residuals of one curve, also times columns for curves that cross."""
        design = self.sample.basis.design
        for column in design.T[:3]:
            yield equal_parts(self.residuals * column, number)
        yield as_start(least_squares_parts(self.sample.y, number), number)
        yield as_start(least_squares_parts(self.residuals, number), number)
        if number > 2:
            return
        if design.shape[1] > 1:
            for crossing in np.quantile(design[:, 1], CROSSINGS):
                yield equal_parts(self.residuals * (design[:, 1] - crossing), number)
        distance = np.abs(self.residuals)
        yield as_start(distance > FAR_MEDIANS * np.median(distance), number)

    def cuts_of_the_cause(self, number: int) -> Iterator[FloatArray]:
        """Cut the cause, and its sum and difference with residuals."""
        design = self.sample.basis.design
        if design.shape[1] > 1:
            residuals = 2.0 * self.residuals / self.residuals.std()
            yield equal_parts(design[:, 1], number)
            yield equal_parts(design[:, 1] + residuals, number)
            yield equal_parts(design[:, 1] - residuals, number)
            plane = np.column_stack([self.sample.points[:, 0], self.sample.y])
            yield as_start(plane_parts(plane, number), number)

    def splits(self, fit: Mechanisms) -> Iterator[FloatArray]:
        """Split each mechanism by its residuals, and by their size."""
        labels = fit.labels
        number = fit.n_mechanisms + 1
        for mechanism in range(fit.n_mechanisms):
            is_member = labels == mechanism
            if np.count_nonzero(is_member) < 4:
                continue
            residuals = self.sample.y - fit.curves[:, mechanism]
            distance = np.abs(residuals)
            is_far = distance > FAR_MEDIANS * np.median(distance[is_member])
            is_upper = np.zeros(len(labels), bool)
            is_upper[is_member] = least_squares_parts(residuals[is_member], 2) > 0
            for is_moved in (is_far & is_member, is_upper):
                yield as_start(np.where(is_moved, number - 1, labels), number)

    def merges(self, fit: Mechanisms) -> Iterator[FloatArray]:
        """Merge pairs of mechanisms, those that overlap most."""
        probabilities = fit.probabilities
        overlap = probabilities.T @ probabilities
        weights = probabilities.sum(axis=0)
        pairs: list[tuple[float, int, int]] = []
        for first in range(fit.n_mechanisms):
            for second in range(first):
                smaller = max(min(weights[first], weights[second]), 1e-9)
                pairs.append((-overlap[first, second] / smaller, first, second))
        for _, first, second in sorted(pairs)[:N_MERGED]:
            merged = np.delete(probabilities, first, axis=1)
            merged[:, second] += probabilities[:, first]
            yield soften(merged)

    def lines(self, number: int) -> Iterator[FloatArray]:
        """Draw lines through a few rows each; every row starts at the nearest line."""
        y = self.sample.y
        causes = np.column_stack([np.ones(len(y)), self.sample.points])
        order = np.lexsort((y, self.sample.points[:, 0]))
        rng = np.random.default_rng(number)
        size = (N_LINES, number, causes.shape[1])
        rows = order[rng.integers(len(y), size=size)]
        slopes = np.linalg.pinv(causes[rows], rcond=LEVEL) @ y[rows][..., np.newaxis]
        for drawn in slopes[..., 0]:
            distance = np.abs(y[:, np.newaxis] - causes @ drawn.T)
            yield as_start(distance.argmin(axis=1), number)


def as_start(labels: IntArray, number: int) -> FloatArray:
    """Return softened responsibilities of labels 0 to `number` - 1."""
    return soften(np.eye(number)[labels.astype(np.intp)])


def equal_parts(values: FloatArray, number: int) -> FloatArray:
    """Cut values into parts of equal size, equal values together."""
    labels = mean_ranks(values) * number / len(values)
    return as_start(labels.astype(np.intp), number)


def plane_parts(points: FloatArray, number: int) -> IntArray:
    """Label points (n_samples, 2) by k-means, from ranges of their first principal component."""
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    labels = least_squares_parts(points @ axes[0], number)
    for _ in range(PLANE_ITER):
        sizes = np.bincount(labels, minlength=number)
        if sizes.min() == 0:
            break
        sums = [np.bincount(labels, values, number) for values in points.T]
        centers = np.column_stack(sums) / sizes[:, np.newaxis]
        distances = ((points[:, np.newaxis] - centers) ** 2).sum(axis=2)
        labels = distances.argmin(axis=1)
    return labels
