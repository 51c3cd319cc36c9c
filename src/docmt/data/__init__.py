"""From encoded documents to batches: cut into instances, collate, fill a token budget.

What prepares a corpus on disk lives in `docmt.data.prepare` and the modules that it uses.
"""

from docmt.data.collate import collate, collate_source
from docmt.data.instances import Instance, InstanceSettings, cut, sliding_windows

__all__ = [
    "Instance",
    "InstanceSettings",
    "collate",
    "collate_source",
    "cut",
    "sliding_windows",
]  # fmt: skip
