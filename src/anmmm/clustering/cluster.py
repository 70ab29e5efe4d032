"""Algorithm 2: which observations share a mechanism.

A GPPOM is fitted to a cause and its effect, and Θ is clustered by k-means. The clusters are one of
the starts of a mixture of smooth mechanisms, whose number has the shortest description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cache
from typing import Any, Literal

import numpy as np
from scipy.special import softmax

from anmmm._arrays import as_real
from anmmm._categories import complete_rows
from anmmm._columns import takes_pairs, variable_names
from anmmm._record import Record, computed
from anmmm._text import Table, counted, printable
from anmmm._threads import blas_threads_for
from anmmm._typing import ArrayLike, FloatArray, IntArray, Missing, RandomState
from anmmm._validation import (
    as_columns,
    as_finite,
    as_pair,
    check_aligned,
    check_count,
    check_lengths,
    check_rng,
)
from anmmm._warning import default_float_errors
from anmmm.clustering.choice import Described, describe_numbers, shortest_single
from anmmm.clustering.kmeans import kmeans_labels
from anmmm.evidence.variable import Variable
from anmmm.gppom import FitOptions, FitResult, fit_gppom
from anmmm.gppom.prediction import MechanismPredictor
from anmmm.mixture import (
    MAX_NUMBER,
    Mechanisms,
    Sample,
    SplineBasis,
    as_responsibilities,
    by_first_appearance,
    is_auto,
    refine_by_labels,
    search_mechanisms,
    smallest_noise,
)
from anmmm.mixture.mechanisms import ScaledMechanisms
from anmmm.mixture.search import MAX_SEARCHED
from anmmm.preprocessing import Standardization, standardize

# Distinct values below which an effect has no curves.
MIN_DISTINCT = 3


class ClusteringOptions(Record):
    """Options of `cluster_mechanisms`, checked, the same for all pairs."""

    # 0 for "auto".
    n_mechanisms: int
    refine: bool | Literal["auto"]
    max_mechanisms: int
    fit: FitOptions

    @classmethod
    def check(
        cls,
        *,
        n_mechanisms: int | str = 2,
        refine: bool | Literal["auto"] = "auto",
        max_mechanisms: int = MAX_NUMBER,
        fit_options: FitOptions | Mapping[str, Any] | None = None,
    ) -> ClusteringOptions:
        """Raise if an option is invalid for any pair."""
        automatic = is_auto(n_mechanisms)
        automatically = isinstance(refine, str) and refine == "auto"
        if not automatically and not isinstance(refine, (bool, np.bool_)):
            raise ValueError(f"refine must be True, False or 'auto', found {refine!r}")
        return cls(
            n_mechanisms=0 if automatic else check_count(n_mechanisms, "n_mechanisms"),
            refine="auto" if automatically else bool(refine),
            max_mechanisms=check_count(max_mechanisms, "max_mechanisms", maximum=MAX_SEARCHED),
            fit=FitOptions.of(fit_options).filled(),
        )

    @property
    def automatic(self) -> bool:
        """Whether the mixture's criterion chooses the number."""
        return self.n_mechanisms == 0

    def check_pair(self, n_samples: int, n_outputs: int) -> None:
        """Raise if an option does not fit the size of a pair."""
        if self.n_mechanisms > n_samples:
            raise ValueError(
                f"n_mechanisms must be at most n_samples, found {self.n_mechanisms} mechanisms for "
                f"{n_samples} observations"
            )
        if n_outputs == 1:
            return
        if self.refine is True:
            raise ValueError(
                f"refine=True needs an effect of one column, found {n_outputs}; pass refine=False "
                "for the clusters of Θ"
            )
        if self.automatic:
            raise ValueError(
                f"n_mechanisms='auto' needs an effect of one column, found {n_outputs}; give the "
                "number of mechanisms"
            )


