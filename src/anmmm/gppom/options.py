"""Options of a GPPOM and its fit, checked when they are made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from anmmm._record import Record
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

# Keys of `anmmm.gppom.engines.ENGINES`, whose kernels an option is not to load.
ENGINE_NAMES = ("auto", "dense", "lowrank")
# Fraction of its trace that a low-rank factor may leave out, in a fit: J is then off by some 3e-9
# of its size, and a descent stops at steps of 1e-6. For an objective it is exact to more
# digits, as optimizers that difference it need.
FIT_TOLERANCE = 1e-8
OBJECTIVE_TOLERANCE = 1e-11
# Defaults of options that are "auto" in fits of clusters.
WEIGHT_GROWTH = 0.5
SUBSAMPLE = 10_000

# The default weights were chosen on data of this size.
REFERENCE_SIZE = 100
# Observations to each of a subsample from which on its fit is worth its time.
SMALLEST_RATIO = 5
# Nats per unit of J/N that an iteration must gain for a descent to go on. J grows with N, but
# the gain that separates good latents from bad ones does not: at a million observations it is less
# than 1e-6 of J. A fit of a subsample has separated them already.
DEFAULT_TOL = 1e-6
SMALLEST_GAIN = 0.05

_PRIORS = ("latent_prior", "hyper_prior", "weight_prior")


class FitOptions(Record):
    """Everything that shapes a fit of Θ.

    Functions and estimators take it, or a mapping of some of its fields, as ``fit_options``.

    Attributes
    ----------
    lam : float
        Weight λ of the HSIC term, at up to 100 observations; it grows with more, see
        `weight_growth`.
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
        lets Θ choose the function of X. ``"auto"``: the sum if both are ``"linear"`` (the
        partially observable dual PPCA of the paper), and else the product:
        docs/method/linear.md.
    engine : {"auto", "dense", "lowrank"}
        How the data terms are evaluated: exactly in O(N³), or by error-controlled low-rank factors
        in O(N r²). ``"auto"`` takes the cheaper one at each evaluation. Covariances other than the
        product of two RBF kernels are evaluated exactly, by ``"auto"`` up to 6000
        observations.
    engine_tol : float, optional
        Accuracy of the low-rank factor: the trace of the residual of ``a K_X ∘ K_θ`` is below
        ``engine_tol * noise * N``, and L is off by at most about ``engine_tol * N``. A coarser one
        lowers the rank, and the time with its square. By default 1e-8 in a fit, and 1e-11 in a
        `GPPOMObjective`.
    n_chunks : int, optional
        Run the engine's loops on Numba's threads, in so many chunks (16, for example, on any
        machine: results depend on it by rounding, and not on the number of threads). For a single
        fit of many observations; collections use their cores better on several pairs.
    noise_floor : float
        ν, added to the noise variance. With one latent per observation a GP can interpolate a
        one-dimensional Y; the floor keeps the noise from going to zero.
    hsic_floor : float
        ε₀ inside the logarithm.
    latent_prior, hyper_prior, weight_prior : float
        w, v, u: precisions of the Gaussian priors on Θ, log Ω and the MLP's weights.
    weight_growth : float or "auto"
        In a fit, λ and `hyper_prior` are multiplied by ``max(1, N / 100)**weight_growth``, N
        observations. With constant weights (0, the paper's J) the likelihood, which grows with N,
        outweighs them: γ_x tends to 0, where HSIC sees nothing, and clusters blur.
        ``"auto"``: 0.5, and 0.25 where directions are compared.
    init : "residual" or array-like of shape (n_samples, n_latent)
        Where Θ starts: at principal components of the residual of a line, or at given values.
    max_iter : int
        Most L-BFGS iterations.
    tol : float, optional
        Stop when an iteration lowers J by less than `tol` times its size. By default 1e-6; without
        a subsample ``0.05 / N`` from 50 000 observations on.
    subsample : int, None or "auto"
        A fit of at least five times as many observations starts from the fit of so many of them,
        evenly spaced along X, which saves half to four fifths of the evaluations. None, or an
        array `init`: it starts at `init`.
        ``"auto"``: 10 000, and None where directions are compared.

    Raises
    ------
    TypeError, ValueError
        If a value is out of range; the message names it.

    Examples
    --------
    >>> from anmmm import FitOptions, cluster_mechanisms
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> cluster_mechanisms(x, y, fit_options=FitOptions(lam=0.5, tol=1e-5)).latent.shape
    (100, 1)
    """

    lam: float = 1.0
    n_latent: int = 1
    latent_map: str = "free"
    n_hidden: int = 20
    kernel_x: str = "rbf"
    kernel_theta: str = "rbf"
    combine: str = "auto"
    engine: str = "auto"
    engine_tol: float | None = None
    n_chunks: int | None = None
    noise_floor: float = 1e-2
    hsic_floor: float = 1e-8
    latent_prior: float = 1.0
    hyper_prior: float = 1.2
    weight_prior: float = 1.0
    weight_growth: float | Literal["auto"] = "auto"
    init: ArrayLike = "residual"
    max_iter: int = 1000
    tol: float | None = None
    subsample: int | Literal["auto"] | None = "auto"

    def __post_init__(self) -> None:
        """Raise if an option is invalid for any fit."""
        for name in ("n_latent", "n_hidden", "max_iter"):
            check_count(getattr(self, name), name)
        check_choice(self.latent_map, "latent_map", LATENT_MAPS)
        check_choice(self.kernel_x, "kernel_x", KERNELS)
        check_choice(self.kernel_theta, "kernel_theta", KERNELS)
        check_choice(self.combine, "combine", COMBINATIONS)
        check_choice(self.engine, "engine", ENGINE_NAMES)
        if self.engine == "lowrank" and not self.covariance.smooth:
            raise ValueError(
                "engine='lowrank' evaluates only the product of two RBF kernels, found "
                f"kernel_x={self.kernel_x!r}, kernel_theta={self.kernel_theta!r} and "
                f"combine={self.combine!r}; leave engine at 'auto'"
            )
        for name in ("lam", "noise_floor", "hsic_floor", *_PRIORS):
            check_nonnegative(getattr(self, name), name)
        for name in ("engine_tol", "tol"):
            if getattr(self, name) is not None:
                check_nonnegative(getattr(self, name), name)
        if not _is_auto(self.weight_growth):
            check_nonnegative(self.weight_growth, "weight_growth")
        if isinstance(self.init, str):
            check_choice(self.init, "init", ("residual",))
        if self.n_chunks is not None:
            check_count(self.n_chunks, "n_chunks")
        if self.subsample is not None and not _is_auto(self.subsample):
            check_count(self.subsample, "subsample")

    @classmethod
    def of(cls, fit_options: FitOptions | Mapping[str, Any] | None) -> FitOptions:
        """Return the options of an argument of a function or estimator."""
        if fit_options is None:
            return cls()
        if isinstance(fit_options, FitOptions):
            return fit_options
        if not isinstance(fit_options, Mapping):
            raise TypeError(
                "fit_options must be a FitOptions or a mapping of its fields, found "
                f"{type(fit_options).__name__}"
            )
        return cls(**fit_options)

    def filled(
        self,
        *,
        weight_growth: float = WEIGHT_GROWTH,
        subsample: int | None = SUBSAMPLE,
        engine_tol: float = FIT_TOLERANCE,
    ) -> FitOptions:
        """Return the same with these values in place of "auto"."""
        return replace(
            self,
            weight_growth=weight_growth if _is_auto(self.weight_growth) else self.weight_growth,
            subsample=subsample if _is_auto(self.subsample) else self.subsample,
            engine_tol=engine_tol if self.engine_tol is None else self.engine_tol,
        )

    @property
    def covariance(self) -> Covariance:
        """The form of the covariance that these options mean."""
        combine = self.combine
        if combine == "auto":
            linear = self.kernel_x == self.kernel_theta == "linear"
            combine = "sum" if linear else "product"
        return Covariance(self.kernel_x, self.kernel_theta, combine)

    def tol_for(self, n_samples: int, *, begun: bool = False) -> float:
        """Return `tol` or its default; `begun`: for a descent from the end of a subsample's fit."""
        if self.tol is not None:
            return self.tol
        return DEFAULT_TOL if begun else min(DEFAULT_TOL, SMALLEST_GAIN / n_samples)

    def takes_subsample(self, n_samples: int) -> bool:
        """Whether a fit of so many observations starts at the fit of a subsample."""
        if self.subsample is None or not isinstance(self.init, str):
            return False
        return n_samples >= SMALLEST_RATIO * int(self.subsample)

    def scaled_for(self, n_samples: int) -> FitOptions:
        """Return the options of J for so many observations, or refuse `init` or the weights."""
        if not isinstance(self.init, str):
            init = as_matrix(self.init, "init", resolved=False)
            if init.shape != (n_samples, self.n_latent):
                raise ValueError(
                    f"init must have shape (n_samples, n_latent) = {(n_samples, self.n_latent)}, "
                    f"found {init.shape}"
                )
        size = max(1.0, n_samples / REFERENCE_SIZE)
        exponent = float(self.weight_growth)
        if exponent * math.log(size) > math.log(LARGEST_WEIGHT):
            raise ValueError(
                f"weight_growth={self.weight_growth!r} multiplies lam and hyper_prior by more than "
                f"{LARGEST_WEIGHT:g} at {n_samples} observations; the default is {WEIGHT_GROWTH}"
            )
        growth = size**exponent
        return replace(self, lam=self.lam * growth, hyper_prior=self.hyper_prior * growth)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"
