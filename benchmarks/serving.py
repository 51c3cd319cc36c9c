"""The service under load: many clients at once, sentences and files.

    python benchmarks/serving.py [RUN] [--clients 200] [--seconds 20] [--compiled never]

`docmt serve` runs in a process of its own, on loopback. Each text has a number of its own, and each
answer says which sentences it is of, so that an answer that is lost or somebody else's shows. A row
is a phase: one client while nothing else happens, one client while a book is translated, and all
clients at once, a tenth of their requests being files. The book goes through the service and
through the command line, whose time to start does not count. The memory is that of the service.
"""

from __future__ import annotations

import argparse
import http.client
import json
import lzma
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import quantiles
from typing import Any

from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.runs.bundled import DEFAULT
from measuring import machine, print_table

_LANGUAGES = {"source": "en", "target": "de"}


@dataclass
class Counts:
    """What came of requests. Threads share it.

    Attributes:
        seconds: of each sentence that was answered.
        files: the number of files that came back.
        refused: requests that were told to come back, and came back.
        lost: requests without an answer, with their errors.
        wrong: answers that were of another text.
    """

    seconds: list[float] = field(default_factory=list)
    files: int = 0
    refused: int = 0
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Client:
    """Sends requests to the service, one after the other.

    Args:
        port: of the service.
        number: of the client.
        counts: gets what came of them.
    """

    def __init__(self, port: int, number: int, counts: Counts) -> None:
        self.port, self.number, self.counts = port, number, counts
        self._draw = random.Random(number)
        self._sent = 0

    def text(self) -> str:
        """A text that nobody else sends."""
        self._sent += 1
        own = f"{self.number:04}{self._sent:05}"
        return f"File {own} is in the second folder. Open it."

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, bytes]:
        """Send a request, again if the service says so. Returns the status and the body."""
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
            try:
                connection.request(method, path, body, {"Content-Type": kind} if kind else {})
                answer = connection.getresponse()
                status, content = answer.status, answer.read()
            finally:
                connection.close()
            if status != 429:
                return status, content
            self.counts.refused += 1
            time.sleep(float(answer.headers["Retry-After"]))

    def send_sentence(self) -> None:
        """Have a text translated, and check that the answer is of it."""
        text = self.text()
        asked = _LANGUAGES | {"q": text, "sentences": True}
        start = time.perf_counter()
        status, content = self.ask(
            "POST", "/translate", json.dumps(asked).encode(), "application/json"
        )
        if status != 200:
            self.counts.lost.append(f"{status} {content[:200]!r}")
            return
        self.counts.seconds.append(time.perf_counter() - start)
        answer = json.loads(content)
        if " ".join(pair["source"] for pair in answer["sentences"]) != text:
            self.counts.wrong.append(text)

    def send_file(self) -> None:
        """Have a file translated into a table of sentences, and check that it is of it."""
        texts = [self.text() for _ in range(5)]
        job = self.add_file("\n\n".join(texts).encode(), output="jsonl")
        if job is None:
            return
        if (state := self.wait_for(job))["status"] != "done":
            self.counts.lost.append(str(state))
            return
        _, content = self.ask("GET", f"/jobs/{job}/result")
        self.ask("DELETE", f"/jobs/{job}")
        rows = [json.loads(line) for line in content.decode().splitlines()]
        sources = [sentence for row in rows for sentence in row["source"]]
        if " ".join(sources) == " ".join(texts):
            self.counts.files += 1
        else:
            self.counts.wrong.append(texts[0])

    def add_file(self, content: bytes, output: str = "same") -> str | None:
        """Upload a file. Returns the id of its job."""
        values = {**_LANGUAGES, "output": output}
        head = "--line\r\nContent-Disposition: form-data; name="
        body = "".join(f'{head}"{name}"\r\n\r\n{value}\r\n' for name, value in values.items())
        body += f'{head}"file"; filename="a.md"\r\n\r\n'
        whole = body.encode() + content + b"\r\n--line--\r\n"
        status, answer = self.ask("POST", "/jobs", whole, "multipart/form-data; boundary=line")
        if status != 202:
            self.counts.lost.append(f"{status} {answer[:200]!r}")
            return None
        return str(json.loads(answer)["id"])

    def wait_for(self, job: str) -> dict[str, Any]:
        """Wait until a file is translated. Returns its state."""
        while True:
            state: dict[str, Any] = json.loads(self.ask("GET", f"/jobs/{job}")[1])
            if state["status"] not in ("queued", "translating"):
                return state
            time.sleep(0.2)

    def work(self, until: float, share_of_files: float) -> None:
        """Send requests until a time."""
        while time.perf_counter() < until:
            try:
                if self._draw.random() < share_of_files:
                    self.send_file()
                else:
                    self.send_sentence()
            except (OSError, http.client.HTTPException) as error:
                self.counts.lost.append(repr(error))


