"""What a conditional model is: how long it makes an effect, its curves, its distribution.

The fitted numbers of a model and the effect's cells come in; `anmmm.evidence` compares `length`,
plots draw `curves`, and the check of a model looks at `levels`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray
from anmmm.evidence.classes import ClassFit, fit_classes
from anmmm.evidence.code import Code
from anmmm.evidence.density import Density, GaussianQuantiles, fit_densities
from anmmm.evidence.latent import CountFit, LevelFit, fit_counts, fit_levels
from anmmm.evidence.monotone import PostNonlinearFit, fit_post_nonlinear
from anmmm.evidence.sign import RESOLUTION
from anmmm.evidence.variable import Given, Variable
from anmmm.mixture import (
    MAX_MECHANISMS,
    LocationScaleFit,
    MixtureFit,
    choose_mixture,
    fit_single,
    smallest_noise,
)
from anmmm.preprocessing import Cells

# Change of the bound, in nats per observation, at which a fit stops: well below any score.
TOLERANCE = RESOLUTION
MAX_ITER = 200


@dataclass(frozen=True, eq=False, repr=False)
class EffectCurves(Record):
    """What a fitted model says of the effect at given values of the cause.

    Attributes
    ----------
    center : ndarray of shape (n_points, n_mechanisms)
        Posterior mean of each mechanism's curve; under a model with a link the median of the
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
    cause : Variable or Given
    effect : Variable
    max_mechanisms : int
    starts : sequence of ndarray of shape (n_samples, n_mechanisms)
        Further responsibilities to start from.
    """

    def __init__(
        self,
        cause: Variable | Given,
        effect: Variable,
        *,
        max_mechanisms: int = MAX_MECHANISMS,
        starts: Sequence[FloatArray] = (),
    ) -> None:
        self.cause, self.effect = cause, effect
        self.max_mechanisms, self.starts = max_mechanisms, starts

    @property
    def price(self) -> float:
        """Nats for the choice of a law of values without a unit where the cause has categories.

        Their effects shrink to nothing at no cost, unlike the linear part of a curve.
        """
        return 0.5 * math.log(len(self.effect.cells.values)) if self.cause.is_categorical else 0.0

    @computed
    def single(self) -> tuple[MixtureFit, LocationScaleFit]:
        """One mechanism, with constant noise and with noise that depends on the cause."""
        return fit_single(
            self.cause.basis,
            self.effect.cells.values,
            floor=self.effect.floor,
            tol=TOLERANCE,
            max_iter=MAX_ITER,
        )

    @computed
    def noises(self) -> list[tuple[Density, FloatArray]]:
        """Densities of the residuals of `single`, with each observation's nats."""
        additive, scaled = self.single
        centers = np.stack([additive.curves[:, 0], scaled.curve])
        scales = np.empty_like(centers)
        scales[0], scales[1] = math.sqrt(additive.noise_variance), scaled.scale
        return fit_densities(self.effect.cells, centers, scales)

    @computed
    def mixtures(self) -> list[MixtureFit]:
        """1, 2, … mechanisms."""
        return choose_mixture(
            self.cause.basis,
            self.effect.cells.values,
            max_mechanisms=self.max_mechanisms,
            extra_starts=self.starts,
            first=self.single,
            floor=self.effect.floor,
            tol=TOLERANCE,
            max_iter=MAX_ITER,
        )

    @computed
    def link(self) -> GaussianQuantiles | None:
        """Gaussian quantiles of the effect, where one of the variables is tied.

        On tied data a metric additive model is no longer the natural one. Both directions get the
        same models, whichever variable is tied.
        """
        tied = self.cause.is_tied or self.effect.is_tied
        return self.effect.quantiles if tied else None

    @computed
    def linked(self) -> tuple[MixtureFit, LocationScaleFit]:
        """`single` for the effect's Gaussian quantiles."""
        assert self.link is not None
        values = self.link.values
        return fit_single(
            self.cause.basis,
            values,
            floor=smallest_noise(Cells.of(values)),
            tol=TOLERANCE,
            max_iter=MAX_ITER,
        )

    @computed
    def post_nonlinear(self) -> PostNonlinearFit | None:
        """A monotone function of an effect that is not tied, and a curve."""
        if self.effect.scales is None:
            return None
        return fit_post_nonlinear(self.cause.basis, self.effect.cells, self.effect.scales)

    @computed
    def levels(self) -> LevelFit | None:
        """Cuts of a curve with noise between the values of a tied effect."""
        return fit_levels(self.cause.basis, self.effect.cells) if self.effect.is_tied else None

    @computed
    def classes(self) -> ClassFit:
        """Probabilities of the effect's categories."""
        groups = self.cause.cells.index if isinstance(self.cause, Variable) else None
        return fit_classes(self.cause.basis, self.effect.cells, groups)

    @computed
    def counts(self) -> CountFit | None:
        """A curve behind the mean of counts."""
        counts, cells = self.effect.counts, self.effect.cells
        return None if counts is None else fit_counts(self.cause.basis, counts, cells.n_distinct)


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalModel(Code, ABC):
    """A fitted model of an effect given its cause, both standardized.

    `NAME` and `TEXT` may hold ``{n}`` and ``{mechanisms}``, their number in digits and in words.

    Attributes
    ----------
    nats, cost, length
        Description length of the effect; see `Code`.
    cells : Cells
        The effect at its own resolution.
    """

    NAME: ClassVar[str]
    TEXT: ClassVar[str]

    cells: Cells

    @classmethod
    @abstractmethod
    def encode(cls, fits: Fits) -> Iterator[ConditionalModel]:
        """Encode the effect of a pair; yields nothing where the model does not apply."""

    @abstractmethod
    def curves(self, at: FloatArray) -> EffectCurves:
        """Evaluate the model at standardized values of the cause, (n_points, 1)."""

    @abstractmethod
    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""

    @property
    def converged(self) -> bool:
        """Whether the fit settled before the most iterations."""
        return True

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