class ClusteringResult(Record):
    """Mechanism labels of Algorithm 2, refined or not.

    Attributes
    ----------
    labels : ndarray of int, shape (n_samples,)
        Mechanism of each observation, 0 to ``n_mechanisms - 1``, numbered by first appearance.
    latent : ndarray of shape (n_samples, n_latent)
        Θ. Its k-means clusters are the labels or, if these were refined, a start of the mixture.
    n_mechanisms : int
        Number of mechanisms requested, or chosen by ``"auto"``.
    centers : ndarray of shape (n_mechanisms, n_latent)
        Mean Θ of each mechanism; fewer rows where fewer labels occur (duplicated observations).
    fit : FitResult
        The fitted GPPOM.
    probabilities : ndarray of shape (n_samples, n_mechanisms) or None
        Probability of each mechanism under the refined mixture; `labels` are its largest entries.
        None without refinement, because k-means has no probabilities.
    refined : bool
        Whether the labels are those of the mixture and not k-means's own.
    reason : str
        Why they are not refined; otherwise empty.
    lengths : dict of int to float
        Description length of the effect in nats by number of mechanisms, of those that were tried
        and whose mechanisms all have observations. ``"auto"`` chooses the shortest. Empty without
        refinement of a requested number.
    mixture : anmmm.mixture.Mechanisms or None
        The refined mixture on the scale of the standardized variables; None without refinement.
    curves : ndarray of shape (n_samples, n_mechanisms) or None
        Curve of each mechanism at the observations, in the unit of the effect; None without
        refinement.
    names : tuple of str
        Names of cause and effect: of a Series, or of a frame of one column; otherwise x and y.
    n_dropped : int
        Observations left out because a value is missing.
    rows : ndarray of int, shape (n_samples,)
        Position in the data of each observation that was used: 0, 1, … without those left out.
    """

    labels: IntArray
    latent: FloatArray
    n_mechanisms: int
    centers: FloatArray
    fit: FitResult
    reason: str = ""
    lengths: dict[int, float] = field(default_factory=dict)
    mixture: Mechanisms | None = None
    names: tuple[str, str] = ("x", "y")
    n_dropped: int = 0
    rows: IntArray = field(kw_only=True, repr=False)
    # Both variables as fitted, and the maps that standardize new ones.
    _points: tuple[FloatArray, FloatArray] = field(kw_only=True, repr=False)
    _scales: tuple[Standardization, Standardization] = field(kw_only=True, repr=False)

    @property
    def probabilities(self) -> FloatArray | None:
        """Probability of each mechanism under the refined mixture."""
        return None if self.mixture is None else self.mixture.probabilities

    @property
    def refined(self) -> bool:
        """Whether the labels are those of the mixture."""
        return self.mixture is not None

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.sizes))
        mechanisms = "1 mechanism" if self.n_mechanisms == 1 else f"{self.n_mechanisms} mechanisms"
        refined = "refined" if self.refined else "not refined"
        return f"{self.names[0]} → {self.names[1]}: {mechanisms} of {sizes} observations, {refined}"

    def __str__(self) -> str:
        return self.summary()

    @property
    def sizes(self) -> tuple[int, ...]:
        """Observations of each mechanism."""
        return tuple(np.bincount(self.labels, minlength=self.n_mechanisms).tolist())

    def summary(self) -> str:
        """Return the clustering in words, one line a mechanism.

        Returns
        -------
        str
            Lines as ``anmmm cluster`` prints them.
        """
        n, (cause, effect) = len(self.labels), map(printable, self.names)
        refined = "labels refined by a mixture of curves" if self.refined else "labels not refined"
        lines = [
            f"{n} observations, cause {cause}, effect {effect}",
            f"{refined}: {self.reason}" if self.reason else refined,
            *Table({"mechanism": ">9", "size": ">6", "fraction": ">8"}).lines(
                (f"{c}", f"{size}", f"{100 * size / n:.0f}%") for c, size in enumerate(self.sizes)
            ),
        ]
        if self.lengths:
            tried = ", ".join(f"{c}: {value:.1f}" for c, value in self.lengths.items())
            lines.append(f"description length in nats by number of mechanisms ({tried})")
        if not self.fit.converged:
            lines.append(f"the fit did not converge ({self.fit.status})")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict of plain values, for JSON.

        Returns
        -------
        dict
            Labels and probabilities as lists, and the keys that ``anmmm cluster --json`` prints.
        """
        probabilities = self.probabilities
        return {
            "cause": self.names[0],
            "effect": self.names[1],
            "n_mechanisms": self.n_mechanisms,
            "n_dropped": self.n_dropped,
            "sizes": list(self.sizes),
            "refined": self.refined,
            "reason": self.reason or None,
            "lengths": {str(number): length for number, length in self.lengths.items()},
            "converged": self.fit.converged,
            "labels": self.labels.tolist(),
            "probabilities": None if probabilities is None else probabilities.tolist(),
        }

    def plot(self, **options: Any) -> Any:
        """Draw the observations and curves of each mechanism; see `anmmm.plotting.plot_mechanisms`.

        Parameters
        ----------
        **options
            Keyword arguments of `anmmm.plotting.plot_mechanisms`.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If Matplotlib is not installed (extra ``plot``).
        """
        from anmmm.plotting import plot_mechanisms

        x, y = (s.undo(part) for s, part in zip(self._scales, self._points, strict=True))
        labels = {"x_label": self.names[0], "y_label": self.names[1]}
        return plot_mechanisms(x, y, self, **{**labels, **options})

    @property
    def curves(self) -> FloatArray | None:
        """Curve of each mechanism at the observations, in the unit of the effect."""
        return None if self.mixture is None else self._scales[1].undo(self.mixture.curves)

    @default_float_errors()
    def curve(
        self, x: ArrayLike, return_std: bool = False
    ) -> FloatArray | tuple[FloatArray, FloatArray]:
        """Return the curve of each mechanism at new causes.

        Parameters
        ----------
        x : array-like of shape (n_new,) or (n_new, n_features)
            Causes. Far from those of the fit a curve is a straight line.
        return_std : bool
            Whether to return standard errors too.

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms), or two of them
            In the unit of the effect; the second one has the posterior standard deviations.

        Raises
        ------
        ValueError
            If the labels were not refined: clusters of Θ have no curves.
        """
        scaled = self._scaled
        X = _new_columns(x, "x", self._points[0].shape[1])
        if not return_std:
            return scaled.curves(X)
        return scaled.curves(X), scaled.curve_std(X)

    @default_float_errors()
    def predict_effect(self, x: ArrayLike) -> FloatArray:
        """Return the expected effect of new causes: curves averaged by the mechanisms' weights.

        Parameters
        ----------
        x : array-like
            As in `curve`.

        Returns
        -------
        ndarray of shape (n_new,)
            In the unit of the effect. No mechanism need have an effect near it.

        Raises
        ------
        ValueError
            If the labels were not refined.
        """
        return self._scaled.mean(_new_columns(x, "x", self._points[0].shape[1]))

    @property
    def _scaled(self) -> ScaledMechanisms:
        if self.mixture is None:
            raise ValueError(f"the labels were not refined ({self.reason}): there are no curves")
        return ScaledMechanisms(self.mixture, self._scales)

    def predict(self, x: ArrayLike, y: ArrayLike) -> IntArray:
        """Label new observations by the mechanism under which they are most probable.

        Parameters
        ----------
        x, y : array-like
            Cause and effect, of as many columns as those of the fit. A mechanism shows only in both
            together: Θ is independent of the cause.

        Returns
        -------
        ndarray of int, shape (n_new,)

        Raises
        ------
        TypeError, ValueError
            If the data cannot be used, or if the labels were not refined and there are more
            observations than `anmmm.gppom.prediction.MAX_SAMPLES`.

        Notes
        -----
        A refined result answers by its mixture, in time proportional to the number of new
        observations. Otherwise the GPPOM does (`anmmm.gppom.prediction`): O(N³) at the first call
        and then O(min(N, 128) N²) an observation. Where the mechanisms overlap, an observation of
        the fit may get another label than `labels` has, in which its θ counts.
        """
        return np.asarray(self.log_densities(x, y).argmax(axis=1))

    @default_float_errors()
    def predict_proba(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        """Return the probability of each mechanism for new observations; see `predict`.

        Parameters
        ----------
        x, y : array-like
            As in `predict`.

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms)
        """
        return np.asarray(softmax(self.log_densities(x, y), axis=1))

    @default_float_errors()
    def log_densities(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        """Return the log density of each mechanism with a new effect, given the cause.

        Parameters
        ----------
        x, y : array-like
            As in `predict`.

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms)
            In nats, for y in its own unit; see `predict`. The sum of their exponentials over the
            mechanisms is the density of the effect or, by a refined result, a lower bound on it.
        """
        cause, effect = _new_pair(x, y, *(part.shape[1] for part in self._points))
        if self.refined:
            return self._scaled.log_densities(cause, effect)
        X = self._scales[0].apply(cause)
        Y = self._scales[1].apply(effect)
        with blas_threads_for(len(self.labels)):
            found = self._predictor.log_densities(X, Y, self.labels, self.n_mechanisms)
        return found - self._scales[1].log_unit

    @computed
    def _predictor(self) -> MechanismPredictor:
        return MechanismPredictor(*self._points, self.fit)


@takes_pairs
def cluster_mechanisms(
    x: ArrayLike,
    y: ArrayLike,
    n_mechanisms: int | str = "auto",
    *,
    refine: bool | Literal["auto"] = "auto",
    max_mechanisms: int = MAX_NUMBER,
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    missing: Missing = "raise",
    random_state: RandomState = None,
) -> ClusteringResult:
    """Group observations by the mechanism that turned x into y.

    The clusters of Θ (Algorithm 2 of the paper) are one of the starts of a mixture of smooth
    mechanisms, whose labels are returned.

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, n_features)
        Cause.
    y : array-like of shape (n_samples,) or (n_samples, n_features)
        Effect, a number. A frame and two names stand for both:
        ``cluster_mechanisms(frame, "age", "crp")``.
    n_mechanisms : int or "auto"
        Number of mechanisms, between 1 and the number of observations. ``"auto"`` takes the number
        from 1 to `max_mechanisms` with the shortest description of the effect, and needs an effect
        of one column.
    refine : bool or "auto"
        True: the labels of the mixture; needs an effect of one column. False: the clusters of Θ
        themselves, the paper's Algorithm 2. ``"auto"``: True, but False for an effect of several
        columns.
    max_mechanisms : int
        Largest number that ``n_mechanisms="auto"`` tries, at most 8.
    fit_options : FitOptions or mapping, optional
        How Θ is fitted, ``{"lam": 0.5}`` for instance; see `anmmm.FitOptions`.
    missing : {"raise", "drop"}
        Whether a missing value is an error, or leaves its observation out; the result counts them,
        and has labels for the others, which `ClusteringResult.rows` are.
    random_state : None, int or Generator
        Seeds k-means of several latents, and the random starts of the fit.

    Returns
    -------
    ClusteringResult
        ``labels``, ``probabilities``, ``curves``, ``predict``, the fit and the mixture.

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.

    Warns
    -----
    ConvergenceWarning
        If the fit did not converge.

    Notes
    -----
    One fit, k-means on Θ, then EM, linear in the number of observations. Mechanisms
    share the size of their noise, or each has its own, which may grow with the cause; weights are
    equal, free, or depend on the cause. The shortest description chooses. One mechanism competes as
    the shortest of all models of one mechanism that `anmmm.infer_direction` has. The accuracy:
    docs/results/quality.md.

    References
    ----------
    Hu, Chen, Partovi Nia, Chan, Geng: Causal Inference and Mechanism Clustering of a Mixture of
    Additive Noise Models. NeurIPS 2018, Algorithm 2.

    Examples
    --------
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from anmmm import cluster_mechanisms
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> result = cluster_mechanisms(x, y, 2, random_state=0)
    >>> bool(adjusted_rand_score(labels, result.labels) > 0.8)
    True
    """
    first, second, dropped = complete_rows(x, y, missing, numbers=True)
    cause, effect = as_pair(first, second)
    names = variable_names(x, y)
    options = ClusteringOptions.check(
        n_mechanisms=n_mechanisms,
        refine=refine,
        max_mechanisms=max_mechanisms,
        fit_options=fit_options,
    )
    if effect.shape[1] == 1:
        refuse_levels(effect, names[1])
    result = cluster_pair(cause, effect, options, random_state)
    rows = np.delete(np.arange(len(cause) + len(dropped)), dropped)
    return replace(result, names=names, n_dropped=len(dropped), rows=rows)


def refuse_levels(effect: FloatArray, name: str) -> None:
    """Raise if an effect (n_samples, 1) is constant or binary."""
    n_distinct = len(np.unique(effect))
    if n_distinct < MIN_DISTINCT:
        raise ValueError(
            f"the effect {name} has {n_distinct} distinct values, but mechanisms are curves of a "
            "number; pass a numeric effect"
        )


def cluster_pair(
    cause: FloatArray, effect: FloatArray, options: ClusteringOptions, random_state: RandomState
) -> ClusteringResult:
    """Cluster a checked cause (n_samples, n_features) and effect (n_samples, n_outputs)."""
    options.check_pair(*effect.shape)
    rng = check_rng(random_state)
    X, scale_x = standardize(cause)
    Y, scale_y = standardize(effect)
    fit = fit_gppom(X, Y, fit_options=options.fit, random_state=rng)
    seed = int(rng.integers(2**31))

    @cache
    def latent_labels(number: int) -> IntArray:
        return kmeans_labels(fit.latent, number, seed)

    described: dict[int, Described] = {}
    if Y.shape[1] == 1 and (options.automatic or options.refine):
        variable = Variable.of(Y[:, 0], effect[:, 0])
        sample = Sample(SplineBasis.of(X), X, Y[:, 0], smallest_noise(variable.cells))
        described = _describe(sample, variable, latent_labels, options)
    lengths = {number: description.length for number, description in described.items()}
    number = options.n_mechanisms
    if options.automatic:
        number = min(lengths, key=lengths.__getitem__)
    labels = latent_labels(number)
    mixture = None
    if options.refine and number in described:
        mixture = described[number].mechanisms
        if number > 1:
            mixture = refine_by_labels(sample, mixture, labels)
        labels = mixture.labels
    # Numbered by first appearance, so that equal partitions have equal labels.
    order = by_first_appearance(labels, number)
    labels = np.argsort(order)[labels].astype(np.intp)
    return ClusteringResult(
        labels=labels,
        latent=fit.latent,
        n_mechanisms=number,
        centers=np.array([fit.latent[labels == c].mean(axis=0) for c in range(labels.max() + 1)]),
        fit=fit,
        reason="" if mixture is not None else _unrefined(options, number, Y.shape[1]),
        lengths=lengths,
        mixture=None if mixture is None else mixture.reordered(order),
        rows=np.arange(len(X)),
        _points=(X, Y),
        _scales=(scale_x, scale_y),
    )


def _describe(
    sample: Sample,
    effect: Variable,
    latent_labels: Callable[[int], IntArray],
    options: ClusteringOptions,
) -> dict[int, Described]:
    """Describe the effect by 1, 2, … mechanisms, or by 1 and the requested number."""

    def latent_starts(number: int) -> list[FloatArray]:
        labels = latent_labels(number)
        if len(np.unique(labels)) < number:
            return []
        return [as_responsibilities(labels, len(labels))]

    fits = search_mechanisms(
        sample,
        number=options.n_mechanisms or None,
        max_mechanisms=min(options.max_mechanisms, len(sample.y)),
        extra_starts=latent_starts,
    )
    described = describe_numbers(fits, effect.cells)
    single = shortest_single(sample.points, sample.basis, effect)
    if single.length < described[1].length:
        described[1] = replace(described[1], length=single.length)
    return described


def _unrefined(options: ClusteringOptions, number: int, n_outputs: int) -> str:
    """Return why labels are the clusters of Θ."""
    if options.refine is False:
        return "refine is False"
    if n_outputs > 1:
        return f"the effect has {n_outputs} columns, but the mixture takes one"
    return f"a mixture of {number} mechanisms leaves some without observations"


def _new_pair(
    x: ArrayLike, y: ArrayLike, n_features: int, n_outputs: int
) -> tuple[FloatArray, FloatArray]:
    """Check new observations of two variables that had so many columns when they were fitted."""
    check_aligned(x, y)
    first = _new_columns(x, "x", n_features)
    second = _new_columns(y, "y", n_outputs)
    check_lengths(first, second, ("x", "y"))
    return first, second


def _new_columns(values: ArrayLike, name: str, width: int) -> FloatArray:
    """Check new observations of a variable that had so many columns when it was fitted."""
    columns = as_finite(as_columns(as_real(values, name), name), name)
    if columns.shape[1] != width:
        found = counted(columns.shape[1], "column")
        raise ValueError(f"{name} has {found}, but {width} when it was fitted")
    return columns
