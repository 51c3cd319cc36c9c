"""How good a system is on the validation split: the mean negative log-likelihood of a label, and
where asked the d-BLEU of its translation by real search.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object
from torch import nn

from docmt.contexts import ContextEncoders
from docmt.data import collate
from docmt.data.dataset import Dataset
from docmt.data.sampler import Sampler
from docmt.data.split import Split
from docmt.decoding import Translator
from docmt.documents import Document
from docmt.evaluation import evaluate
from docmt.runs import Run
from docmt.systems import System
from docmt.training.loss import Loss
from docmt.training.precision import autocast


@contextmanager
def evaluating(system: nn.Module) -> Iterator[None]:
    """A system in eval mode without gradients, and back."""
    training = system.training
    system.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        system.train(training)


def validation_loss(
    run: Run, system: System, instances: Dataset, accelerator: Accelerator
) -> float:
    """Mean negative log-likelihood, in nats, of a label of the split; all processes share the work
    and get the same."""
    training = run.recipe.training
    sampler = Sampler(instances.source_tokens, instances.target_tokens, training.batch_tokens)
    own = sampler.in_order()[accelerator.process_index :: accelerator.num_processes]
    nll = labels = 0.0
    with evaluating(system):
        for members in own:
            batch = collate([instances[int(k)] for k in members], run.pipeline.special_tokens)
            batch = batch.to(accelerator.device)
            with autocast(accelerator.device, training.precision):
                found = Loss(system, 0.0)(batch)
            nll += float(found.nll)
            labels += float(found.labels)
    sums = gather_object([(nll, labels)])
    return float(sum(nll for nll, _ in sums) / sum(labels for _, labels in sums))


def validation_bleu(
    run: Run,
    system: System,
    split: Split,
    accelerator: Accelerator,
    contexts: ContextEncoders | None = None,
) -> float:
    """d-BLEU of the split's translation by the recipe's search, given the encoders that the system
    attends to; all processes share the work and get the same."""
    references = [split.text(number) for number in range(len(split))]
    own = range(accelerator.process_index, len(split), accelerator.num_processes)
    recipe = run.recipe
    translator = Translator(system, run.pipeline, recipe.instances, recipe.search, contexts)
    shown = [
        references[i] if recipe.search.oracle else Document(references[i].id, references[i].source)
        for i in own
    ]
    with evaluating(system):
        found = translator.translate(shown)
    translated = dict(gather_object([(i, t.document) for i, t in zip(own, found, strict=True)]))
    hypotheses = [translated[number] for number in range(len(split))]
    scores = evaluate(
        hypotheses,
        references,
        metrics=("d-bleu",),
        lowercase=run.recipe.evaluation.lowercase,
        language=run.recipe.data.target_language,
    )
    return float(scores[0].score)
