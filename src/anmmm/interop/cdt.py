"""Causal Discovery Toolbox: a pairwise model by its interface, without importing it.

``import cdt`` needs torch, which it does not declare, so that deriving from its base class would.
"""

from __future__ import annotations

from typing import Any

from anmmm.direction import infer_direction
from anmmm.graph import orient


class ANMMM:
    """A ``PairwiseModel`` of cdt."""

    def predict(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the method that suits the arguments, as cdt does.

        With a networkx graph `orient_graph` of the table x, else `predict_dataset` of a data frame
        or `predict_proba` of a row of one.
        """
        if args:
            return self.orient_graph(x, *args, **kwargs)
        if hasattr(x, "iterrows"):
            return self.predict_dataset(x)
        return self.predict_proba(tuple(x))

    def predict_proba(self, dataset: Any, idx: int = 0, **kwargs: Any) -> float:
        """Return the log-odds of a pair.

        Positive: the first causes the second; negative: the reverse; 0: undecided.
        """
        first, second = dataset
        result = infer_direction(first, second)
        return float(result.log_odds or 0.0) if result.direction else 0.0

    def predict_dataset(self, x: Any, **kwargs: Any) -> list[float]:
        """Score the pairs of a data frame, one a row: columns ``A`` and ``B``."""
        return [self.predict_proba((a, b)) for a, b in x[["A", "B"]].itertuples(index=False)]

    def orient_graph(self, df_data: Any, graph: Any, **kwargs: Any) -> Any:
        """Return a networkx graph with directions, without a directed cycle; see `anmmm.orient`.

        An edge that the data do not direct is in it in both directions. Columns of `df_data` are
        called as the nodes.
        """
        return orient(graph, df_data, min_confidence=0.5)
