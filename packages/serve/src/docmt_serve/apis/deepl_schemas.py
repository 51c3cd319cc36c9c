"""Requests of DeepL's API, with the extensions of docmt. DeepL publishes the form of answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BeforeValidator, FailFast, Field, model_validator

from docmt_files import Splitting
from docmt_files.base.languages import primary_language
from docmt_nmt.base.choices import Formality
from docmt_nmt.translators.translator import Translator
from docmt_serve.requests.request_models import FileRequest, Flag, RequestModel, Text, TextList
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.stores.glossary_entries import EntriesFormat

_MOST_GLOSSARIES = 5


class DeepLRequest(RequestModel):
    """A request, with or without a key."""

    missing: ClassVar[str] = "Parameter '{name}' not specified."
    unsupported: ClassVar[str] = "Value for '{name}' not supported."
    unknown: ClassVar[str] = "Parameter '{name}' is not supported."

    auth_key: Text = ""
    """API key, unless the header `Authorization` has it."""

    @classmethod
    def key_in(cls, values: Mapping[str, Any]) -> str:
        """The API key among the values of a request; empty if there is none."""
        return DeepLRequest.own_values(values).auth_key


class DeepLTranslationRequest(DeepLRequest):
    """Languages and terms of a translation."""

    target_lang: Text

    source_lang: Text = ""
    """Source language. Default: detect it."""

    model: Text | None = None
    """Name of a run, where several have the same languages."""

    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    """Form of address, by a language model. With other models, `more` and `less` are refused, and
    `prefer_more` and `prefer_less` have no effect."""

    custom_instructions: TextList = ()
    """What a language model should heed in wording and style; other models refuse it."""

    glossary_id: Text | None = None
    """Id of a glossary; needs `source_lang`."""

    glossary_ids: TextList = ()
    """Ids of up to five glossaries, also several in a text with commas between them, in place of
    `glossary_id`; of two translations of a term, the first is taken."""

    style_id: Text | None = None
    """Id of style rules for the target language, which a language model reads; other models refuse
    them."""

    translation_memory_id: Text | None = None
    """Id of a translation memory. Sentences that are in it keep the translation."""

    translation_memory_threshold: Annotated[int, Field(ge=0, le=100)] = 75
    """Minimum rate in percent of similar sentences that a language model reads."""

    translation_memory_penalties: Text = ""
    """What is taken off the rates of matches, in percent: `case=1,tags=2,machine=5`."""

    @property
    def glossaries(self) -> tuple[str, ...]:
        """Ids of glossaries.

        Raises:
            ServiceError: there are too many, in two parameters, or without the source language.
        """
        ids = [name.strip() for names in self.glossary_ids for name in names.split(",")]
        if ids and self.glossary_id is not None:
            raise ServiceError(400, "'glossary_ids' cannot be used with 'glossary_id'.")
        if len(ids) > _MOST_GLOSSARIES:
            raise ServiceError(400, f"'glossary_ids' has more than {_MOST_GLOSSARIES} glossaries.")
        ids += [] if self.glossary_id is None else [self.glossary_id]
        if ids and not self.source_lang:
            raise ServiceError(400, "Parameter 'source_lang' is needed with a glossary.")
        return tuple(ids)

    def instructions(self, style: str) -> str:
        """The instructions as one text, a line each.

        Args:
            style: the style rules, a line each.
        """
        return "\n".join(filter(None, map(str.strip, (style, *self.custom_instructions))))

    def formality_by(self, translator: Translator) -> Formality:
        """The form of address that a translator is asked for.

        Raises:
            ServiceError: the translator cannot follow the form of address, instructions or rules.
        """
        follows = "instructions" in translator.gives
        for name in ("custom_instructions", "style_id"):
            if getattr(self, name) and not follows:
                raise ServiceError(400, self.unknown.format(name=name))
        if self.formality in ("more", "less"):
            if not follows:
                raise ServiceError(400, "Value for 'formality' not supported.")
            if not has_forms_of_address(self.target_lang):
                raise ServiceError(400, "Target language does not support 'formality'.")
        if not follows or not has_forms_of_address(self.target_lang):
            return "default"
        return cast(Formality, self.formality.removeprefix("prefer_"))


def has_forms_of_address(language: str) -> bool:
    """Return whether a language has formal and informal forms of address; English has not.

    >>> has_forms_of_address("DE"), has_forms_of_address("EN-GB")
    (True, False)
    """
    return primary_language(language) != "en"


_SPLITTINGS: dict[str, Splitting] = {"0": "none", "1": "lines", "nonewlines": "punctuation"}


def _as_text(value: Any) -> Any:
    """A number of a JSON object as a text."""
    return str(value) if type(value) is int else value


class DeepLTextsRequest(
    DeepLTranslationRequest,
    json_schema_extra={"examples": [{"text": ["Open the file."], "target_lang": "DE"}]},
):
    """Texts to translate. Layout stays as it is, whatever a request says about formatting."""

    without_effect: ClassVar[frozenset[str]] = frozenset(
        (
            "debug",
            "enable_beta_languages",
            "non_splitting_tags",
            "outline_detection",
            "preserve_formatting",
            "show_billed_characters",
            "splitting_tags",
            "tag_handling_version",
        )
    )

    text: TextList

    tag_handling: Literal["text", "xml", "html"] = "text"
    """Form of the texts."""

    split_sentences: Annotated[
        Literal["0", "1", "nonewlines"] | None, BeforeValidator(_as_text)
    ] = None
    """Ends of sentences: none (`0`), punctuation and line ends (`1`) or punctuation alone
    (`nonewlines`). Default: `nonewlines` for HTML, otherwise `1`."""

    ignore_tags: TextList = ()
    """Names of elements left untranslated, also several in a text with commas between them."""

    context: Text = ""
    """Source text before the texts, read as context and not translated."""

    document: Flag = False
    """Translate the texts as one document: each is context for the others."""

    sentences: Flag = False
    """Answer with the sentences as well."""

    model_type: Text | None = None
    """Kind of model, without effect."""

    @property
    def splitting(self) -> Splitting:
        """The ends of sentences."""
        default = "nonewlines" if self.tag_handling == "html" else "1"
        return _SPLITTINGS[self.split_sentences or default]

    @property
    def ignored_tags(self) -> tuple[str, ...]:
        """Names of elements left untranslated, in lower case."""
        names = (name for names in self.ignore_tags for name in names.split(","))
        return tuple(name.strip().lower() for name in names)


class DeepLFileRequest(FileRequest, DeepLTranslationRequest):
    """A file to translate."""

    output_format: Text = ""
    """Suffix of the translated file; only the suffix of the source file is supported."""


class DeepLStatusRequest(DeepLRequest):
    """A question about a file in translation."""

    document_key: Text = ""
    """Key from the answer to the upload."""


class DeepLLanguagesRequest(DeepLRequest):
    """A question about languages."""

    type: Literal["source", "target"] = "source"


class DeepLResourceRequest(DeepLRequest):
    """A question about the languages of a resource."""

    resource: Literal["translate_text", "translate_document", "glossary"]


class DeepLPair(RequestModel):
    """A pair of languages."""

    source_lang: Text
    target_lang: Text


class DeepLPairRequest(DeepLPair, DeepLRequest):
    """A question about a pair of languages."""


class DeepLDictionary(DeepLPair):
    """Entries of a glossary for a pair of languages."""

    entries: Text
    """Terms and their translations, a pair a line."""

    entries_format: EntriesFormat


class DeepLDictionaryRequest(DeepLDictionary, DeepLRequest):
    """New entries for a pair of languages."""


class DeepLGlossaryRequest(
    DeepLDictionaryRequest,
    json_schema_extra={
        "examples": [{"name": "a", "source_lang": "en", "target_lang": "de", "entries": "b\tc"}]
    },
):
    """A glossary for a pair of languages."""

    name: Text

    entries_format: EntriesFormat = "tsv"


class DeepLGlossaryChangeRequest(DeepLRequest):
    """A new name for a glossary with several pairs of languages, or further entries."""

    name: Text = ""

    dictionaries: Annotated[tuple[DeepLDictionary, ...], FailFast()] = ()
    """Entries by pair of languages. A form has them as values such as
    `dictionaries[0].source_lang`."""

    @model_validator(mode="before")
    @classmethod
    def _read_form(cls, values: dict[str, Any]) -> dict[str, Any]:
        dictionaries: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            if match := re.fullmatch(r"dictionaries\[(\d{1,9})\]\.(\w+)", name, re.ASCII):
                dictionaries.setdefault(match[1], {})[match[2]] = value
        if not dictionaries:
            return values
        others = {name: each for name, each in values.items() if not name.startswith("dictionar")}
        return others | {"dictionaries": [*dictionaries.values()]}


class DeepLGlossariesRequest(DeepLGlossaryChangeRequest):
    """A glossary with several pairs of languages."""

    name: Text
