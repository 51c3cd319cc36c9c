"""`Translator`: the protocol of everything that translates documents, such as beam search over a
system of docmt, or a language model behind an endpoint. Files, folders, repairs, the service,
evaluation and the report know no other.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, Protocol, runtime_checkable

from docmt_files import WordWeights
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.language_set import LanguageSet
from docmt_nmt.translators.requests import TranslationRequest

ProgressCallback = Callable[[int, int], None]
"""Called with the sentences translated so far and the sentences in all."""

Feature = Literal[
    "sentences",
    "alternatives",
    "positions",
    "words",
    "revisions",
    "contexts",
    "attention",
    "instructions",
]
"""Features of translators: a target sentence for each source sentence; several translations of a
document (`n_best`); translations from each position of a sliding window; given words in
translations (glossaries, protected words); single sentences again (`revision`); translations that
are given as target context (`contexts`); attention by which words are aligned; instructions, a form
of address and notes on sentences."""

SearchBatch = Callable[..., Any]
"""Searches batches of instances (`docmt_nmt.decoding.instance_search.SearchBatch`)."""


class Journal(Protocol):
    """The results of a long translation so far, in the order in which they were found."""

    def next(self) -> Any | None:
        """The next value that an interrupted translation kept; None after the last."""

    def add(self, value: Any) -> None:
        """Keep a value, which JSON can represent."""

    def discard(self) -> None:
        """Forget all values, because they are of another translation."""


@dataclass(frozen=True)
class Plan:
    """A request that a translator has prepared and checked.

    Attributes:
        request: the request.
        cautions: advice to the user before the translation begins.
    """

    request: TranslationRequest
    cautions: tuple[str, ...] = ()


class CostMeter(Protocol):
    """Counts the costs of a translator beside time."""

    def spent(self) -> list[str]:
        """The costs of all translations so far, in sentences."""

    def estimator(self) -> Translator:
        """A translator that counts, in a meter of its own, the costs of translations without making
        them."""


@runtime_checkable
class Translator(Protocol):
    """Translates documents. A translator never changes, so threads may share it.

    Another kind of translator subclasses it and defines `languages` and `translate`. It says which
    further features it has by overriding the other members.
    """

    @property
    @abstractmethod
    def languages(self) -> tuple[str, str]:
        """The codes of the source and of the target language."""

    @property
    def language_set(self) -> LanguageSet:
        """The languages between which `between` can translate. Default: one pair."""
        source, target = self.languages
        return LanguageSet((source,), (target,))

    def between(self, source: str, target: str) -> Translator:
        """The translator of the same model between two languages of its set.

        Args:
            source, target: codes of the languages, of any form: `de`, `de-AT` and `deu_Latn` mean
                the German of a set that has one.

        Raises:
            InputError: the set does not have a language; the message names the languages of it.
        """
        self.language_set.pair(source, target)
        return self

    @abstractmethod
    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        """Translate documents once, without repairs (`docmt.translate` repairs the translations):
        exactly one target sentence for each source sentence, and an empty one for an empty one.

        Args:
            request: a request, the plan of this translator for one, or documents alone.
            progress: called with the sentences translated so far and the sentences in all.
            journal: keeps results, and gives the results of an interrupted translation of the same
                request.

        Returns:
            The translations of the documents, in their order.

        Raises:
            InputError: the request cannot be met.
        """

    def plan(self, request: TranslationRequest) -> Plan:
        """Prepare a request, and check that it can be met, before anything is translated.

        Raises:
            InputError: it cannot.
        """
        needed: dict[Feature, bool] = {
            "alternatives": request.n_best > 1,
            "words": request.has_terms,
            "revisions": request.revision is not None,
            "contexts": request.contexts is not None,
        }
        for feature, is_needed in needed.items():
            if is_needed and feature not in self.gives:
                words, parameter = _FEATURE_WORDS[feature]
                raise InputError(
                    f"this translator does not give {words}",
                    cure=f"Leave out `{parameter}`",
                    parameters=[parameter],
                )
        check_instructions(self, request)
        return Plan(request)

    @property
    def gives(self) -> frozenset[Feature]:
        """The features of the translator."""
        return frozenset({"sentences"})

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        """Return whether the translation of a sentence can have these words of it as they are, each
        as often as it is given."""
        del sentence, words
        return False

    def normalize(self, text: str) -> str:
        """Text as the translator reads it. Terms are found in it."""
        return text

    def fingerprint(self, request: TranslationRequest) -> str | None:
        """Return a digest of all that the translation of a request depends on; None if it is not
        known, so that no journal can be kept."""
        del request
        return None

    def align(
        self, document: Document, words: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> list[WordWeights] | None:
        """Align the words of a document with those of the translation.

        Args:
            document: the document with the translation, of any origin.
            words: the words of both sides of each sentence.

        Returns:
            For each sentence (source words, target words) how much each target word belongs to each
            source word; None if the translator cannot align. Then its attention aligns, if it is a
            system of docmt, or statistics of the text do.
        """
        del document, words
        return None

    @property
    def stages(self) -> tuple[Translator, ...]:
        """The translators that a sentence goes through, one after the other. Default: this one."""
        return (self,)

    def with_last_stage(self, translator: Translator) -> Translator:
        """This translator with another one that writes the target language."""
        return translator

    def searching_by(self, search_batch: SearchBatch) -> Translator:
        """This translator with another search for its batches, such as together with the batches of
        other requests. Default: it has no batches."""
        del search_batch
        return self

    @property
    def meter(self) -> CostMeter | None:
        """The costs of translations beside time; None if there are none."""
        return None

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        """Sentences for the user about how documents were translated. A message of the kind
        `counts` counts them in the translator's own words."""
        del request, translations
        return []


