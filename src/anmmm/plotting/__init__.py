"""Plots of records on Matplotlib axes; Matplotlib is imported when a plot is drawn.

A figure is made, by pyplot, only if no axes are given; otherwise pyplot is not used. Every plot
raises ImportError if Matplotlib is not installed (`plot_graph` needs networkx too), and TypeError
or ValueError if an argument cannot be drawn.
"""

from anmmm.plotting.direction import plot_direction
from anmmm.plotting.effect import plot_effect
from anmmm.plotting.graph import plot_graph
from anmmm.plotting.mechanisms import plot_mechanisms
from anmmm.plotting.pairs import plot_pairs
from anmmm.plotting.rates import plot_decision_rates

__all__ = [
    "plot_decision_rates",
    "plot_direction",
    "plot_effect",
    "plot_graph",
    "plot_mechanisms",
    "plot_pairs",
]
