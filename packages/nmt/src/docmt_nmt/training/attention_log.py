"""The recorder for `training.log_attention`: the one of docmt-research sums up the entropy of
attention and the values of gates."""

from __future__ import annotations

from docmt_files.base import entry_points
from docmt_files.base.errors import InputError
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.known_packages import not_installed
from docmt_nmt.nn.recording import SummaryRecorder


def attention_recorder() -> type[SummaryRecorder]:
    """The class of the recorders whose summary is logged at each validation.

    Raises:
        InputError: no package with such a class is installed, or several are, or it cannot be used.
    """
    loaded = entry_points.load(plugin_groups.RECORDERS, "attention")
    if loaded is None:
        raise not_installed("docmt-research", "the recorder for training.log_attention is")
    plugin, recorder = loaded
    if not (isinstance(recorder, type) and issubclass(recorder, SummaryRecorder)):
        raise InputError(f"{plugin} is not a subclass of docmt_nmt.nn.recording.SummaryRecorder")
    return recorder
