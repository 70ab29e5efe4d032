"""A graph of a table."""

from __future__ import annotations

import numpy as np

from anmmm import infer_graph

from .compiled import Compiled


class Graph(Compiled):
    """`infer_graph` on one process against columns and rows: a chain with every second edge."""

    params = ((5, 10, 20), (100, 300, 1000))
    param_names = ("columns", "n_samples")

    def setup(self, columns: int, n_samples: int) -> None:
        rng = np.random.default_rng(0)
        self.table = rng.normal(size=(n_samples, columns))
        for effect in range(1, columns, 2):
            self.table[:, effect] *= 0.3
            self.table[:, effect] += np.tanh(2 * self.table[:, effect - 1])

    def time_graph(self, columns: int, n_samples: int) -> None:
        infer_graph(self.table)
