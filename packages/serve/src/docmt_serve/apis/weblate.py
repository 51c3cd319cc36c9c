"""The requests of Weblate to a language model: the last message of the user is a JSON object with
strings, their placeholders and a glossary, and the answer is a JSON array with a string for each.

A placeholder such as `@@PH1@@` is a word that is kept: it stands once in the translation. Two
placeholders around text are a pair of inline codes, at the words where they belong.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docmt.translating.texts import TextRequest
from docmt_files.storage.json_files import json_text, parse_json
from docmt_nmt.translators.glossary import Glossary, Term

_TOKEN = re.compile(r"@@PH\d+@@")
_CODE = re.compile(r'<g id="(@@PH\d+@@)" close="(@@PH\d+@@)"[^>]*>|</g>|</?x[^>]*>|<br>')


class _Value(BaseModel):
    """A value of a request; further values are for other models, and are not read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Part(_Value):
    """A part of a string: text, or a placeholder with the text up to its closing one."""

    type: str = "text"
    text: str = ""
    id: str = ""
    close_id: str = ""
    translatable: bool = False


class Entry(_Value):
    """A term of the glossary."""

    source: str
    target: str


class String(_Value):
    """A string to translate.

    Attributes:
        source: the text with placeholders.
        parts: the same text in parts.
        context, key, explanation: what the string is for.
    """

    source: str
    parts: tuple[Part, ...] = ()
    context: str = ""
    key: str = ""
    explanation: str = ""

    @property
    def form(self) -> Any:
        """The form of `text`: HTML where there are placeholders."""
        return "html" if _TOKEN.search(self.source) else "text"

    @property
    def text(self) -> str:
        """The text to translate, with elements for the placeholders."""
        if self.form == "text":
            return self.source
        whole = "".join(
            part.text if part.type == "text" else f"{part.id}{part.text}{part.close_id}"
            for part in self.parts
        )
        parts = self.parts if whole == self.source else tuple(_parts_of(self.source))
        return "".join(map(_element, parts)).replace("\n", "<br>")

    @property
    def description(self) -> str:
        """What the string is for, in lines."""
        named = {"key": self.key, "context": self.context, "explanation": self.explanation}
        return "\n".join(f"{name}: {text}" for name, text in named.items() if text.strip())

    def read(self, translation: str) -> str:
        """The translation with placeholders, from the translation of `text`."""
        if self.form == "text":
            return translation
        open_ids: list[str] = []
        made, position = [], 0
        for match in _CODE.finditer(translation):
            made.append(html.unescape(translation[position : match.start()]))
            position = match.end()
            if match[0] == "<br>":
                made.append("\n")
            elif match[0] == "</g>":
                made.append(open_ids.pop() if open_ids else "")
            elif match[1]:
                made.append(match[1])
                open_ids.append(match[2])
        return "".join([*made, html.unescape(translation[position:])])


class WeblateRequest(_Value):
    """The JSON object of a request."""

    source_language: str
    target_language: str
    strings: Annotated[tuple[String, ...], Field(min_length=1)]
    glossary: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, text: str) -> WeblateRequest | None:
        """The request in a message; None for any other text."""
        if not text.lstrip().startswith("{"):
            return None
        try:
            return cls.model_validate(parse_json(text))
        except (ValueError, ValidationError):
            return None

    @property
    def terms(self) -> Glossary | None:
        """The glossary; several entries of a term are its translations."""
        targets: dict[str, dict[str, None]] = {}
        for entry in self.glossary:
            if entry.source.strip() and entry.target.strip():
                targets.setdefault(entry.source, {})[entry.target] = None
        terms = [Term((source,), tuple(each)) for source, each in targets.items()]
        return Glossary(terms) if terms else None

    def texts(self, *, follows_instructions: bool) -> Iterator[tuple[list[int], TextRequest]]:
        """The texts to translate together, with the indices of their strings.

        Args:
            follows_instructions: whether the translator reads descriptions.
        """
        groups: dict[tuple[str, str], list[int]] = {}
        for index, string in enumerate(self.strings):
            description = string.description if follows_instructions else ""
            groups.setdefault((string.form, description), []).append(index)
        for (_, description), indices in groups.items():
            texts = tuple(self.strings[index].text for index in indices)
            form = self.strings[indices[0]].form
            request = TextRequest(texts, form, glossary=self.terms, description=description)
            yield indices, request

    def answer(self, translations: Sequence[str]) -> str:
        """The answer: a JSON array with the translation of each string."""
        pairs = zip(self.strings, translations, strict=True)
        return json_text([string.read(text) for string, text in pairs])


def _parts_of(source: str) -> Iterator[Part]:
    """The parts of a string with placeholders that stand alone."""
    position = 0
    for match in _TOKEN.finditer(source):
        yield Part(text=source[position : match.start()])
        yield Part(type="placeholder", id=match[0])
        position = match.end()
    yield Part(text=source[position:])


def _element(part: Part) -> str:
    """A part as HTML."""
    text = html.escape(part.text, quote=False)
    if part.type == "text":
        return text
    if not part.close_id:
        return f'<x translate="no">{part.id}</x>'
    kept = "" if part.translatable else ' translate="no"'
    return f'<g id="{part.id}" close="{part.close_id}"{kept}>{text}</g>'
