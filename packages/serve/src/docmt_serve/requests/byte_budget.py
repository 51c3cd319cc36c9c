"""`ByteBudget`: a limit for the bytes of all request bodies under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from docmt_serve.requests.service_errors import busy

_STRANGERS = 64 << 20
"""Maximum bytes of all bodies under way whose key is not known yet."""

_TEXTS = 256 << 20
"""Maximum bytes of all bodies without files under way."""


@dataclass(eq=False)
class ByteBudget:
    """Bytes of requests in memory and in temporary files. Threads may share it.

    Attributes:
        limit: maximum number of bytes.
        stored: gives the number of bytes kept elsewhere that count against `most_stored`, too.
        most_stored: maximum number of bytes here and elsewhere.
    """

    limit: int
    stored: Callable[[], int] = lambda: 0
    most_stored: float = float("inf")
    used: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def change(self, size: int) -> None:
        """Take bytes, or give bytes back if the size is negative.

        Raises:
            ServiceError: a limit would be exceeded.
        """
        with self._lock:
            used = self.used + size
            if size > 0 and (used > self.limit or used + self.stored() > self.most_stored):
                raise busy("too many bytes are under way or stored; try again later")
            self.used = used


@dataclass(frozen=True, eq=False, slots=True)
class BodyBudgets:
    """Budgets of the bodies of requests.

    Attributes:
        files: bodies with files.
        texts: bodies without files.
        strangers: bodies without a key so far, where keys are needed.
    """

    files: ByteBudget
    texts: ByteBudget = field(default_factory=lambda: ByteBudget(_TEXTS))
    strangers: ByteBudget = field(default_factory=lambda: ByteBudget(_STRANGERS))


@dataclass(eq=False, slots=True)
class HeldBody:
    """The body of a request: its bytes in memory and on disk.

    Attributes:
        budget: budget of the bytes.
        size: number of bytes.
        file: temporary file of an uploaded file.
    """

    budget: ByteBudget
    size: int = 0
    file: IO[bytes] | None = None

    def take(self, size: int) -> None:
        """Count further bytes.

        Raises:
            ServiceError: the budget is used up.
        """
        self.budget.change(size)
        self.size += size

    def move(self, budget: ByteBudget) -> None:
        """Count the bytes in another budget.

        Raises:
            ServiceError: the other budget is used up.
        """
        budget.change(self.size)
        self.budget.change(-self.size)
        self.budget = budget

    def release(self) -> None:
        """Give all bytes back, and delete the temporary file."""
        if self.file is not None:
            self.file.close()
            self.file = None
        self.budget.change(-self.size)
        self.size = 0
