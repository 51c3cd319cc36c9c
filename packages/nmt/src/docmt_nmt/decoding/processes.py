"""`SearchProcesses`: several processes of one thread each search independent batches.

The processes are forked after a request has been planned. So they share the memory of this process,
weights and instances alike, and a message to a process has no more than the number of a batch and
the given translations. The answer has the hypotheses. The batches do not depend on the number of
processes (`fair_share`), and results come in the order of batches, so translations, journals and
progress are the same with any number of processes.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import ceil
from multiprocessing import current_process, get_context
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import has_cheap_forks, processor_count
from docmt_nmt.decoding.beams import Hypothesis
from docmt_nmt.decoding.search_loop import calling_between_steps

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Results = Sequence[Sequence[Hypothesis]]
"""For each instance of a batch the hypotheses, best first."""

Search = Callable[[int, Any], Results]
"""Searches the batch of this number, with the given translations of the instances."""

FEWEST = 25
"""The minimum number of hypotheses of a batch for another process."""

_ENOUGH = 80
"""With so many hypotheses, a batch takes little more time for each than a larger one."""


def thread_count() -> int:
    """The number of threads of this process: as PyTorch takes them or, where it is not loaded, one
    for each processor, or as many as OMP_NUM_THREADS says."""
    if (torch := sys.modules.get("torch")) is not None:
        return int(torch.get_num_threads())
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and int(asked) else processor_count()


def check_processes(processes: int, device: object) -> None:
    """Check the number of processes.

    Raises:
        InputError: several processes are impossible here.
    """
    if processes < 2:
        return
    if not has_cheap_forks():
        raise InputError(
            f"`processes={processes}` needs Linux, where processes share the memory of a model",
            cure="Leave it out",
            parameters=(f"processes={processes}",),
        )
    if not str(device).startswith("cpu"):
        raise InputError(
            f"`processes={processes}` is for a CPU, and this run computes on {device}",
            cure="Leave it out",
            parameters=(f"processes={processes}",),
        )


def can_share(device: object) -> bool:
    """Return whether processes can share the search of a request."""
    fits = has_cheap_forks() and str(device).startswith("cpu")
    return fits and not current_process().daemon  # A daemon may have no processes.


def fair_share(hypotheses: int, threads: int) -> int:
    """The maximum number of hypotheses of a batch, for one to four batches per process.

    Two processes of one thread are faster than one process of two threads, even with batches so
    small that each hypothesis takes longer. The result depends on the threads of this process, not
    on the number of processes: batches, and with them the last bits of log-probabilities, are
    always the same.

    Args:
        hypotheses: the hypotheses of all independent instances.
        threads: at least 2.
    """
    share = max(hypotheses // (4 * threads), min(_ENOUGH, hypotheses // threads), FEWEST)
    batches = max(1, hypotheses // share)
    return ceil(hypotheses / batches) if 2 * batches >= threads else hypotheses


def process_count(processes: int | None, batches: int) -> int:
    """The number of processes for a request; 1 is this process alone, with all threads.

    Args:
        processes: the maximum number. Default: one for each thread of this process, if there are
            batches for at least half of them.
        batches: the number of independent batches.
    """
    if processes is None:
        threads = thread_count()
        processes = threads if 2 * batches >= threads else 1
    return min(processes, batches)


class SearchProcesses:
    """The processes to search the batches of one request. A context manager; the exit ends the
    processes in any case.

    Args:
        search: searches a batch; called in the processes.
        count: the number of processes.
    """

    def __init__(self, search: Search, count: int) -> None:
        self._search, self._count = search, count
        self._processes: dict[Connection, BaseProcess] = {}

    def _start(self) -> None:
        context = get_context("fork")
        pipes = [context.Pipe() for _ in range(self._count)]
        for own, theirs in pipes:
            others = [end for pair in pipes for end in pair if end is not theirs]
            process = context.Process(
                target=self._work, args=(theirs, others, os.getpid()), daemon=True
            )
            process.start()
            self._processes[own] = process
        for _, theirs in pipes:
            theirs.close()

    def __enter__(self) -> SearchProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes, whatever they do."""
        for connection, process in self._processes.items():
            connection.close()
            process.kill()
        for process in self._processes.values():
            process.join()

    def run(self, batches: Sequence[tuple[int, Any]]) -> Iterator[Results]:
        """Search independent batches. Yields the results in the order of batches.

        Args:
            batches: the number and the given translations of each batch.

        Raises:
            InputError: a process was killed; or the search of a batch raised the error.
        """
        from multiprocessing.connection import Connection, wait  # slow to import

        if batches and not self._processes:
            self._start()
        waiting = deque(enumerate(batches))
        busy: dict[Connection, int] = {}
        idle = list(self._processes)
        found: dict[int, Results] = {}
        for index in range(len(batches)):
            while index not in found:
                while waiting and idle:
                    connection = idle.pop()
                    busy[connection], batch = waiting.popleft()
                    with suppress(BrokenPipeError):  # It has ended, which shows when it is read.
                        connection.send(batch)
                for ready in wait(list(busy)):
                    assert isinstance(ready, Connection)
                    found[busy.pop(ready)] = self._receive(ready)
                    idle.append(ready)
            yield found.pop(index)

    def _receive(self, connection: Connection) -> Results:
        """The results from a process.

        Raises:
            InputError: the process was killed; or the process raised the error.
        """
        try:
            answer = connection.recv()
        except (EOFError, ConnectionError):
            process = self._processes[connection]
            process.join()
            raise _ended(process.exitcode) from None
        if isinstance(answer, Exception):
            raise answer
        return [[Hypothesis.of_values(each) for each in best] for best in answer]

    def _work(self, connection: Connection, others: Sequence[Connection], parent: int) -> None:
        """Search the batches sent to this process, until the other end closes."""
        # Ctrl-C reaches all processes of a terminal, but the parent ends these.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for other in others:
            other.close()
        if (torch := sys.modules.get("torch")) is not None:
            torch.set_num_threads(1)

        def end_with_parent() -> None:
            if os.getppid() != parent:
                os._exit(1)

        with calling_between_steps(end_with_parent), suppress(EOFError, ConnectionError):
            while True:
                connection.send(self._answer(*connection.recv()))

    def _answer(self, number: int, given: Any) -> Any:
        """The result of a batch: the values of the hypotheses, or the error."""
        try:
            results = self._search(number, given)
        except InputError as error:
            return error
        except Exception as error:
            problem = f"a process of the search failed ({type(error).__name__}: {error})"
            return RuntimeError(f"{problem}\n{traceback.format_exc()}")
        return [[each.values for each in best] for best in results]


def _ended(code: int | None) -> InputError:
    """The error about a process with an early end."""
    reason = f"ended with code {code}"
    if code is not None and code < 0:
        reason = f"was killed by {signal.Signals(-code).name}"
    return InputError(
        f"a process of the search {reason}, perhaps because memory was short",
        cure="Set `processes=1`",
        parameters=("processes=1",),
    )
