"""Table 1 and figures 3 to 6 of the paper: ``python -m benchmarks.paper``."""
