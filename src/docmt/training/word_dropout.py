"""Word dropout (Bowman et al. 2016, "Generating Sentences from a Continuous Space", section 3.1):
in training some tokens are replaced by `<unk>`, so that a system learns to infer them from the
context (Bao et al. 2021, section 5.4 and appendix C.1). Sentence marks and labels stay.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor

from docmt.nn.batch import Batch, Packed
from docmt.special_tokens import SpecialTokens


def drop_words(
    batch: Batch,
    special_tokens: SpecialTokens,
    *,
    source: float,
    target: float,
    unknown: tuple[int, int],
    generator: Generator,
) -> Batch:
    """Replace tokens of both sides by `<unk>`.

    Args:
        batch: on the CPU.
        marks: which tokens stand around sentences.
        source, target: probability that a token of the side is replaced.
        unknown: the number of `<unk>` on the source and on the target side.
        generator: where the draws come from.
    """
    before, after = len(special_tokens.source_begin), len(special_tokens.source_end)
    rows = (
        drop(batch.source, inner(batch.source, before, after), source, unknown[0], generator),
        drop(
            batch.target,
            inner(batch.target, len(special_tokens.target_opening), 1),
            target,
            unknown[1],
            generator,
        ),
    )
    return replace(batch, source=rows[0], target=rows[1])


def inner(row: Packed, before: int, after: int) -> Tensor:
    """(N,) which tokens are no special_tokens, given how many marks stand before and after a sentence."""
    places = row.sentences.positions
    lengths = row.sentences.lengths[row.sentences.index]
    return (places >= before) & (places < lengths - after)


def drop(
    row: Packed, candidates: Tensor, share: float, unknown: int, generator: Generator
) -> Packed:
    """Replace this share of the candidates, (N,)."""
    if share == 0:
        return row
    drawn = torch.rand(len(row.tokens), generator=generator) < share
    return replace(row, tokens=row.tokens.masked_fill(drawn & candidates, unknown))
