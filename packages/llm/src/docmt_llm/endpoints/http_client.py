"""`HttpClient`: JSON requests to an endpoint over persistent connections, with limits on
concurrency, time and size.

After a temporary failure, such as a busy endpoint, a lost connection or a response without JSON,
the client waits and tries again. Waits double from attempt to attempt, and a random factor shortens
them, so requests failing together do not return together. Where the endpoint sets a wait
(`Retry-After`), all requests wait as long. httpx2 finds proxies and certificates from the
environment.
"""

from __future__ import annotations

import asyncio
import math
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

from docmt_files.base.errors import UnavailableError, printable
from docmt_files.base.wording import counted
from docmt_files.storage.json_files import json_text, parse_json
from docmt_llm.endpoints.endpoint_keys import EndpointKey

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

MAX_ANSWER_BYTES = 32 << 20
"""Maximum number of bytes of a response. Log-probabilities of 100,000 tokens take about 20 MB."""

MAX_WAIT = 60.0
"""Maximum wait before another attempt, in seconds, without a wait set by the endpoint."""

MAX_RETRY_AFTER = 600.0
"""Maximum wait an endpoint may set, in seconds."""

_PASSING = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
"""HTTP statuses of temporary failures: a later attempt may succeed."""

_SHOWN_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to a request.

    Attributes:
        value: the JSON value of the response.
        attempts: the number of times the request was sent, 1 or more.
    """

    value: Any
    attempts: int


class RefusedError(Exception):
    """An endpoint has refused a request permanently.

    Attributes:
        status: the HTTP status.
        message: the endpoint's message, on one line, without the key; "" if there is none.
        code: the code of the error, or "".
        attempts: the number of times the request was sent.
    """

    def __init__(self, status: int, message: str, code: str, attempts: int) -> None:
        super().__init__(status, message, code)
        self.status, self.message, self.code, self.attempts = status, message, code, attempts


class _PassingError(Exception):
    """An attempt has failed, and another may succeed.

    Attributes:
        reason: the reason, for messages.
        wait: the wait set by the endpoint, in seconds, or None.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.wait = reason, wait


