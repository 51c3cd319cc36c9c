"""Word dropout (Bowman et al. 2016, "Generating Sentences from a Continuous Space", section 3.1):
training replaces some tokens by `<unk>` or by a mask. A system learns to infer these tokens from
the context (Bao et al. 2021, section 5.4 and appendix C.1). Where only the words of the last
sentence of an instance are replaced, the context says more than the sentence (CoWord dropout;
Fernandes et al. 2021, "Measuring and Increasing Context Usage in Context-Aware Machine
Translation", section 4). Special tokens and labels stay.

Shapes: N tokens of a packed sequence.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.nn.batch import Batch, Packed


def drop_words(
    batch: Batch,
    special_tokens: SpecialTokens,
    *,
    source: float,
    target: float,
    written: tuple[int, int],
    generator: Generator,
    last_only: bool = False,
) -> Batch:
    """Replace tokens of both sides by another.

    Args:
        batch: on the CPU.
        special_tokens: the tokens around each sentence, which stay.
        source, target: probability of replacing a token of the side.
        written: the replacing ids, for the source and for the target side.
        last_only: whether words of the last sentence of each instance alone are replaced.
    """
    source_words = _words(
        batch.source, len(special_tokens.source_begin), len(special_tokens.source_end)
    )
    target_words = _words(batch.target, len(special_tokens.target_opening), 1)
    if last_only:
        source_words &= batch.source.in_last_sentence
        target_words &= batch.target.in_last_sentence
    return replace(
        batch,
        source=_replace(batch.source, source_words, source, written[0], generator),
        target=_replace(batch.target, target_words, target, written[1], generator),
    )


def _words(packed: Packed, before: int, after: int) -> Tensor:
    """(N,) True for words, given the numbers of special tokens before and after."""
    positions = packed.sentences.positions
    lengths = packed.sentences.lengths[packed.sentences.index]
    return (positions >= before) & (positions < lengths - after)


def _replace(
    packed: Packed, words: Tensor, probability: float, written: int, generator: Generator
) -> Packed:
    """Replace each of the words, (N,), by the token written, with a probability."""
    if probability == 0:
        return packed
    drawn = torch.rand(len(packed.tokens), generator=generator) < probability
    return replace(packed, tokens=packed.tokens.masked_fill(drawn & words, written))
