"""The service among hostile clients: does it go on answering?

    python benchmarks/hostile_clients.py [RUN] [--clients 50] [--seconds 600] [--keys]

`docmt serve` runs in a process of its own, on loopback. Each client attacks in turns in each of
the ways below, without a key, while one client asks for `/health` once a second and another one
has a sentence translated. Rows are ways: requests, and answers by status. With `--keys` the
service needs keys, which only the honest client has. The program fails if an answer has a status
of 500 or more, or if `/health` takes longer than a second.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from docmt_nmt.runs.bundled import DEFAULT
from docmt_serve.stores.api_keys import add_key
from measuring import machine, print_table
from serving import Watch

_FORM = "multipart/form-data; boundary=line"
_ENCODED = "application/x-www-form-urlencoded"
_PART = '--line\r\nContent-Disposition: form-data; name="a"\r\n\r\n'
_FILE_PART = '--line\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
_CLOSED = 0
"""In place of a status: the service closed the connection."""

Answers = Counter[tuple[str, int]]


class Attacker:
    """Attacks a service until a time.

    Args:
        port: of the service.
        seed: of the draws.
        answers: gets the status of each answer, by way.
    """

    def __init__(self, port: int, seed: int, answers: Answers) -> None:
        self.port, self.draw, self.answers = port, random.Random(seed), answers

    def attack(self, until: float) -> None:
        """Attack in ways drawn at random."""
        while time.monotonic() < until:
            way = self.draw.choice(WAYS)
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as opened:
                opened.settimeout(max(0.1, min(30.0, until - time.monotonic())))
                with suppress(OSError):  # The service may answer and close before all is sent.
                    way(self, opened)
                self._read_answers(way.__name__, opened)

    def send(
        self, opened: socket.socket, path: str, kind: str, body: bytes, more: str = ""
    ) -> None:
        """Send a request."""
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{more}"
        opened.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def _read_answers(self, way: str, opened: socket.socket) -> None:
        """Count the statuses of answers until the service closes the connection or is silent."""
        text = b""
        with suppress(OSError):
            while block := opened.recv(1 << 16):
                text += block
                opened.settimeout(0.2)
        statuses = [int(found) for found in re.findall(rb"HTTP/1\.1 (\d{3}) ", text)]
        self.answers.update((way, status) for status in statuses or [_CLOSED])

    def hold(self, opened: socket.socket) -> None:
        """Keep a connection by bytes of a body that nobody reads."""
        opened.sendall(
            b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
        )
        for _ in range(self.draw.randrange(20)):
            opened.sendall(b"x")
            time.sleep(0.2)

    def half_request(self, opened: socket.socket) -> None:
        """Send a part of a request, and wait."""
        whole = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nq=a"
        opened.sendall(whole[: self.draw.randrange(1, len(whole))])

    def slow_body(self, opened: socket.socket) -> None:
        """Send a body byte by byte."""
        head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: {_ENCODED}\r\n"
        opened.sendall(f"{head}Content-Length: 10000\r\n\r\nq=".encode())
        for _ in range(self.draw.randrange(60)):
            opened.sendall(b"a")
            time.sleep(0.5)

    def json_bomb(self, opened: socket.socket) -> None:
        """Send JSON of very many values, nested ones or names."""
        path = self.draw.choice(["/translate", "/jobs", "/v2/glossaries", "/v1/chat/completions"])
        number = self.draw.choice([1000, 100_000, 1_000_000])
        values = self.draw.choice(
            [
                b'{"q":[' + b",".join([b"{}"] * number) + b"]}",
                b'{"q":' + b"[" * number,
                b"{" + b",".join(b'"%d":0' % index for index in range(number // 10)) + b"}",
                b'{"q":' + b"9" * number + b"}",
            ]
        )
        self.send(opened, path, "application/json", values)

    def punycode(self, opened: socket.socket) -> None:
        """Send a form in a charset that takes long to decode."""
        charset = self.draw.choice(["punycode", "idna", "utf-7", "unicode_escape", "utf-16"])
        body = (_PART + "2n7c" + "a" * 300_000 + "\r\n--line--\r\n").encode()
        self.send(opened, "/translate", f"{_FORM}; charset={charset}", body)

    def many_fields(self, opened: socket.socket) -> None:
        """Send very many fields in a form, in its headers or in the URL."""
        number = self.draw.choice([1000, 50_000])
        if self.draw.random() < 0.5:
            self.send(opened, "/translate", _ENCODED, b"&q=a" * number)
        else:
            self.send(opened, f"/detect?{'&a=b' * number}", _ENCODED, b"")

    def upload(self, opened: socket.socket) -> None:
        """Begin a large upload."""
        path = self.draw.choice(["/jobs", "/v2/document", "/translate_file"])
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {_FORM}\r\n"
        opened.sendall(f"{head}Content-Length: 90000000\r\n\r\n{_FILE_PART}".encode())
        for _ in range(self.draw.randrange(1, 30)):
            opened.sendall(b"x" * 1_000_000)
        time.sleep(self.draw.random() * 5)

    def tiny_chunks(self, opened: socket.socket) -> None:
        """Send a body in chunks of one byte."""
        head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: {_ENCODED}\r\n"
        opened.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        opened.sendall(b"1\r\na\r\n" * 100_000)

    def pipelining(self, opened: socket.socket) -> None:
        """Send many requests at once, and read late."""
        opened.sendall(b"GET /spec HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
        time.sleep(self.draw.random())

    def glossary(self, opened: socket.socket) -> None:
        """Send a long glossary with a short text."""
        entries = "\n".join(f"term{index}\tWort" for index in range(5000))
        asked = {"q": "Open it.", "source": "en", "target": "de", "glossary": entries}
        self.send(opened, "/translate", "application/json", json.dumps(asked).encode())

    def odd_headers(self, opened: socket.socket) -> None:
        """Send headers that are too long, too many or odd."""
        odd = ["X: a\r\n" * 10_000, f"X: {'a' * 200_000}\r\n", "Transfer-Encoding: gzip\r\n"]
        odd += ["Authorization: Bearer x\r\n", "Expect: 100-continue\r\n", "Upgrade: h2c\r\n"]
        more = self.draw.choice(odd)
        self.send(opened, "/translate", _ENCODED, b"q=a", more)


WAYS: list[Callable[[Attacker, socket.socket], None]] = [
    each
    for name, each in vars(Attacker).items()
    if callable(each) and name not in ("attack", "send") and not name.startswith("_")
]
"""Ways to attack."""


class Honest:
    """Asks for `/health` each second, and for translations.

    Args:
        port: of the service.
        key: a key, or an empty text.
    """

    def __init__(self, port: int, key: str) -> None:
        self.port, self.key = port, key
        self.health: list[float] = []
        self.problems: list[str] = []
        self.statuses: Counter[int] = Counter()

    def ask_health(self, until: float) -> None:
        """Ask for `/health` once a second."""
        while time.monotonic() < until:
            start = time.monotonic()
            status = self._ask("GET", "/health", b"")
            self.health.append(time.monotonic() - start)
            if status != 200:
                self.problems.append(f"/health: {status}")
            time.sleep(max(0.0, start + 1 - time.monotonic()))

    def translate(self, until: float) -> None:
        """Have a sentence translated again and again."""
        body = json.dumps({"q": "Open the file.", "source": "en", "target": "de"}).encode()
        while time.monotonic() < until:
            self.statuses[self._ask("POST", "/translate", body)] += 1
            time.sleep(1)

    def _ask(self, method: str, path: str, body: bytes) -> int:
        """The status of an answer; `_CLOSED` without an answer."""
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return _CLOSED
        finally:
            connection.close()


@contextmanager
def serving(run: str, *options: str) -> Iterator[tuple[int, int]]:
    """Run the service. Yields its port and the id of its process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "docmt", "serve", run, "--port", str(port), *options]
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        try:
            yield port, process.pid
        finally:
            process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", nargs="?", default=DEFAULT, help="run directory")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--keys", action="store_true", help="let the service need keys")
    parser.add_argument("--slowest", type=float, default=1.0, help="allowed seconds of /health")
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        key, options = "", ["--folder", f"{folder}/service"]
        if arguments.keys:
            key = add_key(Path(folder) / "keys.toml", "honest")
            options += ["--keys", f"{folder}/keys.toml"]
        with serving(arguments.run, *options) as (port, process):
            watch, honest = Watch(process), Honest(port, key)
            honest.translate(time.monotonic() + 1)  # The first one loads what texts need.
            before, until = watch.memory(), time.monotonic() + arguments.seconds
            counts: list[Answers] = [Counter() for _ in range(arguments.clients)]
            works = [honest.ask_health, honest.translate]
            works += [Attacker(port, seed, each).attack for seed, each in enumerate(counts)]
            threads = [threading.Thread(target=work, args=(until,)) for work in works]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            most, after = watch.memory("VmHWM"), watch.memory()
            time.sleep(10)
            idle = watch.memory()
    total: Answers = sum(counts, Counter())
    rows = []
    for way in WAYS:
        own = {status: n for (name, status), n in total.items() if name == way.__name__}
        listed = ", ".join(f"{status or 'closed'}: {n}" for status, n in sorted(own.items()))
        rows.append((way.__name__, f"{sum(own.values())}", listed))
    print_table(("way", "requests", "answers"), rows)
    failed = sum(n for (_, status), n in total.items() if status >= 500)
    slowest = max(honest.health, default=0.0)
    print(f"\n{sum(total.values())} requests, {failed} answers of 500 and more")
    print(f"/health: {len(honest.health)} times, slowest {slowest:.2f} s")
    print(f"translations by an honest client: {dict(honest.statuses)}")
    print(f"MiB before, at most, after, 10 s later: {before:.0f} {most:.0f} {after:.0f} {idle:.0f}")
    if failed or honest.problems or slowest > arguments.slowest:
        sys.exit(f"failed: {failed} answers, /health {slowest:.2f} s, {honest.problems[:3]}")


if __name__ == "__main__":
    main()
