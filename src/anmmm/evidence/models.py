"""Models of an effect given its cause: one class each, all of them listed in `MODELS`.

Two variables come in as `Fits`, which makes each fit that models share once. Every model that
applies goes out with the effect's description length and with its curves.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.density import (
    GaussianQuantiles,
    description_length,
    fit_density,
    normal_mass,
)
from anmmm.evidence.sign import RESOLUTION
from anmmm.evidence.variable import Variable
from anmmm.mixture import (
    MAX_MECHANISMS,
    LocationScaleFit,
    MixtureFit,
    choose_mixture,
    fit_single,
    smallest_noise,
)
from anmmm.preprocessing import Cells

__all__ = ["MODELS", "ConditionalModel", "EffectCurves", "Fits", "fit_models", "model_text"]

# Change of the bound, in nats per observation, at which a fit stops: well below any score.
TOLERANCE = RESOLUTION
MAX_ITER = 200


@dataclass(frozen=True, eq=False, repr=False)
class EffectCurves(Record):
    """What a fitted model says of the effect at given values of the cause.

    Attributes
    ----------
    center : ndarray of shape (n_points, n_mechanisms)
        Posterior mean of each mechanism's curve; under a model with ``"+link"`` the median of the
        effect.
    lower, upper : ndarray of shape (n_points, n_mechanisms)
        One standard deviation of the noise below and above; taken before the link where there is
        one.
    """

    center: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def about(cls, center: FloatArray, scale: FloatArray | float) -> EffectCurves:
        """Curves with a band of one standard deviation on both sides."""
        return cls(center, center - scale, center + scale)

    def through(self, transform: Callable[[FloatArray], FloatArray]) -> EffectCurves:
        """Curve and bounds on another scale of the effect."""
        return EffectCurves(*map(transform, (self.center, self.lower, self.upper)))

    def part(self, points: slice, mechanism: int) -> EffectCurves:
        """Curve of one mechanism at some of the points: arrays of one dimension."""
        return EffectCurves(
            self.center[points, mechanism],
            self.lower[points, mechanism],
            self.upper[points, mechanism],
        )


class Fits:
    """Fits of an effect to the columns of its cause, each made when it is first asked for.

    Attributes
    ----------
    cause, effect : Variable
    max_mechanisms : int
    starts : sequence of ndarray of shape (n_samples, n_mechanisms)
        Further responsibilities to start from.
    """

    def __init__(
        self,
        cause: Variable,
        effect: Variable,
        *,
        max_mechanisms: int = MAX_MECHANISMS,
        starts: Sequence[FloatArray] = (),
    ) -> None:
        self.cause, self.effect = cause, effect
        self.max_mechanisms, self.starts = max_mechanisms, starts

    @cached_property
    def single(self) -> tuple[MixtureFit, LocationScaleFit]:
        """One mechanism, with constant noise and with noise that depends on the cause."""
        return fit_single(
            self.cause.basis, self.effect.cells.values, floor=self.effect.floor, tol=TOLERANCE,
            max_iter=MAX_ITER,
        )  # fmt: skip

    @cached_property
    def mixtures(self) -> list[MixtureFit]:
        """1, 2, … mechanisms."""
        return choose_mixture(
            self.cause.basis, self.effect.cells.values, max_mechanisms=self.max_mechanisms,
            extra_starts=self.starts, first=self.single, floor=self.effect.floor, tol=TOLERANCE,
            max_iter=MAX_ITER,
        )  # fmt: skip

    @cached_property
    def link(self) -> GaussianQuantiles | None:
        """Gaussian quantiles of the effect, where one of the variables is tied.

        On tied data a metric additive model is no longer the natural one. Both directions get the
        same models, whichever variable is tied.
        """
        if not (self.cause.is_tied or self.effect.is_tied):
            return None
        return GaussianQuantiles.of(self.effect.cells, self.effect.density)

    @cached_property
    def linked(self) -> tuple[MixtureFit, LocationScaleFit]:
        """`single` for the effect's Gaussian quantiles."""
        assert self.link is not None
        values = self.link.values
        return fit_single(
            self.cause.basis, values, floor=smallest_noise(Cells.of(values)), tol=TOLERANCE,
            max_iter=MAX_ITER,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalModel(Record, ABC):
    """A fitted model of an effect given its cause, both standardized.

    `NAME` and `TEXT` may hold ``{n}`` and ``{mechanisms}``, their number in digits and in words.

    Attributes
    ----------
    length : float
        Description length of the effect, in nats for all observations.
    """

    NAME: ClassVar[str]
    TEXT: ClassVar[str]

    length: float

    @classmethod
    @abstractmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the effect of a pair; yields nothing where the model does not apply."""

    @abstractmethod
    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the model at standardized values of the cause, (n_points, 1)."""

    @property
    @abstractmethod
    def converged(self) -> bool:
        """Whether the curves settled before the most iterations."""

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms."""
        return 1

    @property
    def name(self) -> str:
        """Name in tables and files."""
        return self.named(self.n_mechanisms)[0]

    @property
    def text(self) -> str:
        """Description in words."""
        return self.named(self.n_mechanisms)[1]

    @classmethod
    def named(cls, n: int) -> tuple[str, str]:
        """Return name and description of the model with n mechanisms."""
        mechanisms = "one mechanism" if n == 1 else f"{n} mechanisms"
        return cls.NAME.format(n=n), cls.TEXT.format(mechanisms=mechanisms)


@dataclass(frozen=True, eq=False, repr=False)
class Additive(ConditionalModel):
    """C additive noise models that share Gaussian noise."""

    NAME = "anm-{n}"
    TEXT = "{mechanisms}, additive Gaussian noise"

    fit: MixtureFit

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the effect by 1, 2, … mechanisms."""
        cells = fits.effect.cells
        for fit in fits.mixtures:
            scale = math.sqrt(fit.noise_variance)
            mass = np.zeros(len(cells.values))
            for weight, curve in zip(fit.weights, fit.curves.T, strict=True):
                mass += weight * _gaussian_mass(cells.lower, cells.upper, curve, scale)
            yield cls(_length(mass, cells) + fit.complexity + fit.numbers, fit)

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms."""
        return self.fit.n_mechanisms

    @property
    def converged(self) -> bool:
        """Whether EM settled."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curves, with the standard deviation that they share."""
        return EffectCurves.about(self.fit.curves_at(at), math.sqrt(self.fit.noise_variance))


@dataclass(frozen=True, eq=False, repr=False)
class AdditiveFreeNoise(Additive):
    """One additive noise model whose noise has a fitted density about the Gaussian fit's curve."""

    NAME = "anm-1+noise"
    TEXT = "one mechanism, additive noise of a fitted density"

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the residuals by their own density."""
        fit = fits.single[0]
        scale = np.full(len(fit.curves), math.sqrt(fit.noise_variance))
        length = _residual_length(fits.effect.cells, fit.curves[:, 0], scale)
        yield cls(length + fit.complexity, fit)


@dataclass(frozen=True, eq=False, repr=False)
class AdditiveLinked(Additive):
    """One additive noise model of the effect's Gaussian quantiles."""

    NAME = "anm-1+link"
    TEXT = "one mechanism, additive Gaussian noise, on the effect's own quantiles"

    link: GaussianQuantiles

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode tied data by a curve with noise of one size."""
        if fits.link is None:
            return
        fit, scale = fits.linked[0], math.sqrt(fits.linked[0].noise_variance)
        length = _linked_length(fits, fits.link, fit.curves[:, 0], scale, fit.complexity)
        yield cls(length, fit, fits.link)

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curve and its band, taken back through the link."""
        return super().curves(at).through(self.link.undo)


@dataclass(frozen=True, eq=False, repr=False)
class LocationScale(ConditionalModel):
    """One mechanism with Gaussian noise of a scale that depends on the cause."""

    NAME = "location-scale"
    TEXT = "one mechanism, Gaussian noise, its scale depends on the cause"

    fit: LocationScaleFit

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the effect about a curve with a band of varying width."""
        fit, cells = fits.single[1], fits.effect.cells
        mass = _gaussian_mass(cells.lower, cells.upper, fit.curve, fit.scale)
        yield cls(_length(mass, cells) + fit.complexity + 0.5 * math.log(len(mass)), fit)

    @property
    def converged(self) -> bool:
        """Whether the evidence settled."""
        return self.fit.converged

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curve and one standard deviation of the noise there."""
        center, scale = (values[:, np.newaxis] for values in self.fit.curves_at(at))
        return EffectCurves.about(center, scale)


@dataclass(frozen=True, eq=False, repr=False)
class LocationScaleFreeNoise(LocationScale):
    """One mechanism whose noise, divided by the Gaussian fit's scale, has a fitted density."""

    NAME = "location-scale+noise"
    TEXT = "one mechanism, noise of a fitted density, its scale depends on the cause"

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the scaled residuals by their own density."""
        fit = fits.single[1]
        length = _residual_length(fits.effect.cells, fit.curve, fit.scale)
        yield cls(length + fit.complexity, fit)


@dataclass(frozen=True, eq=False, repr=False)
class LocationScaleLinked(LocationScale):
    """One mechanism of the effect's Gaussian quantiles, its scale depending on the cause."""

    NAME = "location-scale+link"
    TEXT = (
        "one mechanism, Gaussian noise, its scale depends on the cause, on the effect's own "
        "quantiles"
    )

    link: GaussianQuantiles

    @classmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode tied data by a curve with a band of varying width."""
        if fits.link is None:
            return
        fit = fits.linked[1]
        length = _linked_length(fits, fits.link, fit.curve, fit.scale, fit.complexity)
        yield cls(length, fit, fits.link)

    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the curve and its band, taken back through the link."""
        return super().curves(at).through(self.link.undo)


# A model that joins them needs nothing else. Of equal lengths the first one wins.
MODELS: tuple[type[ConditionalModel], ...] = (
    Additive,
    AdditiveFreeNoise,
    LocationScale,
    LocationScaleFreeNoise,
    AdditiveLinked,
    LocationScaleLinked,
)


def fit_models(fits: Fits) -> dict[str, ConditionalModel]:
    """Return every model that applies to a pair, by its name."""
    return {model.name: model for kind in MODELS for model in kind.encode(fits)}


def model_text(model: str) -> str:
    """Describe a conditional model, named as in `anmmm.DirectionEvidence`, in words.

    A name that no model has, as in the file of another version, is returned as it is.
    """
    return _texts().get(model, model)


@cache
def _texts() -> dict[str, str]:
    return dict(kind.named(n) for kind in MODELS for n in range(1, 100))


def _gaussian_mass(
    lower: FloatArray, upper: FloatArray, curve: FloatArray, scale: FloatArray | float
) -> FloatArray:
    """Probability of each observation's cell under Gaussian noise about a curve."""
    return normal_mass((lower - curve) / scale, (upper - curve) / scale)


def _length(mass: FloatArray, cells: Cells) -> float:
    return description_length(mass, cells.n_distinct)


def _linked_length(
    fits: Fits,
    link: GaussianQuantiles,
    curve: FloatArray,
    scale: FloatArray | float,
    complexity: float,
) -> float:
    """Return the description length of tied data by Gaussian noise on the scale of the link."""
    mass = _gaussian_mass(link.lower, link.upper, curve, scale)
    numbers = fits.effect.density.cost + 0.5 * math.log(len(mass))
    return _length(mass, fits.effect.cells) + complexity + numbers


def _residual_length(cells: Cells, curve: FloatArray, scale: FloatArray) -> float:
    """Return the description length of the effect by a density fitted to its scaled residuals."""
    values, lower, upper = (
        (points - curve) / scale for points in (cells.values, cells.lower, cells.upper)
    )
    return fit_density(values, lower, upper, cells.n_distinct)[1]
