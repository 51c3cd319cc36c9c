"""One update: the batches of a process, forward and backward, and a step of the optimizer."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import nn

from docmt.data import collate
from docmt.data.sampler import Update
from docmt.nn.batch import IGNORED, Batch
from docmt.training.copied_context import fill_context
from docmt.training.loss import perplexity
from docmt.training.precision import autocast
from docmt.training.state import TrainingState
from docmt.training.word_dropout import drop_words

DROPOUT, WORDS, CONTEXT = 0, 1, 2
"""What a batch draws random numbers for."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What an update found, over all batches and processes.

    Attributes:
        loss, nll: sums over the labels, in nats.
        labels: how many there are.
        grad_norm: Euclidean norm of the gradient of the mean loss, before clipping.
    """

    loss: float
    nll: float
    labels: float
    grad_norm: float

    @property
    def is_finite(self) -> bool:
        """Whether the weights could be changed by it."""
        return math.isfinite(self.loss) and math.isfinite(self.grad_norm)


@dataclass(slots=True)
class Window:
    """The updates since the last line of the log."""

    loss: float = 0.0
    nll: float = 0.0
    labels: float = 0.0
    grad_norm: float = 0.0
    began: float = field(default_factory=time.perf_counter)

    def add(self, sums: Sums) -> None:
        """Take in one more update."""
        self.loss += sums.loss
        self.nll += sums.nll
        self.labels += sums.labels
        self.grad_norm = sums.grad_norm

    def means(self) -> dict[str, float]:
        """The numbers of a log line; `grad_norm` is that of the last update."""
        labels = max(self.labels, 1.0)
        nll = self.nll / labels
        return {
            "loss": self.loss / labels,
            "nll": nll,
            "perplexity": perplexity(nll),
            "grad_norm": self.grad_norm,
            "tokens": int(self.labels),
            "tokens_per_second": round(self.labels / (time.perf_counter() - self.began), 1),
        }


def learn(job: TrainingState, update: Update) -> Sums:
    """Change the weights by the gradient of the mean loss over all labels of an update."""
    accelerator, settings = job.accelerator, job.settings
    device = accelerator.device
    batches = own_batches(job, update)
    own = sum(int((batch.labels != IGNORED).sum()) for _, batch in batches)
    labels = accelerator.reduce(torch.tensor(float(own), device=device), "sum")
    found = torch.zeros(2, device=device)
    job.model.train()
    for number, (place, batch) in enumerate(batches, 1):
        torch.manual_seed(seed_of(settings.seed, job.state.step, place, DROPOUT))
        batch = batch.to(device)
        last = number == len(batches)
        with nullcontext() if last else accelerator.no_sync(job.model):
            with autocast(device, settings.precision):
                loss, nll, _ = job.model(batch)
            # Gradients of several processes are averaged; they are to be added up.
            share = loss * (accelerator.num_processes / labels)
            job.scaler.scale(share).backward()
        found += torch.stack([loss.detach(), nll])
    norm = step(job)
    numbers = torch.stack([*accelerator.reduce(found, "sum"), labels, norm])
    return Sums(*numbers.tolist())


def own_batches(job: TrainingState, update: Update) -> list[tuple[int, Batch]]:
    """This process's batches of an update, packed, each with its place in the update.

    All processes must take part in the exchange of gradients: one for which there is no batch
    gets another's, with labels that do not count.
    """
    settings, pipeline = job.settings, job.run.pipeline
    process, processes = job.accelerator.process_index, job.accelerator.num_processes
    share = update.share(process, processes)
    until = settings.word_dropout_epochs
    dropping = until is None or job.state.epoch <= until
    batches = []
    for place, members in share or [(0, update.batches[0])]:
        instances = [job.train[int(k)] for k in members]
        if settings.copied_context:
            seed = seed_of(settings.seed, job.state.step, place, CONTEXT)
            draws = torch.Generator().manual_seed(seed)
            window = job.run.recipe.instances.window
            instances = [
                fill_context(instance, window, settings.copied_context, draws)
                for instance in instances
            ]
        batch = collate(instances, pipeline.special_tokens)
        if dropping:
            seed = seed_of(settings.seed, job.state.step, place, WORDS)
            batch = drop_words(
                batch,
                pipeline.special_tokens,
                source=settings.word_dropout_source,
                target=settings.word_dropout_target,
                unknown=(pipeline.source_vocabulary.unknown, pipeline.target_vocabulary.unknown),
                generator=torch.Generator().manual_seed(seed),
            )
        if not share:
            batch = replace(batch, labels=torch.full_like(batch.labels, IGNORED))
        batches.append((place, batch))
    return batches


def step(job: TrainingState) -> torch.Tensor:
    """Clip the gradients, change the weights and forget the gradients; the norm before, ()."""
    job.scaler.unscale_(job.optimizer)
    parameters = [p for group in job.optimizer.param_groups for p in group["params"]]
    norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    if job.settings.clip_norm:
        nn.utils.clip_grads_with_norm_(parameters, job.settings.clip_norm, norm)
    job.scaler.step(job.optimizer)
    job.scaler.update()
    job.optimizer.zero_grad(set_to_none=True)
    return norm


def seed_of(*numbers: int) -> int:
    """A seed that depends on all the numbers, none of which may be negative."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
