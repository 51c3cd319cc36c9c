"""Validation: the mean negative log-likelihood per label of the validation split. Where checkpoints
are selected by BLEU, also the BLEU of a translation by the recipe's search.
"""

from __future__ import annotations

from contextlib import nullcontext
from math import isfinite

import torch
from accelerate.utils import gather_object
from torch import Tensor

from docmt_nmt.data.collate import collate
from docmt_nmt.data.sampler import BatchSampler
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, Score, evaluate
from docmt_nmt.nn import Recorder
from docmt_nmt.nn.recording import GateShares, recording
from docmt_nmt.training.attention_log import attention_recorder
from docmt_nmt.training.loss import Loss
from docmt_nmt.training.precision import autocast
from docmt_nmt.training.run_record import ValidationResult
from docmt_nmt.training.training_state import TrainingState
from docmt_nmt.translators import translate


def validate(state: TrainingState) -> ValidationResult:
    """Evaluate the system on the validation split. All processes share the work and get the same
    result.

    Raises:
        InputError: the loss is not finite and cannot be compared.
    """
    with torch.no_grad(), state.system.evaluating():
        recorder = attention_recorder()() if state.settings.log_attention else GateShares()
        loss = validation_loss(state, recorder)
        if not isfinite(loss):
            raise state.not_finite_error("the validation loss")
        statistics = gather_object([recorder.statistics(state.system)])
        summary = recorder.summary(statistics)
        result = ValidationResult(step=state.record.step, loss=loss, **summary._asdict())
        if (metric := state.settings.best_checkpoint_metric) != "loss":
            score = validation_bleu(state, metric)
            result = result.model_copy(update={"bleu": score.score, "bleu_name": score.name})
    return result


def validation_loss(state: TrainingState, recorder: Recorder | None = None) -> float:
    """Mean negative log-likelihood per label of the validation split, in nats.

    Args:
        recorder: records gates and, if asked for, attention.
    """
    dataset, settings, accelerator = state.valid_dataset, state.settings, state.accelerator
    special_tokens = state.run.pipeline.special_tokens
    loss = Loss(state.system, smoothing=0.0)
    sampler = BatchSampler(dataset.source_tokens, dataset.target_tokens, settings.batch_tokens)
    own_batches = sampler.in_order()[accelerator.process_index :: accelerator.num_processes]
    sums: list[Tensor] = []
    for members in own_batches:
        instances = [dataset[int(k)] for k in members]
        if state.drafts is not None:
            # The same in each validation, whatever batch an instance is in.
            seeds = [(settings.seed, int(k)) for k in members]
            instances = state.drafts.write(instances, seeds, training=False)
        batch = collate(instances, special_tokens)
        recorded = nullcontext() if recorder is None else recording(recorder)
        with autocast(accelerator.device, settings.precision), recorded:
            _, nll, labels = loss(batch.to(accelerator.device))
        sums.append(torch.stack([nll, labels]))
    # One read-back for all batches.
    all_sums = gather_object(torch.stack(sums).tolist() if sums else [])
    return float(sum(nll for nll, _ in all_sums) / sum(labels for _, labels in all_sums))


def validation_bleu(state: TrainingState, metric: str) -> Score:
    """The `s-bleu` or `d-bleu` of the translation of the validation split, against all
    references."""
    split, recipe, accelerator = state.valid_split, state.run.recipe, state.accelerator
    references = [split.text(number) for number in range(len(split))]
    own_indices = range(accelerator.process_index, len(split), accelerator.num_processes)
    translator = BeamSearchTranslator.build(
        state.system, state.run.pipeline, recipe.instances, recipe.search, state.contexts
    )
    translations = translate(translator, [references[i] for i in own_indices])
    pairs = [
        (i, translation.document) for i, translation in zip(own_indices, translations, strict=True)
    ]
    by_index = dict(gather_object(pairs))
    scores = evaluate(
        [by_index[i] for i in range(len(split))],
        state.valid_references or [references],
        MetricSettings(
            metrics=(metric,),
            lowercase=recipe.evaluation.lowercase,
            language=recipe.data.target_language,
        ),
    )
    return scores[0]
