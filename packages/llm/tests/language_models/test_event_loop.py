"""Coroutines from any thread, on one event loop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from docmt_llm.endpoints.event_loop import run, with_heartbeat


async def _loop_after(seconds):
    await asyncio.sleep(seconds)
    return asyncio.get_running_loop()


def test_all_threads_run_on_one_loop_at_the_same_time():
    with ThreadPoolExecutor(8) as pool:
        loops = set(pool.map(lambda _: run(_loop_after(0.01)), range(8)))
    assert len(loops) == 1


def test_what_a_coroutine_raises_is_raised():
    async def fail():
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        run(fail())
    assert run(_loop_after(0)) is not None


def test_a_heartbeat_is_felt_until_the_coroutine_ends():
    beats = []
    slow = with_heartbeat(_loop_after(0.1), lambda: beats.append(1), 0.01)
    assert run(slow) is not None
    felt = len(beats)
    assert felt >= 2
    run(_loop_after(0.03))
    assert len(beats) == felt


def test_what_a_heartbeat_raises_ends_the_coroutine_before_it_is_raised():
    ended = []

    async def wait():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ended.append(True)

    def stop():
        raise LookupError("given up")

    with pytest.raises(LookupError, match="given up"):
        run(with_heartbeat(wait(), stop, 0.01))
    assert ended == [True]


def test_it_works_in_a_forked_process():
    run(_loop_after(0))
    pid = os.fork()
    if pid == 0:
        run(_loop_after(0))
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


def test_an_interrupted_coroutine_is_cancelled_and_has_ended():
    code = """
        import asyncio
        from docmt_llm.endpoints.event_loop import run, with_heartbeat

        async def wait():
            print("waiting", flush=True)
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.05)
                print("wound up", flush=True)

        try:
            run(wait())
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[0] == "wound up\ninterrupted\n"
