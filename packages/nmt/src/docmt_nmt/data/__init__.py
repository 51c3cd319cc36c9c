"""From encoded documents to batches: cut documents into instances, prepare a corpus on disk, sample
instances into batches and collate them.

This face needs no torch; `docmt_nmt.data.collate` does.
"""

from docmt_nmt.data.data_settings import DataSettings, InstanceSettings
from docmt_nmt.data.instances import Instance, cut, last_instance, overlapping, sliding_windows

__all__ = [
    "DataSettings",
    "Instance",
    "InstanceSettings",
    "cut",
    "last_instance",
    "overlapping",
    "sliding_windows",
]
