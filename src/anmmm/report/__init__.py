"""One HTML page about the rows of a collection; what draws it is imported when it is written.

Rows come in and are digested one by one, the pairs to be shown are looked up in their source, and
a page that needs nothing else goes out. The command is ``anmmm report``.
"""

from anmmm.report.write import Report, write_report

__all__ = ["Report", "write_report"]
