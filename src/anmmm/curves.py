"""Curves of fitted models at new points; they live in `anmmm.evidence.curves`."""

from anmmm.evidence.curves import EffectCurves, mixture_curves, model_curves

__all__ = ["EffectCurves", "mixture_curves", "model_curves"]
