"""The keys of a recipe: one YAML file that says all of an experiment.

Each section is a settings class; a field's docstring is its help text. `Recipe` holds the
sections and the checks across them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from docmt.data.instances import InstanceSettings
from docmt.data.settings import DataSettings
from docmt.errors import InputError
from docmt.nn.quantization import Precision
from docmt.settings import Conditions, Settings
from docmt.systems import SYSTEMS, SystemSettings
from docmt.systems.parallel_stack import ParallelStackSettings
from docmt.systems.transformer import TransformerSettings
from docmt.text.chinese import check_languages
from docmt.text.settings import TextSettings

Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, lt=1)]


class InitializeSettings(Settings):
    """What a run starts from, where it does not start from random weights."""

    run: str
    """The run directory whose weights and vocabulary are loaded. Parameters it lacks (for
    example global attention and gates) are new."""

    loaded_learning_rate: Annotated[float, Field(gt=0)] | None = None
    """Learning rate of loaded parameters; `training.learning_rate` is that of new ones. Default:
    the same."""

    freeze: tuple[str, ...] = ()
    """Parameters that stay as they are: names with `*`, such as `encoder.*`, or `loaded` for all
    that were loaded."""


class AverageSettings(Settings):
    """The average of checkpoints that a run ends with."""

    kind: Literal["none", "last", "best"] = "none"
    """`last`: the last checkpoints. `best`: the best run of consecutive checkpoints by mean
    validation score. `none`: the single best checkpoint."""

    checkpoints: Positive = 5
    """How many checkpoints are averaged."""

    only_with: ClassVar[Conditions] = {"checkpoints": {"kind": ("last", "best")}}


class TrainingSettings(Settings):
    """How a system learns. The defaults are those of Bao et al. 2021, appendices B.2 and C.1."""

    seed: Annotated[int, Field(ge=0)] = 1
    """Seed of all that is random: initial weights, order, dropout."""

    max_steps: Positive = 100_000
    """Updates at most."""

    batch_tokens: Positive = 8192
    """Tokens of a batch on its longer side, for each process."""

    accumulate_batches: Positive = 1
    """Batches that make one update."""

    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    """Number format of the forward and backward pass; weights and their moments stay fp32."""

    learning_rate: Annotated[float, Field(gt=0)] = 5e-4
    """The rate at the end of warm-up."""

    warmup_steps: Positive = 4000
    """Updates over which the rate grows linearly; it then falls with the inverse square root."""

    betas: tuple[Share, Share] = (0.9, 0.98)
    """Decay of Adam's two moments."""

    epsilon: Annotated[float, Field(gt=0)] = 1e-8
    """Adam's epsilon."""

    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    """Decoupled weight decay (AdamW)."""

    clip_norm: Annotated[float, Field(ge=0)] = 0.0
    """Longest gradient, as its norm; 0 for no limit."""

    label_smoothing: Share = 0.1
    """Share of the label's probability that is spread over the vocabulary."""

    word_dropout_source: Share = 0.0
    """Share of source tokens replaced by `<unk>` in training (Bao et al. 2021: 0.3 from random
    weights, 0.1 in fine-tuning)."""

    word_dropout_target: Share = 0.0
    """Share of the decoder's input tokens replaced by `<unk>` in training."""

    copied_context: Share = 0.0
    """Documents shorter than `instances.window` get the sentences they lack before their first, in
    training: each has this share of its tokens, drawn anew, on both sides (Jean et al. 2019); they
    are read and not learned from. 0: they stay short."""

    word_dropout_epochs: Positive | None = None
    """Epochs with word dropout, from the first; default: all."""

    validate_every: Positive = 1000
    """Updates between validations; each writes a checkpoint."""

    best_checkpoint_metric: Literal["loss", "bleu"] = "loss"
    """What makes a checkpoint the best: the loss on the validation split, or the d-BLEU of its
    translation by real search."""

    patience: Positive | None = None
    """Validations in a row without a new best after which training stops; default: never."""

    average: AverageSettings = AverageSettings()
    """The average of checkpoints that the run ends with."""

    context_cache: str | None = None
    """Folder in which what frozen context encoders make of the corpus is kept, for many runs;
    default: one of the run's own."""

    tensorboard: bool = False
    """Write TensorBoard event files beside the log; needs `pip install docmt[tensorboard]`."""


