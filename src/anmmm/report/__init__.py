"""One HTML page about the rows of a collection, as ``anmmm report`` writes it."""

from anmmm.report.write import Report, write_report

__all__ = ["Report", "write_report"]
