"""The tables and figures of the paper, each in a file of its own, and what runs them."""

from anmmm.experiments.run import STUDIES, Reproduced, reproduce

__all__ = ["STUDIES", "Reproduced", "reproduce"]
