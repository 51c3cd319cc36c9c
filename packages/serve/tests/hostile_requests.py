"""Hostile requests to all routes that a service describes in `/spec`.

    python packages/serve/tests/hostile_requests.py ADDRESS [--requests 100000] [--key KEY]

Methods, media types, charsets, bodies, headers and keys are drawn at random. No answer may have a
status of 500 or more (but 503 and 507), and none may take long.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import socket
import sys
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "X" * 50]

_KINDS = [
    "application/json", "application/problem+json", "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b", "multipart/form-data", "multipart/form-data; boundary=",
    f"multipart/form-data; boundary={'b' * 5000}", "multipart/mixed; boundary=b", "text/plain",
    "", ";", "a" * 3000, "application/json; charset", "é/ü",
]  # fmt: skip

_CHARSETS = [
    "", "utf-8", "UTF8", "latin-1", "utf-16", "utf-7", "punycode", "idna", "rot13", "base64",
    "unicode_escape", "undefined", "mbcs", "x" * 500, "utf-8; charset=utf-7",
]  # fmt: skip

_HEADERS = [
    "Expect: 100-continue", "Expect: x", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip",
    "Content-Length: 1", "Content-Length: -1", "Content-Encoding: gzip", "Upgrade: websocket",
    "Connection: upgrade", "Range: bytes=0-,0-,0-", "Range: bytes=9-1", "If-Range: x",
    "Origin: null", "Origin: http://evil.example", "Cookie: a=b", "X-Forwarded-For: ::1",
    "X-Forwarded-Proto: javascript", "Authorization: Bearer", "Authorization: Basic YTpi",
    "Authorization: Bearer \xff", "Accept-Encoding: \x01", "X: " + "a" * 9000, "X" * 300 + ": a",
    "A: b\r\n" * 300 + "A: b", "Host: evil.example", "Host: [", "A:\tb", " folded: a",
]  # fmt: skip

_STRINGS = [
    "", "a", " ", "\0", "\t", "\n" * 100, "a" * 100_000, "&#0;" * 1000, "<b>" * 3000, "💥" * 5000,
    "é" * 30_000, "\u202e", "\u2028", "\ufeff", "'\"`$(x)", "../" * 50, "%s%n{}", "1e999",
    "9" * 5000, "-1", "true", "en", "de", "auto", "EN", "DE", "html", "xml", "tsv", "a\tb",
    "A. " * 3000, "a\tb\n" * 3000, "." * 20_000, "(" * 20_000, "http://" * 3000, "{{" * 3000,
]  # fmt: skip


def _is_whole(sent: bytes) -> bool:
    """Return whether a request has the body that its head tells of."""
    head, _, body = sent.partition(b"\r\n\r\n")
    lengths = map(int, re.findall(rb"Content-Length: (\d+)", head))
    return b"chunked" not in head and all(length <= len(body) for length in lengths)


def _nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@dataclass
class HostileClient:
    """Draws and sends requests.

    Attributes:
        address: host and port of the service.
        key: a key that the service knows; empty for none.
        seed: of the draws.
        slowest: maximum seconds until an answer.
        statuses: number of answers by status; 0 for a closed connection.
    """

    address: tuple[str, int]
    key: str = ""
    seed: int = 0
    slowest: float = 30.0
    statuses: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)
        with urllib.request.urlopen(f"http://localhost:{self.address[1]}/spec") as answer:
            self._spec = json.load(answer)
        self._routes = [
            (path, method.upper(), operation)
            for path, operations in self._spec["paths"].items()
            for method, operation in operations.items()
        ]

    def run(self, number: int) -> None:
        """Send so many requests.

        Raises:
            AssertionError: an answer is an internal error, or late.
        """
        for index in range(number):
            sent = self._request()
            start = time.monotonic()
            status, answer = self._send(sent)
            taken = time.monotonic() - start
            self.statuses[status] += 1
            is_error = status >= 500 and status not in (503, 507)
            assert not is_error, (index, status, sent[:2000], answer[:500])
            assert b"Traceback" not in answer, (index, sent[:2000])
            assert taken < self.slowest, (index, taken, sent[:2000])

    def _send(self, sent: bytes) -> tuple[int, bytes]:
        """Send bytes. Returns the last status and all that comes back."""
        answer = b""
        with socket.create_connection(self.address, timeout=2 * self.slowest) as connection:
            try:
                connection.sendall(sent)
                if not _is_whole(sent):  # The service would wait for the rest.
                    connection.shutdown(socket.SHUT_WR)
                while block := connection.recv(1 << 16):
                    answer += block
                    if sent.startswith(b"HEAD ") and answer.endswith(b"\r\n\r\n"):
                        break
            except OSError:
                pass  # The service need not read everything.
        found = re.findall(rb"HTTP/1\.1 ([2-5]\d\d) ", answer)
        return int(found[-1]) if found else 0, answer

    def _request(self) -> bytes:
        draw = self._draw
        path, method, operation = draw.choice(self._routes)
        values = self._values(operation)
        path = re.sub(r"{\w+}", lambda _: self._segment(), path)
        if draw.random() < 0.3:
            path += "?" + self._encoded(values)
        if draw.random() < 0.1:
            method = draw.choice(_METHODS)
        kind = draw.choice(_KINDS[:4] if draw.random() < 0.8 else _KINDS)
        body = self._body(kind, values)
        if draw.random() < 0.2:
            kind += f"; charset={draw.choice(_CHARSETS)}"
        length = len(body) if draw.random() < 0.95 else draw.choice([0, 1, 10**6, 10**30])
        lines = [f"{method} {path} HTTP/1.{draw.choice('1111110')}", "Host: localhost"]
        lines += [f"Content-Type: {kind}", f"Content-Length: {length}", "Connection: close"]
        if self.key and draw.random() < 0.7:
            lines.append(f"Authorization: Bearer {self.key}")
        lines += draw.sample(_HEADERS, draw.choice([0, 0, 0, 1, 2]))
        head = "\r\n".join(lines).encode("latin-1", "replace")
        return head + b"\r\n\r\n" + self._damaged(body)

    def _segment(self) -> str:
        """What stands in a path in the place of a parameter."""
        return quote(self._draw.choice(_STRINGS)[:500], safe="") or "0" * 32

    def _names(self, operation: dict) -> list[str]:
        """Names of the values of an operation."""
        names = [each["name"] for each in operation.get("parameters", ())]
        for content in operation.get("requestBody", {}).get("content", {}).values():
            name = content["schema"]["$ref"].rpartition("/")[2]
            names += self._spec["components"]["schemas"][name].get("properties", {})
        return list(dict.fromkeys(names))

    def _values(self, operation: dict) -> dict:
        draw, names = self._draw, self._names(operation)
        values = {name: self._value(2) for name in names if draw.random() < 0.8}
        plausible = {
            "source": "en", "target": "de", "source_lang": "EN", "target_lang": "DE", "q": "One.",
            "text": ["One."], "name": "a", "entries": "a\tb", "entries_format": "tsv", "model": "m",
            "messages": [{"role": "user", "content": "One."}],
        }  # fmt: skip
        for name in names:
            if draw.random() < 0.6:
                values.pop(name, None)
                if name in plausible:
                    values[name] = plausible[name]
        if draw.random() < 0.05:
            values |= {f"a{number}": number for number in range(draw.choice([10, 3000]))}
        return values

    def _value(self, depth: int) -> object:
        """A value of any kind."""
        draw = self._draw
        kind = draw.randrange(8)
        if kind < 3 or depth == 0:
            return draw.choice(_STRINGS)
        if kind == 3:
            return draw.choice([None, True, 0, -1, 1e308, 2**63, 10**400, float("nan")])
        if kind == 4:
            return {draw.choice(_STRINGS)[:50]: self._value(depth - 1) for _ in range(3)}
        each = self._value(depth - 1)
        return [each] * draw.choice([0, 1, 3] if len(repr(each)) > 100 else [0, 1, 3, 2000])

    def _encoded(self, values: dict) -> str:
        """Values as in a URL."""
        pairs = [f"{quote(str(n))}={quote(str(v)[:20_000])}" for n, v in values.items()]
        return "&".join(pairs)[: self._draw.choice([100, 10_000, 60_000])]

    def _body(self, kind: str, values: dict) -> bytes:
        draw = self._draw
        if "json" in kind:
            if draw.random() < 0.1:
                depth = draw.choice([10, 300, 100_000])
                return f'{{"q": {_nested(depth)}}}'.encode()
            return json.dumps(values, ensure_ascii=draw.random() < 0.5).encode()
        if not kind.startswith("multipart"):
            return self._encoded(values).encode()
        body = b""
        for name, value in values.items():
            is_file = name == "file" or draw.random() < 0.03
            head = f'--b\r\nContent-Disposition: form-data; name="{quote(name)}"'
            if is_file:
                head += f'; filename="{draw.choice(_STRINGS)[:40]}{draw.choice([".md", ".docx"])}"'
            if draw.random() < 0.1:
                head += f"\r\nContent-Type: text/plain; charset={draw.choice(_CHARSETS)}"
            if draw.random() < 0.02:
                head += "\r\nContent-Transfer-Encoding: base64"
            text = value if isinstance(value, str) else json.dumps(value)
            body += f"{head}\r\n\r\n{text}\r\n".encode()
        return body + b"--b--\r\n"

    def _damaged(self, body: bytes) -> bytes:
        """The body, sometimes with damage of the same length."""
        draw = self._draw
        if not body or draw.random() < 0.75:
            return body
        start = draw.randrange(len(body))
        kind = draw.randrange(4)
        if kind == 0:
            return body[:start]
        if kind == 1:
            return body[:start] + bytes([draw.randrange(256)]) + body[start + 1 :]
        if kind == 2:
            return body[start:] + body[:start]
        return bytes(draw.randrange(256) for _ in range(min(len(body), 1000)))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("address", help="of the service, such as localhost:5000")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--key", default="", help="a key that the service knows")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    host, _, port = arguments.address.rpartition(":")
    client = HostileClient((host, int(port)), arguments.key, arguments.seed)
    client.run(arguments.requests)
    for status, number in sorted(client.statuses.items()):
        sys.stdout.write(f"{status or 'closed'}: {number}\n")


if __name__ == "__main__":
    main()
