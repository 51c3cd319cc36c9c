"""`run`: run a coroutine from any thread on the one event loop of this process. `for_each`: run
several at a time. `with_heartbeat`: call a function regularly meanwhile.

Connections of an HTTP client belong to one loop, and threads share translators. So all coroutines
of language models run on one loop, in a thread of its own.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import cache
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_MAX_CANCELLING = 10.0
"""Seconds a cancelled coroutine has to end."""


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end.

    Args:
        coroutine: runs on the event loop of this process. If the waiting thread is interrupted, as
            by Ctrl-C, the coroutine is cancelled and has ended before this function returns.

    Returns:
        The result of the coroutine. An exception of the coroutine is raised.
    """
    loop = _loop()
    may_begin, ended = asyncio.Event(), threading.Event()

    async def watched() -> Result:
        try:
            await may_begin.wait()
            return await coroutine
        finally:
            coroutine.close()
            ended.set()

    future = asyncio.run_coroutine_threadsafe(watched(), loop)
    try:
        # Only from here on can it be cancelled, so it does nothing before.
        loop.call_soon_threadsafe(may_begin.set)
        return future.result()
    except BaseException:
        if not future.done():
            future.cancel()
            ended.wait(_MAX_CANCELLING)
        raise


async def for_each(
    function: Callable[[Item], Awaitable[None]], items: Iterable[Item], most: int
) -> None:
    """Call a function with each item in order, at most `most` at a time. If one call raises an
    exception, the others are cancelled and the exception is raised."""
    rest = iter(items)

    async def work() -> None:
        for item in rest:
            await function(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(most):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def with_heartbeat(
    coroutine: Coroutine[Any, Any, Result], beat: Callable[[], None], seconds: float
) -> Result:
    """Run a coroutine to its end, and call a function every so many seconds meanwhile. An exception
    of the function cancels the coroutine, and is raised once the coroutine has ended."""
    task = asyncio.ensure_future(coroutine)
    try:
        while not (await asyncio.wait({task}, timeout=seconds))[0]:
            beat()
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


def _loop() -> asyncio.AbstractEventLoop:
    """The event loop, running in a thread as long as the process."""
    with _lock:
        return _started_loop()


@cache
def _started_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="docmt-engines", daemon=True).start()
    return loop


_lock = threading.Lock()  # `cache` alone would let two threads start a loop each.

# The thread is not there in a process that was forked.
os.register_at_fork(after_in_child=_started_loop.cache_clear)
