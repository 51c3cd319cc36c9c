"""`ServiceSettings`: address, keys and limits of the service."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from docmt_files.base.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses reached from this machine only."""


_BODY_OVERHEAD = 65_536
"""Maximum bytes of a body beside texts."""

_BYTES_PER_CHARACTER = 8


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Settings of the service.

    Raises:
        InputError: other machines could use the service without keys, and `open` is not set.
    """

    host: str = "127.0.0.1"
    """Address to listen at. The default is reached from this machine only."""

    port: Annotated[int, Ge(0), Le(65_535)] = 5000
    """Port to listen at; 0 takes a free port."""

    keys: Path | None = None
    """File with the API keys and their quotas, readable for the owner only (mode 600). Default: no
    key is needed."""

    open: bool = False
    """Serve other machines without keys."""

    allowed_host: tuple[str, ...] = ()
    """Another name of the service, such as `translate.example.com`. Without keys, requests to
    unknown names are refused, because a page of another site could give its name the address of the
    service."""

    folder: Path | None = None
    """Folder for uploaded files, their translations, glossaries and translation memories. Default:
    a temporary folder, removed at the end with unfinished jobs."""

    suggestions: bool = False
    """Keep the translations that LibreTranslate's `/suggest` sends, in a translation memory of the
    account."""

    models_from: str | None = None
    """Let people get models of further pairs on the page, from this registry: `mozilla`, or a JSON
    file in the form of Mozilla's, on this machine or elsewhere. Default: nobody may."""

    char_limit: Annotated[int, Ge(1)] = 100_000
    """Maximum characters of the texts of a request."""

    batch_limit: Annotated[int, Ge(1)] = 1000
    """Maximum number of texts of a request."""

    file_limit: Annotated[int, Ge(1)] = 100_000_000
    """Maximum bytes of an uploaded file."""

    queue_limit: Annotated[int, Ge(1)] = 256
    """Maximum number of requests at a time, running and waiting; further requests are refused."""

    job_limit: Annotated[int, Ge(1)] = 1000
    """Maximum number of unfinished files."""

    storage_limit: Annotated[int, Ge(1)] = 10_000_000_000
    """Maximum bytes of uploaded files and translations together; further files are refused until
    some are deleted."""

    upload_limit: Annotated[int, Ge(1)] = 1_000_000_000
    """Maximum bytes of all uploads under way together; further ones are refused."""

    keep_files: Annotated[int, Ge(1)] = 3600
    """Seconds between the end of a translation of a file and the deletion."""

    @property
    def text_bytes(self) -> int:
        """Maximum bytes of the body of a request, apart from a file."""
        return _BODY_OVERHEAD + _BYTES_PER_CHARACTER * self.char_limit

    def answers_to(self, name: str) -> bool:
        """Return whether a host name, without a port, is one of the service.

        Names without a dot and addresses are never those of other sites. They count as names of
        the service where other machines may use it.
        """
        name = name.lower().rstrip(".")
        if name in (*LOOPBACK, self.host.lower(), *map(str.lower, self.allowed_host)):
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return self.is_open and bool(name) and "." not in name
        return self.is_open or address.is_loopback

    @property
    def is_open(self) -> bool:
        """True if other machines may use the service."""
        return self.open or self.keys is not None

    def __post_init__(self) -> None:
        if self.host not in LOOPBACK and self.keys is None and not self.open:
            raise InputError(
                f"`host={self.host}` lets other machines use the service, and there are no keys",
                cure="Add `keys=FILE`, or `open=true` to serve everybody who reaches it",
                parameters=(f"host={self.host}", "keys=FILE", "open=true"),
            )
