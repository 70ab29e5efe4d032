"""Version of the package, for itself and for the files that it writes."""

__version__ = "0.1.0"
