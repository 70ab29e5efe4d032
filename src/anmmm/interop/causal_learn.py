"""causal-learn: a pairwise method, a test of independence, and knowledge of directions.

`anmmm.orient` takes and returns its graphs; this module is for its searches.
"""

from __future__ import annotations

from typing import Any

from anmmm._optional import require
from anmmm.direction import infer_direction
from anmmm.direction.outcome import SURE
from anmmm.graph import CausalGraph
from anmmm.graph.forms import ARROW
from anmmm.interop.dowhy import independence_test

_WHAT_FOR = "this adapter needs causal-learn"


class ANMMM:
    """The decision on a pair in the form of ``causallearn.search.FCMBased.ANM.ANM``."""

    def cause_or_effect(self, data_x: Any, data_y: Any) -> tuple[float, float]:
        """Return the probabilities that the direction is forward and backward; they add up to 1.

        The larger one belongs to the direction, as with the p-values that causal-learn returns, and
        both are equal if none is decided. A limit such as 0.05 on both at once means nothing.
        """
        result = infer_direction(data_x, data_y)
        if not result.direction:
            return 0.5, 0.5
        # A caller that compares both scores needs the direction, however weak its evidence is.
        sure = max(result.confidence or 0.5, 0.5 + 1e-9)
        return (sure, 1.0 - sure) if result.direction == 1 else (1.0 - sure, sure)


def background_knowledge(graph: CausalGraph) -> Any:
    """Return the sure arrows of a graph as required, their reverse as forbidden.

    Nodes are known by their names, as in ``node_names`` of a search. Those of an array without
    names are X1, X2, …, as in a search without ``node_names``.

    Parameters
    ----------
    graph : anmmm.CausalGraph

    Returns
    -------
    causallearn.utils.PCUtils.BackgroundKnowledge.BackgroundKnowledge
    """
    module = require("causallearn.utils.PCUtils.BackgroundKnowledge", "interop", _WHAT_FOR)
    node = require("causallearn.graph.GraphNode", "interop", _WHAT_FOR).GraphNode
    nodes = {
        name: node(f"X{int(str(name)) + 1}" if graph._is_unnamed else str(name))
        for name in graph.names
    }
    knowledge = module.BackgroundKnowledge()
    for edge in graph.edges:
        if edge.kind == ARROW and edge.confidence >= SURE:
            knowledge.add_required_by_node(nodes[edge.cause], nodes[edge.effect])
            knowledge.add_forbidden_by_node(nodes[edge.effect], nodes[edge.cause])
    return knowledge


def register_hsic() -> str:
    """Register the HSIC test against permutations as ``indep_test`` of causal-learn's searches.

    Returns its name, for ``pc(data, indep_test=name)``. With a condition set, the residuals
    of both variables from smoothing splines in it are tested: its effects are taken as additive.
    """
    name = "anmmm_hsic"
    cit = require("causallearn.utils.cit", "interop", _WHAT_FOR)

    class HSIC(cit.CIT_Base):  # type: ignore[misc, name-defined]
        """HSIC of two columns, or of their residuals."""

        def __init__(self, data: Any, **kwargs: Any) -> None:
            super().__init__(data, **kwargs)
            self.check_cache_method_consistent(name, cit.NO_SPECIFIED_PARAMETERS_MSG)
            self.assert_input_data_is_valid()

        def __call__(self, X: Any, Y: Any, condition_set: Any = None) -> float:
            xs, ys, given, key = self.get_formatted_XYZ_and_cachekey(X, Y, condition_set)
            if key not in self.pvalue_cache:
                columns = [self.data[:, places] for places in (xs, ys, given)]
                columns[2] = columns[2] if given else None
                self.pvalue_cache[key] = independence_test(*columns)
            return float(self.pvalue_cache[key])

    cit.register_ci_test(name, HSIC)
    return name
