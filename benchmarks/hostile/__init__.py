"""A hostile round: ``python -m benchmarks.hostile``."""
