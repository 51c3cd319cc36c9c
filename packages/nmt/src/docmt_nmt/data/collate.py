"""Collate: pack instances, with their special tokens, into a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data.instances import Instance
from docmt_nmt.nn.batch import IGNORED, Batch, Encoded, Packed
from docmt_nmt.nn.spans import Spans


def collate(instances: Sequence[Instance], special_tokens: SpecialTokens) -> Batch:
    """Pack both sides of instances with a translation."""
    source = collate_source(instances, special_tokens)
    target, labels = collate_target(instances, special_tokens)
    return Batch(source, target, labels)


def collate_source(instances: Sequence[Instance], special_tokens: SpecialTokens) -> Packed:
    """Pack the source side and the context, each sentence between special tokens."""

    def with_special(sentences: Sequence[Sequence[int]]) -> list[list[int]]:
        return [[*special_tokens.source_begin, *s, *special_tokens.source_end] for s in sentences]

    return replace(
        pack_sentences([with_special(instance.source) for instance in instances]),
        context=pack_sentences([with_special(instance.context) for instance in instances]),
        auxiliary=collate_auxiliary([instance.auxiliary for instance in instances]),
        draft=_collate_drafts(instances, special_tokens),
        following=[i.following for i in instances] if any(i.following for i in instances) else (),
    )


def _collate_drafts(instances: Sequence[Instance], special_tokens: SpecialTokens) -> Packed | None:
    """Pack the drafts of instances, if they have drafts."""
    drafts = [instance.drafts for instance in instances if instance.drafts is not None]
    if not drafts:
        return None
    assert len(drafts) == len(instances), "all instances have drafts, or none has"
    return pack_translations(drafts, special_tokens)


def pack_translations(
    instances: Sequence[Sequence[Sequence[int]]], special_tokens: SpecialTokens
) -> Packed:
    """Pack target sentences, given as token ids, between their special tokens."""
    opening, end = special_tokens.target_opening, special_tokens.target_end
    return pack_sentences([[[*opening, *s, end] for s in instance] for instance in instances])


def collate_auxiliary(
    instances: Sequence[Mapping[str, NDArray[Any]]],
) -> dict[str, Encoded | Packed]:
    """Pack the context encodings of instances with the same names: states, (N, d_model), or, for
    encoders trained with the system, tokens, (N,)."""
    packed: dict[str, Encoded | Packed] = {}
    for name in instances[0] if instances else ():
        parts = [encodings[name] for encodings in instances]
        spans = Spans.of([len(part) for part in parts])
        values = torch.from_numpy(np.concatenate(parts))
        tokens = values.ndim == 1
        packed[name] = Packed(values, spans, spans) if tokens else Encoded(values.float(), spans)
    return packed


def collate_target(
    instances: Sequence[Instance], special_tokens: SpecialTokens
) -> tuple[Packed, Tensor]:
    """Pack the target side, and give the labels, (N_target,)."""
    inputs: list[Sequence[Sequence[int]]] = []
    labels: list[int] = []
    for instance in instances:
        assert instance.target is not None, f"document {instance.document!r} has no target"
        inputs.append(instance.target)
        given = max(instance.copied, instance.given)
        for index, sentence in enumerate(instance.target):
            following = [*sentence, special_tokens.target_end]
            if index < given:
                following = [IGNORED] * len(following)
            labels += [IGNORED] * len(special_tokens.target_prefix)
            labels += [*following, IGNORED]
    return pack_translations(inputs, special_tokens), torch.tensor(labels, dtype=torch.int64)


def pack_sentences(instances: Sequence[Sequence[Sequence[int]]]) -> Packed:
    """Pack instances, given as sentences of token ids (special tokens included), into one packed
    sequence."""
    sentences = list(chain.from_iterable(instances))
    tokens = torch.tensor(list(chain.from_iterable(sentences)), dtype=torch.int64)
    return Packed(
        tokens,
        Spans.of([len(s) for s in sentences]),
        Spans.of([sum(len(s) for s in instance) for instance in instances]),
        on_host=tokens.numpy(),
    )
