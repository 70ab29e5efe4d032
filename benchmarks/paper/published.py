"""What the paper prints, transcribed by hand, and the grid that it searches.

Source: S. Hu, Z. Chen, V. Partovi Nia, L. Chan, Y. Geng, "Causal Inference and Mechanism Clustering
of a Mixture of Additive Noise Models", NeurIPS 2018, section 4. Its figures 3 to 5 are drawings
without numbers; of figure 6 the two numbers below are taken.
"""

from __future__ import annotations

# Section 4: the values of λ that the authors tried; they report the best for each setting.
LAMBDAS = (0.001, 0.01, 0.1, 1.0, 10.0)

# Keys of `benchmarks.families.settings.SETTINGS`, in the order of the columns of Table 1.
FUNCTIONS = ("f1", "f2", "f3", "f4")
_OTHERS = ("f3-c3", "f3-c4", "f3-sigma0.01", "f3-sigma0.1", "f3-a0.25", "f3-a0.75")
TABLE1_COLUMNS = FUNCTIONS + _OTHERS

_ROWS = {
    "ANM-MM": (0.393, 0.660, 0.777, 0.682, 0.610, 0.447, 0.798, 0.608, 0.604, 0.867),
    "k-means": (0.014, 0.039, 0.046, 0.046, 0.194, 0.165, 0.049, 0.042, 0.047, 0.013),
    "PCA-km": (0.013, 0.037, 0.044, 0.048, 0.056, 0.041, 0.047, 0.040, 0.052, 0.014),
    "GMM": (0.015, 0.340, 0.073, 0.208, 0.237, 0.202, 0.191, 0.025, 0.048, 0.381),
    "SpeClu": (0.003, 0.129, 0.295, 0.192, 0.285, 0.175, 0.595, 0.048, 0.044, -0.008),
    "DBSCAN": (0.055, 0.265, 0.342, 0.358, 0.257, 0.106, 0.527, 0.110, 0.521, 0.718),
}
# Mean adjusted Rand index over 100 data sets of 100 observations, by method and setting.
TABLE1 = {
    method: dict(zip(TABLE1_COLUMNS, values, strict=True)) for method, values in _ROWS.items()
}

# Figure 6: adjusted Rand index of the two places' ozone mechanisms.
BAFU_ARI = {"ANM-MM": 0.503, "k-means": -0.001}
