"""`PatientProtocol`: HTTP whose connections cannot be held for ever.

uvicorn has a time limit for the next request of a silent client only. Here, whoever keeps the
service waiting is looked at each second, and a new client takes the place of the one that has kept
the service waiting longest when all places are taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_MOST_HEADERS = 16_384
"""Maximum bytes of the head of a request; up to twice as many if they come at once."""

_HEADER_SECONDS = 20.0
"""Seconds for the head of a request."""

_REST_SECONDS = 5.0
"""Seconds for the rest of a body that was not read, so that the client can read the answer."""

_SEND_SECONDS = 60.0
"""Seconds in which a client takes the next part of an answer."""

_MOST_PIECES = 1000
"""Maximum number of chunks of a body, beside one for each `_PIECE` bytes."""
_PIECE = 512


class PatientProtocol(H11Protocol):
    """HTTP with time limits for clients.

    Args:
        args: as for the class of uvicorn.
        kwargs: likewise.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _Connection(h11.SERVER, _MOST_HEADERS)
        self._waiting_since = self._heard_at = self._unsent_since = self.loop.time()

    @property
    def awaits_request(self) -> bool:
        """True if no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def has_unread_body(self) -> bool:
        """True if the client is sending a body."""
        return self.conn.their_state is h11.SEND_BODY

    @property
    def awaits_client(self) -> bool:
        """True if the next step is the client's."""
        return self.awaits_request or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if len(self.connections) >= (self.limit_concurrency or 0) - 1:
            _make_room(self.connections)
        super().connection_made(cast(asyncio.Transport, _LingeringTransport(transport, self)))

    def data_received(self, data: bytes) -> None:
        self._heard_at = self.loop.time()
        for start in range(0, len(data), _MOST_HEADERS):
            if not self.transport.is_closing():
                super().data_received(data[start : start + _MOST_HEADERS])

    def send_400_response(self, msg: str) -> None:
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:  # The request has its answer already.
            self.transport.close()

    def on_response_complete(self) -> None:
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        self._unsent_since = self.loop.time()
        super().resume_writing()

    def end_if_stuck(self) -> None:
        """Close the connection if the client has kept the service waiting too long."""
        now = self.loop.time()
        if self.transport.get_write_buffer_size():
            if now - self._unsent_since > _SEND_SECONDS:
                self.transport.abort()
            return
        self._unsent_since = now
        most = _REST_SECONDS if self.has_unread_body else _HEADER_SECONDS
        if self.awaits_request and now - self._waiting_since > most:
            self.transport.abort()

    def waiting_key(self) -> tuple[bool, float]:
        """A sort key: those without a request first, then the longest silence."""
        is_idle = self.awaits_request
        return not is_idle, self._waiting_since if is_idle else self._heard_at


class _LingeringTransport:
    """A transport that reads what the client is still sending before it closes the connection.
    Otherwise the client would get an error in place of the answer.

    Args:
        transport: the transport.
        protocol: its protocol.
    """

    def __init__(self, transport: asyncio.Transport, protocol: PatientProtocol) -> None:
        self._transport, self._protocol = transport, protocol
        self._is_closing = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """True if nothing more is answered."""
        return self._is_closing or self._transport.is_closing()

    def close(self) -> None:
        """Close the connection, `_REST_SECONDS` later if the client is sending a body."""
        if self.is_closing():
            return
        self._is_closing = True
        if not (self._protocol.has_unread_body and self._transport.can_write_eof()):
            self._transport.close()
            return
        try:
            self._transport.write_eof()
        except OSError:  # The client has gone.
            self._transport.abort()
            return
        self._transport.resume_reading()
        self._protocol.loop.call_later(_REST_SECONDS, self._transport.abort)


class _Connection(h11.Connection):
    """A connection that refuses bodies in tiny chunks, each of which takes far more time than its
    bytes."""

    _pieces = _size = 0

    def next_event(self) -> Any:
        """The next event.

        Raises:
            RemoteProtocolError: what the client sends is not HTTP, or is in too many pieces.
        """
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._pieces = self._size = 0
        elif isinstance(event, h11.Data):
            self._pieces, self._size = self._pieces + 1, self._size + len(event.data)
            if self._pieces > _MOST_PIECES + self._size / _PIECE:
                raise h11.RemoteProtocolError("too many small chunks")
        return event


def _make_room(connections: set[Any]) -> None:
    """Close the connection that has kept the service waiting longest, if there is one."""
    waiting = [each for each in connections if each.awaits_client]
    if waiting:
        victim = min(waiting, key=PatientProtocol.waiting_key)
        connections.discard(victim)
        victim.transport.abort()


def end_stuck(connections: Iterable[Any]) -> None:
    """Close the connections of clients that have kept the service waiting too long."""
    for connection in tuple(connections):
        connection.end_if_stuck()
