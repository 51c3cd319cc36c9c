"""The state of a training: everything from the corpus to the optimizer, restored from the newest
checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import nn

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.contexts import ContextEncoders
from docmt_nmt.contexts.context_dataset import ContextDataset
from docmt_nmt.data import InstanceSettings
from docmt_nmt.data.dataset import ConcatDataset, Dataset, InstanceDataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.sampler import BatchSampler
from docmt_nmt.data.split import Split
from docmt_nmt.evaluation import scored_references
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.training import TrainingSettings
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.systems import System
from docmt_nmt.training.checkpoints import Checkpoints
from docmt_nmt.training.copied_context import check_missing_context, max_copied_tokens
from docmt_nmt.training.drafts import CorrectingSystem, DraftWriter
from docmt_nmt.training.loss import Loss
from docmt_nmt.training.optimizer import make_optimizer
from docmt_nmt.training.precision import make_grad_scaler
from docmt_nmt.training.progress import ProgressBar
from docmt_nmt.training.run_record import TrainingRecord
from docmt_nmt.training.setup import load_initial_weights
from docmt_nmt.training.training_checks import (
    check_disk_space,
    check_positions,
    check_sentences_with_context,
)


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The state of a training.

    Attributes:
        train_dataset: the training instances of all mixed corpora.
        contexts: the encoders of auxiliary states, if the system attends to any.
        loss: the `Loss`, wrapped for the exchange of gradients between processes in backward
            passes.
        scaler: the fp16 gradient scaler; in other precisions it does nothing.
        record: how far training is; it changes with every update.
        valid_references: the references of the validation split, if BLEU selects checkpoints; by
            default its target sides.
        drafts: writes drafts, if the system corrects them.
    """

    run: SystemRun
    train_dataset: ConcatDataset
    valid_dataset: Dataset
    valid_split: Split
    contexts: ContextEncoders | None
    accelerator: Accelerator
    system: System
    loss: nn.Module
    optimizer: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    checkpoints: Checkpoints
    record: TrainingRecord
    valid_references: Sequence[Sequence[Document]] = ()
    drafts: DraftWriter | None = None

    @property
    def settings(self) -> TrainingSettings:
        """The recipe's training section."""
        return self.run.recipe.training

    @property
    def sampler(self) -> BatchSampler:
        """The training batches."""
        dataset, recipe = self.train_dataset, self.run.recipe
        source, target = dataset.source_tokens, dataset.target_tokens
        if self.settings.copied_context:
            copied = max_copied_tokens(dataset, recipe.instances.window)
            source, target = source + copied[0], target + copied[1]
        return BatchSampler(
            source,
            target,
            self.settings.batch_tokens,
            sizes=dataset.sizes,
            shares=list(recipe.data.training_splits.values()),
            sentences=dataset.sentences,
            batch_sentences=self.settings.batch_sentences,
        )

    def save(self) -> None:
        """Write a checkpoint and, if it is the best so far, the run's weights.

        Raises:
            InputError: they cannot be written.
        """
        if self.accelerator.is_main_process:
            self.record.scaler = self.scaler.state_dict()
            self.checkpoints.save(self.record, self.system, self.optimizer)
            self.save_weights_if_best()
            self.checkpoints.prune(self.record.costs(self.settings.best_checkpoint_metric))
        self.accelerator.wait_for_everyone()

    def save_weights_if_best(self) -> None:
        """Write the run's weights if the newest validation is the best so far."""
        best = self.record.best(self.settings.best_checkpoint_metric)
        if best is not None and best.step == self.record.step:
            self.save_weights()

    def save_weights(self) -> None:
        """Write the run's weights, in the main process."""
        if self.accelerator.is_main_process:
            self.run.save_weights(self.system.state_dict())

    def how_to_resume(self) -> str:
        """Return where training would resume from, as a sentence without a full stop."""
        if steps := self.checkpoints.steps():
            return f"Step {steps[-1]:,} is safe, and the same command resumes from there"
        return "There is no checkpoint yet, and the same command starts from the beginning"

    def not_finite_error(self, quantity: str) -> InputError:
        """The error for a quantity that is NaN or infinite, which ends the training."""
        return InputError(
            f"{quantity} of update {self.record.step} is not finite",
            path=self.run.directory,
            cure=f"{self.how_to_resume()}. In another directory try a lower "
            "training.learning_rate, or a training.clip_norm",
        )


