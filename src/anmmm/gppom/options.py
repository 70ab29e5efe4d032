"""Options of a GPPOM, checked where they are made: of the objective, of a fit, of estimators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

from anmmm._record import Record, frozen
from anmmm._typing import ArrayLike
from anmmm._validation import (
    LARGEST_WEIGHT,
    as_matrix,
    check_choice,
    check_count,
    check_nonnegative,
)
from anmmm.gppom.covariance import COMBINATIONS, KERNELS, Covariance
from anmmm.gppom.parameters import LATENT_MAPS
from anmmm.gppom.start import INITS

# Of parameters of estimators that are options of a fit.
PREFIX = "fit_options__"
# Keys of `anmmm.gppom.engines.ENGINES`, whose kernels an option is not to load.
ENGINE_NAMES = ("auto", "dense", "lowrank")
# Share of a trace that a low-rank factor may leave.
TOLERANCE = 1e-11
# The same in a fit. J then is off by some 3e-9 of its size, and a descent stops at steps of 1e-6.
FIT_TOLERANCE = 1e-8

# The default weights were chosen on data of this size.
REFERENCE_SIZE = 100
# Observations to each of a subsample from which on its fit is worth its time.
SMALLEST_RATIO = 5
# Nats per unit of J/N that an iteration must gain for a descent to go on. J grows with N, and what
# parts good from bad latents does not: at a million observations 1e-6 of J is more than that. A fit
# of a subsample has told them apart already.
DEFAULT_TOL, SMALLEST_GAIN = 1e-6, 0.05


@frozen
class ObjectiveOptions(Record):
    """Everything that shapes J, λ aside.

    Attributes
    ----------
    n_latent : int
        Latent dimensions q.
    latent_map : {"free", "mlp"}
        Θ itself is optimized, or the weights of an MLP that makes it from [x, y].
    n_hidden : int
        Logistic units of the MLP.
    kernel_x, kernel_theta : {"rbf", "linear", "affine"}
        Kernel of X and of Θ: smooth functions, linear ones, or linear ones with an intercept.
    combine : {"auto", "product", "sum"}
        How both kernels make the covariance. A sum is one function of X plus one of Θ; the product
        lets Θ choose the function of X. ``"auto"``: the sum where both are ``"linear"`` (the
        partially observable dual PPCA of the paper), and else the product. What each is for:
        docs/method/linear.md.
    engine : {"auto", "dense", "lowrank"}
        How the data terms are evaluated: exactly in O(N³), or by error-controlled low-rank factors
        in O(N r²). ``"auto"`` takes the cheaper one at each evaluation. Covariances other than the
        product of two RBF kernels are evaluated exactly alone, by ``"auto"`` up to 6000
        observations.
    engine_tol : float
        Accuracy of the low-rank factor: the trace of what it leaves of ``a K_X ∘ K_θ`` is below
        ``engine_tol * noise * N``, and L is off by at most about ``engine_tol * N``. A coarser one
        lowers the rank, and the time with its square.
    n_chunks : int, optional
        Run the engine's loops on Numba's threads, dealt out to so many chunks (16, say, on any
        machine: results depend on it by rounding, and not on the number of threads). For a single
        fit of many observations; collections use their cores better on several pairs.
    noise_floor : float
        ν, added to the noise variance. With one latent per observation a GP can interpolate a
        one-dimensional Y; the floor keeps the noise from going to zero.
    hsic_floor : float
        ε₀ inside the logarithm.
    latent_prior, hyper_prior, weight_prior : float
        w, v, u: precisions of the Gaussian priors on Θ, log Ω and the MLP's weights.
    """

    n_latent: int = 1
    latent_map: str = "free"
    n_hidden: int = 20
    kernel_x: str = "rbf"
    kernel_theta: str = "rbf"
    combine: str = "auto"
    engine: str = "auto"
    engine_tol: float = TOLERANCE
    n_chunks: int | None = None
    noise_floor: float = 1e-2
    hsic_floor: float = 1e-8
    latent_prior: float = 1.0
    hyper_prior: float = 1.2
    weight_prior: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what no objective can use."""
        check_count(self.n_latent, "n_latent")
        check_choice(self.latent_map, "latent_map", LATENT_MAPS)
        check_count(self.n_hidden, "n_hidden")
        check_choice(self.kernel_x, "kernel_x", KERNELS)
        check_choice(self.kernel_theta, "kernel_theta", KERNELS)
        check_choice(self.combine, "combine", COMBINATIONS)
        check_choice(self.engine, "engine", ENGINE_NAMES)
        if self.engine == "lowrank" and not self.covariance().smooth:
            raise ValueError(
                "engine='lowrank' evaluates the product of two RBF kernels alone, found "
                f"kernel_x={self.kernel_x!r}, kernel_theta={self.kernel_theta!r} and "
                f"combine={self.combine!r}; leave engine at 'auto'"
            )
        if self.n_chunks is not None:
            check_count(self.n_chunks, "n_chunks")
        for name in (
            "engine_tol",
            "noise_floor",
            "hsic_floor",
            "latent_prior",
            "hyper_prior",
            "weight_prior",
        ):
            check_nonnegative(getattr(self, name), name)

    @classmethod
    def from_keywords(cls, keywords: dict[str, Any]) -> Self:
        """Build options, refusing unknown names with the list of known ones."""
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(keywords) - set(known))
        if unknown:
            raise TypeError(
                f"unknown option {', '.join(map(repr, unknown))}; the options of a fit are "
                f"{', '.join(known)}"
            )
        return cls(**keywords)

    def covariance(self, *, has_x: bool = True) -> Covariance:
        """Form of the covariance that these options ask for, with or without an X."""
        if not has_x:
            # That of Θ alone: the product with the RBF of an X that is 0 throughout.
            return Covariance(kernel_theta=self.kernel_theta)
        combine = self.combine
        if combine == "auto":
            linear = self.kernel_x == self.kernel_theta == "linear"
            combine = "sum" if linear else "product"
        return Covariance(self.kernel_x, self.kernel_theta, combine)


