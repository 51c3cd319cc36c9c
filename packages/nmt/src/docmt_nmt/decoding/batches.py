"""The batches in which instances are searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.decoding.processes import FEWEST, fair_share
from docmt_nmt.recipes.search import SearchSettings

_WAITING = 4
"""A batch that is refilled holds so many times the instances that are open at once. With fewer, the
last instances, which nothing replaces, would matter more; with more, journals would be written
seldom."""

MAX_SCORES = 2**22
"""The maximum number of scores of a step, hypotheses times vocabulary. A step holds several arrays
of so many numbers; with more it takes no less time for each hypothesis."""


def within_scores(settings: SearchSettings, vocabulary: int) -> SearchSettings:
    """The settings with as many hypotheses at once as `MAX_SCORES` allows.

    Args:
        vocabulary: the number of tokens that a hypothesis is scored with.
    """
    most = min(settings.max_hypotheses, max(1, MAX_SCORES // vocabulary))
    return settings.model_copy(update={"max_hypotheses": most})


def batches_by_length(
    instances: Sequence[Instance],
    settings: SearchSettings,
    special_tokens: SpecialTokens,
    *,
    one_pass: bool = True,
    threads: int = 1,
) -> Iterator[list[int]]:
    """Batches of instances of like length, by index, the longest first, within the settings'
    `max_hypotheses` and `batch_tokens`.

    Args:
        one_pass: True if an instance has the hypotheses of one sentence at a time, in systems that
            write an instance in one pass or in order; else all sentences have hypotheses at once.
        threads: the number of processes of one thread each to share the batches among; batches are
            cut accordingly.
    """
    most = settings.max_hypotheses
    if threads > 1:
        units = len(instances) if one_pass else sum(len(i.source) for i in instances)
        most = min(most, fair_share(units * settings.beam_size, threads))
    overhead = special_tokens.source_overhead
    sizes = [sum(len(s) + overhead for s in (*i.context, *i.source)) for i in instances]
    batch: list[int] = []
    longest = units = 0
    for index in sorted(range(len(instances)), key=lambda index: -sizes[index]):
        more = 1 if one_pass else len(instances[index].source)
        tokens, hypotheses = (len(batch) + 1) * longest, (units + more) * settings.beam_size
        if batch and (tokens > settings.batch_tokens or hypotheses > most):
            yield batch
            batch, units = [], 0
        if not batch:
            longest = sizes[index]
        batch.append(index)
        units += more
    if batch:
        yield batch


def open_at_once(settings: SearchSettings) -> int:
    """The maximum number of open instances of a batch that is refilled."""
    return max(1, settings.max_hypotheses // settings.beam_size)


def batches_to_refill(
    instances: Sequence[Instance],
    settings: SearchSettings,
    special_tokens: SpecialTokens,
    *,
    threads: int = 1,
) -> Iterator[list[int]]:
    """Batches for systems that `refills_batches`, by index, the longest first: batches within the
    settings' `batch_tokens`, of which `open_at_once` instances are searched at once.

    Args:
        threads: the number of processes of one thread each to share the batches among. Instances
            of like length are dealt out to the processes, which all take about as long.
    """
    wider = settings.model_copy(
        update={
            "max_hypotheses": settings.max_hypotheses * _WAITING * threads,
            "batch_tokens": settings.batch_tokens * threads,
        }
    )
    overhead = special_tokens.source_overhead
    for group in batches_by_length(instances, wider, special_tokens):
        longest = sum(len(s) + overhead for s in instances[group[0]].source)
        shares = min(threads, len(group) * settings.beam_size // FEWEST)
        if 2 * shares < threads:
            shares = 1  # This process takes all threads.
        count = max(1, shares, -(-longest * len(group) // settings.batch_tokens))
        yield from (group[first::count] for first in range(min(count, len(group))))
