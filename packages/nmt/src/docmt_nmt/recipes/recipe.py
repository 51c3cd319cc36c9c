"""`Recipe`: all sections of a recipe for a system trained by docmt, and the checks across them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, SerializeAsAny, model_validator

from docmt_files.base.errors import InputError
from docmt_nmt.base.settings import Settings
from docmt_nmt.data import InstanceSettings
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.recipes.evaluation import SENTENCE_METRICS
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.recipes.training import InitializeSettings, TrainingSettings
from docmt_nmt.systems import EncoderDecoderSettings, SystemSettings, read_system
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings
from docmt_nmt.systems.transformer_settings import TransformerSettings
from docmt_nmt.text import TextSettings


class Stage(Settings):
    """One of several stages of training: only the keys differing from the recipe."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    """Name of the stage. Its run directory is `stages/NAME` in the run directory; the last stage is
    the run itself."""

    data: dict[str, Any] = Field(default_factory=dict)
    """Changed keys of `data` in this stage."""

    system: dict[str, Any] = Field(default_factory=dict)
    """Changed keys of `system` in this stage."""

    instances: dict[str, Any] = Field(default_factory=dict)
    """Changed keys of `instances` in this stage."""

    training: dict[str, Any] = Field(default_factory=dict)
    """Changed keys of `training` in this stage."""

    search: dict[str, Any] = Field(default_factory=dict)
    """Changed keys of `search` in this stage."""

    initialize: dict[str, Any] = Field(default_factory=dict)
    """Changed keys of `initialize` in this stage; `run` is the previous stage by default."""


class Recipe(BaseRecipe):
    """A whole experiment: a system and the training of the system."""

    text: TextSettings = TextSettings()
    """The text pipeline: how text becomes tokens, and tokens become text."""

    instances: InstanceSettings = InstanceSettings()
    """Division of documents into instances, the units of translation."""

    system: Annotated[SerializeAsAny[SystemSettings], BeforeValidator(read_system)] = (
        TransformerSettings()
    )
    """The system and its sizes."""

    initialize: InitializeSettings | None = None
    """The run with the initial weights. Default: random weights."""

    training: TrainingSettings = TrainingSettings()
    """Training of the system."""

    search: SearchSettings = SearchSettings()
    """Search for translations."""

    stages: tuple[Stage, ...] = ()
    """Training in several stages. Each stage is a separate run, initialized from the previous
    stage; the other sections hold the common settings of all stages. Default: one stage."""

    @property
    def translator_name(self) -> str:
        return "beam-search"

    @property
    def is_trained(self) -> bool:
        return True

    @property
    def joins_sentences(self) -> bool:
        return self.instances.join_sentences

    @model_validator(mode="before")
    @classmethod
    def _name_the_system(cls, values: Any) -> Any:
        """Take a `system` section without `name` as one of the default system."""
        system = values.get("system") if isinstance(values, dict) else None
        if not isinstance(system, dict) or "name" in system:
            return values
        return {**values, "system": {"name": TransformerSettings().name, **system}}

    @model_validator(mode="after")
    def _check_sections(self) -> Recipe:
        """Check sections against each other; each message names both keys."""
        if self.system.share_embeddings and not self.text.joint:
            raise ValueError(
                "system.share_embeddings needs text.joint: true (one vocabulary for both languages)"
            )
        if self.initialize and self.initialize.load == "encoder" and self.text.joint:
            raise ValueError(
                "initialize.load: encoder needs text.joint: false, as the vocabulary of the source "
                "side is that of initialize.run"
            )
        self.text.check_languages((self.data.source_language, self.data.target_language))
        _check_instances(self)
        if self.instances.join_sentences:
            _check_joined_sentences(self)
        check_contexts(self)
        name = f"system.name {self.system.name}"
        self.search.check(self.instances, self.system.writing_order, name)
        if self.search.windows == "sliding" and "instance-bleu" in self.evaluation.metrics:
            raise ValueError(
                "evaluation.metrics instance-bleu needs search.windows disjoint: "
                "sliding windows overlap"
            )
        _check_copied_context(self)
        _check_position_offset(self)
        _check_training_on_context(self)
        names = [stage.name for stage in self.stages]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two stages are named {name!r}; stages.name must differ")
        return self


def _check_instances(recipe: Recipe) -> None:
    """Check the instances against the system and the training."""
    instances, settings = recipe.instances, recipe.system
    if instances.kind not in settings.instance_kinds:
        raise InputError(
            f"system.name {settings.name} cannot be trained on instances.kind "
            f"{instances.kind}; set it to {' or '.join(settings.instance_kinds)}"
        )
    if instances.previous_sentences and settings.outer_context == "none":
        raise InputError(
            f"instances.previous_sentences {instances.previous_sentences} needs a system that "
            f"reads context, and system.name {settings.name} does not"
        )
    if instances.next_sentences and settings.outer_context != "around":
        raise InputError(
            f"instances.next_sentences {instances.next_sentences} needs a system that reads the "
            f"sentences after an instance, and system.name {settings.name} does not"
        )
    if instances.next_sentences and instances.current_in_context:
        raise InputError("instances.current_in_context cannot be used with next_sentences")
    has_context = instances.previous_sentences or instances.next_sentences
    if settings.outer_context != "none" and not has_context:
        raise InputError(
            f"system.name {settings.name} reads the previous sentences as context; set "
            "instances.previous_sentences to 1 or more"
        )
    if instances.kind == "masked" and recipe.training.best_checkpoint_metric != "loss":
        raise InputError(
            f"training.best_checkpoint_metric {recipe.training.best_checkpoint_metric} needs "
            "translations, and with instances.kind masked there are none; set it to loss"
        )
    without_decoder = (
        isinstance(settings, EncoderDecoderSettings) and not settings.layers_of_decoder
    )
    if without_decoder and instances.kind != "masked":
        raise InputError(
            "system.decoder_layers 0 leaves nothing that could translate; set it to 1 or more"
        )
    most = settings.max_positions if isinstance(settings, EncoderDecoderSettings) else None
    by_instance = (
        isinstance(settings, TransformerSettings | GTransformerSettings)
        and settings.count_positions == "instance"
    )
    by_tokens = instances.kind in ("tokens", "masked")
    if most and by_instance and by_tokens and instances.max_tokens > most:
        raise InputError(
            f"instances.max_tokens {instances.max_tokens} is more than "
            f"system.max_positions {most}, the number of learned positions"
        )


def _check_joined_sentences(recipe: Recipe) -> None:
    """Check the settings beside `instances.join_sentences`."""
    settings, metrics = recipe.system, recipe.evaluation.metrics
    if not settings.joins_sentences:
        raise InputError(
            f"instances.join_sentences needs system.name transformer; {settings.name} must know "
            "where sentences begin"
        )
    if isinstance(settings, TransformerSettings) and settings.count_positions == "sentence":
        raise InputError(
            "system.count_positions: sentence has no effect with instances.join_sentences"
        )
    if by_sentence := [name for name in metrics if name in SENTENCE_METRICS]:
        raise InputError(
            f"evaluation.metrics {by_sentence[0]} compares sentences, and with "
            "instances.join_sentences those of a translation are not aligned with the reference; "
            "set evaluation.metrics to [d-bleu, instance-bleu]"
        )
    if recipe.training.best_checkpoint_metric in SENTENCE_METRICS:
        raise InputError(
            f"training.best_checkpoint_metric {recipe.training.best_checkpoint_metric} compares "
            "sentences, which instances.join_sentences does not align; set it to d-bleu or loss"
        )
    if recipe.training.copied_context:
        raise InputError("training.copied_context cannot be used with instances.join_sentences")


def _check_copied_context(recipe: Recipe) -> None:
    """Check `training.copied_context` against the instances."""
    instances = recipe.instances
    if recipe.training.copied_context and instances.kind != "window":
        raise InputError(
            f"training.copied_context needs instances.kind window, not {instances.kind}"
        )
    if recipe.training.copied_context and instances.window == 1:
        raise InputError(
            "training.copied_context has no effect with instances.window 1, which has no context"
        )


def _check_position_offset(recipe: Recipe) -> None:
    """Check `training.max_position_offset` against the positions of the system."""
    settings = recipe.system
    if not recipe.training.max_position_offset:
        return
    if not isinstance(settings, EncoderDecoderSettings):
        raise InputError(
            f"training.max_position_offset has no effect: system.name {settings.name} has no "
            "position embeddings"
        )
    if settings.positions == "learned":
        raise InputError(
            "training.max_position_offset needs system.positions sinusoidal, not learned: of "
            "learned positions there are only as many as system.max_positions"
        )


def _check_training_on_context(recipe: Recipe) -> None:
    """Check the keys of `training` for instances of several sentences, or of another size."""
    training, instances = recipe.training, recipe.instances
    is_one = instances.kind in ("sentence", "masked") or instances.window == 1
    for key, is_set in (
        ("context_loss", training.context_loss != 1),
        ("word_dropout_sentences", training.word_dropout_sentences == "last"),
    ):
        if is_set and (is_one or instances.join_sentences):
            raise InputError(
                f"training.{key} needs instances of several sentences that are not joined: set "
                "instances.kind to window, tokens or whole"
            )
    dropped = training.word_dropout_source or training.word_dropout_target
    if training.word_dropout_sentences == "last" and not dropped:
        raise InputError(
            "training.word_dropout_sentences has no effect without training.word_dropout_source or "
            "word_dropout_target"
        )
    if not (sizes := training.instance_sizes):
        return
    if instances.kind not in ("tokens", "window"):
        raise InputError(
            f"training.instance_sizes needs instances.kind tokens or window, not {instances.kind}"
        )
    own = instances.max_tokens if instances.kind == "tokens" else instances.window
    if len({own, *sizes}) <= len(sizes):
        raise InputError(
            f"training.instance_sizes {list(sizes)} has a size twice, or that of `instances`, {own}"
        )
    if training.copied_context:
        raise InputError("training.copied_context cannot be used with training.instance_sizes")


def check_contexts(recipe: Recipe) -> None:
    """Check the keys about context encoders and target context against the system.

    Raises:
        InputError: naming both keys.
    """
    blocks = recipe.system.blocks if isinstance(recipe.system, ParallelStackSettings) else ()
    if recipe.training.context_cache is not None and not blocks:
        raise InputError("training.context_cache has no effect without a system.stack")
    reads_target = any(block.side == "target" for block in blocks)
    for key in ("first_pass", "oracle"):
        if getattr(recipe.search, key) and not reads_target:
            raise InputError(
                f"search.{key} needs a system.stack with a block that reads the target side, "
                "such as Pt(3p,3n)"
            )
