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

infer_direction(x, y, "hsic")  # call-arg
infer_direction(x, y, criterion="pvalue")  # arg-type
infer_direction(x, y, rows="dependent")  # arg-type
infer_direction(x, y, missing="ignore")  # arg-type
infer_direction(x, y, lam=1.0)  # call-arg
cluster_mechanisms(x, y, n_clusters=2)  # call-arg
cluster_mechanisms(x, y, refine="em")  # arg-type
hsic_test(x, y, null="normal")  # arg-type
FitOptions(lambda_=1.0)  # call-arg
print(infer_directions([(x, y)])[0].n_tests)  # attr-defined
if infer_direction(x, y).relation == "x->y":  # comparison-overlap
    pass
