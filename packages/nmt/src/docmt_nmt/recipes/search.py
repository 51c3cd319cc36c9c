"""The section `search` of a recipe."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypedDict

from pydantic import Field, model_validator

from docmt_files.base.errors import InputError
from docmt_nmt.base.choices import CompiledUse, SearchPrecision, Windows
from docmt_nmt.base.settings import Conditions, PositiveInt, Settings
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.data import InstanceSettings

SearchMethod = Literal["beam", "sampling"]


class SearchSettings(Settings):
    """Search for translations."""

    beam_size: Annotated[int, Field(ge=1, le=1000)] = 5
    """Number of hypotheses kept per instance; 1 is greedy search, in which an instance with terms
    of a glossary or placeholders still has 5."""

    length_penalty: Annotated[float, Field(ge=0, le=10)] = 1.0
    """Length normalization: the score of a finished hypothesis is its log-probability divided by
    its length to this power."""

    early_stopping: bool = True
    """End the search for an instance once `beam_size` hypotheses are finished, as fairseq does.
    `false`: keep the best `beam_size`, and go on until no open hypothesis has a better score than
    the worst of them, as transformers does by default. `beam_size` 1 ends with one hypothesis in
    any case."""

    max_length_factor: Annotated[float, Field(gt=0, le=100)] = 1.5
    """Maximum length of a translated sentence, in tokens: `max_length_factor` · n +
    `max_length_offset` for a source sentence of n tokens, without special tokens. A longer
    translation is truncated, with a warning."""

    max_length_offset: Annotated[float, Field(ge=0, le=10_000)] = 10
    """Tokens added to the maximum length of a translated sentence; see `max_length_factor`."""

    max_sentence_tokens: PositiveInt = 10_000
    """Maximum length of a source sentence, in tokens. A document with a longer sentence is not
    translated: time grows with the square of the length, and such a text is hardly a sentence."""

    allow_unk: bool = False
    """Let translations contain `<unk>`, the token for any word outside the vocabulary. Useful with
    `text.subword: words`; subwords can spell every word."""

    max_hypotheses: PositiveInt = 256
    """Maximum number of hypotheses searched at once: `beam_size` per instance or, in systems with a
    separate translation of each sentence, per sentence. An instance with more is searched alone.
    A large vocabulary lowers it: a step has at most 4,194,304 scores of tokens."""

    batch_tokens: PositiveInt = 32_768
    """Maximum source tokens searched at once, padding included; a lower value takes less memory. An
    instance with more is searched alone."""

    method: SearchMethod = "beam"
    """`beam`: beam search. `sampling`: draw each token at random from the system's distribution;
    `beam_size` translations are drawn independently, and the first is used."""

    temperature: Annotated[float, Field(gt=0, le=100)] = 1.0
    """For `method: sampling`: the temperature T. Probabilities are raised to the power 1/T; below 1
    probable tokens become more probable."""

    top_k: PositiveInt | None = None
    """For `method: sampling`: draw from this many most probable tokens. Default: from all."""

    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """For `method: sampling`: draw from the most probable tokens with at least this total
    probability (nucleus sampling). Default: from all."""

    seed: Annotated[int, Field(ge=0, le=4_294_967_295)] = 1
    """For `method: sampling`: the random seed. With the same seed a document gets the same
    translation, whatever other documents are translated with it."""

    windows: Windows = "disjoint"
    """Division of documents into instances of `kind: window`. `disjoint`: windows do not
    overlap, and each sentence is translated once. `sliding`: the window moves by one sentence, and
    each sentence is translated once in every position of the window."""

    window_position: PositiveInt | None = None
    """Position in the sliding window, from 1, from which the translation of a sentence is taken.
    Sentences at the beginning of a document may lack this position; they use the last one they
    have. Default: the last position, with the most context before the sentence."""

    overlap: Annotated[int, Field(ge=0, le=1000)] = 0
    """Number of sentences shared by consecutive instances, in documents longer than an instance. An
    instance begins with the last sentences of the previous instance and their translations, so its
    own first sentences have context. The instances of a document are then translated in order. With
    0 they are independent. Needs `instances.kind: tokens` or `window`, and a system that translates
    an instance in one pass."""

    first_pass: str | None = None
    """Run directory for the first translation of the document, in systems with target context.
    Default: the same system without the blocks for the target side."""

    oracle: bool = False
    """Use reference translations as target context, for experiments (Donato et al. 2021, Tables 3
    and 4)."""

    precision: SearchPrecision = "fp32"
    """Number format of translation. `fp32`: 32-bit floats. `bf16`: 16-bit floats. `int8`: 8-bit
    matrix products (only on a CPU). `auto`: the fastest format on this CPU that keeps the quality
    of translations, found by a measurement and reported in a note. Translations may then differ
    between processors."""

    compiled: CompiledUse = "auto"
    """Use of a compiled form of the run, made by `docmt compile`. `auto`: small batches are
    searched in the compiled form, if there is one of the same `precision`, and large ones by
    PyTorch, if it is installed. `always`: the compiled form searches all batches. `never`: PyTorch
    does."""

    shortlist: bool = False
    """Search over a lexical shortlist, that is over the words that probably translate the source,
    instead of all: single sentences take less time, and are translated a little worse. Needs a run
    that was compiled with a shortlist (`docmt compile --run RUN --shortlist FILE`), which then
    searches all batches. Log-probabilities are those among the listed words."""

    only_with: ClassVar[Conditions] = {
        "window_position": {"windows": ("sliding",)},
        "overlap": {"windows": ("disjoint",)},
        **{key: {"method": ("sampling",)} for key in ("temperature", "top_k", "top_p", "seed")},
    }

    @model_validator(mode="after")
    def _check_keys(self) -> SearchSettings:
        """Check keys against each other; each message names both."""
        if self.oracle and self.first_pass is not None:
            raise ValueError("first_pass and oracle are two sources of the target context: set one")
        if self.shortlist and self.compiled == "never":
            raise ValueError("shortlist needs the compiled form, and compiled: never excludes it")
        return self

    @property
    def signature(self) -> str:
        """What scores depend on, in the form of sacreBLEU's signatures, for n source tokens.

        >>> SearchSettings(beam_size=5).signature
        'beam:5|lenpen:1|maxlen:1.5n+10'
        """
        beam = f"beam:{self.beam_size}|lenpen:{self.length_penalty:g}"
        kind = beam if self.method == "beam" else f"method:{self.method}"
        return f"{kind}|maxlen:{self.max_length_factor:g}n+{self.max_length_offset:g}"

    def check(
        self, instances: InstanceSettings, order: WritingOrder, name: str = "this system"
    ) -> None:
        """Check the section against the instances and the writing order of the system.

        Raises:
            InputError: naming both keys.
        """
        self._check_overlap(instances, order, name)
        if self.windows == "sliding" and instances.kind != "window":
            raise InputError(
                f"search.windows sliding needs instances.kind window, not {instances.kind}"
            )
        if self.windows == "sliding" and instances.join_sentences:
            raise InputError(
                "search.windows sliding takes single sentences from windows, and with "
                "instances.join_sentences a window has none; set it to disjoint"
            )
        if self.window_position is not None and self.window_position > instances.window:
            raise InputError(
                f"search.window_position {self.window_position} is more than "
                f"instances.window {instances.window}"
            )

    def _check_overlap(self, instances: InstanceSettings, order: WritingOrder, name: str) -> None:
        """Check `overlap`; arguments as of `check`."""
        if not self.overlap:
            return
        if not order.in_one_pass:
            raise InputError(
                "search.overlap is for systems that translate an instance in one pass, and "
                f"{name} translates each sentence separately; set it to 0"
            )
        if instances.kind not in ("tokens", "window"):
            raise InputError(
                "search.overlap needs instances.kind tokens or window, not "
                f"{instances.kind}; set it to 0"
            )
        if instances.join_sentences:
            raise InputError(
                "search.overlap begins an instance with sentences and their translations, and with "
                "instances.join_sentences no sentence has one; set it to 0"
            )
        if instances.kind == "window" and self.overlap >= instances.window:
            raise InputError(
                f"search.overlap {self.overlap} leaves nothing of instances.window "
                f"{instances.window}; set it to {instances.window - 1} or less"
            )


class SearchOverrides(TypedDict, total=False):
    """The keys of `SearchSettings`, for `Translator.load`; None keeps the recipe's value."""

    beam_size: int | None
    length_penalty: float | None
    early_stopping: bool | None
    max_length_factor: float | None
    max_length_offset: float | None
    max_sentence_tokens: int | None
    allow_unk: bool | None
    max_hypotheses: int | None
    batch_tokens: int | None
    method: SearchMethod | None
    temperature: float | None
    top_k: int | None
    top_p: float | None
    seed: int | None
    windows: Windows | None
    window_position: int | None
    overlap: int | None
    first_pass: str | None
    oracle: bool | None
    precision: SearchPrecision | None
    compiled: CompiledUse | None
    shortlist: bool | None
