"""Speed (asv, `python -m benchmarks.peers`) and quality (`python -m benchmarks.studies.quality`)."""
