"""The report: one page that compares runs, and the files that its numbers come from."""

from docmt_research.report.collect import ReportData, collect
from docmt_research.report.page import render

__all__ = ["ReportData", "collect", "render"]
