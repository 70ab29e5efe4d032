"""Accuracies of a criterion over many pairs, with standard errors."""

from anmmm.evaluation.run import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
