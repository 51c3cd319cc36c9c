"""Requests as no client sends them: plausible ones for all routes, with damage."""

from __future__ import annotations

import json
import random
import re
import socket
from dataclasses import dataclass
from urllib.parse import quote, urlencode

_MARKER = re.compile(rb"owner(\d+)mark", re.IGNORECASE)
"""Words in the texts of clients, by which an answer shows whose text it has."""

_ODD = [
    "", " ", "\0", "\ud800", "é" * 50, "💥" * 20, "a" * 3000, "../../../etc/passwd", "%00",
    "%2e%2e%2f",
    "<script>x</script>", "</b><b a='1'>&amp;&#x0;&bogus;", "\r\nSet-Cookie: a=b", "nan", "-1",
    "1e999", "9" * 400, "\u202e", "\ufeff", "A. " * 200, "{", "a\tb\nc\td", "\t", "[]", "true",
]  # fmt: skip

_VALUES = [None, True, False, 0, -1, 1e308, [], {}, [None], [[["a"]]], {"a": {"b": []}}, 10**400]

_FILES = {
    "a.md": b"One **two**. Three.\n", "a.txt": b"One. Two.\n", "a.html": b"<p>One <b>two</b>.</p>",
    "a.srt": b"1\n00:00:01,000 --> 00:00:02,000\nOne.\n", "a.json": b'{"a": "One."}',
    "a.docx": b"PK\x03\x04", "a.po": b'msgid "One."\nmsgstr ""\n', "a.csv": b"a,b\nOne.,2\n",
    "a.xliff": b"<xliff/>", "a.pdf": b"%PDF", "a.gz": b"\x1f\x8b", "a\r\nb: c.md": b"One.",
    "": b"One.", "a" * 400 + ".md": b"One.", "..": b"One.",
}  # fmt: skip

_KINDS = [
    "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=line",
    "multipart/form-data", "multipart/form-data; boundary=line; charset=undefined",
    "application/x-www-form-urlencoded; charset=utf-7", "text/plain", "", "a/b;" * 50,
]  # fmt: skip


@dataclass
class Client:
    """One that sends requests: its key, and the ids that it was given."""

    number: int
    key: str
    jobs: list
    secrets: dict
    glossaries: list

    def texts(self, draw):
        """A text of the client."""
        sentence = f"This is owner{self.number}mark number {draw.randrange(10**6)}."
        return draw.choice([sentence, f"{sentence} And <b>this</b> {sentence}", sentence * 5])


