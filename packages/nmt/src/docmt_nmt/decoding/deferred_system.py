"""`DeferredSystem`: the system of PyTorch of a compiled run, loaded when something needs it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, ClassVar

from docmt_nmt.base.writing_order import WritingOrder

if TYPE_CHECKING:
    from docmt_nmt.systems import System


class DeferredSystem:
    """A system that is not loaded yet. Compiled systems translate an instance in one pass, and
    correct no drafts.

    Args:
        load: loads the system.
    """

    writing_order: ClassVar[WritingOrder] = WritingOrder.ONE_PASS
    draft_system: ClassVar[None] = None
    refills_batches: ClassVar[bool] = False

    def __init__(self, load: Callable[[], System]) -> None:
        self._load, self._lock = load, Lock()
        self._system: System | None = None

    @property
    def loaded(self) -> System:
        """The system, which is loaded at the first call.

        Raises:
            InputError: torch is not installed, or the weights cannot be read.
        """
        with self._lock:
            if self._system is None:
                self._system = self._load()
            return self._system
