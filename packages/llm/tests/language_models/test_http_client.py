"""Requests over HTTP: what is sent again, how long is waited, and what is bounded."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from docmt_files.base.errors import InputError
from docmt_llm.endpoints import http_client
from docmt_llm.endpoints.http_client import _retry_after
from language_models.endpoints import ask, endpoint, request
from language_models.scripted_server import GONE, Reply, chat, failure, serving


@pytest.mark.parametrize(
    "reply",
    [
        failure(429, "Slow down"),
        failure(500, "Oops"),
        failure(503),
        failure(529, "Overloaded"),
        Reply(b"<html>Bad Gateway</html>", 502),
        Reply(b"not json"),
        Reply(b""),
        Reply({"error": {"code": 502, "message": "The provider is down"}}),
        Reply(chat("Ja.").content, cut=20),
    ],
)
def test_what_passes_is_waited_for(reply):
    with serving([reply, reply, chat("Ja.")]) as server:
        (answer,) = ask(endpoint(server.url))
    assert (answer.text, answer.attempts) == ("Ja.", 3)
    assert server.bodies[0] == server.bodies[1] == server.bodies[2]


def test_an_endpoint_that_fails_again_and_again_is_an_error_with_what_it_says():
    with serving([failure(503, "Loading model")]) as server, pytest.raises(InputError) as caught:
        ask(endpoint(server.url, retries=2))
    assert "HTTP status 503 (Loading model), the last of 3 attempts" in str(caught.value)
    assert "the same command later" in str(caught.value)
    assert len(server.requests) == 3


def test_waits_grow_and_differ_between_requests_and_are_the_same_each_time(monkeypatch):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    def waited(text):
        waits.clear()
        with serving([failure(500)]) as server, pytest.raises(InputError):
            ask(endpoint(server.url, retries=8, wait=1.0), request(text))
        return list(waits)

    monkeypatch.setattr(http_client.asyncio, "sleep", sleep)
    first = waited("one")
    bounds = [min(60, 2**n) for n in range(8)]
    assert all(bound / 2 <= wait <= bound for wait, bound in zip(first, bounds, strict=True))
    assert first == waited("one") != waited("two")


def test_the_endpoint_says_how_long_all_requests_wait():
    replies = iter([failure(429, Retry_After="0.3")])

    def script(received):
        return next(replies, chat("Ja."))

    with serving(script) as server:
        opened = endpoint(server.url, concurrency=1)
        ask(opened, request("one"), request("two"))
    first, *rest = (received.at for received in server.requests)
    assert len(rest) == 2
    assert all(at - first >= 0.3 for at in rest)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("86400", 600.0),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_the_wait_that_is_asked_for_is_a_number_of_seconds_within_limits(value, seconds):
    assert _retry_after(value) == seconds


def test_the_wait_that_is_asked_for_may_be_a_date():
    date = datetime.now(UTC) + timedelta(seconds=100)
    assert _retry_after(format_datetime(date, usegmt=True)) == pytest.approx(100, abs=2)
    assert _retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert _retry_after("Fri, 31 Dec 9999 23:59:59 GMT") == 600.0


def test_no_more_requests_are_open_than_allowed_and_connections_are_kept():
    with serving(lambda _: Reply(chat("Ja.").content, stall=0.01)) as server:
        answers = ask(endpoint(server.url, concurrency=3), *(request(str(n)) for n in range(30)))
    assert len(answers) == 30
    assert server.most_at_a_time == 3
    assert server.connections <= 3


def test_a_request_that_is_not_answered_in_time_is_sent_again():
    with serving([Reply(chat("Spät.").content, stall=1.0), chat("Ja.")]) as server:
        (answer,) = ask(endpoint(server.url, timeout=0.2))
    assert (answer.text, answer.attempts) == ("Ja.", 2)


def test_an_endpoint_that_never_answers_is_an_error():
    began = time.monotonic()
    with serving([Reply(stall=2.0)]) as server, pytest.raises(InputError) as caught:
        ask(endpoint(server.url, timeout=0.1, retries=1))
    assert "no answer within 0.1 seconds, the last of 2 attempts" in str(caught.value)
    assert time.monotonic() - began < 2


def test_an_answer_without_end_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(http_client, "MAX_ANSWER_BYTES", 1 << 16)
    large = Reply(b"[" + b"0," * (1 << 20) + b"0]")
    with serving([large]) as server, pytest.raises(InputError, match="an answer of more than"):
        ask(endpoint(server.url, retries=1))


def test_deeply_nested_json_is_an_answer_that_is_not_json():
    with serving([Reply(b"[" * 100_000 + b"]" * 100_000), chat("Ja.")]) as server:
        assert ask(endpoint(server.url))[0].attempts == 2


def test_a_server_that_is_not_there_is_said_at_once():
    with serving([chat("Ja.")]) as server:
        url = server.url
    began = time.monotonic()
    with pytest.raises(InputError, match="cannot be reached") as caught:
        ask(endpoint(url, retries=5, wait=1.0))
    assert "Start the server, or correct the URL" in str(caught.value)
    assert time.monotonic() - began < 2


def test_a_server_that_goes_in_the_middle_is_waited_for():
    with serving([GONE, GONE, chat("Ja.")]) as server:
        (answer,) = ask(endpoint(server.url))
    assert answer.attempts == 3
    with serving([chat("Ja.")]) as server:
        opened = endpoint(server.url, retries=2)
        ask(opened)
        server.close()
        with pytest.raises(InputError, match="the last of 3 attempts"):
            ask(opened)
