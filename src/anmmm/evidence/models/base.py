"""The base classes of conditional models, and the fits of an effect that models share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from anmmm._kernels.packed import Design
from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import RESOLUTION, Encoding, shortest
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models.form import Form, Suffix
from anmmm.mixture.em import MAX_MECHANISMS, choose_mixture, fit_single, smallest_noise
from anmmm.mixture.fits import LocationScaleFit, MixtureFit, fit_location_scale
from anmmm.mixture.search import many_mechanisms
from anmmm.mixture.splines import Columns, SplineBasis
from anmmm.preprocessing import Cells

if TYPE_CHECKING:
    from anmmm.evidence.variable import Variable

# Change of the bound, in nats per observation, at which a fit stops.
TOLERANCE = RESOLUTION
MAX_ITER = 200
# Iterations of one curve on a scale of its own.
CURVE_ITER = 60


class EffectCurves(Record):
    """The curves of a fitted model at given values of the cause.

    Attributes
    ----------
    center : ndarray of shape (n_points, n_mechanisms)
        Mean of the effect under each mechanism; under ``"pnl"``, ``"clusters"``, and a link of
        many values, its median. Probabilities if there are `levels`.
    lower, upper : ndarray of shape (n_points, n_mechanisms)
        One standard deviation of the effect, or of the noise before a link, below and above. Equal
        to `center` if this holds probabilities.
    levels : tuple
        The upper value of a binary effect, of which `center` is the probability; all categories
        of an effect without an order, each of which has a column in place of a mechanism.
    """

    center: FloatArray
    lower: FloatArray
    upper: FloatArray
    levels: tuple[Any, ...] = ()

    @classmethod
    def about(cls, center: FloatArray, scale: FloatArray | float) -> EffectCurves:
        """Curves with a band of one standard deviation above and below."""
        return cls(center, center - scale, center + scale)

    def through(self, transform: Callable[[FloatArray], FloatArray]) -> EffectCurves:
        """Curve and bounds on another scale of the effect."""
        return EffectCurves(
            transform(self.center), transform(self.lower), transform(self.upper), self.levels
        )

    def part(self, points: slice, mechanism: int) -> EffectCurves:
        """Curve of one mechanism at some points, (n,), or of all categories, (n, n_categories)."""
        columns = slice(None) if len(self.levels) > 1 else mechanism
        return self.through(lambda values: values[points, columns])

    @classmethod
    def of_levels(cls, cells: Cells, probabilities: FloatArray) -> EffectCurves:
        """Probabilities of the values of an effect, (n, n_distinct)."""
        levels = tuple(np.unique(cells.values))
        return cls(probabilities, probabilities, probabilities, levels)

    @classmethod
    def of_cells(cls, cells: Cells, mass: FloatArray) -> EffectCurves:
        """Mean and deviation of an effect whose cells have these probabilities, (n, n_distinct)."""
        distinct = cells.distinct
        mean = mass @ distinct
        variance = mass @ distinct**2 - mean**2
        scale = np.sqrt(np.maximum(variance, 0.0))
        return cls.about(mean[:, np.newaxis], scale[:, np.newaxis])


class Regressors(Record):
    """Regressors of an effect that are not one variable.

    `basis` are columns for curves over them, `rescaled` those over another scale; `groups`
    (n_samples,) number equal rows, if known.
    """

    basis: SplineBasis
    groups: IntArray | None = None
    rescaled: SplineBasis | None = None
    is_categorical: ClassVar[bool] = False


def row_groups(cause: Variable | Regressors) -> IntArray | None:
    """Return the numbers (n_samples,) of equal rows of a cause, if known."""
    return cause.groups if isinstance(cause, Regressors) else cause.cells.index


class EqualRows(Record):
    """Rows of a cause's basis and an effect, of which equal ones are counted once."""

    basis: SplineBasis
    representatives: IntArray  # (n_distinct,), one of the rows that are equal
    n_equal: FloatArray  # (n_distinct,), how many they are
    places: IntArray  # (n_samples,), each row's place among the distinct ones

    @classmethod
    def of(cls, basis: SplineBasis, groups: IntArray | None, index: IntArray) -> EqualRows:
        """Count rows of equal values `index` (n_samples,) of the effect and `groups` of a cause."""
        if groups is None:
            groups = np.arange(len(index))
        numbers = groups * (index.max() + 1) + index
        # Without `return_index`, which takes as long as all else.
        _, places, n_equal = np.unique(numbers, return_inverse=True, return_counts=True)
        representatives = np.empty(len(n_equal), dtype=np.intp)
        representatives[places] = np.arange(len(index))
        return cls(basis, representatives, n_equal.astype(np.float64), places)

    @computed
    def design(self) -> Design:
        """The columns of distinct rows."""
        columns = self.basis.design[self.representatives]
        return Design(columns, self.basis.prior, self.basis.n_null)


