"""Accuracies of a criterion over many pairs, with standard errors."""

from anmmm.evaluation.rates import (
    DecisionRates,
    accuracy_errors,
    bootstrap_error,
    decision_rates,
    flipped_auc,
    standard_error,
)
from anmmm.evaluation.run import Evaluation, evaluate

__all__ = [
    "DecisionRates",
    "Evaluation",
    "accuracy_errors",
    "bootstrap_error",
    "decision_rates",
    "evaluate",
    "flipped_auc",
    "standard_error",
]
