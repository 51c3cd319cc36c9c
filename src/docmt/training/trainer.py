"""Training: batches are learned from until the steps are done or patience is at its end.

A run can be killed at any time and taken up again from its newest checkpoint, and then ends as it
would have without: what is random in a batch follows from the seed, the update and the batch's
place in it. The gradient of an update is that of the mean loss of all its labels, however its
batches are spread over accumulation and processes.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedDataParallelKwargs

from docmt.data.sampler import Update, updates
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.recipes import Recipe, directories, stages
from docmt.runs import Run, fill
from docmt.training.averaging import average
from docmt.training.checkpoints import Validation, window
from docmt.training.log import Log
from docmt.training.loss import perplexity
from docmt.training.optimizer import set_rates
from docmt.training.precision import SMALLEST_SCALE
from docmt.training.progress import Progress
from docmt.training.schedule import rate_factor
from docmt.training.start import (
    check_context_runs,
    check_later_contexts,
    is_finished,
    occupied,
    open_corpus,
    open_run,
)
from docmt.training.state import TrainingState, set_up
from docmt.training.train_step import Window, learn
from docmt.training.validation import validation_bleu, validation_loss

LOG_EVERY = 10
"""Updates between lines of the log."""


def train(recipe: Recipe, directory: PathLike, *, progress: bool = True) -> Run:
    """Train a recipe to its end, from the newest checkpoint of the directory where there is one.

    Stages that lie before the last are trained in RUN/stages. Several processes, started by
    `accelerate launch`, share the work of each update. A run that has ended is left as it is.

    Args:
        recipe: what to train.
        directory: the run directory.
        progress: whether to show the progress on standard error.

    Raises:
        InputError: the recipe, its corpus or the directory cannot be used, the disk is full, or
            the loss is no longer finite.
    """
    directory = Path(directory)
    places = list(zip(directories(recipe, directory), stages(recipe, directory), strict=True))
    for place, (_, stage) in places:
        if not (place / "recipe.yaml").exists():
            check_context_runs(stage)
    for number, (place, (_, stage)) in enumerate(places):
        later = [stage for _, (_, stage) in places[number + 1 :]]
        run = train_stage(stage, place, later, progress=progress)
    return run


def train_stage(recipe: Recipe, directory: Path, later: Sequence[Recipe], *, progress: bool) -> Run:
    """Train a recipe without stages.

    Args:
        recipe: what to train.
        directory: its run directory.
        later: the stages that will start from it.
        progress: whether to show the progress.
    """
    accelerator = Accelerator(
        # Several processes without a GPU are otherwise taken for one.
        cpu=not torch.accelerator.is_available(),
        # The recipe alone says the precision, whatever `accelerate config` was told.
        mixed_precision="no",
        kwargs_handlers=[DistributedDataParallelKwargs(gradient_as_bucket_view=True)],
    )
    if accelerator.num_processes > 1:
        # The threads that exchange messages must end before the interpreter does.
        atexit.register(PartialState().destroy_process_group)
    main = accelerator.is_main_process
    with (
        occupied(directory, main),
        Progress(progress and main, steps=recipe.training.max_steps) as shown,
    ):
        with accelerator.main_process_first():
            run = open_run(recipe, directory, shown.preparing)
        if is_finished(run):
            shown.say(f"{directory} is finished; nothing to do")
            return run
        with accelerator.main_process_first():
            prepared = open_corpus(run, shown.preparing)
        if not run.log.exists():
            # What would else be found only once this stage has been trained.
            check_later_contexts(later, prepared, shown)
        job = set_up(run, prepared, accelerator, shown)
        board = directory / "tensorboard" if recipe.training.tensorboard else None
        with (
            telling_what_is_safe(job),
            Log(run.log if main else None, step=job.state.step, tensorboard=board) as log,
        ):
            learn_all(job, log, shown)
    return run


def learn_all(job: TrainingState, log: Log, shown: Progress) -> None:
    """Train from where the job stands to its end."""
    settings, state = job.settings, job.state
    if state.step:
        shown.say(f"{job.run.directory}: resumed at step {state.step:,}")
    recent = Window()
    for update in upcoming(job):
        rates = set_rates(job.optimizer, rate_factor(state.step, settings.warmup_steps))
        sums = learn(job, update)
        if sums.is_finite:
            recent.add(sums)
        elif settings.precision != "fp16" or job.scaler.get_scale() < SMALLEST_SCALE:
            raise not_finite(job, "the loss")

        due = state.step % settings.validate_every == 0 or state.step == settings.max_steps
        if due or state.step == 1 or state.step % LOG_EVERY == 0:
            numbers = recent.means()
            log.write("train", state.step, epoch=state.epoch, **rates, **numbers)
            shown.update(state.step, numbers["loss"], numbers["tokens_per_second"])
            recent = Window()
        if due:
            found = validate(job)
            state.history.append(found)
            best = state.best(settings.best_checkpoint_metric) is found
            log.write("valid", state.step, epoch=state.epoch, **numbers_of(found), best=best)
            log.sync()
            shown.say(f"step {state.step:,} · {spoken(found)}" + (" · best so far" if best else ""))
            job.save()
            recent = Window()
    finish(job, log, shown)


def upcoming(job: TrainingState) -> Iterator[Update]:
    """The updates from where the job stands until training is over; the state moves with them."""
    settings, state = job.settings, job.state
    size = settings.accumulate_batches * job.accelerator.num_processes
    while True:
        batches = job.sampler.shuffled(settings.seed, state.epoch)
        for update in updates(batches[state.batches :], size):
            impatient = (
                settings.patience is not None
                and state.since_best(settings.best_checkpoint_metric) >= settings.patience
            )
            if impatient or state.step >= settings.max_steps:
                return
            state.step += 1
            state.batches += len(update.batches)
            yield update
        state.epoch, state.batches = state.epoch + 1, 0


def validate(job: TrainingState) -> Validation:
    """Judge the system as it is on the validation split.

    Raises:
        InputError: the loss is not finite; nothing could be better or worse than that.
    """
    loss = validation_loss(job.run, job.system, job.valid, job.accelerator)
    if not isfinite(loss):
        raise not_finite(job, "the validation loss")
    bleu = None
    if job.settings.best_checkpoint_metric == "bleu":
        bleu = validation_bleu(job.run, job.system, job.valid_text, job.accelerator, job.contexts)
    return Validation(step=job.state.step, loss=loss, bleu=bleu)


def finish(job: TrainingState, log: Log, shown: Progress) -> None:
    """Give the run the weights it ends with, and close its log."""
    settings, state = job.settings, job.state
    result = state.best(settings.best_checkpoint_metric)
    steps = window(state.costs(settings.best_checkpoint_metric), settings.average)
    if steps:
        paths = [job.checkpoints.weights(step) for step in steps]
        fill(job.system, average(paths), job.checkpoints.directory)
        result = validate(job)
        job.save_weights()
    assert result is not None, "training ends with a validation"
    log.write("end", state.step, **numbers_of(result), steps=steps or [result.step])
    log.sync()
    made = f"average of steps {', '.join(map(str, steps))}" if steps else f"step {result.step:,}"
    shown.say(f"{job.run.directory} is finished: {made} · {spoken(result)}")


def not_finite(job: TrainingState, what: str) -> InputError:
    """The error that ends a training whose numbers have lost their meaning."""
    return InputError(
        f"{what} of update {job.state.step} is not finite", path=job.run.directory,
        cure=f"{job.what_is_safe()}. In another directory try a lower "
        "training.learning_rate, or a training.clip_norm",
    )  # fmt: skip


def numbers_of(found: Validation) -> dict[str, float]:
    """A validation's numbers as the log has them."""
    numbers = {"loss": found.loss, "perplexity": perplexity(found.loss)}
    return numbers if found.bleu is None else {**numbers, "bleu": found.bleu}


def spoken(found: Validation) -> str:
    """A validation's numbers as a person reads them."""
    text = f"validation loss {found.loss:.4f} · perplexity {perplexity(found.loss):.2f}"
    return text if found.bleu is None else f"{text} · d-BLEU {found.bleu:.2f}"


@contextmanager
def telling_what_is_safe(job: TrainingState) -> Iterator[None]:
    """Say, where the disk no longer takes a file, from where the run can be taken up again."""
    try:
        yield
    except InputError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise InputError(
            error.problem, path=error.path, cure=f"Free space. {job.what_is_safe()}"
        ) from error
