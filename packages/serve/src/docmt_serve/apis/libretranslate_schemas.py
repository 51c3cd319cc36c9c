"""Requests and answers of LibreTranslate's API, with the extensions of docmt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from docmt.translating.texts import SentencePair, TextForm, TextRequest
from docmt_files.base.documents import WarningKind
from docmt_nmt.base.choices import Formality
from docmt_serve.apis.api_routes import Answer
from docmt_serve.models.detection import Detected
from docmt_serve.requests.request_models import (
    FileRequest,
    Flag,
    RequestModel,
    Text,
    TextList,
    Texts,
    says,
)
from docmt_serve.stores.glossary_entries import glossary_of, read_entries

_MAX_ALTERNATIVES = 100


class LibreTranslateRequest(RequestModel):
    """A request, with or without a key."""

    missing: ClassVar[str] = "Invalid request: missing {name} parameter"
    unsupported: ClassVar[str] = "{given} {name} is not supported"
    without_effect: ClassVar[frozenset[str]] = frozenset(("secret",))

    api_key: Text = ""
    """API key, unless the header `Authorization` has it."""

    npm_key: Text = Field("", alias="apiKey")
    """API key, as the client for Node.js names it."""

    @classmethod
    def key_in(cls, values: Mapping[str, Any]) -> str:
        """The API key among the values of a request; empty if there is none."""
        keys = LibreTranslateRequest.own_values(values)
        return keys.api_key or keys.npm_key


class _WithLanguages(LibreTranslateRequest):
    source: Text
    """Source language, or `auto` to detect it."""

    target: Text
    """Target language."""

    model: Text | None = None
    """Name of a run, where several have the same languages."""


class TranslateRequest(
    _WithLanguages,
    json_schema_extra={
        "examples": [
            {"q": "Open the file.", "source": "en", "target": "de"},
            {"q": ["A new workbook.", "Delete it."], "source": "auto", "target": "de"},
        ]
    },
):
    """One text or a list of texts to translate."""

    q: Texts
    """One text or a list of texts."""

    format: TextForm = "text"
    """Form of the texts."""

    alternatives: Annotated[
        int,
        Field(ge=0, le=_MAX_ALTERNATIVES),
        says(f"must be a number from 0 to {_MAX_ALTERNATIVES}"),
    ] = 0
    """Number of further translations of each text."""

    document: Flag = False
    """Translate the texts as one document: each is context for the others."""

    context: Text = ""
    """Source text before the texts, read as context and not translated."""

    known: TextList = ()
    """Translations of the first sentences. The translation continues after them."""

    glossary: Text = ""
    """Terms and their translations, a pair a line, with a tab between them."""

    instructions: Text = ""
    """What a language model should heed in wording and style; other models refuse it."""

    formality: Formality = "default"
    """Form of address, by a language model: formal (`more`) or informal (`less`)."""

    description: Text = ""
    """What the texts are for, such as the label of a button, for a language model; no part of the
    document, unlike `context`."""

    consistent: Flag = False
    """Translate recurring terms alike."""

    sentences: Flag = False
    """Answer with the sentences as well."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts to translate."""
        return (self.q,) if isinstance(self.q, str) else self.q

    def wanted(self) -> TextRequest:
        """The texts and options for `translate_texts`.

        Raises:
            InputError: the glossary has an empty entry, or two for the same term.
            ServiceError: the glossary cannot be read.
        """
        has_glossary = bool(self.glossary.strip())
        return TextRequest(
            self.texts,
            self.format,
            document=self.document,
            context=self.context,
            consistent=self.consistent,
            alternatives=self.alternatives,
            known=self.known,
            instructions=self.instructions,
            formality=self.formality,
            description=self.description,
            glossary=glossary_of(read_entries(self.glossary, "tsv")) if has_glossary else None,
        )


class TranslateFileRequest(FileRequest, _WithLanguages):
    """A file to translate."""

    missing: ClassVar[str] = "Invalid request: missing {name}"


class SuggestRequest(_WithLanguages):
    """A better translation of a text, by a person."""

    q: Text
    """The text."""

    s: Text
    """The translation."""


class DetectRequest(
    LibreTranslateRequest, json_schema_extra={"examples": [{"q": "Open the file."}]}
):
    """A text in an unknown language."""

    q: TextList
    """The text."""


class SentenceWarningAnswer(Answer):
    """A warning about a sentence."""

    kind: WarningKind
    """Kind of problem."""

    detail: str
    """Numbers or characters as evidence."""


class SentenceAnswer(Answer):
    """A sentence and its translation."""

    source: str
    """Source sentence."""

    target: str
    """Translation."""

    log_probability: Annotated[float, AfterValidator(lambda value: round(value, 4))]
    """Mean natural log-probability per token; 0 if the translator gives none."""

    chunk: int
    """Index of the chunk of the document; the sentences of a chunk are context for each other."""

    warnings: list[SentenceWarningAnswer]
    """Warnings about the translation."""

    @classmethod
    def all(cls, pairs: Iterable[SentencePair]) -> list[SentenceAnswer]:
        """Make the answer for sentence pairs."""
        return [cls.model_validate(pair, from_attributes=True) for pair in pairs]


class TranslateAnswer(Answer):
    """Translations: single values for one text, lists for a list of texts."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    translated_text: str | list[str]
    """Translation of each text."""

    detected_language: Detected | list[Detected] | None = None
    """Language of each text, where the source language is `auto`."""

    alternatives: list[str] | list[list[str]] | None = None
    """Further translations of each text, where the request asks for them."""

    sentences: list[SentenceAnswer] | list[list[SentenceAnswer]] | None = None
    """Sentences of each text, where the request asks for them."""
