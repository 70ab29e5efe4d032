"""Benchmarks are tested under the settings of the package's tests, and with their fixtures."""

from conftest import rng  # noqa: F401
