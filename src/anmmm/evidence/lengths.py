"""Description length of a pair in each direction: which generative model tells the data shorter.

Two variables come in. Each is cut into cells and given a density as a cause; as an effect it is
told by the best of several conditional models. The totals go out as an `EvidenceResult`, whose
score decides the direction. What is compared, and why, is in docs/method/decisions.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm._validation import as_pair, check_count, check_single
from anmmm.evidence.density import (
    Density,
    GaussianQuantiles,
    description_length,
    fit_density,
    normal_mass,
)
from anmmm.mixture import (
    MAX_MECHANISMS,
    LocationScaleFit,
    MixtureFit,
    as_responsibilities,
    choose_mixture,
    fit_single,
    smallest_noise,
)
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells, standardise
from anmmm.results import RESOLUTION, DirectionEvidence, EvidenceResult, sign_of

__all__ = [
    "DirectionEvidence",
    "EvidenceResult",
    "Variable",
    "evidence",
    "fit_linked",
    "model_text",
]

# Below this many distinct values for each observation a variable counts as tied.
TIED = 0.5
# Change of the bound, in nats per observation, at which a fit stops: well below any score.
TOLERANCE = RESOLUTION
MAX_ITER = 200


@dataclass(frozen=True, eq=False, repr=False)
class Variable(Record):
    """A standardised variable with everything that depends on it alone.

    Attributes
    ----------
    cells : Cells
        The variable at its own resolution.
    density : Density
        Fitted to it.
    length : float
        Its description length as a cause, in nats for all observations.
    basis : SplineBasis
        Columns for curves over it.
    """

    cells: Cells
    density: Density
    length: float
    basis: SplineBasis

    @classmethod
    def of(cls, values: FloatArray) -> Variable:
        """Describe a standardised variable of shape (n_samples,). O(N log N)."""
        cells = Cells.of(values)
        density, length = fit_density(values, cells.lower, cells.upper, cells.n_distinct)
        return cls(cells, density, length, SplineBasis.of(values[:, np.newaxis]))

    @property
    def floor(self) -> float:
        """Noise variance below which no model of it as an effect may fall."""
        return smallest_noise(self.cells)

    @property
    def is_tied(self) -> bool:
        """Whether it has few distinct values for its number of observations."""
        return self.cells.n_distinct < TIED * len(self.cells.values)


def evidence(
    x: Any,
    y: Any,
    *,
    max_mechanisms: int = MAX_MECHANISMS,
    forward_labels: Any = None,
    backward_labels: Any = None,
) -> EvidenceResult:
    """Compare the description lengths of a pair in both directions.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        The two variables, at least 10 observations.
    max_mechanisms : int
        Most mechanisms tried.
    forward_labels, backward_labels : array-like of shape (n_samples,), optional
        Mechanism labels of each hypothesis, such as clusters of a fitted Θ, as further starts.

    Returns
    -------
    EvidenceResult
        Exchanging x and y (and the labels) exactly negates the score.

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.

    Notes
    -----
    Nothing is random. Linear in the number of observations, but for two sorts.

    Examples
    --------
    >>> from anmmm.datasets import make_anm_mixture
    >>> from anmmm.evidence import evidence
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> result = evidence(x, y)
    >>> result.direction, result.forward.model
    (1, 'anm-2')
    """
    first, second = as_pair(x, y)
    for name, variable in (("x", first), ("y", second)):
        check_single(
            variable,
            name,
            "evidence compares densities of single variables; pass one column, or infer the "
            "direction with criterion 'hsic', 'hsic_ratio' or 'pvalue'",
        )
    most = check_count(max_mechanisms, "max_mechanisms", maximum=len(first))
    x_variable = Variable.of(standardise(first)[0][:, 0])
    y_variable = Variable.of(standardise(second)[0][:, 0])
    forward = _describe(x_variable, y_variable, most, _as_starts(forward_labels, len(first)))
    backward = _describe(y_variable, x_variable, most, _as_starts(backward_labels, len(first)))
    n = len(first)
    score = (backward.total - forward.total) / n
    return EvidenceResult(
        direction=sign_of(score),
        score=score,
        forward_score=forward.total / n,
        backward_score=backward.total / n,
        forward=forward,
        backward=backward,
    )


def _describe(
    cause: Variable,
    effect: Variable,
    max_mechanisms: int,
    starts: Sequence[FloatArray] = (),
) -> DirectionEvidence:
    """Tell an effect after its cause by the shortest of all models; see `DirectionEvidence`."""
    y, floor = effect.cells.values, effect.floor
    single, spread = fit_single(cause.basis, y, floor=floor, tol=TOLERANCE, max_iter=MAX_ITER)
    mixtures = choose_mixture(
        cause.basis, y, max_mechanisms=max_mechanisms, extra_starts=starts,
        first=(single, spread), floor=floor, tol=TOLERANCE, max_iter=MAX_ITER,
    )  # fmt: skip
    lengths = {f"anm-{fit.n_mechanisms}": _mixture_length(fit, effect.cells) for fit in mixtures}
    # Curves are those of the Gaussian fits, and so is what they cost.
    lengths["anm-1+noise"] = _free_noise_length(
        effect.cells, single.curves[:, 0], np.full(len(y), math.sqrt(single.noise_variance)),
        single.complexity,
    )  # fmt: skip
    lengths["location-scale"] = _location_scale_length(
        spread, effect.cells.lower, effect.cells.upper, effect.cells.n_distinct
    )
    lengths["location-scale+noise"] = _free_noise_length(
        effect.cells, spread.curve, spread.scale, spread.complexity
    )
    converged = {f"anm-{fit.n_mechanisms}": fit.converged for fit in mixtures}
    converged["anm-1+noise"] = single.converged
    converged["location-scale"] = converged["location-scale+noise"] = spread.converged
    # On tied data a metric additive model is no longer the natural one. Both directions get the
    # same models, whichever variable is tied.
    if cause.is_tied or effect.is_tied:
        linked, single, spread = _linked_lengths(cause.basis, effect)
        lengths.update(linked)
        converged["anm-1+link"] = single.converged
        converged["location-scale+link"] = spread.converged
    model = min(lengths, key=lengths.__getitem__)
    chosen = int(model[4:]) if model.startswith("anm-") and model[4:].isdigit() else 1
    return DirectionEvidence(
        total=cause.length + lengths[model],
        cause=cause.length,
        effect=lengths[model],
        model=model,
        lengths=lengths,
        n_mechanisms=chosen,
        converged=converged[model],
        mixtures=tuple(mixtures),
        density=cause.density,
    )


def _as_starts(labels: Any, n_samples: int) -> list[FloatArray]:
    return [] if labels is None else [as_responsibilities(labels, n_samples)]


def _mixture_length(fit: MixtureFit, cells: Cells) -> float:
    scale = math.sqrt(fit.noise_variance)
    mass = np.zeros(len(cells.values))
    for weight, curve in zip(fit.weights, fit.curves.T, strict=True):
        mass += weight * normal_mass((cells.lower - curve) / scale, (cells.upper - curve) / scale)
    return description_length(mass, cells.n_distinct) + fit.complexity + fit.numbers


def _location_scale_length(
    spread: LocationScaleFit, lower: FloatArray, upper: FloatArray, n_cells: int
) -> float:
    mass = normal_mass((lower - spread.curve) / spread.scale, (upper - spread.curve) / spread.scale)
    return description_length(mass, n_cells) + spread.complexity + 0.5 * math.log(len(mass))


def _free_noise_length(
    cells: Cells, curve: FloatArray, scale: FloatArray, complexity: float
) -> float:
    _, length = fit_density(
        (cells.values - curve) / scale,
        (cells.lower - curve) / scale,
        (cells.upper - curve) / scale,
        cells.n_distinct,
    )
    return length + complexity


def fit_linked(
    basis: SplineBasis, effect: Variable
) -> tuple[GaussianQuantiles, MixtureFit, LocationScaleFit]:
    """Fit one mechanism, of either kind of noise, to an effect taken to its Gaussian quantiles.

    Parameters
    ----------
    basis : SplineBasis
        Of the cause.
    effect : Variable

    Returns
    -------
    link : GaussianQuantiles
    single : MixtureFit
    spread : LocationScaleFit
    """
    link = GaussianQuantiles.of(effect.cells, effect.density)
    floor = smallest_noise(Cells.of(link.values))
    single, spread = fit_single(basis, link.values, floor=floor, tol=TOLERANCE, max_iter=MAX_ITER)
    return link, single, spread


def model_text(model: str) -> str:
    """Describe a conditional model in words.

    Parameters
    ----------
    model : str
        As in `anmmm.DirectionEvidence`.

    Returns
    -------
    str
    """
    kind, _, addition = model.partition("+")
    mechanisms = kind.removeprefix("anm-")
    noise = "noise of a fitted density" if addition == "noise" else "Gaussian noise"
    if kind == "location-scale":
        text = f"one mechanism, {noise}, its scale depends on the cause"
    elif mechanisms == "1":
        text = f"one mechanism, additive {noise}"
    else:
        text = f"{mechanisms} mechanisms, additive {noise}"
    if addition == "link":
        text += ", on the effect's own quantiles"
    return text


def _linked_lengths(
    basis: SplineBasis, effect: Variable
) -> tuple[dict[str, float], MixtureFit, LocationScaleFit]:
    """Lengths after the effect was taken to Gaussian quantiles of its own fitted density."""
    cells, density = effect.cells, effect.density
    link, single, spread = fit_linked(basis, effect)
    lower, upper = link.lower, link.upper
    curve, scale = single.curves[:, 0], math.sqrt(single.noise_variance)
    mass = normal_mass((lower - curve) / scale, (upper - curve) / scale)
    numbers = density.cost + 0.5 * math.log(len(link.values))
    lengths = {
        "anm-1+link": description_length(mass, cells.n_distinct) + single.complexity + numbers,
        "location-scale+link": _location_scale_length(spread, lower, upper, cells.n_distinct)
        + density.cost,
    }
    return lengths, single, spread
