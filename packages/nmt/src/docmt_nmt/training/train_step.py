"""One training step: the forward and backward passes of an update's batches, then a step of the
optimizer.

Batches are collated, and their labels counted, on the host. From there on work is only queued on
the device, until `_read_metrics` reads the step's four numbers in one transfer: the only read-back
of a step, in fp32, bf16 and fp16 alike. The transfer is needed for the log and for the check for a
finite loss. Clipping, the gradient scaler's check for overflow and the optimizer all run on the
device. Adadelta and gradient descent are the exception: they are not fused here, and in fp16 they
read the check for overflow back.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import torch
from torch import Generator, Tensor, nn

from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate
from docmt_nmt.data.sampler import Update
from docmt_nmt.nn.batch import IGNORED, Batch
from docmt_nmt.training.copied_context import copy_missing_context
from docmt_nmt.training.position_offsets import offset_positions
from docmt_nmt.training.precision import autocast
from docmt_nmt.training.training_metrics import StepMetrics
from docmt_nmt.training.training_state import TrainingState
from docmt_nmt.training.word_dropout import drop_words

_DROPOUT, _WORD_DROPOUT, _COPIED_CONTEXT, _DRAFTS, _POSITION_OFFSETS = 0, 1, 2, 3, 4
"""Purposes of a batch's random numbers, each with a separate seed."""


def train_step(state: TrainingState, update: Update) -> StepMetrics:
    """Change the weights by the gradient of the mean loss over all labels of an update."""
    batches, labels = _collate_own_batches(state, update)
    sums = _accumulate_gradients(state, batches, labels)
    grad_norm = _update_weights(state)
    return _read_metrics(sums, grad_norm)


def _collate_own_batches(
    state: TrainingState, update: Update
) -> tuple[list[tuple[int, Batch]], int]:
    """Collate this process's batches of an update, on the host.

    Every process must take part in the exchange of gradients. A process without a batch computes
    the batch of another process, with labels that do not count.

    Returns:
        The batches, each with an index in the update, and the number of labels in them.
    """
    own_batches = update.share(state.accelerator.process_index, state.accelerator.num_processes)
    batches = []
    for i, members in own_batches or [(0, update.batches[0])]:
        batch = _collate(state, i, [state.train_dataset[int(k)] for k in members])
        if not own_batches:
            batch = replace(batch, labels=torch.full_like(batch.labels, IGNORED))
        batches.append((i, batch))
    return batches, sum(int((batch.labels != IGNORED).sum()) for _, batch in batches)


def _collate(state: TrainingState, index: int, instances: list[Instance]) -> Batch:
    """Collate a batch with drafts, copied context, position offsets and word dropout, where set."""
    settings, pipeline = state.settings, state.run.pipeline
    if settings.copied_context:
        generator = _generator(state, index, _COPIED_CONTEXT)
        window = state.run.recipe.instances.window
        instances = [
            copy_missing_context(instance, window, settings.copied_context, generator)
            for instance in instances
        ]
    if state.drafts is not None:
        seed = _seed(state, index, _DRAFTS)
        seeds = [(seed, k) for k in range(len(instances))]
        instances = state.drafts.write(instances, seeds, training=True)
    batch = collate(instances, pipeline.special_tokens)
    if settings.max_position_offset:
        generator = _generator(state, index, _POSITION_OFFSETS)
        batch = offset_positions(batch, settings.max_position_offset, generator)
    last_epoch = settings.word_dropout_epochs
    if last_epoch is None or state.record.epoch <= last_epoch:
        source, target = pipeline.source_vocabulary, pipeline.target_vocabulary
        masks = settings.word_dropout_token == "mask"
        batch = drop_words(
            batch,
            pipeline.special_tokens,
            source=settings.word_dropout_source,
            target=settings.word_dropout_target,
            written=(source.mask_id, target.mask_id) if masks else (source.unk_id, target.unk_id),
            generator=_generator(state, index, _WORD_DROPOUT),
            last_only=settings.word_dropout_sentences == "last",
        )
    return batch


def _accumulate_gradients(
    state: TrainingState, batches: list[tuple[int, Batch]], own_labels: int
) -> Tensor:
    """Add up gradients, and return the sums of loss, nll and labels of all processes, (3,)."""
    accelerator, device = state.accelerator, state.accelerator.device
    labels = accelerator.reduce(torch.full((), float(own_labels), device=device), "sum")
    sums = torch.zeros(2, device=device)
    state.loss.train()
    for i, batch in batches:
        _seed_dropout(_seed(state, i, _DROPOUT))
        is_last = batch is batches[-1][1]
        with nullcontext() if is_last else accelerator.no_sync(state.loss):
            with autocast(device, state.settings.precision):
                loss, nll, _ = state.loss(batch.to(device))
            # The gradients of several processes are averaged, and their sum is wanted. There may be
            # no labels where every document has one sentence, which is not corrected.
            mean_loss = loss * (accelerator.num_processes / labels.clamp(min=1))
            state.scaler.scale(mean_loss).backward()
        sums += torch.stack([loss.detach(), nll])
    return torch.cat([accelerator.reduce(sums, "sum"), labels[None]])


def _update_weights(state: TrainingState) -> Tensor:
    """Clip, apply and clear the gradients; return their norm before, (), on the device."""
    state.scaler.unscale_(state.optimizer)
    parameters = [p for group in state.optimizer.param_groups for p in group["params"]]
    norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    if state.settings.clip_norm:
        nn.utils.clip_grads_with_norm_(parameters, state.settings.clip_norm, norm)
    state.scaler.step(state.optimizer)
    state.scaler.update()
    state.optimizer.zero_grad(set_to_none=True)
    return norm


def _read_metrics(sums: Tensor, grad_norm: Tensor) -> StepMetrics:
    """Read the numbers of a step back from the device, (3,) and (), in one transfer."""
    return StepMetrics(*torch.cat([sums, grad_norm[None]]).tolist())


def _seed_dropout(seed: int) -> None:
    """Seed the generators that dropout draws from. Where there is no GPU, `torch.manual_seed` only
    takes note for each kind of GPU that it would be seeded, which takes milliseconds a time."""
    if torch.accelerator.is_available():
        torch.manual_seed(seed)
    else:
        torch.default_generator.manual_seed(seed)


def _generator(state: TrainingState, index: int, purpose: int) -> Generator:
    """The random generator of a batch of the current update, for one purpose."""
    return Generator().manual_seed(_seed(state, index, purpose))


def _seed(state: TrainingState, index: int, purpose: int) -> int:
    """A seed of the recipe's seed, the update, the batch's index in it, and the purpose."""
    numbers = state.settings.seed, state.record.step, index, purpose
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