def build_training_state(
    run: SystemRun, corpus: PreparedCorpus, accelerator: Accelerator, bar: ProgressBar
) -> TrainingState:
    """Build the state of a run's training and restore it from the newest checkpoint.

    Raises:
        InputError: the corpus is empty, the initial weights do not fit, or the disk is too small.
    """
    recipe, settings, device = run.recipe, run.recipe.training, accelerator.device
    valid_split = corpus.split("valid")
    references = _read_references(recipe, valid_split)
    system = run.new_system()
    checkpoints = Checkpoints(run.checkpoints, settings.average)
    record = checkpoints.newest_record()
    if record.step == 0:
        record.loaded = load_initial_weights(run, system)
    system.to(device)
    optimizer = make_optimizer(system, settings, recipe.initialize, record.loaded)
    if record.step:
        checkpoints.restore(record.step, system, optimizer)
    scaler = make_grad_scaler(device, settings.precision)
    if record.scaler:
        scaler.load_state_dict(record.scaler)
    folder = Path(settings.context_cache or run.directory / "encodings")
    contexts = ContextEncoders.of(recipe.system, run.pipeline.special_tokens, device, folder)
    with accelerator.main_process_first():
        train_dataset, valid_dataset = _open_datasets(run, corpus, contexts, bar)
    state = TrainingState(
        run=run,
        train_dataset=train_dataset,
        valid_dataset=valid_dataset,
        valid_split=valid_split,
        contexts=contexts,
        accelerator=accelerator,
        system=system,
        loss=accelerator.prepare_model(
            Loss(system, settings.label_smoothing, settings.context_loss)
        ),
        optimizer=optimizer,
        scaler=scaler,
        checkpoints=checkpoints,
        record=record,
        valid_references=references,
        drafts=system.draft_writer(run, device) if isinstance(system, CorrectingSystem) else None,
    )
    if accelerator.is_main_process:
        check_disk_space(run, system, optimizer)
        # A process may have been killed between writing a checkpoint and the run's weights.
        state.save_weights_if_best()
    return state


def _read_references(recipe: Recipe, split: Split) -> list[Sequence[Document]]:
    """The references of the validation split, where checkpoints are selected by BLEU."""
    corpus = recipe.data.valid
    if corpus is None or recipe.training.best_checkpoint_metric == "loss":
        return []
    documents = [split.text(index) for index in range(len(split))]
    return scored_references(corpus, documents, "data.valid")


def _open_datasets(
    run: SystemRun, corpus: PreparedCorpus, contexts: ContextEncoders | None, bar: ProgressBar
) -> tuple[ConcatDataset, Dataset]:
    """The training and validation instances of a corpus, with their context encodings."""

    settings = run.recipe.instances

    def instances_of(name: str, settings: InstanceSettings = settings) -> Dataset:
        instances = InstanceDataset(
            corpus.split(name),
            settings,
            run.pipeline.special_tokens,
            run.recipe.data.sample if name == "train" else None,
        )
        if contexts is None:
            return instances
        return ContextDataset(instances, contexts, bar.show_encoding)

    sizes = [settings, *map(settings.resized, run.recipe.training.instance_sizes)]
    train = ConcatDataset(
        [
            ConcatDataset([instances_of(name, size) for size in sizes])
            for name in run.recipe.data.training_splits
        ]
    )
    valid = instances_of("valid")
    bar.show_truncated(contexts)
    for name, dataset in (("train", train), ("valid", valid)):
        if not len(dataset):
            raise InputError(f"data.{name} has no sentences", cure="Check its files")
        check_positions(run.recipe.system, name, dataset)
        check_sentences_with_context(name, dataset, run.recipe.system)
    if run.recipe.training.copied_context:
        check_missing_context(train, run.recipe.instances.window)
    return train, valid
