"""A client without a key costs little: it blocks nobody, holds nothing, and leaves nothing."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
from starlette.exceptions import HTTPException

from docmt_serve.models.models import Model, Models
from docmt_serve.service.service import Service
from docmt_serve.service.service_settings import ServiceSettings
from docmt_serve.stores.api_keys import add_key
from docmt_serve.web import connections
from docmt_serve.web.middleware import PatientBodies
from waiting_translator import Waiting

FORM = "multipart/form-data; boundary=line"
FILE_PART = b'--line\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'


@pytest.fixture
def service(tmp_path):
    """A service with keys."""
    add_key(tmp_path / "keys.toml", "one")
    settings = ServiceSettings(keys=tmp_path / "keys.toml")
    return Service.of(settings, Models([Model("m", Waiting())]), tmp_path)


@pytest.fixture
def address(in_a_thread, service):
    with in_a_thread(service) as url:
        yield "127.0.0.1", int(url.rpartition(":")[2])


def _head(path, kind="", length=None, method="POST", more=""):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"Content-Type: {kind}"] * bool(kind)
    lines += [f"Content-Length: {length}"] * (length is not None)
    return ("\r\n".join(lines) + f"\r\n{more}\r\n").encode()


def _ask(address, path, kind, body, more="Connection: close\r\n"):
    """Status and body of the answer to a whole request."""
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(_head(path, kind, len(body), more=more) + body)
        answer = _rest(connection)
    return int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]


def _rest(connection):
    answer = b""
    while block := connection.recv(1 << 16):
        answer += block
    return answer


def _is_closed_within(connection, seconds):
    """Return whether the service closes a connection in a time."""
    connection.settimeout(seconds)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        pass
    return True


@contextmanager
def _slowest_health(address):
    """Yields a list that gets the seconds of the slowest answer of `/health`."""
    slowest, ended = [0.0], threading.Event()

    def ask():
        while not ended.is_set():
            start = time.monotonic()
            urllib.request.urlopen(f"http://localhost:{address[1]}/health", timeout=30).read()
            slowest[0] = max(slowest[0], time.monotonic() - start)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield slowest
    finally:
        ended.set()
        thread.join()


def _part(name, value, more=b""):
    head = b'--line\r\nContent-Disposition: form-data; name="' + name + b'"\r\n' + more
    return head + b"\r\n" + value + b"\r\n"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (f"{FORM}; charset=punycode", _part(b"a", b"2n7c" + b"a" * 399_000) + b"--line--\r\n"),
        (f"{FORM}; charset=utf-7", _part(b"q", b"+AGE-") + b"--line--\r\n"),
        ("application/x-www-form-urlencoded; charset=latin-1", b"q=%e4"),
        ("application/json; charset=utf-16", '{"q": "a"}'.encode("utf-16")),
        (FORM, _part(b"q", b"\xe4", b"Content-Type: text/plain; charset=latin-1\r\n")),
        (FORM, _part(b"q", b"YQ==", b"Content-Transfer-Encoding: base64\r\n")),
        ("text/plain", b'{"q": "a"}'),
        ("", b'{"q": "a"}'),
        ("application/json" + "; a=b" * 300, b"{}"),
    ],
)
def test_only_forms_and_json_in_utf_8_are_read(address, kind, body):
    with _slowest_health(address) as slowest:
        assert _ask(address, "/translate", kind, body)[0] == 415
    assert slowest[0] < 2


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-www-form-urlencoded", b"q=%e4"),
        ("application/x-www-form-urlencoded", b"q=\xe4"),
        (FORM, _part(b"q", b"\xe4") + b"--line--\r\n"),
        (FORM, _part(b"\xe4", b"a") + b"--line--\r\n"),
        (FORM, _part(b"q", b"a")),  # without its end
        (FORM, b""),
        ("multipart/form-data", b"a"),
        (FORM, b"--line\r\n\r\na\r\n--line--\r\n"),
        (f"multipart/form-data; boundary={'a' * 300}", b""),
        (FORM, _part(b"q", b"a") * 2000 + b"--line--\r\n"),
        ("application/x-www-form-urlencoded", b"&q=a" * 20_000),
        (FORM, FILE_PART + b"a\r\n--line--\r\n"),  # a file that the route does not take
    ],
)
def test_a_form_that_is_damaged_or_has_too_many_values_is_refused(client, caplog, kind, body):
    answer = client.post("/translate", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, caplog.records) == (400, [])


@pytest.mark.parametrize("query", ["&".join(f"a{n}" for n in range(2000)), "q=%ff"])
def test_a_url_with_too_many_values_or_not_in_utf_8_is_refused(client, query):
    assert client.get(f"/v2/usage?{query}").status_code == 400


def test_an_encoded_form_is_read_as_utf_8(client_of):
    translator = Waiting()
    client = client_of(Models([Model("m", translator)]))
    translator.may_go_on.release()
    body = "q=Öffnen&source=en&target=de".encode()  # as curl sends it
    kind = "application/x-www-form-urlencoded"
    answer = client.post("/translate", content=body, headers={"Content-Type": kind})
    assert answer.json() == {"translatedText": "ÖFFNEN"}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("path", ["/jobs", "/v2/document", "/translate_file", "/v2/glossaries"])
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_a_large_body_without_a_key_is_not_read(address, path, kind):
    body = b'{"a":[' + b",".join([b"{}"] * 3_000_000) + b"]}"
    with _slowest_health(address) as slowest:
        assert _ask(address, path, kind, body)[0] == 413
    assert slowest[0] < 2


@pytest.mark.parametrize("path", ["/jobs", "/v2/document", "/translate_file"])
def test_a_file_without_a_key_is_not_kept(address, service, path):
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(_head(path, FORM, 90_000_000) + FILE_PART + b"a" * 1_000_000)
        assert connection.recv(4096).split()[1] == b"403"
    assert service.budgets.files.used == 0


def test_a_key_in_a_form_comes_before_the_file(client_of, tmp_path):
    key = add_key(tmp_path / "keys.toml", "one")
    client = client_of(Models([Model("m", Waiting())]), keys=tmp_path / "keys.toml")
    parts = _part(b"api_key", key.encode()), FILE_PART + b"a\r\n"
    statuses = [
        client.post(
            "/jobs", content=b"".join(body) + b"--line--\r\n", headers={"Content-Type": FORM}
        ).status_code
        for body in (parts, parts[::-1])
    ]
    assert statuses == [202, 403]


def test_all_bytes_under_way_are_counted_and_given_back(in_a_thread, tmp_path):
    settings = ServiceSettings(upload_limit=3_000_000)
    service = Service.of(settings, Models([Model("m", Waiting())]), tmp_path)
    with in_a_thread(service) as url, ExitStack() as opened:
        address = "127.0.0.1", int(url.rpartition(":")[2])
        for _ in range(2):
            connection = opened.enter_context(socket.create_connection(address))
            connection.sendall(_head("/jobs", FORM, 2_000_000) + FILE_PART + b"a" * 1_400_000)
        end = time.monotonic() + 10
        while service.budgets.files.used < 2_800_000:
            assert time.monotonic() < end
            time.sleep(0.01)
        body = FILE_PART + b"a" * 500_000 + b"\r\n--line--\r\n"
        assert _ask(address, "/jobs", FORM, body)[0] == 429
        opened.close()
        while service.budgets.files.used:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert _ask(address, "/jobs", FORM, body)[0] == 202
        assert service.budgets.files.used == 0


def test_storage_counts_what_is_under_way(client_of):
    client = client_of(Models([Model("m", Waiting())]), storage_limit=1_500_000)
    files = {"file": ("a.txt", b"a" * 1_000_000)}
    statuses = [client.post("/jobs", files=files).status_code for _ in range(2)]
    assert statuses == [202, 429]


def test_a_connection_whose_body_is_not_read_ends(address, monkeypatch):
    monkeypatch.setattr(connections, "_REST_SECONDS", 0.2)
    for more in ("", "Connection: close\r\n"):
        with socket.create_connection(address, timeout=10) as connection:
            connection.sendall(_head("/health", length=10**6, method="GET", more=more))
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")
            connection.sendall(b"x")
            assert _is_closed_within(connection, 5)


def test_a_client_that_has_gone_is_let_go():
    done = []

    class Gone:
        """A transport whose client has closed the connection."""

        def is_closing(self):
            return False

        def can_write_eof(self):
            return True

        def write_eof(self):
            raise OSError("not connected")

        def abort(self):
            done.append("abort")

    class Unread:
        has_unread_body = True

    connections._LingeringTransport(Gone(), Unread()).close()
    assert done == ["abort"]


@pytest.mark.parametrize("sent", [b"", b"GET /health HTTP/1.1\r\nHo", b"\r\n"])
def test_a_connection_without_a_request_ends(address, monkeypatch, sent):
    monkeypatch.setattr(connections, "_HEADER_SECONDS", 0.2)
    with socket.create_connection(address) as connection:
        connection.sendall(sent)
        assert _is_closed_within(connection, 5)


@pytest.mark.slow
def test_a_client_that_does_not_read_its_answers_is_cut_off(address, monkeypatch):
    monkeypatch.setattr(connections, "_SEND_SECONDS", 0.5)
    with socket.create_connection(address) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(0.5)
        with pytest.raises(OSError):
            for _ in range(10_000):
                connection.sendall(_head("/spec", method="GET") * 10)
        time.sleep(2.5)
        assert _is_closed_within(connection, 5)


def test_a_new_client_takes_the_place_of_one_that_waits(in_a_thread, monkeypatch, service):
    monkeypatch.setattr("docmt_serve.web.server._CONNECTIONS", 20)
    with in_a_thread(service) as url, ExitStack() as opened:
        address = "127.0.0.1", int(url.rpartition(":")[2])
        held = [opened.enter_context(socket.create_connection(address)) for _ in range(30)]
        for number, connection in enumerate(held):
            connection.sendall(_head("/translate", length=9) if number % 2 else b"GET /health HT")
        assert _ask(address, "/detect", "application/x-www-form-urlencoded", b"q=a")[0] == 403


def test_a_body_in_tiny_chunks_is_refused(address):
    head = _head("/translate", "application/json", more="Transfer-Encoding: chunked\r\n")
    with (
        _slowest_health(address) as slowest,
        socket.create_connection(address, timeout=10) as connection,
    ):
        connection.sendall(head + b"1\r\na\r\n" * 50_000)
        assert _is_closed_within(connection, 8)
    assert slowest[0] < 2


def test_a_head_that_is_too_long_is_refused(address):
    for more in ("X: " + "a" * 200_000 + "\r\n", "X: a\r\n" * 40_000):
        with socket.create_connection(address, timeout=10) as connection:
            connection.sendall(_head("/health", method="GET", more=more))
            assert b" 400 " in connection.recv(4096)


@pytest.mark.parametrize("speed", [(0, 0.2), (10, 0.6)], ids=["silent", "slow"])
def test_a_slow_body_ends(speed):
    """A client that sends `speed` bytes in so many seconds is too slow."""
    size, seconds = speed

    async def app(scope, receive, send):
        while (await receive()).get("more_body"):
            pass

    async def receive():
        await asyncio.sleep(seconds / 10)
        if not size:
            await asyncio.sleep(10)
        return {"type": "http.request", "body": b"a" * (size // 10), "more_body": True}

    async def run():
        patient = PatientBodies(app, silence=0.2, period=0.5, slowest=100)
        await asyncio.wait_for(patient({"type": "http"}, receive, None), 5)

    # Tests of pages leave an event loop in the main thread.
    with ThreadPoolExecutor(1) as thread, pytest.raises(HTTPException, match="408"):
        thread.submit(asyncio.run, run()).result()


@pytest.mark.parametrize(
    "values",
    [
        {"name": "a", "dictionaries": [{}] * 200_000},
        {"q": [{}] * 200_000, "source": "en", "target": "de"},
        {"messages": [{"content": 1}] * 50_000, "model": "m"},
        {f"a{number}": 0 for number in range(50_000)},
        {"name": "a", "dictionaries": [{f"a{number}": 0 for number in range(50_000)}]},
    ],
)
def test_many_faulty_values_are_refused_at_the_first(client, values):
    start = time.process_time()
    for path in ("/v3/glossaries", "/translate", "/v1/chat/completions"):
        body = json.dumps(values)
        answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 413)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("settings", "host", "is_known"),
    [
        ({}, "localhost", True),
        ({}, "LOCALHOST.:5000", True),
        ({}, "127.3.2.1:5000", True),
        ({}, "[::1]:5000", True),
        ({}, "evil.example:5000", False),
        ({}, "localhost.evil.example", False),
        ({}, "evil.example@localhost", True),
        ({}, "192.168.1.5", False),
        ({}, "[::1", False),
        ({}, "", False),
        ({"allowed_host": ("Translate.example",)}, "translate.example", True),
        ({"open": True}, "evil.example", False),
        ({"open": True}, "192.168.1.5:5000", True),
        ({"open": True}, "docmt:5000", True),
    ],
)
def test_without_keys_only_names_of_the_service_are_answered(client_of, settings, host, is_known):
    client = client_of(Models([Model("m", Waiting())]), **settings)
    for path in ("/health", "/v2/glossaries", "/nothing"):
        assert (client.get(path, headers={"Host": host}).status_code != 421) == is_known


def test_a_link_to_a_file_has_no_foreign_name(client_of, tmp_path):
    key = add_key(tmp_path / "keys.toml", "one")
    translator = Waiting()
    translator.may_go_on.release(9)
    client = client_of(Models([Model("m", translator)]), keys=tmp_path / "keys.toml")
    for host, start in (("evil.example", "/download_file/"), ("localhost:1", "http://localhost:1")):
        answer = client.post(
            "/translate_file",
            data={"api_key": key, "source": "en", "target": "de"},
            files={"file": ("a.txt", b"One.")},
            headers={"Host": host},
        )
        assert answer.json()["translatedFileUrl"].startswith(start)


@pytest.mark.parametrize("path", ["/jobs", "/v2/document", "/translate_file", "/v2/glossaries"])
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:81", ""])
def test_pages_of_other_sites_change_nothing_that_needs_no_key(client, path, origin):
    answer = client.post(path, json={}, headers={"Origin": origin})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    own = client.post(path, json={}, headers={"Origin": "http://localhost"})
    assert own.status_code == 400  # as the file or the name is missing
    assert client.post("/detect", json={"q": "a"}, headers={"Origin": origin}).status_code == 200