@frozen
class FitOptions(ObjectiveOptions):
    """Everything that shapes a fit, λ aside: the keyword arguments called ``fit_options``.

    Those of `ObjectiveOptions`, and the following.

    Attributes
    ----------
    engine_tol : float
        As there, but 1e-8 by default: no step that goes on with a descent is as small as what that
        leaves out.
    init : {"residual", "pca"} or array-like of shape (n_samples, n_latent)
        Where Θ starts.
    init_degree : int
        Degree of the polynomial whose residual is taken, 0 to 10.
    n_starts : int
        Descents; the first from `init`, the others from seeded perturbations of it. The lowest J
        is kept.
    weight_growth : float
        λ and `hyper_prior` are multiplied by ``max(1, N / 100)**weight_growth``, N observations.
        With constant weights (0, the paper's J) the likelihood, which grows with N, outweighs them:
        γ_x tends to 0, where HSIC sees nothing, and clusters blur (docs/results/quality.md).
    max_iter : int
        Most L-BFGS iterations of a descent.
    tol : float, optional
        Stop when an iteration lowers J by less than `tol` times its size. By default 1e-6; without
        a subsample ``0.05 / N`` from 50 000 observations on.
    subsample : int or None
        A fit of five times as many observations or more starts where a fit of so many of them
        ended, spread evenly along X: a fifth to a half of the evaluations are then left.
        `n_starts` are those of the subsample. None, or an array `init`: it starts at `init`.
    """

    engine_tol: float = FIT_TOLERANCE
    init: ArrayLike = "residual"
    init_degree: int = 1
    n_starts: int = 1
    weight_growth: float = 0.5
    max_iter: int = 1000
    tol: float | None = None
    subsample: int | None = 10_000

    def __post_init__(self) -> None:
        """Refuse what no fit can use."""
        super().__post_init__()
        if isinstance(self.init, str):
            check_choice(self.init, "init", INITS)
        check_count(self.init_degree, "init_degree", minimum=0, maximum=10)
        check_count(self.n_starts, "n_starts")
        check_count(self.max_iter, "max_iter")
        if self.tol is not None:
            check_nonnegative(self.tol, "tol")
        check_nonnegative(self.weight_growth, "weight_growth")
        if self.subsample is not None:
            check_count(self.subsample, "subsample")

    def tol_for(self, n_samples: int, *, begun: bool = False) -> float:
        """Return `tol` or its default; `begun`: for a descent from the end of a subsample's fit."""
        if self.tol is not None:
            return self.tol
        return DEFAULT_TOL if begun else min(DEFAULT_TOL, SMALLEST_GAIN / n_samples)

    def takes_subsample(self, n_samples: int) -> bool:
        """Whether a fit of so many observations starts at the fit of a subsample."""
        if self.subsample is None or not isinstance(self.init, str):
            return False
        return n_samples >= SMALLEST_RATIO * self.subsample

    def grown(self, lam: float, n_samples: int) -> tuple[float, FitOptions]:
        """Return λ and the options with the weights that suit so many observations."""
        self.check_size(lam, n_samples)
        growth = self._growth(n_samples)
        return lam * growth, replace(self, hyper_prior=self.hyper_prior * growth)

    def check_size(self, lam: float, n_samples: int) -> None:
        """Refuse an `init` of other rows, and weights that so many observations make too large."""
        if not isinstance(self.init, str):
            init = as_matrix(self.init, "init", resolved=False)
            if init.shape != (n_samples, self.n_latent):
                raise ValueError(
                    f"init must have shape (n_samples, n_latent) = {(n_samples, self.n_latent)}, "
                    f"found {init.shape}"
                )
        logarithm = self.weight_growth * math.log(max(1.0, n_samples / REFERENCE_SIZE))
        if logarithm > math.log(LARGEST_WEIGHT):
            raise ValueError(
                f"weight_growth={self.weight_growth!r} multiplies lam and hyper_prior by more than "
                f"{LARGEST_WEIGHT:g} at {n_samples} observations; the default is 0.5"
            )
        check_nonnegative(lam * self._growth(n_samples), "lam")

    def _growth(self, n_samples: int) -> float:
        return float(max(1.0, n_samples / REFERENCE_SIZE) ** self.weight_growth)


