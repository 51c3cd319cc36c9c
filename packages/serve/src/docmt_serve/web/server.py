"""`run_server`: the HTTP server of a service.

Ctrl-C and SIGTERM end the server in order: no further connections are accepted, running requests
are finished within the grace time, and files are kept for the next start. A second signal ends the
server at once.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import h11
import uvicorn

from docmt_files.base.errors import InputError
from docmt_serve.service.service import Service
from docmt_serve.web.app import make_app
from docmt_serve.web.connections import PatientProtocol, end_stuck

GRACE = 10.0
"""Seconds for running requests to finish when the service ends."""

_CONNECTIONS = 2000
"""Maximum number of connections at a time."""

_IDLE_SECONDS = 10
"""Seconds without a translation, after which freed memory is given back."""

_OTHER_FILES = 256
"""Number of files that the process has open beside connections."""


def run_server(service: Service, on_start: Callable[[str], None], grace: float = GRACE) -> None:
    """Serve until a signal ends it.

    Args:
        service: the service.
        on_start: called with the address as soon as requests are answered.
        grace: seconds for running requests to finish at the end.

    Raises:
        InputError: the address or the folder of the service cannot be used.
    """
    settings = service.settings
    listening = _listen(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    url = f"http://{host}:{listening.getsockname()[1]}"
    with listening, service:
        make_server(service, lambda: on_start(url), grace).run([listening])


def make_server(
    service: Service, on_start: Callable[[], None] = lambda: None, grace: float = GRACE
) -> uvicorn.Server:
    """Make the server of an open service.

    Args:
        service: the service.
        on_start: called as soon as requests are answered.
        grace: seconds for running requests to finish at the end.
    """
    config = uvicorn.Config(
        make_app(service),
        http=PatientProtocol,
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=round(grace),
        limit_concurrency=_most_connections() + 1,
        server_header=False,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_of_the_service)
    return _Server(config, service, grace, on_start)


def _most_connections() -> int:
    """Maximum number of connections, so that the process does not run out of open files."""
    try:
        import resource
    except ImportError:  # Windows
        return _CONNECTIONS
    wanted = _CONNECTIONS + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY not in (soft, hard) and soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return _CONNECTIONS if soft == resource.RLIM_INFINITY else min(_CONNECTIONS, soft // 2)


def _trim() -> None:
    """Give freed memory back to the system. glibc keeps it for each thread otherwise."""
    with suppress(OSError, TypeError, AttributeError):  # other C libraries
        ctypes.CDLL(None).malloc_trim(0)


def _is_of_the_service(record: logging.LogRecord) -> bool:
    """Return False for records about broken connections, with which any client could fill a log."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, h11.LocalProtocolError)


def _listen(host: str, port: int) -> socket.socket:
    """A socket listening at an address.

    Raises:
        InputError: the address is taken, not of this machine, or not allowed.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise InputError(
            f"cannot listen at {host}, port {port} ({error.strerror})",
            cure="Choose another `host` or `port`",
            parameters=("host", "port"),
        ) from None


class _Server(uvicorn.Server):
    """A server with notice of start and end to the service."""

    def __init__(
        self, config: uvicorn.Config, service: Service, grace: float, on_start: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.service, self.grace, self.on_start = service, grace, on_start
        self._idle_seconds = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer requests."""
        await super().startup(sockets)
        if self.started:
            self.on_start()

    async def on_tick(self, counter: int) -> bool:
        """Look after connections and memory, each second of ten ticks."""
        if counter % 10 == 0:
            end_stuck(self.server_state.connections)
            await self._give_memory_back()
        return await super().on_tick(counter)

    async def _give_memory_back(self) -> None:
        """Give freed memory back once the service has been idle for some seconds."""
        if self.service.tasks.in_flight or self.service.jobs.counts()["translating"]:
            self._idle_seconds = 0
        else:
            self._idle_seconds += 1
            if self._idle_seconds == _IDLE_SECONDS:
                await asyncio.to_thread(_trim)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, at the second signal at once."""
        if not self.should_exit:
            self.service.stop(self.grace)
        else:
            self.service.give_up()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the server runs. Afterwards the caller goes on: the library would
        raise the signals again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        signals = signal.SIGINT, signal.SIGTERM
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
