"""The log-probability of given target tokens (labels), by the states of a system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear

from docmt_files.base.documents import Document
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.decoding.constraints import not_finite_error
from docmt_nmt.decoding.teacher_forcing import ForcedInstance, TeacherForcing, batches_of_groups
from docmt_nmt.nn import Packed
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.systems import System

_MAX_LOGITS = 2**23
"""The maximum number of logits at a time."""


def mean_log_probabilities(
    translator: BeamSearchTranslator, pairs: Sequence[tuple[str, str]]
) -> list[float]:
    """The mean log-probability per token, EOS included, of target sentences by a system that
    translates sentences alone.

    Args:
        translator: the translator.
        pairs: the source and the target of each sentence, both with words.

    Raises:
        InputError: a source is too long, or logits are not finite.
    """
    sources, targets = zip(*pairs, strict=True)
    forcing = TeacherForcing(translator)
    (forced,) = forcing.instances([Document("sentences", sources, targets)])
    values = [0.0] * len(pairs)
    opening = len(translator.pipeline.special_tokens.target_opening)
    with torch.inference_mode():
        for groups in batches_of_groups(forced):
            indices = [index for group in groups for index in group]
            instances = [forced[index] for index in indices]
            batch = forcing.batch(instances)
            states = translator.eager.states(batch)
            after = label_positions(batch.target, instances, opening)
            labels = batch.target.tokens.cpu().numpy()[after + 1]
            found = log_probabilities(translator.eager, states, after, labels)
            ends = np.cumsum([one.labels for one in instances])[:-1]
            for index, part in zip(indices, np.split(found, ends), strict=True):
                values[index] = float(part.mean())
    return values


def label_positions(
    target: Packed, forced: Sequence[ForcedInstance], opening: int
) -> NDArray[np.int64]:
    """The positions before the given labels, in order.

    Args:
        target: the packed target.
        forced: its instances.
        opening: the number of special tokens before each sentence.
    """
    sentences = target.sentences
    positions = np.arange(sentences.total)
    in_sentence = positions - sentences.host_offsets[:-1].repeat(sentences.host_lengths)
    left = sentences.host_lengths.repeat(sentences.host_lengths) - in_sentence
    labelled = positions[(in_sentence >= opening - 1) & (left > 1)]
    ends = np.searchsorted(labelled, target.instances.host_offsets[1:])
    chosen = [labelled[end - one.labels : end] for one, end in zip(forced, ends, strict=True)]
    return np.concatenate(chosen)


def log_probabilities(
    system: System, states: Tensor, rows: NDArray[np.int64], labels: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The log-probability of each label, (n,), after the state of its row, (n,).

    Raises:
        InputError: logits are not finite.
    """
    order = np.argsort(rows, kind="stable")
    used, index = np.unique(rows[order], return_inverse=True)
    weight, bias = system.output_weight, system.output_bias
    size = max(1, _MAX_LOGITS // len(weight))
    parts = []
    for begin in range(0, len(used), size):
        first, last = np.searchsorted(index, (begin, begin + size))
        states_of_part = states[to_device(used[begin : begin + size], states.device)]
        log_p = linear(states_of_part, weight, bias).float().log_softmax(1)
        rows_and_labels = np.stack([index[first:last] - begin, labels[order[first:last]]])
        row, label = to_device(rows_and_labels, log_p.device)
        parts.append(log_p[row, label])
    values = np.empty(len(rows), np.float32)
    values[order] = torch.cat(parts).cpu().numpy()
    if np.isnan(values).any():
        raise not_finite_error()
    return values
