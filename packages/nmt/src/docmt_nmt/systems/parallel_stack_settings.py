"""Settings of the parallel attention stack of Donato et al. 2021. Nothing here needs torch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from docmt_files.base.errors import InputError
from docmt_nmt.base.settings import Conditions, LayerCount, LayerSize, PositiveInt, Settings
from docmt_nmt.nn.choices import NormOrder
from docmt_nmt.systems.stack_notation import Block, parse, written
from docmt_nmt.systems.system_settings import EncoderDecoderSettings

NEEDED = {"huggingface": ("model", "d_model"), "run": ("run", "d_model"), "trained": ("layers",)}
"""Keys that each kind of context encoder must be given."""


class ContextSettings(Settings):
    """An encoder whose states a stack attends to."""

    kind: Literal["huggingface", "run", "trained"]
    """Origin of the encoder. `huggingface`: a Hugging Face model, frozen. `run`: the encoder of a
    docmt run, frozen. `trained`: a new encoder that is trained with the system (as in Zhang et al.
    2018)."""

    model: str | None = None
    """Name or folder of the Hugging Face model; its tokenizer is loaded with it."""

    run: str | None = None
    """Run directory whose encoder and text pipeline are used; texts are encoded as that run's
    source side."""

    d_model: LayerSize | None = None
    """Size of the encoder's states. Required for `huggingface` and `run`."""

    max_tokens: PositiveInt | None = None
    """Maximum tokens that the encoder reads at once. Default: as many as the model can."""

    too_long: Literal["error", "truncate"] = "error"
    """Treatment of context of more than `max_tokens`: `error`, or `truncate`, which drops the
    sentences farthest from the current one."""

    layers: LayerCount | None = None
    """Number of layers of a `trained` encoder; its other sizes are the system's."""

    only_with: ClassVar[Conditions] = {
        "model": {"kind": ("huggingface",)},
        "run": {"kind": ("run",)},
        "d_model": {"kind": ("huggingface", "run")},
        "max_tokens": {"kind": ("huggingface", "run")},
        "too_long": {"kind": ("huggingface", "run")},
        "layers": {"kind": ("trained",)},
    }

    @model_validator(mode="after")
    def nothing_is_missing(self) -> ContextSettings:
        """Check that the kind has what it needs."""
        for key in NEEDED[self.kind]:
            if getattr(self, key) is None:
                raise ValueError(f"kind: {self.kind} needs {key}")
        return self


class ParallelStackSettings(EncoderDecoderSettings):
    """A Transformer with attention over the states of other encoders, in parallel to the encoder's
    self-attention and the decoder's cross-attention (Donato et al. 2021)."""

    name: Literal["parallel-stack"] = "parallel-stack"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence",)

    norm: NormOrder = "output"
    """Place of layer normalization: it is applied to a sublayer's `output` before it is added to
    the residual, as in the paper; or, to start from other Transformers, to the sum (`post`) or to
    the sublayer's input (`pre`)."""

    stack: str = ""
    """The attention blocks and their order, in the paper's notation: `Bs(p,c) => Bs(c,n) =>
    Ps(3p,c,3n)`. Empty: a plain Transformer."""

    contexts: dict[Annotated[str, Field(pattern="^[A-Z][st]?$")], ContextSettings] = Field(
        default_factory=dict
    )
    """The encoder for each letter of `stack`: under `P` for both sides, or under `Ps` and `Pt`
    where source and target have encoders of their own."""

    @field_validator("stack")
    @classmethod
    def stack_has_a_meaning(cls, stack: str) -> str:
        """Write the notation in its shortest form."""
        return written(parse(stack))

    @model_validator(mode="after")
    def letters_are_bound(self) -> ParallelStackSettings:
        """Check the letters of `stack` against `contexts`."""
        used = keys_of(self.blocks, self.contexts)
        if unbound := sorted(used - set(self.contexts)):
            raise ValueError(
                f"stack names {', '.join(unbound)}, but contexts has no such key; "
                f"add contexts.{unbound[0]}"
            )
        if unused := sorted(set(self.contexts) - used):
            raise ValueError(f"contexts.{unused[0]} has no effect: stack does not name it")
        return self

    @classmethod
    def without_ruled_out(
        cls, values: Mapping[str, Any], change: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Also drop the inherited encoders that a new stack does not name."""
        left = super().without_ruled_out(values, change)
        contexts, given = left.get("contexts"), change.get("contexts")
        try:
            blocks = parse(str(change["stack"]))
        except (KeyError, InputError):  # no new stack, or one that validation reports
            return left
        if isinstance(contexts, dict):
            used = keys_of(blocks, [*contexts, *(given if isinstance(given, dict) else ())])
            left["contexts"] = {key: value for key, value in contexts.items() if key in used}
        return left

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the stack, in order."""
        return parse(self.stack)

    def key_of(self, block: Block) -> str:
        """The key of `contexts` that a block's encoder has."""
        return key_of(block, self.contexts)

    def d_model_of(self, block: Block) -> int:
        """The d_model of what a block attends to."""
        return self.contexts[self.key_of(block)].d_model or self.d_model


def key_of(block: Block, contexts: Collection[str]) -> str:
    """The key that a block's encoder has among those of `contexts`."""
    key = f"{block.model}{block.side[0]}"
    return key if key in contexts else block.model


def keys_of(blocks: Sequence[Block], contexts: Collection[str]) -> set[str]:
    """The keys of the encoders that a stack names."""
    return {key_of(block, contexts) for block in blocks}
