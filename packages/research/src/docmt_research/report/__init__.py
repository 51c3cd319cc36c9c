"""The report: a comparison of runs on one page, and the files behind the numbers."""

from docmt_research.report.collect import ReportData, collect
from docmt_research.report.page import render

__all__ = ["ReportData", "collect", "render"]
