"""The kernels of a covariance and how they are combined; docs/method/linear.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anmmm._typing import FloatArray

KERNELS = ("rbf", "linear", "affine")
COMBINATIONS = ("auto", "product", "sum")


@dataclass(frozen=True)
class Covariance:
    """The form of ``K̃ = a (K_X ∘ K_θ) + noise I`` or ``a (K_X + K_θ) + noise I``."""

    # exp(-Σ_d γ_d (z_d - z'_d)²) (rbf), Σ_d γ_d z_d z'_d (linear), or 1 + that (affine)
    kernel_x: str = "rbf"
    kernel_theta: str = "rbf"
    combine: str = "product"  # product or sum

    @property
    def smooth(self) -> bool:
        """Whether it is the product of two RBF kernels, which has engines of its own."""
        return self == Covariance()

    def joined(self, k_x: Any, k_theta: Any) -> Any:
        """Entries of the covariance at amplitude 1, without noise, from those of both kernels."""
        return k_x * k_theta if self.combine == "product" else k_x + k_theta


def gram(kernel: str, gamma: FloatArray, points: FloatArray, others: FloatArray) -> FloatArray:
    """Kernel between points (n, d), by row, and others (m, d)."""
    if kernel != "rbf":
        return (points * gamma) @ others.T + float(kernel == "affine")
    exponents = np.zeros((len(points), len(others)))
    for scale, column, other in zip(gamma, points.T, others.T, strict=True):
        exponents -= scale * np.subtract.outer(column, other) ** 2
    return np.exp(exponents)


def variances(kernel: str, gamma: FloatArray, points: FloatArray) -> FloatArray:
    """Kernel of each of the points (n, d) with itself."""
    if kernel == "rbf":
        return np.ones(len(points))
    return points**2 @ gamma + float(kernel == "affine")
