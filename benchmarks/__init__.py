"""Speed and quality, measured; CONTRIBUTING.md lists the programs."""