def check_instructions(translator: Translator, request: TranslationRequest) -> None:
    """Check that a translator can follow what a person asks of the translation.

    Raises:
        InputError: it cannot.
    """
    asked = {
        "instructions": bool(request.instructions),
        "formality": request.formality != "default",
        "description": request.has_notes,
    }
    names = [name for name, is_asked in asked.items() if is_asked]
    if names and "instructions" not in translator.gives:
        listed = " and ".join(f"`{name}`" for name in names)
        raise InputError(
            f"this translator cannot follow {listed}",
            cure="Leave it out, or choose the run of a language model",
            parameters=names,
        )


_FEATURE_WORDS: dict[Feature, tuple[str, str]] = {
    "alternatives": ("several translations", "n_best"),
    "words": ("words that must be written, such as terms", "glossary"),
    "revisions": ("new translations of single sentences", "revision"),
    "contexts": ("translations in given contexts", "contexts"),
}
"""Features in the words of an error, and the parameter that asks for each."""


def planned(
    translator: Translator, request: TranslationRequest | Plan | Sequence[Document]
) -> Plan:
    """The plan of a translator for a request: the plan itself if there is one already.

    Raises:
        InputError: the request cannot be met.
    """
    if isinstance(request, Plan):
        return request
    return translator.plan(request_of(request))


def request_of(request: TranslationRequest | Plan | Sequence[Document]) -> TranslationRequest:
    """The request of a plan, the request itself, or a request for documents and nothing else."""
    if isinstance(request, Plan):
        return request.request
    return request if isinstance(request, TranslationRequest) else TranslationRequest(request)


def costs_of(translator: Translator) -> list[str]:
    """The costs of all translations of a translator so far, in sentences; none if they cost nothing
    but time."""
    return [] if translator.meter is None else translator.meter.spent()


def digest_of_translation(identity: Any, documents: Sequence[Document]) -> str:
    """Digest of a translation, for `Translator.fingerprint`.

    Args:
        identity: all dependencies besides the documents, as plain values.
        documents: the documents that are translated or read.
    """
    digest = sha256(json.dumps([_version(), identity]).encode())
    for document in documents:
        values = [document.id, document.source, document.target]
        digest.update(json.dumps(values).encode())
    return digest.hexdigest()


def _version() -> str:
    """The version of docmt, where it is installed."""
    try:
        return version("docmt-nmt")
    except PackageNotFoundError:
        return ""