@dataclass(eq=False, repr=False)
class FitCache:
    """Fits of an effect to the columns of its cause, computed lazily."""

    cause: Variable | Regressors
    effect: Variable
    max_mechanisms: int = MAX_MECHANISMS
    _encoded: dict[type[ConditionalModel], list[ConditionalModel]] = field(default_factory=dict)

    @classmethod
    def without_cause(cls, effect: Variable) -> FitCache:
        """Return the fits without a cause."""
        n = len(effect.cells.values)
        return cls(Regressors(SplineBasis.constant(n), np.zeros(n, dtype=np.intp)), effect)

    def encoded(self, model_class: type[ConditionalModel]) -> list[ConditionalModel]:
        """Return the models of a class with its prior, cached because others may build on them."""
        if model_class not in self._encoded:
            self._encoded[model_class] = [
                model.plus(model_class.PRIOR) for model in model_class.encode(self)
            ]
        return self._encoded[model_class]

    def shortest_of(self, model_classes: Sequence[type[ConditionalModel]]) -> ConditionalModel:
        """Return the shortest model of these classes, the first one of equals."""
        models: list[ConditionalModel] = []
        for model_class in model_classes:
            models += self.encoded(model_class)
        return shortest(models)

    def shortest(self) -> ConditionalModel:
        """Return the shortest of all models."""
        # Imported here because wrapped models call it.
        from anmmm.evidence.models import fit_models

        return shortest(fit_models(self).values())

    @property
    def price(self) -> float:
        """Nats for a model of values without a unit given a categorical cause.

        Effects of categories shrink to 0 at no cost, unlike the linear part of a curve.
        """
        return 0.5 * math.log(len(self.effect.cells.values)) if self.cause.is_categorical else 0.0

    @computed
    def equal_rows(self) -> EqualRows:
        """The distinct rows of cause and effect."""
        return self.rows_of(self.effect.cells.index)

    def rows_of(self, index: IntArray) -> EqualRows:
        """Return the distinct rows of the cause and numbers (n_samples,) of equal effects."""
        return EqualRows.of(self.cause.basis, row_groups(self.cause), index)

    @computed
    def floor(self) -> float:
        """Smallest noise variance of the effect."""
        return smallest_noise(self.effect.cells)

    @computed
    def one_curve(self) -> MixtureFit:
        """One mechanism with constant noise."""
        return self.fit_curve(self.effect.cells.values, self.floor)

    def fit_curve(self, values: FloatArray, floor: float) -> MixtureFit:
        """Fit one mechanism with constant noise to the effect on another scale, (n_samples,)."""
        return fit_single(self.cause.basis, values, floor=floor)

    @computed
    def location_scale(self) -> LocationScaleFit:
        """One mechanism with noise that depends on the cause."""
        values = self.effect.cells.values
        return fit_location_scale(self.cause.basis, values, self.one_curve, floor=self.floor)

    @computed
    def mixtures(self) -> list[MixtureFit]:
        """1, 2, … mechanisms, and a larger number if it is shorter."""
        fits = self.mixtures_up_to(self.max_mechanisms)
        basis = self.cause.basis
        # Gaps between the values of a tied effect are no gaps between mechanisms.
        is_few = self.max_mechanisms < MAX_MECHANISMS
        if is_few or basis.n_null != 2 or self.effect.is_tied:
            return fits
        values = self.effect.cells.values
        return fits + many_mechanisms(
            basis, values, fits, floor=self.floor, tol=TOLERANCE, max_iter=MAX_ITER
        )

    def mixtures_up_to(
        self, max_mechanisms: int, max_criterion: float = math.inf
    ) -> list[MixtureFit]:
        """Fit 1, 2, … mechanisms; give up above a criterion."""
        return choose_mixture(
            self.cause.basis,
            self.effect.cells.values,
            self.one_curve,
            max_mechanisms=max_mechanisms,
            floor=self.floor,
            tol=TOLERANCE,
            max_iter=MAX_ITER,
            max_criterion=max_criterion,
        )


