"""The report: one page that compares runs, and the files that its numbers come from."""

from docmt.analysis.report.collect import ReportData, collect
from docmt.analysis.report.page import render

__all__ = ["ReportData", "collect", "render"]