class SearchSettings(Settings):
    """How translations are found."""

    beam_size: Positive = 5
    """Hypotheses kept for each instance; 1 is greedy search."""

    length_penalty: Annotated[float, Field(ge=0)] = 1.0
    """A finished hypothesis scores its log-probability divided by its length to this power."""

    max_length_factor: Annotated[float, Field(gt=0)] = 1.5
    """A sentence of n source tokens, marks not counted, gets at most
    `max_length_factor` · n + `max_length_offset` tokens; there it is ended, and reported."""

    max_length_offset: Annotated[float, Field(ge=0)] = 10
    """See `max_length_factor`."""

    max_hypotheses: Positive = 256
    """Hypotheses that are open at once: `beam` for each instance, or for each sentence where a
    system writes each on its own. An instance that has more is searched alone."""

    batch_tokens: Positive = 32_768
    """Source tokens that are searched at once, padding counted; fewer take less memory. An instance
    that has more is searched alone."""

    method: Literal["beam", "parallel"] = "beam"
    """`beam`: from left to right. `parallel`: all sentences of an instance at once, and again those
    that the others change, which finds what `beam` finds with `beam_size: 1`."""

    windows: Literal["disjoint", "sliding"] = "disjoint"
    """Of instances of kind `window`: translate windows that lie `apart`, each sentence once, or one
    that is `sliding` over the document, each sentence once in every place of the window."""

    window_position: Positive | None = None
    """With `windows: sliding`, the place in its window, from 1, whose translation of a sentence is
    taken; sentences at the beginning of a document have no more than they stand there. Default: the
    last place, where a sentence has most before it."""

    max_passes: Positive | None = None
    """Readings of an instance after which `method: parallel` leaves it as it is; default: it goes
    on until nothing changes."""

    first_pass: str | None = None
    """Run directory whose translations are the target context, for systems that read any;
    default: the system's own, without the blocks that read the target side."""

    oracle: bool = False
    """Take the target context from the references that documents come with, for experiments
    (Donato et al. 2021, Tables 3 and 4)."""

    precision: Precision = "fp32"
    """Numbers that a translation is computed with: 32-bit floats, 16-bit floats (`bf16`), or eight
    bits in the matrix products (`int8`, on a CPU)."""

    only_with: ClassVar[Conditions] = {"window_position": {"windows": ("sliding",)}}

    @model_validator(mode="after")
    def method_fits(self) -> SearchSettings:
        """Check `method` against the keys of the other."""
        if self.method == "parallel" and self.beam_size > 1:
            raise ValueError(f"method: parallel needs beam_size: 1, not {self.beam_size}")
        if self.oracle and self.first_pass is not None:
            raise ValueError("first_pass and oracle are two sources of the target context: set one")
        if self.method == "beam" and self.max_passes is not None:
            raise ValueError("max_passes needs method: parallel")
        return self

    def check_windows(self, instances: InstanceSettings) -> None:
        """Check `windows` and `position` against the instances.

        Raises:
            ValueError: naming both keys.
        """
        if self.windows == "sliding" and instances.kind != "window":
            raise ValueError(
                f"search.windows sliding needs instances.kind window, not {instances.kind}"
            )
        if self.window_position is not None and self.window_position > instances.window:
            raise ValueError(
                f"search.window_position {self.window_position} is more than "
                f"instances.window {instances.window}"
            )


class EvaluationSettings(Settings):
    """How a run is judged."""

    metrics: tuple[Literal["s-bleu", "d-bleu", "instance-bleu", "s-chrf", "d-chrf", "ter"], ...] = (
        "s-bleu",
        "d-bleu",
        "s-chrf",
    )
    """The scores to report."""

    lowercase: bool = False
    """Score without regard to case."""


