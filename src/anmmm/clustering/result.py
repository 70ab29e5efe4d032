"""Record of a clustering by mechanism."""

from __future__ import annotations

from anmmm._record import Record, frozen
from anmmm._typing import FloatArray, IntArray
from anmmm.gppom import FitResult
from anmmm.mixture import MixtureFit


@frozen
class ClusteringResult(Record):
    """Mechanism labels of Algorithm 2, refined or not.

    Attributes
    ----------
    labels : ndarray of int, shape (n_samples,)
        Mechanism of each observation, 0 to ``n_mechanisms - 1``, numbered by first appearance. A
        refined mechanism that is no observation's most probable one has the last number.
    latent : ndarray of shape (n_samples, n_latent)
        Θ, whose k-means clusters are the labels or, where they were refined, speak for them.
    n_mechanisms : int
        Number of mechanisms asked for, or chosen by ``"auto"``.
    centers : ndarray of shape (n_mechanisms, n_latent)
        Mean Θ of each mechanism; fewer rows where fewer labels occur (duplicated observations).
    fit : FitResult
        The fitted GPPOM.
    membership : ndarray of shape (n_samples, n_mechanisms) or None
        Probability of each mechanism under the refined mixture; `labels` are its largest entries.
        None without refinement: k-means says which cluster, not with what probability.
    refined : bool
        Whether the labels are those of the mixture and not k-means's own.
    reason : str
        Why they are not refined, or why Θ's clusters were not heard in it; otherwise empty.
    criteria : ndarray of shape (n_tried,) or None
        Criterion of the mixture with 1, 2, … mechanisms where ``"auto"`` chose, the smallest
        winning; otherwise None.
    mixture : anmmm.mixture.MixtureFit or None
        The refined mixture on the scale of the standardized variables; None without refinement.
    """

    labels: IntArray
    latent: FloatArray
    n_mechanisms: int
    centers: FloatArray
    fit: FitResult
    reason: str = ""
    criteria: FloatArray | None = None
    mixture: MixtureFit | None = None

    @property
    def membership(self) -> FloatArray | None:
        """Probability of each mechanism under the refined mixture."""
        return None if self.mixture is None else self.mixture.membership

    @property
    def refined(self) -> bool:
        """Whether the labels are those of the mixture."""
        return self.mixture is not None
