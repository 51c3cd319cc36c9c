"""The sections `training` and `initialize` of a recipe."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from docmt_nmt.base.settings import (
    MAX_NUMBER,
    Conditions,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Settings,
    Share,
)

Schedule = Literal["inverse-sqrt", "polynomial", "epoch", "constant"]

BestCheckpointMetric = Literal["loss", "s-bleu", "d-bleu"]

OptimizerName = Literal["adam", "adadelta", "sgd"]


MAX_GATE_BIAS = 10.0
"""A higher bias closes a gate for good: its gradient vanishes."""


class InitializeSettings(Settings):
    """Source of the initial weights of a run, if they are not random."""

    run: str
    """Run directory with the weights and vocabulary to load. Missing parameters are initialized at
    random, except as `new_attention` and `gate_bias` say."""

    load: Literal["all", "encoder"] = "all"
    """Weights to load. `all`: all weights and the text pipeline. `encoder`: the encoder, the source
    embeddings and the text pipeline of the source side, for example of an imported BERT; the
    section `text` then describes the target side, with `joint: false`."""

    leave_out: tuple[str, ...] = ()
    """Parameters of the run not to load: names, in which `*` stands for anything. A sentence-level
    system initialized from a G-Transformer leaves out `*.global_attention.*` and `*.gate.*`."""

    loaded_learning_rate: PositiveFloat | None = None
    """Peak learning rate of the loaded parameters; all others have `training.learning_rate`.
    Default: the same."""

    new_attention: Literal["random", "copy"] = "random"
    """Initial weights of attention beyond the sentence that the run lacks. `random`: random
    weights, as in the papers. `copy`: the weights of the loaded attention beside it, such as group
    attention for the global attention of a G-Transformer. The copies are not loaded parameters to
    `loaded_learning_rate` and `freeze`."""

    gate_bias: Annotated[float, Field(ge=-MAX_GATE_BIAS, le=MAX_GATE_BIAS)] | None = None
    """Initial bias of the gates that the run lacks, with weights of 0: a share of σ(`gate_bias`) of
    each token's own state passes, and the rest comes from the context. 2 begins with 12 % of the
    context. Default: random weights and a bias of 0, about 50 %."""

    freeze: tuple[str, ...] = ()
    """Parameters not to train: names, in which `*` stands for anything (`encoder.*`), or `loaded`
    for all loaded parameters."""


class AverageSettings(Settings):
    """Checkpoint averaging at the end of a run."""

    kind: Literal["none", "last", "best"] = "none"
    """`none`: do not average, use the best checkpoint. `last`: average the last checkpoints.
    `best`: average the consecutive checkpoints with the best mean validation score."""

    checkpoints: PositiveInt = 5
    """Number of checkpoints to average."""

    only_with: ClassVar[Conditions] = {"checkpoints": {"kind": ("last", "best")}}


class TrainingSettings(Settings):
    """Training of a system. The defaults are from Bao et al. 2021, appendices B.2 and C.1."""

    seed: Annotated[int, Field(ge=0, le=4_294_967_295)] = 1
    """Random seed of the initial weights, the order of batches and dropout."""

    max_steps: PositiveInt | None = None
    """Maximum number of updates. Default: no limit; `patience` or `max_epochs` then ends the
    training."""

    max_epochs: PositiveInt | None = None
    """Maximum number of epochs. Default: no limit."""

    batch_tokens: PositiveInt = 8192
    """Maximum tokens per batch and process, counted on the longer side."""

    batch_sentences: PositiveInt | None = None
    """Maximum sentence pairs per batch and process, besides `batch_tokens`. An instance with more
    is a separate batch. Default: no limit."""

    accumulate_batches: PositiveInt = 1
    """Number of batches per update; their gradients are accumulated."""

    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    """Number format of the forward and backward pass. Weights and optimizer states are always
    fp32."""

    learning_rate: PositiveFloat = 5e-4
    """Peak learning rate, reached at the end of warm-up."""

    schedule: Schedule = "inverse-sqrt"
    """Course of the learning rate after warm-up. `inverse-sqrt`: it falls with the inverse square
    root of the step. `polynomial`: it falls to zero at `decay_steps`. `epoch`: it is multiplied by
    `decay_factor` at the beginning of every epoch from `decay_epoch` on. `constant`: it stays."""

    warmup_steps: NonNegativeInt = 4000
    """Number of updates over which the learning rate rises linearly to its peak. 0 begins with the
    peak; `schedule: inverse-sqrt` needs at least 1."""

    decay_steps: PositiveInt | None = None
    """The update at which a `polynomial` schedule reaches zero. Default: `max_steps`."""

    decay_power: PositiveFloat = 1.0
    """Power of a `polynomial` schedule; 1 is a straight line."""

    decay_factor: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Factor of the learning rate in an `epoch` schedule."""

    decay_epoch: Annotated[int, Field(ge=2, le=MAX_NUMBER)] = 9
    """The first epoch with a lower learning rate in an `epoch` schedule."""

    optimizer: OptimizerName = "adam"
    """`adam`: Adam with decoupled weight decay. `adadelta`: Adadelta (Zeiler 2012), whose
    `learning_rate` is usually 1. `sgd`: stochastic gradient descent without momentum."""

    betas: tuple[Share, Share] = (0.9, 0.98)
    """Decay rates of Adam's first and second moment."""

    rho: Share = 0.95
    """Decay rate of Adadelta's two running means."""

    epsilon: PositiveFloat = 1e-8
    """Epsilon of Adam or Adadelta."""

    weight_decay: NonNegativeFloat = 0.0
    """Weight decay, decoupled from the gradient in Adam (AdamW); 0 disables it."""

    clip_norm: NonNegativeFloat = 0.0
    """Maximum norm of the gradient; a larger gradient is scaled down. 0 disables clipping."""

    label_smoothing: Share = 0.1
    """Label smoothing: the probability taken from the correct token and spread over the vocabulary.
    """

    context_loss: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Factor of the loss of the context, all sentences of an instance but the last (Lupo et al.
    2022: 0.01, with `instances.stride: 1`). 1 trains on all alike."""

    instance_sizes: tuple[PositiveInt, ...] = ()
    """Further sizes of training instances, in addition to `instances.max_tokens` or
    `instances.window`: an epoch has every document once more for each size. 1 adds single sentences
    (Sun et al. 2022)."""

    word_dropout_source: Share = 0.0
    """Probability of replacing a source token by `word_dropout_token` (Bao et al. 2021: 0.3 from
    random weights, 0.1 in fine-tuning)."""

    word_dropout_target: Share = 0.0
    """Probability of replacing an input token of the decoder by `word_dropout_token`."""

    word_dropout_token: Literal["unk", "mask"] = "unk"
    """Replacement token of word dropout. `unk`: `<unk>`, as for an unknown word. `mask`: a token
    found in no text."""

    word_dropout_sentences: Literal["all", "last"] = "all"
    """Sentences of an instance with word dropout. `last`: only the last sentence, so the system
    finds missing words in the context (CoWord dropout; Fernandes et al. 2021). Context read beside
    an instance is never dropped."""

    word_dropout_epochs: PositiveInt | None = None
    """Number of epochs with word dropout, from the first. Default: all."""

    max_position_offset: NonNegativeInt = 0
    """In training, count the positions of each instance from a random number up to this one (Kiyono
    et al. 2021, "SHAPE"). A system trained on sentences then knows the positions of longer
    instances before fine-tuning on them. Needs sinusoidal positions. Default: from 0."""

    copied_context: Share = 0.0
    """Pad documents shorter than `instances.window` at the front with partial copies of their first
    sentence pair (Jean et al. 2019). Each token is copied with this probability, sampled
    independently for every copy. No loss is computed on the copies. 0 disables padding."""

    validate_every: PositiveInt = 1000
    """Number of updates between validations. Each validation writes a checkpoint."""

    best_checkpoint_metric: BestCheckpointMetric = "loss"
    """Measure of the best checkpoint: the lowest `loss` on the validation split, or the highest
    `s-bleu` or `d-bleu` of translating the split by the recipe's search, against the target side
    and `data.valid.references`."""

    patience: PositiveInt | None = None
    """Early stopping: training ends after this number of consecutive validations without a new best
    checkpoint. Default: none."""

    average: AverageSettings = AverageSettings()
    """Checkpoint averaging at the end of the run."""

    context_cache: str | None = None
    """Folder for the cached outputs of frozen context encoders; several runs can share it. Default:
    `encodings` in the run directory."""

    log_attention: bool = False
    """At each validation, also log the entropy of every attention in bits, by kind, layer and scope
    (Bao et al. 2021, Figures 4 and 5). Computing the validation loss takes about twice as long. It
    needs `pip install docmt-research`. The share of context in every gate is always logged."""

    tensorboard: bool = False
    """Also write TensorBoard event files; needs `pip install docmt[tensorboard]`."""

    only_with: ClassVar[Conditions] = {
        "decay_steps": {"schedule": ("polynomial",)},
        "decay_power": {"schedule": ("polynomial",)},
        "decay_factor": {"schedule": ("epoch",)},
        "decay_epoch": {"schedule": ("epoch",)},
        "betas": {"optimizer": ("adam",)},
        "rho": {"optimizer": ("adadelta",)},
        "epsilon": {"optimizer": ("adam", "adadelta")},
    }

    @model_validator(mode="after")
    def _check_schedule(self) -> TrainingSettings:
        """Check `schedule` against the steps; each message names both keys."""
        if self.schedule == "inverse-sqrt" and not self.warmup_steps:
            raise ValueError("schedule: inverse-sqrt needs warmup_steps of at least 1")
        if self.schedule == "polynomial":
            last = self.decay_steps or self.max_steps
            if last is None:
                raise ValueError("schedule: polynomial needs decay_steps or max_steps")
            if last <= self.warmup_steps:
                key = "decay_steps" if self.decay_steps else "max_steps"
                raise ValueError(
                    f"schedule: polynomial falls after warmup_steps {self.warmup_steps}, but "
                    f"{key} is {last}"
                )
        return self
