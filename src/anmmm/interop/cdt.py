"""Causal Discovery Toolbox: a pairwise model by its interface, without importing it.

``import cdt`` needs torch, which it does not declare, so that deriving from its base class would.
"""

from __future__ import annotations

from typing import Any

from anmmm._tables import open_table
from anmmm.graph.forms import ARROW, read_graph, rebuilt
from anmmm.graph.table import with_columns
from anmmm.interop._pairs import decision, learned


class ANMMM:
    """A ``PairwiseModel`` of cdt.

    Parameters
    ----------
    **options
        Keyword arguments of `anmmm.infer_direction` for pairs and of `anmmm.infer_graph` for
        graphs; the seed of pairs is 0 by default.
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
        if not hasattr(x, "iloc"):
            raise TypeError(
                f"x must be a pandas data frame of pairs, a row of one, or come with a second "
                f"variable or a graph; found only {type(x).__name__}"
            )
        return self.predict_proba((x.iloc[0], x.iloc[1]), **kwargs)

    def predict_proba(self, dataset: Any, idx: int = 0, **kwargs: Any) -> float:
        """Return the log-odds of a pair; under other criteria than ``"evidence"`` its score.

        Positive: the first causes the second; negative: the reverse; 0: undecided.
        """
        first, second = dataset
        result = decision(first, second, self.options)
        if not result.direction:
            return 0.0
        return result.score if result.log_odds is None else result.log_odds

    def predict_dataset(self, x: Any, **kwargs: Any) -> list[float]:
        """Score the pairs of a data frame, one a row: columns ``A`` and ``B``, or the last two."""
        names = ["A", "B"] if {"A", "B"} <= set(x.columns) else list(x.columns)[-2:]
        return [self.predict_proba((a, b)) for a, b in x[names].itertuples(index=False)]

    def orient_graph(self, df_data: Any, graph: Any, printout: Any = None, **kwargs: Any) -> Any:
        """Orient the undirected edges of a graph, without a directed cycle.

        Parameters
        ----------
        df_data : DataFrame
            A variable in each column, called as the nodes.
        graph : networkx.Graph or networkx.DiGraph
            Edges that the latter has in both directions are undirected.
        printout : path-like, optional
            File of the edges, see `anmmm.CausalGraph.write`.
        **kwargs
            Keyword arguments of `anmmm.infer_graph`.

        Returns
        -------
        networkx.DiGraph
            ``weight`` is the nats that the edge saves. An edge that the data do not direct is
            in it in both directions with weight 0; edges that had a direction get no weight.
        """
        partial = read_graph(graph)
        within = with_columns(partial, open_table(df_data), None, "graph")
        node_of = dict(zip(within.nodes, partial.nodes, strict=True))
        found = learned(df_data, within, self.options | kwargs)
        if printout is not None:
            found.write(printout)
        output = rebuilt(graph, within.with_directed(found.directed).renamed(partial.nodes))
        for edge in found.edges:
            cause, effect = node_of[edge.cause], node_of[edge.effect]
            if edge.kind == ARROW and graph.has_edge(effect, cause):
                output[cause][effect]["weight"] = edge.gain
        for one, other in output.edges:
            if output.has_edge(other, one):
                output[one][other]["weight"] = 0.0
        output.add_nodes_from(name for name in df_data.columns if name not in node_of)
        return output
