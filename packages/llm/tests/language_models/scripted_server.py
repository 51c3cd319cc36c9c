"""A server on loopback that answers as a test says: chats, errors, garbage, or nothing at all."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from typing import Any

from docmt_llm.chat_model import ChatMessage, ChatRequest
from scripted_model import honest, sentences_of


@dataclass(frozen=True)
class Received:
    """A request that the server has received."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    at: float
    """When, in seconds of a clock that only moves forward."""


@dataclass(frozen=True)
class Reply:
    """What the server does about a request.

    Attributes:
        content: the body: JSON, or bytes as they are.
        stall: seconds before it.
        cut: how many bytes of the body are sent before the connection is closed; None for all.
    """

    content: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stall: float = 0.0
    cut: int | None = None


Script = Callable[[Received], Reply]


def chat(text: str | None, finish_reason: str = "stop", **more: Any) -> Reply:
    """An answer as OpenAI's chat completions give it; more keys go into its message."""
    message = {"role": "assistant", "content": text, **more}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": len((text or "").split()),
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    return Reply({"object": "chat.completion", "choices": [choice], "usage": usage})


def failure(status: int, message: str = "", code: str | None = None, **headers: str) -> Reply:
    """An error as OpenAI's interface gives it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply({"error": {"message": message, "type": "error", "code": code}}, status, named)


def translating(received: Received) -> Reply:
    """The answer of a model that translates by the rule of `scripted_model`."""
    messages = tuple(ChatMessage(m["role"], m["content"]) for m in received.body["messages"])
    asked = ChatRequest(messages, max_tokens=1)
    return chat(honest(sentences_of(asked), asked))


GONE = Reply(cut=0)
"""The connection is closed without an answer."""


class ScriptedServer:
    """A server in a thread, with the requests that it has received."""

    def __init__(self, script: Script | Sequence[Reply]) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        self.most_at_a_time = 0
        self._at_a_time = 0
        self._lock = threading.Lock()
        if not callable(script):
            replies = chain(script[:-1], repeat(script[-1]))
            script = lambda _: next(replies)  # noqa: E731
        self.script: Script = script
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"http://{self.host}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )
        self._thread.start()

    @property
    def bodies(self) -> list[Any]:
        """The bodies of all requests."""
        return [request.body for request in self.requests]

    def reply(self, request: Received) -> Reply:
        """Do as the script says."""
        with self._lock:
            self.requests.append(request)
            self._at_a_time += 1
            self.most_at_a_time = max(self.most_at_a_time, self._at_a_time)
            reply = self.script(request)
        time.sleep(reply.stall)
        with self._lock:
            self._at_a_time -= 1
        return reply

    def close(self) -> None:
        """Refuse further connections, and close those that are open."""
        self._server.shutdown()
        self._server.server_close()
        for connection in self._server.open_connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving(script: Script | Sequence[Reply]) -> Iterator[ScriptedServer]:
    """A server while a test needs it."""
    server = ScriptedServer(script)
    try:
        yield server
    finally:
        server.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.open_connections: list[socket.socket] = []

    def get_request(self) -> Any:
        connection, address = super().get_request()
        self.open_connections.append(connection)
        return connection, address

    def handle_error(self, *_: Any) -> None:
        """Say nothing of clients that have gone."""


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    """The handler of the requests of one server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            server.connections += 1

        def _respond(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            content = self.rfile.read(size)
            body = json.loads(content) if content else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.command, self.path, headers, body, time.monotonic())
            self._send(server.reply(received))

        do_GET = do_POST = _respond

        def _send(self, reply: Reply) -> None:
            content = reply.content
            if not isinstance(content, bytes):
                content = json.dumps(content).encode()
            if reply.cut != 0:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
            self.wfile.write(content[: reply.cut])
            if reply.cut is not None:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    return Handler
