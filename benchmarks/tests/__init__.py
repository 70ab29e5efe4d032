"""Tests of the benchmarks, which the tests of the package know nothing of."""
