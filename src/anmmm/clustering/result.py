"""Which observations share a mechanism: the result, and what it says of new observations."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
from scipy.special import softmax

from anmmm._arrays import as_real
from anmmm._record import Record, computed
from anmmm._text import counted, format_probability, printable, table_lines
from anmmm._threads import blas_threads_for
from anmmm._typing import ArrayLike, FloatArray, IntArray
from anmmm._validation import as_columns, as_finite, check_aligned, check_lengths
from anmmm._warning import default_float_errors, warn_caller
from anmmm.gppom import FitResult
from anmmm.gppom.prediction import MechanismPredictor
from anmmm.mixture.mechanisms import Mechanisms
from anmmm.mixture.prediction import EffectPrediction, ScaledMechanisms
from anmmm.preprocessing import Standardization

# Lengths and log-likelihoods are divided by these before they are made probabilities, because
# models are approximations. Chosen on the 58 families of `benchmarks.families.mechanisms`, N = 300,
# seeds 1200 to 1205: by the log-likelihood of the numbers, and by the Brier score of the labels.
NUMBER_TEMPERATURE = 4.0
LABEL_TEMPERATURE = 1.5


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
    fit : FitResult
        The fitted GPPOM.
    probabilities : ndarray of shape (n_samples, n_mechanisms) or None
        How sure the labels are: of those with 0.9 nine in ten are right. `labels` are the largest
        entries. None without refinement, because k-means has no probabilities.
    refined : bool
        Whether the labels are those of the mixture and not k-means's own.
    notes : tuple of str
        Why they are not refined; otherwise empty.
    lengths : dict of int to float
        Description length of the effect in nats by number of mechanisms, of those that were tried
        and whose mechanisms all have observations. ``"auto"`` chooses the shortest. Empty without
        refinement of a requested number.
    probabilities_of_number : dict of int to float
        How sure the number is: a probability of each number of `lengths`, in which the models are
        approximations: 4 nats, not 1, multiply the odds by e. Empty if the number that was
        requested has no length.
    mixture : anmmm.mixture.mechanisms.Mechanisms or None
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
    fit: FitResult
    notes: tuple[str, ...] = ()
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
        """How sure the labels are."""
        if self.mixture is None:
            return None
        powers = self.mixture.probabilities ** (1.0 / LABEL_TEMPERATURE)
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    @property
    def probabilities_of_number(self) -> dict[int, float]:
        """How sure the number is."""
        if self.n_mechanisms not in self.lengths:
            return {}
        numbers = list(self.lengths)
        logits = -np.array([self.lengths[number] for number in numbers]) / NUMBER_TEMPERATURE
        return dict(zip(numbers, softmax(logits).tolist(), strict=True))

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
        n = len(self.labels)
        cause, effect = map(printable, self.names)
        refined = "labels refined by a mixture of curves" if self.refined else "labels not refined"
        rows = []
        for label, size in enumerate(self.sizes):
            rows.append((f"{label}", f"{size}", f"{100 * size / n:.0f}%"))
        lines = [
            f"{n} observations, cause {cause}, effect {effect}",
            ": ".join([refined, *self.notes]),
            *table_lines({"mechanism": ">9", "size": ">6", "fraction": ">8"}, rows),
        ]
        if self.lengths:
            tried = ", ".join(f"{c}: {value:.1f}" for c, value in self.lengths.items())
            lines.append(f"description length in nats by number of mechanisms ({tried})")
        if len(self.lengths) > 1 and self.n_mechanisms in self.lengths:
            probability = self.probabilities_of_number[self.n_mechanisms]
            number = counted(self.n_mechanisms, "mechanism")
            lines.append(f"probability of {number}: {format_probability(probability)}")
        if self.mixture is not None:
            lines.append(self.mixture.variant.text)
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
            "notes": list(self.notes),
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
        from anmmm.plotting.style import as_text

        x, y = (s.undo(part) for s, part in zip(self._scales, self._points, strict=True))
        labels = {"x_label": as_text(self.names[0]), "y_label": as_text(self.names[1])}
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
            In the unit of the effect; the second one has the posterior standard deviations, in
            which the mechanisms of the observations are uncertain.

        Raises
        ------
        ValueError
            If the labels were not refined: clusters of Θ have no curves.

        Warns
        -----
        UserWarning
            If causes are far from those of the fit: by more than a tenth of their range.
        """
        scaled = self._scaled
        X = self._new_causes(x)
        if not return_std:
            return scaled.curves(X)
        return scaled.curves(X), scaled.curve_std(X, self._curve_factor)

    @default_float_errors()
    def predict_effect(self, x: ArrayLike) -> EffectPrediction:
        """Predict the effects of new causes: by mechanism, their mean, quantiles, and draws.

        Parameters
        ----------
        x : array-like
            As in `curve`.

        Returns
        -------
        anmmm.mixture.EffectPrediction
            ``mean``, ``quantiles([0.05, 0.95])`` and ``draw()`` of effects that are no outliers;
            ``weights``, ``means`` and ``stds`` by mechanism.

        Raises
        ------
        ValueError
            If the labels were not refined.

        Warns
        -----
        UserWarning
            If causes are far from those of the fit.
        """
        scaled = self._scaled
        return scaled.effects(self._new_causes(x), self._curve_factor)

    @property
    def _scaled(self) -> ScaledMechanisms:
        if self.mixture is None:
            reason = "; ".join(self.notes)
            raise ValueError(f"the labels were not refined ({reason}): there are no curves")
        return ScaledMechanisms(self.mixture, self._scales)

    @computed
    def _curve_factor(self) -> FloatArray:
        """Factor of the covariances of the curves, whose mechanisms of rows are uncertain."""
        causes, effects = self._points
        return self._scaled.mechanisms.factor_without_labels(causes, effects[:, 0])

    def _new_causes(self, x: ArrayLike) -> FloatArray:
        """Check new causes (n_new, n_features), and warn of those far from the data."""
        X = _new_columns(x, "x", self._points[0].shape[1])
        self._warn_of_far(X)
        return X

    def _warn_of_far(self, X: FloatArray) -> None:
        """Warn of checked causes (n_new, n_features) far from the data."""
        n_far = int(self._scaled.is_far(X).sum())
        if n_far:
            warn_caller(
                f"{n_far} of {counted(len(X), 'cause')} are farther from those of the fit than a "
                "tenth of their range: curves are straight lines there, and their errors too small",
                UserWarning,
            )

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
        the fit may get another label than `labels` has, in which its θ counts. Causes far from
        those of the fit are warned of, as in `curve`.
        """
        return np.asarray(self.predict_proba(x, y).argmax(axis=1))

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
        cause, effect = self._new_pair(x, y)
        logits = self._log_densities(cause, effect)
        if self.refined:
            self._warn_of_far(cause)
            logits /= LABEL_TEMPERATURE
        return np.asarray(softmax(logits, axis=1))

    def _log_densities(self, cause: FloatArray, effect: FloatArray) -> FloatArray:
        """Return the log densities (n_new, n_mechanisms) of a mechanism with a checked effect.

        In nats, given a cause (n_new, n_features), for an effect (n_new, n_outputs) in its unit.
        """
        if self.refined:
            return self._scaled.log_densities(cause, effect)
        X = self._scales[0].apply(cause)
        Y = self._scales[1].apply(effect)
        with blas_threads_for(len(self.labels)):
            found = self._predictor.log_densities(X, Y, self.labels, self.n_mechanisms)
        return found - self._scales[1].log_unit

    def _new_pair(self, x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Check new observations of both variables."""
        check_aligned(x, y)
        first = _new_columns(x, "x", self._points[0].shape[1])
        second = _new_columns(y, "y", self._points[1].shape[1])
        check_lengths(first, second, ("x", "y"))
        return first, second

    @computed
    def _predictor(self) -> MechanismPredictor:
        return MechanismPredictor(*self._points, self.fit)


def _new_columns(values: ArrayLike, name: str, width: int) -> FloatArray:
    """Check new observations of a variable that had so many columns when it was fitted."""
    columns = as_finite(as_columns(as_real(values, name), name), name)
    if columns.shape[1] != width:
        found = counted(columns.shape[1], "column")
        raise ValueError(f"{name} has {found}, but {width} when it was fitted")
    return columns
