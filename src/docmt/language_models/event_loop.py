"""`run`: coroutines to their end, from any thread, on the one event loop of this process;
`for_each`: some of them at a time; and `with_heartbeat`: with a sign of life meanwhile.

Connections of an HTTP client belong to the loop on which they were opened, and threads share
translators; so all coroutines of engines run on one loop, in a thread of its own.
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

_MAX_WIND_UP = 10.0
"""Seconds that a cancelled coroutine has to end."""


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end.

    Args:
        coroutine: it runs on the event loop of this process. Where the thread that waits for it is
            interrupted, as by Ctrl-C, it is cancelled, and has ended before this function does.

    Returns:
        What it returns; what it raises is raised.
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
            ended.wait(_MAX_WIND_UP)
        raise


async def for_each(
    function: Callable[[Item], Awaitable[None]], items: Iterable[Item], most: int
) -> None:
    """Call a function with each item, in their order, at most so many at a time. Of what one of the
    calls raises, the others are cancelled and it is raised."""
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
    """Run a coroutine to its end, and call a function every so many seconds meanwhile. What the
    function raises cancels the coroutine, which has ended before it is raised."""
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
    """The event loop, which runs in a thread as long as the process does."""
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
