"""What one training works with, from the corpus to the optimizer, put where a run stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import nn

from docmt.contexts import ContextDataset, ContextEncoders
from docmt.data.corpus import PreparedCorpus
from docmt.data.dataset import ConcatDataset, Dataset
from docmt.data.sampler import Sampler
from docmt.data.split import Split
from docmt.errors import InputError
from docmt.recipes.schema import TrainingSettings
from docmt.runs import Run
from docmt.systems import System
from docmt.training.checkpoints import Checkpoints, State
from docmt.training.copied_context import check_context_lacks, most_copied
from docmt.training.loss import Loss
from docmt.training.optimizer import make_optimizer
from docmt.training.precision import make_scaler
from docmt.training.progress import Progress
from docmt.training.start import check_room, start_weights


@dataclass(frozen=True, eq=False)
class TrainingState:
    """A training.

    Attributes:
        run: the run directory.
        train, valid: the instances of the two splits; the first with what is mixed into it.
        valid_text: the validation split's documents.
        contexts: the encoders whose states stand beside the instances, if there are any.
        accelerator: the processes and their devices.
        system: what learns.
        model: the system's objective as it is called, which exchanges gradients with other
            processes.
        optimizer, scaler: what changes it.
        checkpoints: where its state is kept.
        state: where it stands; the only part that changes hands with a checkpoint.
    """

    run: Run
    train: ConcatDataset
    valid: Dataset
    valid_text: Split
    contexts: ContextEncoders | None
    accelerator: Accelerator
    system: System
    model: nn.Module
    optimizer: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    checkpoints: Checkpoints
    state: State

    @property
    def settings(self) -> TrainingSettings:
        """The recipe's training section."""
        return self.run.recipe.training

    @property
    def sampler(self) -> Sampler:
        """The training batches."""
        source, target = self.train.source_tokens, self.train.target_tokens
        if self.settings.copied_context:
            more = most_copied(self.train, self.run.recipe.instances.window)
            source, target = source + more[0], target + more[1]
        return Sampler(
            source, target, self.settings.batch_tokens,
            parts=self.train.parts, shares=list(self.run.recipe.data.learned_from.values()),
        )  # fmt: skip

    def save(self) -> None:
        """Write a checkpoint and, if it is the best, the run's weights.

        Raises:
            InputError: they cannot be written.
        """
        if self.accelerator.is_main_process:
            self.state.scaler = self.scaler.state_dict()
            self.checkpoints.save(self.state, self.system, self.optimizer)
            self.keep_best()
            self.checkpoints.prune(self.state.costs(self.settings.best_checkpoint_metric))
        self.accelerator.wait_for_everyone()

    def keep_best(self) -> None:
        """Make the weights the run's if the newest validation found them the best."""
        best = self.state.best(self.settings.best_checkpoint_metric)
        if best is not None and best.step == self.state.step:
            self.save_weights()

    def save_weights(self) -> None:
        """Make the weights the run's."""
        if self.accelerator.is_main_process:
            self.run.save_weights(self.system.state_dict())

    def what_is_safe(self) -> str:
        """From where training can be taken up again, as a sentence without a full stop."""
        if steps := self.checkpoints.steps():
            return f"Step {steps[-1]:,} is safe, and the same command resumes from there"
        return "There is no checkpoint yet, and the same command begins anew"


def set_up(
    run: Run, prepared: PreparedCorpus, accelerator: Accelerator, shown: Progress
) -> TrainingState:
    """Build what a run needs and put it where the newest checkpoint says.

    Args:
        run: the run.
        prepared: its corpus.
        accelerator: the processes and their devices.
        shown: told of what context encoders do.

    Raises:
        InputError: the corpus is empty, what the run starts from does not fit, or the disk is too
            small.
    """
    recipe, settings = run.recipe, run.recipe.training
    system = run.new_system()
    checkpoints = Checkpoints(run.checkpoints, settings.average)
    state = checkpoints.state()
    if state.step == 0:
        state.loaded = start_weights(run, system)
    system.to(accelerator.device)
    optimizer = make_optimizer(system, settings, recipe.initialize, state.loaded)
    if state.step:
        checkpoints.restore(state.step, system, optimizer)
    scaler = make_scaler(accelerator.device, settings.precision)
    if state.scaler:
        scaler.load_state_dict(state.scaler)
    folder = Path(settings.context_cache or run.directory / "encodings")
    contexts = ContextEncoders.of(recipe, run.pipeline.special_tokens, accelerator.device, folder)
    valid = prepared.split("valid")

    def table(split: Split) -> Dataset:
        instances = split.instances(recipe.instances)
        return (
            instances if contexts is None else ContextDataset(instances, contexts, shown.encoding)
        )

    with accelerator.main_process_first():
        tables = [table(prepared.split(name)) for name in recipe.data.learned_from]
        valid_table = table(valid)
    shown.cut(contexts)
    job = TrainingState(
        run=run,
        train=ConcatDataset(tables),
        valid=valid_table,
        valid_text=valid,
        contexts=contexts,
        accelerator=accelerator,
        system=system,
        model=accelerator.prepare_model(Loss(system, settings.label_smoothing)),
        optimizer=optimizer,
        scaler=scaler,
        checkpoints=checkpoints,
        state=state,
    )
    for name, instances in (("train", job.train), ("valid", job.valid)):
        if not len(instances):
            raise InputError(f"data.{name} has no sentences", cure="Check its files")
    if settings.copied_context:
        check_context_lacks(job.train, recipe.instances.window)
    if accelerator.is_main_process:
        check_room(run, system, optimizer)
        # A process may have been killed between a checkpoint and the run's weights.
        job.keep_best()
    return job