class Stage(Settings):
    """One stage of a run in several: keys that differ from the recipe's own, section by section."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    """The stage's name; its run directory is `stages/NAME` in the run's."""

    data: dict[str, Any] = Field(default_factory=dict)
    """Keys of `data` in this stage."""

    system: dict[str, Any] = Field(default_factory=dict)
    """Keys of `system` in this stage."""

    instances: dict[str, Any] = Field(default_factory=dict)
    """Keys of `instances` in this stage."""

    training: dict[str, Any] = Field(default_factory=dict)
    """Keys of `training` in this stage."""

    search: dict[str, Any] = Field(default_factory=dict)
    """Keys of `search` in this stage."""

    initialize: dict[str, Any] = Field(default_factory=dict)
    """Keys of `initialize` in this stage; `run` is the stage before unless said otherwise."""


class Recipe(Settings):
    """All of an experiment."""

    description: str = ""
    """What the recipe is for, in a sentence."""

    data: DataSettings
    """The corpus."""

    text: TextSettings = TextSettings()
    """The text pipeline."""

    instances: InstanceSettings = InstanceSettings()
    """How documents are cut."""

    system: Annotated[SystemSettings, Field(discriminator="name")] = TransformerSettings()
    """The system and its sizes."""

    initialize: InitializeSettings | None = None
    """What to start from; default: random weights."""

    training: TrainingSettings = TrainingSettings()
    """How it learns."""

    search: SearchSettings = SearchSettings()
    """How it translates."""

    evaluation: EvaluationSettings = EvaluationSettings()
    """How it is judged."""

    stages: tuple[Stage, ...] = ()
    """Training in several stages, each a run of its own that starts from the one before; the
    recipe's own sections are what the stages have in common. Default: one stage."""

    @model_validator(mode="before")
    @classmethod
    def system_has_a_name(cls, values: Any) -> Any:
        """A `system` section without `name` is about the default system."""
        system = values.get("system") if isinstance(values, dict) else None
        if not isinstance(system, dict) or "name" in system:
            return values
        return {**values, "system": {"name": TransformerSettings().name, **system}}

    @model_validator(mode="after")
    def sections_fit(self) -> Recipe:
        """Checks across sections; each names both keys."""
        if getattr(self.system, "share_embeddings", False) and not self.text.joint:
            raise ValueError(
                "system.share_embeddings needs text.joint: true (one vocabulary for both sides)"
            )
        check_languages(self.text, (self.data.source_language, self.data.target_language))
        instances, system = self.instances, SYSTEMS[type(self.system)]
        if instances.kind not in system.instance_kinds:
            raise ValueError(
                f"system.name {self.system.name} is not trained on instances.kind "
                f"{instances.kind}; set it to {' or '.join(system.instance_kinds)}"
            )
        if instances.previous_sentences and not system.reads_context:
            raise ValueError(
                f"instances.previous_sentences {instances.previous_sentences} needs a system that "
                f"reads context, and system.name {self.system.name} does not"
            )
        if instances.kind == "masked" and self.training.best_checkpoint_metric == "bleu":
            raise ValueError(
                "training.best_checkpoint_metric bleu needs translations, and with "
                "instances.kind masked there are none; set it to loss"
            )
        check_contexts(self)
        if system.reads_context and not instances.previous_sentences:
            raise ValueError(
                f"system.name {self.system.name} reads the sentences before an instance as "
                "context; set instances.previous_sentences to how many, not to 0"
            )
        if self.search.method == "parallel" and not system.one_pass:
            raise ValueError(
                f"search.method: parallel is for systems that write an instance in one pass, and "
                f"system.name {self.system.name} writes each sentence on its own; set it to beam"
            )
        most = getattr(self.system, "max_positions", None)
        by_instance = getattr(self.system, "count_positions", None) == "instance"
        if most and by_instance and instances.kind == "tokens" and instances.max_tokens > most:
            raise ValueError(
                f"instances.max_tokens {instances.max_tokens} is more than "
                f"system.max_positions {most}, the positions that are learned"
            )
        names = [stage.name for stage in self.stages]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two stages are named {name!r}; stages.name must differ")
        return self

    @model_validator(mode="after")
    def windows_fit(self) -> Recipe:
        """Checks of what is about windows; each names both keys."""
        instances = self.instances
        self.search.check_windows(instances)
        if self.search.windows == "sliding" and "instance-bleu" in self.evaluation.metrics:
            raise ValueError(
                "evaluation.metrics instance-bleu needs search.windows apart: "
                "windows that slide overlap"
            )
        if self.training.copied_context and instances.kind != "window":
            raise ValueError(
                f"training.copied_context needs instances.kind window, not {instances.kind}"
            )
        if self.training.copied_context and instances.window == 1:
            raise ValueError(
                "training.copied_context has no effect with instances.window 1, "
                "which has no context"
            )
        return self


def check_contexts(recipe: Recipe) -> None:
    """Check the keys about what context encoders make against the system that attends to it.

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
