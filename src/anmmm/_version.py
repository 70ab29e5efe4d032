"""Version of the package, for itself and for the files that it writes."""

__version__ = "1.0.0rc1"
