"""Speed (asv classes) and quality (`python -m benchmarks.quality`) of the package."""
