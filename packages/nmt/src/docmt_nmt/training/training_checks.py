"""Checks before training. Each check raises an `InputError` for a mistake that would otherwise
appear hours later: a missing split or run, a recipe that does not fit, a context that is too long,
a disk that is too small.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import torch

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted, first_few
from docmt_nmt.base.settings import as_yaml
from docmt_nmt.contexts import ContextEncoders
from docmt_nmt.contexts.lengths import check_lengths
from docmt_nmt.data.dataset import Dataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus, PreparedSettings
from docmt_nmt.recipes import Recipe, differences
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weights import tied_names
from docmt_nmt.systems import (
    EncoderDecoderSettings,
    System,
    SystemSettings,
    WritingOrder,
    system_class,
)
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings
from docmt_nmt.training.attention_log import attention_recorder
from docmt_nmt.training.checkpoints import max_checkpoints_kept
from docmt_nmt.training.drafts import CorrectingSettings
from docmt_nmt.training.optimizer import moments
from docmt_nmt.training.progress import ProgressBar

GIB = 2**30

_COMPUTATION_KEYS = (
    "heads",
    "norm",
    "norm_epsilon",
    "activation",
    "positions",
    "scale_embeddings",
    "normalize_embeddings",
)
"""Keys of `system` that change the computation of weights of the same shapes."""

_SIZE_KEYS = ("d_model", "ffn_dim", "max_positions", "decoder_recurrence")
"""Keys of `system` that change the shapes of weights."""

_DECODER_KEYS = (
    "target_embeddings",
    "share_embeddings",
    "share_output",
    "output_bias",
    "decoder_layers",
    "decoder_recurrence",
)
"""Keys of `system` without effect on an encoder and the source embeddings."""

_EXTRA_WEIGHTS = {
    "share_embeddings": False,
    "share_output": False,
    "output_bias": True,
    "segment_embeddings": True,
}
"""Keys of `system`, each with the value that adds a tensor to the weights."""


def check_splits(recipe: Recipe) -> None:
    """Require the splits `train` and `valid` in a recipe."""
    for split in ("train", "valid"):
        if getattr(recipe.data, split) is None:
            raise InputError(
                f"data.{split} is missing",
                cure="Training needs data.train and data.valid: name their files on the command "
                "line, or in a recipe of your own that extends this one",
            )


def check_trainable(recipe: Recipe) -> None:
    """Check a recipe, and each of the stages in it, before any work."""
    check_training_ends(recipe)
    check_has_decoder(recipe)
    _check_context_runs(recipe)
    _check_drafts(recipe)
    if recipe.training.log_attention:
        attention_recorder()


def check_training_ends(recipe: Recipe) -> None:
    """Require an end of training: a number of updates or epochs, or early stopping."""
    training = recipe.training
    if training.max_steps is training.max_epochs is training.patience is None:
        raise InputError(
            "training would never end, as none of training.max_steps, training.max_epochs and "
            "training.patience is set",
            cure="Set training.patience to stop early (10 validations are usual), or "
            "training.max_steps to a number of updates",
        )


def check_has_decoder(recipe: Recipe) -> None:
    """Require a decoder: only decoders are trained."""
    if getattr(recipe.system, "decoder_layers", None) == 0:
        raise InputError(
            "system.decoder_layers 0 leaves no decoder, without which nothing can be trained",
            cure="Set it to 1 or more; an imported encoder is named as initialize.run",
        )


def check_same_recipe(run: SystemRun, recipe: Recipe) -> None:
    """Check the recipe of a run directory to continue, and the origin of the weights in it."""
    if keys := differing_keys(run, recipe):
        raise InputError(
            f"this run has another recipe; these keys differ: {first_few(keys, 5)}",
            path=run.directory,
            cure="Choose another directory; to start from this run, set initialize.run to it",
        )
    if run.weights.exists() and not run.log.exists():
        raise InputError(
            "holds weights that were not trained there",
            path=run.directory,
            cure="Choose another directory, and set initialize.run to this one",
        )


def differing_keys(run: SystemRun, recipe: Recipe) -> list[str]:
    """Keys in which a recipe differs from the recipe of a run, except `text` where the text
    pipeline comes from another run."""
    if recipe.initialize is not None:
        recipe = recipe.model_copy(update={"text": run.recipe.text})
    return differences(run.recipe, recipe)


def check_same_computation(start: SystemRun, recipe: Recipe) -> None:
    """Check the system of the run to start from: the same computation as the recipe's system, which
    the shapes of weights do not show, the same sizes, and no additional weights. One error names
    all keys to set."""
    theirs, ours = start.recipe.system, recipe.system
    is_whole = recipe.initialize is not None and not recipe.initialize.leave_out
    pairs = {
        key: (getattr(theirs, key, None), getattr(ours, key, None))
        for key in (*_COMPUTATION_KEYS, "target_embeddings", *(_SIZE_KEYS if is_whole else ()))
    }
    for key in ("layers", "decoder_layers") if is_whole else ():
        # Layers that the run does not have are new.
        if _layers(theirs, key) > _layers(ours, key) > 0:
            pairs[key] = _layers(theirs, key), _layers(ours, key)
    for key, value in _EXTRA_WEIGHTS.items():
        if getattr(theirs, key, None) is value:
            pairs[key] = value, getattr(ours, key, None)
    if recipe.initialize is not None and recipe.initialize.load == "encoder":
        pairs = {key: pair for key, pair in pairs.items() if key not in _DECODER_KEYS}
    elif getattr(theirs, "decoder_layers", None) == 0:
        raise InputError(
            "the run is an encoder alone",
            path=start.directory,
            cure="Set initialize.load to encoder",
        )
    differing = {key: pair for key, pair in pairs.items() if None not in pair and len({*pair}) > 1}
    if not differing:
        return
    values = [f"{key} {as_yaml(a)}, not {as_yaml(b)}" for key, (a, b) in differing.items()]
    overrides = [f"system.{key}={as_yaml(a)}" for key, (a, _) in differing.items()]
    raise InputError(
        "its weights do not fit the recipe's system, or would compute something else in it, as "
        f"they were trained with {'; '.join(values)}",
        path=start.directory,
        cure=f"Set {' '.join(overrides)}",
    )


def _layers(system: SystemSettings, key: str) -> int:
    """The number of layers of the encoder or the decoder; 0 if the system has no such key."""
    number = getattr(system, key, None)
    return getattr(system, "layers", 0) if number is None else number


def _check_context_runs(recipe: Recipe) -> None:
    """Require trained runs for the encoders that a parallel stack attends to."""
    if not isinstance(recipe.system, ParallelStackSettings):
        return
    for key, context in recipe.system.contexts.items():
        if context.run is None:
            continue
        directory = Path(context.run)
        if (
            not (directory / "recipe.yaml").exists()
            or not SystemRun.load(directory).weights.is_file()
        ):
            raise InputError(
                f"system.contexts.{key}.run is not a trained run",
                path=context.run,
                cure="Train it first, or name another run",
            )


def _check_drafts(recipe: Recipe) -> None:
    """Require `initialize.run` for a system that corrects drafts: the frozen part is loaded from
    this run."""
    name = recipe.system.name
    corrects_drafts = system_class(name).writing_order is WritingOrder.CORRECTING
    if corrects_drafts and recipe.initialize is None:
        raise InputError(
            f"system.name {name} corrects the drafts of a trained transformer, and initialize.run "
            "is not set",
            cure="Set initialize.run to a run of system.name transformer on sentences, or train "
            "one as the first of two stages",
        )


def check_sentences_with_context(name: str, dataset: Dataset, system: SystemSettings) -> None:
    """Require sentences with enough context in a split for a system that corrects drafts."""
    if not isinstance(system, CorrectingSettings):
        return
    least = system.min_context_sentences
    if not (dataset.sentences > least).any():
        raise InputError(
            f"no instance of data.{name} has a sentence with {counted(least, 'sentence')} before "
            "it, and others are not learned",
            cure="Use a corpus of documents, a higher instances.max_tokens, or a lower "
            "system.min_context_sentences",
        )


def check_later_contexts(
    stages: Sequence[Recipe], corpus: PreparedCorpus, bar: ProgressBar
) -> None:
    """Check the context lengths of a corpus against the encoders of the later stages trained on
    it."""
    for recipe in stages:
        if differences(corpus.settings, PreparedSettings.of(recipe)):
            continue
        contexts = ContextEncoders.of(recipe.system, corpus.pipeline.special_tokens, "cpu")
        if contexts is None or not contexts.encoders:
            continue
        bar.print("checking that the encoders of a later stage can read the contexts")
        for name in (*recipe.data.training_splits, "valid"):
            check_lengths(contexts, corpus.split(name))


def check_positions(settings: SystemSettings, split: str, dataset: Dataset) -> None:
    """Check the lengths of instances against the number of learned positions. Otherwise a long
    instance would end the training in the middle of an epoch."""
    numbers_instances = system_class(settings.name).numbers_instances
    if not (numbers_instances and isinstance(settings, EncoderDecoderSettings)):
        return  # The others count positions in other ways.
    if settings.max_positions is None or getattr(settings, "count_positions", "") == "sentence":
        return
    sides = {"source": dataset.source_tokens, "target": dataset.target_tokens}
    if getattr(settings, "long_context", "error") == "shorten":
        del sides["source"]
    if settings.target_embeddings == "sinusoidal":
        sides.pop("target")
    for side, tokens in sides.items():
        if (longest := int(tokens.max())) > settings.max_positions:
            number = int((tokens > settings.max_positions).sum())
            cure = "Leave its sentences out of the split"
            if split == "train":
                cure = "Set data.filter.max_sentence_tokens to leave out long sentences"
            raise InputError(
                f"data.{split} has {counted(number, 'instance')} with more than "
                f"system.max_positions {settings.max_positions} tokens on the {side} side, "
                f"special tokens and context included; the longest has {longest}",
                cure=f"{cure}, or read less at once (instances.max_tokens, "
                "instances.previous_sentences)",
            )


def check_disk_space(run: SystemRun, system: System, optimizer: torch.optim.Optimizer) -> None:
    """Check the free disk space for all checkpoints kept at the same time."""
    tensors = system.state_dict()
    weights = sum(tensors[names[0]].nbytes for names in tied_names(tensors))
    trained = sum(p.nbytes for group in optimizer.param_groups for p in group["params"])
    kept = len(moments(optimizer)) * trained
    # The newest checkpoint and the one being written; older ones kept for averaging; the run's
    # weights and their next version.
    older = max_checkpoints_kept(run.recipe.training.average) - 1
    total = 2 * (weights + kept) + older * weights + 2 * weights
    files = [run.weights, *run.checkpoints.rglob("*")]
    needed = total - sum(path.stat().st_size for path in files if path.is_file())
    free = shutil.disk_usage(run.directory).free
    if free < needed:
        raise InputError(
            f"the checkpoints need {needed / GIB:.3g} GiB "
            f"and the disk has {free / GIB:.3g} GiB left",
            path=run.directory,
            cure="Free space, choose another disk, or lower training.average.checkpoints",
        )