def work(port: int, clients: int, seconds: float, share_of_files: float) -> tuple[Counts, float]:
    """Let clients send requests for a time. Returns what came of them, and the seconds."""
    counts = Counts()
    start = time.perf_counter()
    threads = [
        threading.Thread(
            target=Client(port, number, counts).work, args=(start + seconds, share_of_files)
        )
        for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts, time.perf_counter() - start


@contextmanager
def serving(run: str, folder: Path, compiled: str) -> Iterator[tuple[int, int]]:
    """Run the service. Yields its port and the id of its process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "docmt", "serve", run, "--port", str(port)]
    command += ["--folder", str(folder), "--queue-limit", "1000", "--compiled", compiled]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        try:
            yield port, process.pid
        finally:
            process.terminate()


class Watch:
    """Watches a process, on Linux only."""

    def __init__(self, process: int) -> None:
        self._folder = Path(f"/proc/{process}")

    def core_seconds(self) -> float:
        """Seconds of processor time that it has used; 0 where they are not known."""
        with suppress(OSError):
            values = (self._folder / "stat").read_text().rpartition(")")[2].split()
            return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")
        return 0.0

    def memory(self, key: str = "VmRSS") -> float:
        """Its resident memory in MiB, now or, by `VmHWM`, at most; 0 where it is not known."""
        with suppress(OSError):
            for line in (self._folder / "status").read_text().splitlines():
                if line.startswith(key):
                    return int(line.split()[1]) / 1024
        return 0.0


@contextmanager
def memory_of_quarters(watch: Watch, seconds: float) -> Iterator[list[float]]:
    """Watch the memory of a process for so many seconds. Yields a list that gets its memory in MiB
    at the end of each quarter of them."""
    measured: list[float] = []
    ended = threading.Event()

    def measure() -> None:
        while len(measured) < 4 and not ended.wait(seconds / 4):
            measured.append(watch.memory())

    thread = threading.Thread(target=measure)
    thread.start()
    try:
        yield measured
    finally:
        ended.set()
        thread.join()


def row(name: str, counts: Counts, seconds: float, memory: float) -> Sequence[str]:
    """A phase, for the table."""
    steps = quantiles(counts.seconds, n=100, method="inclusive") if counts.seconds[1:] else [0] * 99
    return (
        name,
        f"{len(counts.seconds)}",
        f"{counts.files}",
        f"{1000 * steps[49]:.0f}",
        f"{1000 * steps[94]:.0f}",
        f"{(len(counts.seconds) + counts.files) / seconds:.1f}",
        f"{counts.refused}",
        f"{len(counts.lost)}",
        f"{len(counts.wrong)}",
        f"{memory:.0f}",
    )


def command_line_seconds(run: str, file: Path, folder: Path) -> float:
    """Core-seconds in which `docmt translate` translates a file."""
    command = [sys.executable, "-m", "docmt", "translate", "--run", run, str(file)]
    before = getrusage(RUSAGE_CHILDREN)
    output = folder / f"out-{file.name}"
    subprocess.run([*command, "-o", str(output)], check=True, stderr=subprocess.DEVNULL)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", nargs="?", default=DEFAULT, help="run directory")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20, help="seconds of the load")
    parser.add_argument("--book", type=int, default=400, help="sentences of the book")
    parser.add_argument("--compiled", default="auto", help="use of a compiled form (auto, never)")
    arguments = parser.parse_args()
    print(machine())
    with lzma.open(corpus_file("manuals.en.xz"), "rt", encoding="utf-8") as stream:
        sentences = [line.strip() for line in stream if line != "<d>\n"][: arguments.book]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        book, letter = folder / "book.md", folder / "letter.md"
        book.write_text("\n\n".join(sentences), encoding="utf-8")
        letter.write_text("Open the file.\n", encoding="utf-8")
        rows = []
        with serving(arguments.run, folder / "service", arguments.compiled) as (port, process):
            watch = Watch(process)
            client = Client(port, 9999, Counts())
            client.send_sentence()  # The first one loads what texts need.
            idle = work(port, 1, arguments.seconds / 4, 0)
            rows.append(row("idle, 1 client", *idle, watch.memory()))
            start, before = time.perf_counter(), watch.core_seconds()
            job = client.add_file(book.read_bytes())
            assert job is not None, client.counts.lost
            client.wait_for(job)
            served, taken = watch.core_seconds() - before, time.perf_counter() - start
            job = client.add_file(book.read_bytes())
            beside = work(port, 1, min(arguments.seconds / 2, 0.8 * taken), 0)
            rows.append(row("beside a book, 1 client", *beside, watch.memory()))
            assert job is not None, client.counts.lost
            client.wait_for(job)
            with memory_of_quarters(watch, arguments.seconds) as memory:
                load = work(port, arguments.clients, arguments.seconds, 0.1)
            rows.append(row(f"{arguments.clients} clients", *load, watch.memory("VmHWM")))
            rows.append(row("after them, 1 client", *work(port, 1, 3, 0), watch.memory()))
        columns = "sentences", "files", "p50 ms", "p95 ms", "per s", "refused", "lost", "wrong"
        print_table(("phase", *columns, "MiB"), rows)
        alone = command_line_seconds(arguments.run, book, folder)
        alone -= command_line_seconds(arguments.run, letter, folder)
    print("\nMiB after each quarter of the load:", *(f"{each:.0f}" for each in memory))
    print(f"the book: {served:.1f} core-seconds by the service, {alone:.1f} by the command line")
    problems = [*load[0].lost, *load[0].wrong, *beside[0].lost, *beside[0].wrong]
    if problems:
        sys.exit(f"{len(problems)} lost or wrong, such as {problems[0]}")


if __name__ == "__main__":
    main()
