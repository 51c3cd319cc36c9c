"""The sections `data` and `instances` of a recipe: the corpora, the filters on them, and the
division of documents into instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from docmt_files.base.documents import Boundaries
from docmt_files.base.errors import InputError
from docmt_files.base.languages import check_language_code
from docmt_nmt.base.settings import MAX_NUMBER, Conditions, NonNegativeInt, PositiveInt, Settings
from docmt_nmt.corpora import is_line_file, names_documents

OverlapKind = Literal["pairs", "sources", "ngrams"]
"""What a sentence pair shares with the validation or test split (see `docmt_nmt.data.overlap`)."""

LanguageCode = Annotated[str, AfterValidator(check_language_code)]


class CorpusSettings(Settings):
    """The files of one split of a corpus."""

    source: str
    """File with the source side: one sentence per line, an evaluation set of NIST, WMT or IWSLT
    (`.sgm`, `.xml`), or IWSLT's `train.tags`; or with both sides (`.tsv`, `.jsonl`, `.parquet`,
    `.tmx`). Text may be compressed (`.gz`, `.xz`). `bundled:NAME` is a file bundled with docmt."""

    target: str | None = None
    """File with the target side. Omit it where `source` holds both sides. Of several references in
    an evaluation set, the first is the target; scores are against all."""

    boundaries: Boundaries = "markers"
    """Form in which line files mark where documents begin. `markers`: a `<d>` line before each
    document; `blank`: a blank line between documents, also in the `.tsv` files of WMT; `docids`: a
    separate `docids` file; `sentences`: each line is a document; `none`: the whole file is one
    document."""

    docids: str | None = None
    """File with a line for each document: the document id, a tab, the number of sentences. Required
    by `boundaries: docids`. With `markers` or `blank` it names the documents, and the numbers of
    sentences are checked."""

    @classmethod
    def is_ruled_out(cls, key: str, change: Mapping[str, Any]) -> bool:
        """Also the keys of line files, where `change` sets a source of another format."""
        source = change.get("source")
        if isinstance(source, str) and not is_line_file(source):
            one_side = names_documents(source)
            if key in ("boundaries", "docids") or (key == "target" and not one_side):
                return True
        return super().is_ruled_out(key, change)


class EvaluationCorpusSettings(CorpusSettings):
    """The files of a split on which translations are scored."""

    references: tuple[str, ...] = ()
    """Files with further reference translations, besides the target side, in any format of a
    corpus; a line file has the `boundaries` of the split. Selection of checkpoints by BLEU and
    `docmt evaluate --split` score against all of them."""

    score_target: bool = True
    """Whether scores are against the target side, too. `false`: they are against the further
    references alone, and the target side is left for `search.oracle` (Donato et al. 2021, Table
    4)."""

    @classmethod
    def is_ruled_out(cls, key: str, change: Mapping[str, Any]) -> bool:
        """Also the references, where `change` sets another source."""
        of_references = key in ("references", "score_target")
        return (of_references and "source" in change) or super().is_ruled_out(key, change)


class AdditionalCorpusSettings(CorpusSettings):
    """An additional training corpus."""

    share: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Fraction of the tokens of every training batch from this corpus, whatever the size of the
    corpus (Donato et al. 2021, section 4.4). Default: no fixed fraction; the corpus is shuffled
    together with `train`."""


class FilterSettings(Settings):
    """Sentence pairs and documents to remove from the training split in preparation. The
    preparation report counts the removed ones. By default nothing is removed, and a faulty pair is
    an error."""

    empty: bool = False
    """Remove sentence pairs with an empty side."""

    max_sentence_tokens: PositiveInt | None = None
    """Remove sentence pairs with more tokens than this on either side. Default: no limit."""

    max_length_ratio: Annotated[float, Field(ge=1, le=MAX_NUMBER)] | None = None
    """Remove sentence pairs in which one side has more than this many times the tokens of the
    other. Default: no limit."""

    duplicates: bool = False
    """Remove documents with the same text as an earlier document."""

    overlapping_sentences: OverlapKind | None = None
    """Remove sentence pairs that are also in the validation or test split. `pairs`: equal on both
    sides; `sources`: equal on the source side; `ngrams`: also those whose source shares 8 words in
    a row with a source there. Default: none is removed."""

    overlapping_documents: OverlapKind | None = None
    """Remove documents with at least one sentence pair that `overlapping_sentences` would remove.
    Default: none is removed."""

    min_document_tokens: PositiveInt | None = None
    """Remove documents with fewer tokens than this on the longer side, when sentence pairs have
    been removed (Bao et al. 2021, section 3.1: 768). Default: no minimum."""