class Fuzzer:
    """Draws requests to a service, and checks the answers.

    Args:
        address: of the service, a host and a port.
        routes: pairs of a path and a method.
        clients: send the requests.
        seed: of the draws.
    """

    def __init__(self, address, routes, clients, seed):
        self.address, self.routes, self.clients = address, routes, clients
        self.draw = random.Random(seed)
        self.statuses = {}

    def run(self, number):
        """Send so many requests, and check each answer."""
        for index in range(number):
            client = self.draw.choice(self.clients)
            sent = self._request(client)
            answer = self._send(sent)
            try:
                self._check(client, answer)
            except AssertionError as error:
                raise AssertionError(f"request {index}: {sent[:600]!r}") from error
            self._learn(client, answer)

    def _check(self, client, answer):
        assert b"internal error" not in answer.lower(), answer
        if not answer:
            return  # The connection was closed, as what was sent is not HTTP.
        status = int(answer.split(b" ", 2)[1])
        self.statuses[status] = self.statuses.get(status, 0) + 1
        assert status < 500 or status == 503, answer
        head = answer.partition(b"\r\n\r\n")[0].lower()
        assert b"\r\nset-cookie" not in head, answer
        whose = {int(number) for number in _MARKER.findall(answer)}
        assert whose <= {client.number}, answer

    def _learn(self, client, answer):
        body = answer.partition(b"\r\n\r\n")[2]
        try:
            values = json.loads(body)
        except ValueError:
            return
        if not isinstance(values, dict):
            return
        if isinstance(values.get("id"), str) and "status" in values:
            client.jobs.append(values["id"])
        if "document_key" in values:
            client.jobs.append(values["document_id"])
            client.secrets[values["document_id"]] = values["document_key"]
        if "glossary_id" in values:
            client.glossaries.append(values["glossary_id"])

    def _send(self, sent):
        with socket.create_connection(self.address, timeout=30) as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # The service answers before it has read all.
            answer = b""
            try:
                while block := connection.recv(1 << 16):
                    answer += block
            except ConnectionResetError:
                pass
            return answer

    def _request(self, client):
        """A request as bytes."""
        draw = self.draw
        path, method = draw.choice(self.routes)
        if draw.random() < 0.03:
            method = draw.choice(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE", "X"])
        path = re.sub(r"{(\w+)}", lambda found: self._id(client, path, found[1]), path)
        if draw.random() < 0.05:
            path += draw.choice(["/", "//", "/..", "%2f", "?", ";a=b", "?a=%ff&a=%00", "é"])
        values = self._values(client)
        kind = draw.choice(_KINDS[:3] if draw.random() < 0.9 else _KINDS)
        if draw.random() < 0.1:
            path += "?" + urlencode({k: str(v) for k, v in values.items()}, errors="replace")
        body = (
            b"" if method in ("GET", "HEAD") and draw.random() < 0.8 else self._body(kind, values)
        )
        if draw.random() < 0.15:
            body = self._damaged(body)
        key = client.key
        if draw.random() < 0.05:
            key = draw.choice(["", "wrong", "é", "a" * 5000])
        scheme = draw.choice(["Bearer", "DeepL-Auth-Key"])
        lines = [
            f"{method} {quote(path, safe='/?&=%;:+~') if draw.random() < 0.98 else path} HTTP/1.1",
            f"Host: {draw.choice(['a.test', 'a.test', '[::1', 'a b', '💥'])}",
            f"Authorization: {scheme} {key}",
            f"Content-Type: {kind}",
            f"Content-Length: {len(body) + draw.choice([0] * 40 + [1, -1, 10**12])}",
            "Connection: close",
        ]
        if draw.random() < 0.03:
            lines.append(
                draw.choice(["Transfer-Encoding: chunked", "Expect: 100-continue", "X: \0"])
            )
        return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body

    def _id(self, client, path, name):
        """What stands in a path in the place of a parameter."""
        draw = self.draw
        own = client.glossaries if "glossaries" in path else client.jobs
        others = [
            each
            for other in self.clients
            for each in (other.glossaries if "glossaries" in path else other.jobs)
        ]
        if name == "name" or draw.random() < 0.2 or not (own or others):
            return quote(draw.choice(_ODD), errors="replace") or "x"
        return draw.choice(own if own and draw.random() < 0.7 else others or own)

    def _values(self, client):
        """Values of a request by name, plausible for some route."""
        draw = self.draw
        text = client.texts(draw)
        values = {
            "q": [text, text] if draw.random() < 0.3 else text, "source": "en", "target": "de",
            "text": [text], "source_lang": "EN", "target_lang": "DE", "model": "capitals",
            "messages": [{"role": "user", "content": text}], "name": f"of owner{client.number}mark",
            "entries": f"file\towner{client.number}mark", "entries_format": "tsv",
            "dictionaries": [
                {"source_lang": "en", "target_lang": "de", "entries": f"a\t{text}",
                 "entries_format": "tsv"}
            ],
        }  # fmt: skip
        optional = {
            "format": "html", "alternatives": 2, "document": True, "context": text,
            "known": ["One."], "sentences": True, "consistent": True,
            "glossary": "file\tDatei", "stream": True,
            "tag_handling": "xml", "ignore_tags": "b", "formality": "prefer_more",
            "type": "target", "output": draw.choice(["tmx", "html-review", "jsonl", "tsv"]),
            "api_key": client.key, "filename": draw.choice(list(_FILES)), "output_format": "md",
        }  # fmt: skip
        if client.glossaries:
            optional["glossary_id"] = draw.choice(client.glossaries)
        if client.secrets:
            optional["document_key"] = draw.choice(list(client.secrets.values()))
        for name in draw.sample(sorted(optional), draw.randrange(5)):
            values[name] = optional[name]
        for name in draw.sample(sorted(values), draw.choice([0, 0, 0, 1, 2])):
            values[name] = draw.choice([*_ODD, *_VALUES])
        for name in draw.sample(sorted(values), draw.choice([0, 0, 1, 3])):
            del values[name]
        return values

    def _body(self, kind, values):
        if kind == "application/json":
            return json.dumps(values, ensure_ascii=self.draw.random() < 0.5).encode(
                "utf-8", "surrogatepass"
            )
        pairs = [
            (name, each if isinstance(each, str) else json.dumps(each))
            for name, value in values.items()
            for each in (value if isinstance(value, list) else [value])
        ]
        if "urlencoded" in kind:
            return urlencode(pairs, errors="surrogatepass").encode()
        body = b""
        if self.draw.random() < 0.7:
            name = self.draw.choice(list(_FILES))
            content = _FILES[name]
            if self.draw.random() < 0.2:
                content = self._damaged(content)
            head = f'--line\r\nContent-Disposition: form-data; name="file"; filename="{name}"'
            body += head.encode() + b"\r\n\r\n" + content + b"\r\n"
        for name, value in pairs:
            head = f'--line\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
            body += head.encode() + value.encode("utf-8", "surrogatepass") + b"\r\n"
        return body + b"--line--\r\n"

    def _damaged(self, body):
        """Bytes with one thing changed."""
        if not body:
            return bytes(self.draw.randrange(256) for _ in range(self.draw.randrange(40)))
        start = self.draw.randrange(len(body))
        kind = self.draw.randrange(4)
        if kind == 0:
            return body[:start]
        if kind == 1:
            return body[:start] + bytes([self.draw.randrange(256)]) + body[start + 1 :]
        if kind == 2:
            return (
                body[:start] + body[start : start + 20] * self.draw.randrange(2, 20) + body[start:]
            )
        return (
            body[:start]
            + self.draw.choice([b"[" * 500, b"\\ud800", b'"', b"\r\n", b"\0"])
            + body[start:]
        )
