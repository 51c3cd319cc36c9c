"""From a recipe's corpus to numbers that training reads: the text pipeline is fitted, every split
encoded, and what came of it counted.
"""

from docmt.preparation.prepared import Prepared
from docmt.preparation.preparing import prepare
from docmt.preparation.report import LeftOut, Report, SplitReport
from docmt.preparation.split import Instances, Split
from docmt.preparation.tables import Joined, Table

__all__ = [
    "Instances", "Joined", "LeftOut", "Prepared", "Report", "Split", "SplitReport", "Table",
    "prepare",
]  # fmt: skip
