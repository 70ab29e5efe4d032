"""Mistakes that ``mypy --strict`` finds, each on a line that ends with the code of its error."""

import numpy as np

from anmmm import (
    FitOptions,
    cluster_mechanisms,
    hsic_test,
    infer_direction,
    infer_directions,
)

x, y = np.zeros(20), np.ones(20)

infer_direction(x, y, "hsic")  # call-overload
infer_direction(x)  # call-overload
infer_direction(x, y, criterion="pvalue")  # call-overload
infer_direction(x, y, prior="none")  # call-overload
infer_direction(x, y, missing="ignore")  # call-overload
infer_direction(x, y, lam=1.0)  # call-overload
cluster_mechanisms(x, y, n_clusters=2)  # call-overload
cluster_mechanisms(x, y, refine="em")  # call-overload
hsic_test(x, y, null="normal")  # call-overload
FitOptions(lambda_=1.0)  # call-arg
print(infer_directions([(x, y)])[0].n_tests)  # attr-defined
if infer_direction(x, y).relation == "x→y":  # comparison-overlap
    pass
