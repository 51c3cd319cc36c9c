"""Which instances are searched together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docmt.data import Instance
from docmt.recipes.search import SearchSettings
from docmt.special_tokens import SpecialTokens


def batches_by_length(
    instances: Sequence[Instance],
    settings: SearchSettings,
    special_tokens: SpecialTokens,
    *,
    one_pass: bool = True,
) -> Iterator[list[int]]:
    """The indices of the instances that are searched together: of like length, the longest first,
    within the settings' `max_hypotheses` and `batch_tokens`.

    Args:
        one_pass: whether an instance has the hypotheses of one sentence at a time, in systems that
            write it in one pass or in order; else all of its sentences have theirs at once.
    """
    overhead = special_tokens.source_overhead
    sizes = [sum(len(s) + overhead for s in (*i.context, *i.source)) for i in instances]
    batch: list[int] = []
    longest = units = 0
    for index in sorted(range(len(instances)), key=lambda index: -sizes[index]):
        more = 1 if one_pass else len(instances[index].source)
        tokens, hypotheses = (len(batch) + 1) * longest, (units + more) * settings.beam_size
        if batch and (tokens > settings.batch_tokens or hypotheses > settings.max_hypotheses):
            yield batch
            batch, units = [], 0
        if not batch:
            longest = sizes[index]
        batch.append(index)
        units += more
    if batch:
        yield batch
