"""`ServiceSettings`: where the service listens, and what it grants."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from docmt.ground.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that only programs on this machine reach."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Settings of the service.

    Raises:
        InputError: everybody could use it, and nobody said so.
    """

    host: str = "127.0.0.1"
    """Address to listen at. The default is reached from this machine only."""

    port: Annotated[int, Ge(0), Le(65_535)] = 5000
    """Port to listen at; 0 takes a free one."""

    keys: Path | None = None
    """File with the API keys and their quotas, which only its owner may read (mode 600). Default:
    no key is needed."""

    open: bool = False
    """Serve other machines without keys."""

    folder: Path | None = None
    """Folder that keeps uploaded files, their translations and glossaries. Default: a temporary one
    that is removed at the end, with unfinished jobs."""

    char_limit: Annotated[int, Ge(1)] = 100_000
    """Most characters of the texts of a request."""

    batch_limit: Annotated[int, Ge(1)] = 1000
    """Most texts of a request."""

    file_limit: Annotated[int, Ge(1)] = 100_000_000
    """Most bytes of an uploaded file."""

    queue_limit: Annotated[int, Ge(1)] = 256
    """Most requests that wait or are being translated; further ones are told to come back."""

    job_limit: Annotated[int, Ge(1)] = 1000
    """Most files that wait or are being translated."""

    storage_limit: Annotated[int, Ge(1)] = 10_000_000_000
    """Most bytes of uploaded files and translations together; then no further file is accepted
    until some are deleted."""

    keep_files: Annotated[int, Ge(1)] = 3600
    """Seconds after which a finished file is deleted."""

    def __post_init__(self) -> None:
        if self.host not in LOOPBACK and self.keys is None and not self.open:
            raise InputError(
                f"`host={self.host}` lets other machines use the service, and there are no keys",
                cure="Add `keys=FILE`, or `open=true` to serve everybody who reaches it",
                parameters=(f"host={self.host}", "keys=FILE", "open=true"),
            )