class SampleSettings(Settings):
    """A random part of the training split, for experiments on the amount of data."""

    size: PositiveInt | None = None
    """Train on this many instances or documents. Default: on all."""

    share: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Train on this share of the instances or documents. Default: on all."""

    unit: Literal["instances", "documents"] = "instances"
    """Unit of sampling: instances, as documents are cut into them, or whole documents."""

    seed: NonNegativeInt = 1
    """Seed of the sample. With the same seed, a smaller sample is part of a larger one."""

    @model_validator(mode="after")
    def _check_amount(self) -> SampleSettings:
        """Check the keys against each other."""
        if self.size is not None and self.share is not None:
            raise ValueError("size and share exclude each other")
        if self.is_all and (self.unit, self.seed) != ("instances", 1):
            raise ValueError("unit and seed have no effect without size or share")
        return self

    @property
    def is_all(self) -> bool:
        """True if everything is trained on."""
        return self.size is None and self.share is None

    def count(self, total: int) -> int:
        """Number of units to sample from a total.

        Raises:
            InputError: `size` is more than there are.
        """
        if self.size is not None and self.size > total:
            raise InputError(
                f"data.sample.size is {self.size:,}, but the training split has only {total:,} "
                f"{self.unit}",
                cure="Set it to that or less, or leave it out",
            )
        if self.size is not None:
            return self.size
        return total if self.share is None else max(1, round(self.share * total))


class DataSettings(Settings):
    """The corpus."""

    source_language: LanguageCode = "en"
    """Language code of the source side, such as `en`."""

    target_language: LanguageCode = "de"
    """Language code of the target side, such as `de`."""

    train: CorpusSettings | None = None
    """The training split."""

    valid: EvaluationCorpusSettings | None = None
    """The validation split, by which the best checkpoint is chosen."""

    test: EvaluationCorpusSettings | None = None
    """The test split, for the final scores; training does not use it."""

    additional: dict[
        Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")], AdditionalCorpusSettings
    ] = Field(default_factory=dict)
    """Additional training corpora, each under a name of your choice, for example sentence pairs in
    addition to documents. An epoch contains every instance of `train` and of the corpora without a
    `share` once, and as much of the others as their shares require."""

    prepared: str | None = None
    """Folder written by `docmt prepare` for the same data and text pipeline. Default: the run
    prepares the corpus itself."""

    filter: FilterSettings = FilterSettings()
    """Filter of the training split; by default nothing is removed, and a faulty pair is an
    error."""

    sample: SampleSettings = SampleSettings()
    """Part of the split `train` to train on; by default all of it. A prepared corpus holds all of
    it, so it serves every sample, and the text pipeline is fitted on all."""

    @model_validator(mode="after")
    def _check_additional(self) -> DataSettings:
        """Check `additional` and the shares in it against `train`."""
        if self.additional and self.train is None:
            raise ValueError(
                f"additional ({', '.join(self.additional)}) needs train, which is missing"
            )
        if (total := sum(corpus.share or 0 for corpus in self.additional.values())) >= 1:
            raise ValueError(
                f"additional: the shares add up to {total:g} and leave nothing for train"
            )
        return self

    @property
    def splits(self) -> dict[str, float | None]:
        """The splits written by preparation, each with a share of a training batch. `train`
        includes the additional corpora without a share; every other additional corpus is a split
        `train-NAME`."""
        named = ("train", "valid", "test")
        return {name: None for name in named if getattr(self, name) is not None} | {
            f"train-{key}": corpus.share
            for key, corpus in self.additional.items()
            if corpus.share is not None
        }

    @property
    def training_splits(self) -> dict[str, float | None]:
        """The splits to train on, `train` first."""
        return {name: share for name, share in self.splits.items() if name.startswith("train")}

    @property
    def of_prepared_corpus(self) -> DataSettings:
        """A copy without the keys that do not change a prepared corpus."""
        update: dict[str, Any] = {"prepared": None, "sample": SampleSettings()}
        for name in ("valid", "test"):
            if (split := getattr(self, name)) is not None:
                update[name] = split.model_copy(update={"references": (), "score_target": True})
        return self.model_copy(update=update)

    def corpora(self, split: str) -> dict[str, CorpusSettings]:
        """The corpora of a split by the keys of `data`."""
        if split.startswith("train-"):
            key = split.removeprefix("train-")
            return {f"additional.{key}": self.additional[key]}
        additional = self.additional if split == "train" else {}
        without_share = {f"additional.{key}": c for key, c in additional.items() if c.share is None}
        return {split: getattr(self, split), **without_share}


class InstanceSettings(Settings):
    """Cutting of a document into instances."""

    kind: Literal["sentence", "window", "tokens", "whole", "masked"] = "tokens"
    """Text translated at once. `sentence`: one sentence. `window`: `window` consecutive sentences.
    `tokens`: as many consecutive sentences as fit into `max_tokens`. `whole`: the whole document.
    `masked`: no translation, but training of an encoder. In each part of a document one sentence,
    drawn at random in every epoch, is replaced by a mask, and the decoder generates it. A part has
    as many consecutive sentences as fit into `max_tokens`, at most `window`."""

    window: PositiveInt = 4
    """Number of sentences in a window. For `kind: masked`: maximum number of sentences in a part of
    a document."""

    stride: PositiveInt | None = None
    """Number of sentences from the start of one training window to the start of the next; 1 slides
    the window sentence by sentence. Default: `window`, for windows without overlap."""

    max_tokens: PositiveInt = 512
    """Maximum tokens per instance, counted on the longer side and including special tokens. A
    sentence with more tokens is an instance alone."""

    previous_sentences: NonNegativeInt = 0
    """Number of source sentences before an instance to read as context. Only for systems with a
    context beside the instance, such as `document-transformer` of docmt-research."""

    next_sentences: NonNegativeInt = 0
    """Number of source sentences after an instance to read as context, too. Only for systems with a
    context on both sides, such as `flat-transformer` of docmt-research."""

    current_in_context: bool = False
    """Let the context end with the instance itself: the context encoder reads the previous
    sentences and the current one (Ds(p,c) of Donato et al. 2021)."""

    join_sentences: bool = False
    """Join the sentences of an instance into one text, without special tokens between them. The
    system then translates the text freely: the translation may have more or fewer sentences than
    the source, not aligned with the source sentences, and there are no scores by sentence (the
    document-level Transformer of Bao et al. 2021). Only for the system `transformer`."""

    only_with: ClassVar[Conditions] = {
        "join_sentences": {"kind": ("window", "tokens", "whole")},
        "window": {"kind": ("window", "masked")},
        "stride": {"kind": ("window",)},
        "max_tokens": {"kind": ("tokens", "masked")},
    }

    @classmethod
    def is_ruled_out(cls, key: str, change: Mapping[str, Any]) -> bool:
        """Also `current_in_context`, where `change` leaves no context."""
        no_context = change.get("previous_sentences") == 0
        return (key == "current_in_context" and no_context) or super().is_ruled_out(key, change)

    @model_validator(mode="after")
    def _check_context(self) -> InstanceSettings:
        """Check `current_in_context` against `previous_sentences`."""
        if self.current_in_context and not self.previous_sentences:
            raise ValueError("current_in_context: true needs previous_sentences of 1 or more")
        return self

    @model_validator(mode="after")
    def _check_stride(self) -> InstanceSettings:
        """Check `stride` against `window`."""
        if self.stride is not None and self.stride > self.window:
            raise ValueError(
                f"stride {self.stride} is more than window {self.window}; "
                "sentences between windows would be lost"
            )
        return self

    def resized(self, size: int) -> InstanceSettings:
        """A copy with instances of another size: tokens for `kind: tokens`, sentences for
        `kind: window`, which then do not overlap."""
        key = {"tokens": "max_tokens", "window": "window"}[self.kind]
        return self.model_copy(update={key: size, "stride": None})

    @property
    def disjoint(self) -> InstanceSettings:
        """A copy with every sentence in exactly one instance."""
        return self.model_copy(update={"stride": None})