class ConditionalModel(Encoding, ABC):
    """A fitted model of an effect given its cause, both standardized.

    `FORM` has its name and text. `MARGINAL_NAME` names its marginal without a cause, see
    `Marginal`; empty if that is none. `PRIOR` are nats for its choice.

    Attributes
    ----------
    nats : ndarray of shape (n_samples,)
        Description length of each observation.
    cost : float
        Cost of the fitted parameters in nats.
    length : float
        Both, in nats for all observations.
    cells : Cells
        The effect at its own resolution.
    """

    FORM: ClassVar[Form] = Form("", "")
    MARGINAL_NAME: ClassVar[str] = ""
    PRIOR: ClassVar[float] = 0.0

    cells: Cells

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode the effect of a pair; yields nothing if the model does not apply."""
        yield from ()

    @classmethod
    def marginals(cls, fits: FitCache) -> Iterator[Marginal]:
        """Yield the marginals of an effect under the model without a cause."""
        if cls.MARGINAL_NAME:
            for model in cls.encode(fits):
                yield ModelMarginal.of(model, cls.MARGINAL_NAME)

    @abstractmethod
    def curves(self, points: FloatArray) -> EffectCurves:
        """Evaluate the model at standardized values of the cause, (n_points, 1)."""

    @abstractmethod
    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends of each observation's cell."""

    @property
    def converged(self) -> bool:
        """Whether the fit converged."""
        return True

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms."""
        return 1

    @property
    def responsibilities(self) -> FloatArray:
        """Probability of each mechanism for each observation, (n_samples, n_mechanisms)."""
        return np.ones((len(self.nats), 1))

    @property
    def base(self) -> ConditionalModel:
        """The model without its suffixes."""
        return self

    @property
    def form(self) -> Form:
        """What the model is made of."""
        return self.FORM

    @property
    def name(self) -> str:
        """Name in tables and files."""
        return str(self.form)

    @property
    def text(self) -> str:
        """Description in words."""
        return self.form.text


class Wrapped(ConditionalModel, ABC):
    """A model made of another one, `model`, with a suffix."""

    SUFFIX: ClassVar[Suffix]

    model: ConditionalModel

    @property
    def base(self) -> ConditionalModel:
        return self.model.base

    @property
    def form(self) -> Form:
        return self.model.form.plus(self.SUFFIX)

    @property
    def n_mechanisms(self) -> int:
        return self.model.n_mechanisms

    @property
    def responsibilities(self) -> FloatArray:
        return self.model.responsibilities

    @property
    def converged(self) -> bool:
        """Whether the fit of the model converged."""
        return self.model.converged

    def curves(self, points: FloatArray) -> EffectCurves:
        return self.model.curves(points)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return self.model.levels()


class ModelMarginal(Marginal):
    """The marginal of a conditional model, fitted without a cause."""

    model: ConditionalModel

    @classmethod
    def of(cls, model: ConditionalModel, name: str) -> ModelMarginal:
        """Name the marginal of a model."""
        return cls(model.nats, model.cost, name, model.cells, model)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        return self.model.levels()


class CurveModel(ConditionalModel, ABC):
    """A model by one smooth curve f of the cause, on a scale of its own."""

    curve: FloatArray  # (n_samples,), f at the observations
    mean: FloatArray  # coefficients of the columns that `splines` evaluates anywhere
    splines: Columns
    n_iter: int

    @property
    def converged(self) -> bool:
        """Whether the fit of the curve converged."""
        return self.n_iter < CURVE_ITER

    def curve_at(self, X: FloatArray) -> FloatArray:
        """Evaluate f, (n_points, 1), at standardized points (n_points, n_features)."""
        return np.asarray((self.splines.evaluate(X) @ self.mean)[:, np.newaxis])
