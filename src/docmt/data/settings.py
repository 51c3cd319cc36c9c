"""The keys of a recipe that say where its corpora lie and what of them is learned from."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from docmt.documents import Boundaries
from docmt.settings import Settings
from docmt.text.base import language_code

Positive = Annotated[int, Field(ge=1)]
LanguageCode = Annotated[str, AfterValidator(language_code)]


class CorpusSettings(Settings):
    """Where one split of a corpus lies. `bundled:NAME` names a file that comes with docmt."""

    source: str
    """The source side, one sentence a line (`.gz` and `.xz` are read as they are), or the one
    file that holds both sides (`.tsv`, `.jsonl`, `.parquet`)."""

    target: str | None = None
    """The target side, one sentence a line; none where `source` holds both."""

    boundaries: Boundaries = "markers"
    """How line files say where documents begin: a `<d>` line before each (`markers`), a `blank`
    line between them, a `docids` file, every line is one (`sentences`), or not at all (`none`: one
    document)."""

    docids: str | None = None
    """A file of document id, tab, number of sentences. `boundaries: docids` needs it; with `markers`
    and `blank` it names the documents, and its counts are checked."""


class AdditionalCorpusSettings(CorpusSettings):
    """A further corpus to learn from."""

    share: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of the tokens of every training batch that come from it, however large it is (Donato
    et al. 2021, section 4.4); default: as much as it has, as of `train`."""


class FilterSettings(Settings):
    """What preparation leaves out of the training split, counted in its report. By default
    nothing is, and a fault is an error."""

    empty: bool = False
    """Sentence pairs with an empty side."""

    max_sentence_tokens: Positive | None = None
    """Sentence pairs with a side of more tokens than this."""

    max_length_ratio: Annotated[float, Field(ge=1)] | None = None
    """Sentence pairs one of whose sides has more than this many times the tokens of the other."""

    duplicates: bool = False
    """Documents whose text occurred before."""


class DataSettings(Settings):
    """The corpus."""

    source_language: LanguageCode = "en"
    """Language code of the source side."""

    target_language: LanguageCode = "de"
    """Language code of the target side."""

    train: CorpusSettings | None = None
    """The split to learn from."""

    valid: CorpusSettings | None = None
    """The split to choose checkpoints on."""

    test: CorpusSettings | None = None
    """The split to report on; never used before."""

    additional: dict[
        Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")], AdditionalCorpusSettings
    ] = Field(default_factory=dict)
    """Further corpora to learn from beside `train`, by a name for each; for example sentence pairs
    beside documents. In an epoch every instance of those without a `share` comes once, and as much
    of the others as makes up their shares."""

    prepared: str | None = None
    """A folder that `docmt prepare` made of this data and text pipeline; without it the run
    prepares its own."""

    filter: FilterSettings = FilterSettings()
    """What to leave out of the training split."""

    @model_validator(mode="after")
    def more_than_train(self) -> DataSettings:
        """Check `more` and its shares against `train`."""
        if self.additional and self.train is None:
            raise ValueError(
                f"additional ({', '.join(self.additional)}) needs train, which is missing"
            )
        if (total := sum(corpus.share or 0 for corpus in self.additional.values())) >= 1:
            raise ValueError(
                f"additional: the shares are {total:g} in all and leave nothing for train"
            )
        return self

    @property
    def splits(self) -> dict[str, float | None]:
        """The splits that preparation makes, and which share of a batch each is to have. `train`
        holds also those of `more` that have no share; any other is a split `train-NAME`."""
        named = ("train", "valid", "test")
        return {name: None for name in named if getattr(self, name) is not None} | {
            f"train-{key}": corpus.share
            for key, corpus in self.additional.items() if corpus.share is not None
        }  # fmt: skip

    @property
    def learned_from(self) -> dict[str, float | None]:
        """Those to learn from, `train` first."""
        return {name: share for name, share in self.splits.items() if name.startswith("train")}