class HttpClient:
    """A client of one endpoint. It belongs to the event loop of its first use.

    Args:
        url: the base URL.
        key: the endpoint's key, or None.
        concurrency: maximum number of requests at a time.
        timeout: maximum number of seconds per attempt.
        retries: maximum number of repeated attempts.
        lasting: matches messages of permanent failures, for servers with HTTP status 500 for every
            failure.
        first_wait: seconds before the second attempt; twice as many before the third, and so on.
    """

    def __init__(
        self,
        url: str,
        key: EndpointKey | None,
        *,
        concurrency: int,
        timeout: float,
        retries: int,
        lasting: re.Pattern[str] | None = None,
        first_wait: float = 1.0,
    ) -> None:
        self.url, self.key = url.rstrip("/"), key
        self.host = urlsplit(url).netloc
        self._concurrency, self._timeout = concurrency, timeout
        self._retries, self._first_wait, self._lasting = retries, first_wait, lasting
        self._open_requests = asyncio.Semaphore(concurrency)
        self._resume_at = 0.0
        self._was_reached = False
        self._client = self._make_client()

    def _make_client(self) -> AsyncClient:
        from httpx2 import AsyncClient, Limits, Timeout

        # Bodies are counted as they come, so none may be compressed.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self.key is not None:
            headers["Authorization"] = self.key.header
        return AsyncClient(
            headers=headers,
            timeout=Timeout(self._timeout, pool=None),
            limits=Limits(
                max_connections=self._concurrency, max_keepalive_connections=self._concurrency
            ),
        )

    async def close(self) -> None:
        """Close connections."""
        await self._client.aclose()

    async def get(self, path: str) -> Reply:
        """Get the JSON value at a path below the base URL, or at a whole URL; see `post`."""
        return await self._send("GET", path, None)

    async def post(self, path: str, body: Any) -> Reply:
        """Send a JSON value to a path below the base URL, and return the JSON response.

        Raises:
            RefusedError: the endpoint refuses the request.
            UnavailableError: the endpoint cannot be reached, or fails again and again.
        """
        return await self._send("POST", path, body)

    async def _send(self, method: str, path: str, body: Any) -> Reply:
        # The same request waits the same times, and others wait others.
        draw = random.Random(repr((path, body)))
        async with self._open_requests:
            for attempt in range(1, self._retries + 2):
                await self._pause()
                try:
                    value = await self._attempt(method, path, body, attempt)
                    return Reply(value, attempt)
                except _PassingError as failure:
                    if attempt > self._retries:
                        self._give_up(failure.reason, attempt)
                    await self._wait(failure, attempt, draw)
        raise AssertionError("the last attempt returns or raises")

    async def _pause(self) -> None:
        """Wait until the end of a pause set by the endpoint."""
        loop = asyncio.get_running_loop()
        while (left := self._resume_at - loop.time()) > 0:
            await asyncio.sleep(left)

    async def _wait(self, failure: _PassingError, attempt: int, draw: random.Random) -> None:
        """Wait before another attempt."""
        if failure.wait is not None:
            resume_at = asyncio.get_running_loop().time() + failure.wait
            self._resume_at = max(self._resume_at, resume_at)
            return
        wait = min(MAX_WAIT, self._first_wait * 2 ** (attempt - 1))
        await asyncio.sleep(wait * draw.uniform(0.5, 1.0))

    async def _attempt(self, method: str, path: str, body: Any, attempt: int) -> Any:
        """Send a request once.

        Raises:
            _PassingError: another attempt may succeed.
            RefusedError: no further attempt can succeed.
        """
        import httpx2

        url = path if "://" in path else f"{self.url}/{path.lstrip('/')}"
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._client.stream(method, url, json=body) as response,
            ):
                content = await _read(response)
        except TimeoutError:
            raise _PassingError(f"no answer within {self._timeout:g} seconds") from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            reason = self._clean(str(error)) or "no connection"
            if self._was_reached:
                raise _PassingError(reason) from None
            raise UnavailableError(
                f"{self.host} cannot be reached ({reason})",
                cure="Start the server, or correct the URL",
            ) from None
        except httpx2.TimeoutException:
            raise _PassingError(f"no answer within {self._timeout:g} seconds") from None
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol):
            raise UnavailableError(
                f"{self.host} is not the host of a URL that can be used", cure="Correct the URL"
            ) from None
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise _PassingError(self._clean(str(error)) or "the connection was lost") from None
        return self._value(response, content, attempt)

    def _value(self, response: Response, content: bytes, attempt: int) -> Any:
        """The JSON value of a response; raise the error of a failed one."""
        status = response.status_code
        try:
            value = parse_json(content)
        except ValueError:
            value = None
        if 200 <= status < 300 and value is not None:
            error = _error_of(value)
            self._was_reached = True
            if error is None:
                return value
            # Gateways send errors of the servers behind them with status 2xx.
            status = int(error.code) if re.fullmatch("[45][0-9]{2}", error.code) else 400
        elif 200 <= status < 300:
            if not self._was_reached and content.lstrip().startswith(b"<"):
                raise UnavailableError(
                    f"{self.host} answers {self.url} with a web page",
                    cure="Correct the URL, which most often ends in /v1",
                )
            raise _PassingError("an answer that is not JSON")
        else:
            error = _error_of(value) or _Error("", content.decode("utf-8", "replace"))
        code, message = error
        message = self._clean(message)
        if 300 <= status < 400:
            place = self._clean(response.headers.get("location", "elsewhere"))
            raise UnavailableError(
                f"{self.host} redirects to {place}, and docmt does not follow, as it would send "
                "texts and the key there",
                cure="Give the URL that it redirects to, if you trust it",
            )
        lasts = status == 500 and self._lasting is not None and self._lasting.search(message)
        if status in _PASSING and code != "insufficient_quota" and not lasts:
            said = f" ({message})" if message else ""
            wait = _retry_after(response.headers.get("retry-after"))
            raise _PassingError(f"HTTP status {status}{said}", wait)
        raise RefusedError(status, message, code, attempt)

    def _give_up(self, reason: str, attempts: int) -> NoReturn:
        raise UnavailableError(
            f"{self.host} does not answer: {reason}, the last of {counted(attempts, 'attempt')}",
            cure="Run the same command later, which goes on from here; or raise request.retries or "
            "request.timeout in the run's recipe.yaml",
        )

    def _clean(self, text: str) -> str:
        """A text of the endpoint or the network, ready for messages: without the key, on one line,
        and shortened."""
        if self.key is not None:
            text = self.key.removed_from(text)
        text = printable(" ".join(text.split()))
        return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


async def _read(response: Response) -> bytes:
    """The content of a response, limited in size."""
    content = bytearray()
    async for part in response.aiter_raw():
        content += part
        if len(content) > MAX_ANSWER_BYTES:
            raise _PassingError(f"an answer of more than {MAX_ANSWER_BYTES >> 20} MiB")
    return bytes(content)


class _Error(NamedTuple):
    """An error as an endpoint writes it: the code or kind, or "", and the message."""

    code: str
    message: str


def _error_of(value: Any) -> _Error | None:
    """The error in a response, or None."""
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    if error is None:
        # FastAPI and older versions of vLLM write it at the top.
        error = value if value.get("object") == "error" else value.get("detail")
    if error is None:
        return None
    if not isinstance(error, dict):
        return _Error("", error if isinstance(error, str) else json_text(error))
    code, kind = error.get("code"), error.get("type")
    named = code if isinstance(code, str) or not isinstance(kind, str) else kind
    message = error.get("message") or "the endpoint reports an error"
    return _Error("" if named is None else str(named), str(message))


def _retry_after(value: str | None) -> float | None:
    """The wait in the header `Retry-After`, a number or a date, in seconds; None if the header is
    missing or not valid."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        seconds = (date - datetime.now(UTC)).total_seconds()
    if not math.isfinite(seconds):
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER)
