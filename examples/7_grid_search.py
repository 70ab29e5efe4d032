"""
A grid search over the number of mechanisms
===========================================

Pipelines, cross-validation and grid searches of scikit-learn take the estimators of this package.
"""

# sphinx_gallery_thumbnail_path = 'images/mechanisms.png'

# %%
# Three mechanisms, and two columns of which one is the cause.

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from anmmm import ANMMixture, FitOptions, MechanismClustering

rng = np.random.default_rng(0)
x = rng.uniform(-2.0, 2.0, 400)
mechanism = rng.integers(3, size=400)
y = np.array([-1.5, 0.0, 1.5])[mechanism] + np.sin(x) * (1 + mechanism) + 0.1 * rng.normal(size=400)

# %%
# ``score`` is the mean log density of effects outside of the fit given their causes: the larger the better.

search = GridSearchCV(
    make_pipeline(StandardScaler(), ANMMixture()),
    {"anmmixture__n_mechanisms": [1, 2, 3, 4]},
    cv=4,
)
search.fit(x[:, np.newaxis], y)
dict(zip([1, 2, 3, 4], search.cv_results_["mean_test_score"].round(3).tolist(), strict=True))

# %%
# Options of a fit are one parameter. Here λ, the weight of the independence of the latent variable
# and the cause:

clusters = GridSearchCV(
    MechanismClustering(3, random_state=0),
    {"fit_options": [FitOptions(lam=weight) for weight in (0.3, 1.0, 3.0)]},
    cv=3,
)
clusters.fit(x[:, np.newaxis], y)
clusters.best_params_
