"""The training loop: updates until `max_steps` or `max_epochs` are done or early stopping triggers.

A killed run resumes from the newest checkpoint and gives the same weights as an uninterrupted run:
the random numbers of a batch follow from the seed, the update and the index of the batch in the
update. The gradient of an update is the gradient of the mean loss over all labels of the update,
however the batches are spread over accumulation and processes.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedDataParallelKwargs

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.data.sampler import Update, updates
from docmt_nmt.nn.devices import hardware_name
from docmt_nmt.recipes import Recipe, directories, load, stages
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.runs.weights import load_weights
from docmt_nmt.training.adapter_file import trains_an_adapter, write_adapter
from docmt_nmt.training.checkpoints import average_weights, steps_to_average
from docmt_nmt.training.log import Log
from docmt_nmt.training.optimizer import rate_factor, set_learning_rates
from docmt_nmt.training.precision import MIN_LOSS_SCALE, slow_precision_note
from docmt_nmt.training.progress import ProgressBar
from docmt_nmt.training.setup import open_corpus, open_or_create_run, reserve_directory
from docmt_nmt.training.train_step import train_step
from docmt_nmt.training.training_checks import check_later_contexts, check_trainable
from docmt_nmt.training.training_metrics import RunningMeans
from docmt_nmt.training.training_state import TrainingState, build_training_state
from docmt_nmt.training.validation import validate

LOG_EVERY = 10
"""Updates between lines of the log."""

IsLast = Callable[[int], bool]
"""Called before each update with its number; returns whether the training ends with it."""


def train(
    recipe: Recipe | PathLike,
    directory: PathLike,
    *,
    progress: bool = True,
    is_last: IsLast | None = None,
) -> SystemRun:
    """Train a recipe to the end, from the newest checkpoint of the directory if there is one.

    Stages before the last are trained in RUN/stages. Several processes, started by
    `accelerate launch`, share the work of each update. A finished run is left as it is.

    Args:
        recipe: the recipe, or a name or file accepted by `docmt_nmt.recipes.load`.
        directory: the run directory.
        progress: whether to show the progress on standard error.
        is_last: ends each stage before the recipe does, such as after some minutes.

    Raises:
        InputError: the recipe, the corpus or the directory cannot be used, the disk is full, or the
            loss is not finite.

    >>> import docmt_nmt
    >>> recipe = docmt_nmt.recipes.load("demo-sentence", ["training.max_steps=1"])
    >>> docmt_nmt.train(recipe, "run", progress=False).directory
    PosixPath('run')
    """
    if not isinstance(recipe, Recipe):
        recipe = load(recipe)
    directory = Path(directory)
    stage_recipes = [stage for _, stage in stages(recipe, directory)]
    stage_directories = directories(recipe, directory)
    for stage, stage_directory in zip(stage_recipes, stage_directories, strict=True):
        if not (stage_directory / "recipe.yaml").exists():
            check_trainable(stage)
    for i, (stage, stage_directory) in enumerate(
        zip(stage_recipes, stage_directories, strict=True), 1
    ):
        later = stage_recipes[i:]
        run = _train_stage(stage, stage_directory, later, progress=progress, is_last=is_last)
    return run


def _train_stage(
    recipe: Recipe,
    directory: Path,
    later: Sequence[Recipe],
    *,
    progress: bool,
    is_last: IsLast | None,
) -> SystemRun:
    """Train one stage."""
    accelerator = _make_accelerator()
    is_main = accelerator.is_main_process
    with (
        reserve_directory(directory, is_main),
        closing(ProgressBar(progress and is_main, max_steps=recipe.training.max_steps)) as bar,
    ):
        with accelerator.main_process_first():
            run = open_or_create_run(recipe, directory, bar.show_preparation)
        if _is_finished(run):
            bar.print(f"{directory} is finished; nothing to do")
            return run
        with accelerator.main_process_first():
            corpus = open_corpus(run, bar.show_preparation)
        if not run.log.exists():
            # Otherwise found only once this stage has been trained.
            check_later_contexts(later, corpus, bar)
        state = build_training_state(run, corpus, accelerator, bar)
        log_path = run.log if is_main else None
        tensorboard = directory / "tensorboard" if recipe.training.tensorboard else None
        with (
            _saying_how_to_resume(state),
            closing(Log(log_path, step=state.record.step, tensorboard=tensorboard)) as log,
        ):
            _run_training_loop(state, log, bar, is_last)
    return run


def _run_training_loop(
    state: TrainingState, log: Log, bar: ProgressBar, ends: IsLast | None
) -> None:
    """Train from the step of the record to the end."""
    settings, record = state.settings, state.record
    if record.step:
        bar.print(f"{state.run.directory}: resumed at step {record.step:,}")
    if note := slow_precision_note(state.system, settings.precision):
        bar.print(note)
    means = RunningMeans()
    for update, is_last in remaining_updates(state, ends):
        factor = rate_factor(settings, record.step, record.epoch)
        learning_rates = set_learning_rates(state.optimizer, factor)
        metrics = train_step(state, update)
        if metrics.is_finite:
            means.add(metrics)
        elif settings.precision != "fp16" or state.scaler.get_scale() < MIN_LOSS_SCALE:
            raise state.not_finite_error("the loss")

        validates = is_last or record.step % settings.validate_every == 0
        if validates or record.step == 1 or record.step % LOG_EVERY == 0:
            fields = means.log_fields()
            log.write("train", record.step, epoch=record.epoch, **learning_rates, **fields)
            bar.update(record.step, fields["loss"], fields["tokens_per_second"])
            means = RunningMeans()
        if validates:
            result = validate(state)
            record.history.append(result)
            best = record.best(settings.best_checkpoint_metric) is result
            log.write("valid", record.step, epoch=record.epoch, **result.log_fields(), best=best)
            log.sync()
            bar.print(f"step {record.step:,} · {result}" + (" · best so far" if best else ""))
            state.save()
            means = RunningMeans()
    _finish(state, log, bar)


def remaining_updates(
    state: TrainingState, ends: IsLast | None = None
) -> Iterator[tuple[Update, bool]]:
    """The remaining updates, each with a flag: true for the last update of the settings or by
    `ends`. The record counts an update before it is yielded."""
    settings, record = state.settings, state.record
    size = settings.accumulate_batches * state.accelerator.num_processes
    while settings.max_epochs is None or record.epoch <= settings.max_epochs:
        state.train_dataset.draw(settings.seed, record.epoch)
        batches = state.sampler.shuffled(settings.seed, record.epoch)
        for update in updates(batches[record.batches :], size):
            stops_early = (
                settings.patience is not None
                and record.validations_since_best(settings.best_checkpoint_metric)
                >= settings.patience
            )
            is_over = settings.max_steps is not None and record.step >= settings.max_steps
            if stops_early or is_over:
                return
            record.step += 1
            record.batches += len(update.batches)
            ends_epochs = record.epoch == settings.max_epochs and record.batches == len(batches)
            is_last = ends_epochs or record.step == settings.max_steps
            if ends is not None and ends(record.step):
                yield update, True
                return
            yield update, is_last
        record.epoch, record.batches = record.epoch + 1, 0


def _finish(state: TrainingState, log: Log, bar: ProgressBar) -> None:
    """Write the run's final weights and the last line of the log."""
    settings, record = state.settings, state.record
    result = record.best(settings.best_checkpoint_metric)
    assert result is not None, "training ends with a validation"
    final = f"step {result.step:,}"
    steps = steps_to_average(record.costs(settings.best_checkpoint_metric), settings.average)
    if steps:
        paths = [state.checkpoints.weights(step) for step in steps]
        load_weights(state.system, average_weights(paths), state.checkpoints.directory)
        result = validate(state)
        state.save_weights()
        final = f"average of steps {', '.join(map(str, steps))}"
    hardware = {
        "hardware": hardware_name(state.accelerator.device),
        "processes": state.accelerator.num_processes,
    }
    fields = {**result.log_fields(), **hardware}
    log.write("end", record.step, **fields, steps=steps or [result.step])
    log.sync()
    bar.print(f"{state.run.directory} is finished: {final} · {result}")
    if note := record.first_is_best(settings.best_checkpoint_metric):
        bar.print(note)
    if state.accelerator.is_main_process and trains_an_adapter(state.run.recipe):
        bar.print(f"context adapter: {write_adapter(state.run)}")
    if warning := result.closed_gates:
        bar.print(warning)


def _is_finished(run: SystemRun) -> bool:
    """Return whether the run's training has ended."""
    lines = read_log(run.log)
    return bool(lines) and lines[-1]["kind"] == "end"


def _make_accelerator() -> Accelerator:
    """The processes and devices of this training."""
    accelerator = Accelerator(
        # Several processes without a GPU would otherwise count as one.
        cpu=not torch.accelerator.is_available(),
        # Only the recipe sets the precision, whatever `accelerate config` was told.
        mixed_precision="no",
        kwargs_handlers=[DistributedDataParallelKwargs(gradient_as_bucket_view=True)],
    )
    if accelerator.num_processes > 1:
        # The threads of the process group must end before the interpreter does.
        atexit.register(PartialState().destroy_process_group)
    return accelerator


@contextmanager
def _saying_how_to_resume(state: TrainingState) -> Iterator[None]:
    """Add the step from which training resumes to an error of a full disk."""
    try:
        yield
    except InputError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise InputError(
            error.problem, path=error.path, cure=f"Free space. {state.how_to_resume()}"
        ) from error