class NestedFitOptions:
    """Mixin of estimators with a parameter ``fit_options``, before ``BaseEstimator``.

    Every field of `FitOptions` is reached as scikit-learn reaches those of an estimator within an
    estimator: ``set_params(fit_options__n_starts=3)``, and so by ``GridSearchCV``. The class
    attribute `fit_defaults` has the defaults that are others than those of `FitOptions`.
    """

    fit_defaults: ClassVar[dict[str, Any]] = {}
    fit_options: dict[str, Any] | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Whether the options of the fit are among them, each by its name.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        if deep:
            known = {each.name: each.default for each in fields(FitOptions)}
            # What is no mapping is refused by ``fit``, as scikit-learn wants it.
            given = self.fit_options if isinstance(self.fit_options, Mapping) else {}
            known |= {**self.fit_defaults, **given}
            params |= {f"{PREFIX}{name}": value for name, value in known.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and options of the fit by ``fit_options__`` and their name.

        Parameters
        ----------
        **params

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a name is unknown; the message has the known ones.
        """
        nested = {name: params.pop(name) for name in [*params] if name.startswith(PREFIX)}
        super().set_params(**params)  # type: ignore[misc]
        if not nested:
            return self
        known = [each.name for each in fields(FitOptions)]
        unknown = [name for name in nested if name.removeprefix(PREFIX) not in known]
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} is no parameter of {type(self).__name__}; the options of a fit "
                f"are {', '.join(PREFIX + name for name in known)}"
            )
        # A new dict: the old one may be that of a clone, or of the caller.
        options = {name.removeprefix(PREFIX): value for name, value in nested.items()}
        self.fit_options = {**(self.fit_options or {}), **options}
        return self
