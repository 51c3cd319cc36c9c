"""From encoded documents to batches: cut into instances, pack, fill a token budget."""

from docmt.batches.instances import Instance, InstanceSettings, cut, sliding_windows
from docmt.batches.packing import IGNORED, Batch, Packed, Spans, pack, pack_source

__all__ = [
    "IGNORED", "Batch", "Instance", "InstanceSettings", "Packed", "Spans",
    "cut", "pack", "pack_source", "sliding_windows",
]  # fmt: skip
