"""Causal Discovery Toolbox: a pairwise model by its interface, without importing it.

``import cdt`` needs torch, which it does not declare, so that deriving from its base class would.
"""

from __future__ import annotations

from typing import Any

from anmmm.graph import orient
from anmmm.interop._pairs import decision


class ANMMM:
    """A ``PairwiseModel`` of cdt.

    Parameters
    ----------
    **options
        Keyword arguments of `anmmm.infer_direction` for pairs; the seed is 0 by default.
    """

    def __init__(self, **options: Any) -> None:
        self.options = options

    def predict(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the method that suits the arguments, as cdt does, and also take two arrays.

        With a networkx graph `orient_graph` of the table x, with an array `predict_proba` of the
        pair, `predict_dataset` of a data frame and `predict_proba` of a row of one.
        """
        if args and hasattr(args[0], "is_directed"):
            return self.orient_graph(x, *args, **kwargs)
        if args:
            return self.predict_proba((x, args[0]), *args[1:], **kwargs)
        if hasattr(x, "iterrows"):
            return self.predict_dataset(x, **kwargs)
        return self.predict_proba(tuple(x), **kwargs)

    def predict_proba(self, dataset: Any, idx: int = 0, **kwargs: Any) -> float:
        """Return the log-odds of a pair; under other criteria than ``"evidence"`` its score.

        Positive: the first causes the second; negative: the reverse; 0: undecided.
        """
        first, second = dataset
        result = decision(first, second, **self.options)
        if not result.direction:
            return 0.0
        return result.score if result.log_odds is None else result.log_odds

    def predict_dataset(self, x: Any, **kwargs: Any) -> list[float]:
        """Score the pairs of a data frame, one a row: columns ``A`` and ``B``, or the last two."""
        names = ["A", "B"] if {"A", "B"} <= set(x.columns) else list(x.columns)[-2:]
        return [self.predict_proba((a, b)) for a, b in x[names].itertuples(index=False)]

    def orient_graph(self, df_data: Any, graph: Any, **kwargs: Any) -> Any:
        """Return a networkx graph with directions, without a directed cycle; see `anmmm.orient`.

        An edge that the data do not direct is in it in both directions. Columns of `df_data` are
        called as the nodes; `kwargs` are those of `anmmm.infer_graph`.
        """
        kwargs.pop("printout", None)
        return orient(graph, df_data, **{"min_confidence": 0.5, **kwargs})
