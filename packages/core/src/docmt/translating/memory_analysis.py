"""`analyze_files`: how much of files is in translation memories, before anything is translated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from docmt.memory import TranslationMemory
from docmt.memory.similarity import count_words, normalized
from docmt.output import Output
from docmt.translating.file_translation import FileTranslator, TermChoices
from docmt.translating.from_memory import FromMemory
from docmt_files import Input, has_word
from docmt_files.base.documents import Document, SentenceMatch
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import Feature, Plan, Translator

_BANDS = range(95, 100), range(85, 95), range(75, 85), range(50, 75)
"""The bands of similar sentences, by the rates in percent."""

_NEW = "new"
_REPEATED = "repetitions"
_KINDS = {
    "in-context": "in the same context",
    "exact": "exact",
    "adapted": "with other numbers or codes",
}


class AnalysisRow(NamedTuple):
    """A row of an analysis.

    Attributes:
        name: the kind of match, or a band of rates in percent; `new`, or `total`.
        segments: the number of sentences.
        words: the number of words and numbers of these sentences.
    """

    name: str
    segments: int
    words: int


def analyze_files(
    memories: Sequence[TranslationMemory],
    languages: tuple[str, str],
    inputs: Iterable[str],
    *,
    threshold: float,
    input_form: Input | None = None,
    source_language: str | None = None,
    note: Callable[[str], None],
) -> list[AnalysisRow]:
    """Count the sentences of files by their matches in memories. No translator is needed.

    Args:
        memories: the memories.
        languages: the codes of the source and of the target language.
        inputs: the paths of files.
        threshold: minimum rate of a similar sentence, from 0 to 1; those below are new.
        input_form: the way to read files.
        source_language: code of the language whose rules split text. Default: the source language.
        note: called with a note about each file that cannot be read.

    Returns:
        A row for each kind of match, for repetitions within the files, for new sentences, and for
        all. A sentence that the files have before, and the memory has not, is a repetition.

    Raises:
        InputError: no file can be read.
    """
    finder = FromMemory(_Unneeded(languages), tuple(memories), threshold)
    reader = FileTranslator(finder, Output(), input_form or Input(), source_language, TermChoices())
    segments: Counter[str] = Counter()
    words: Counter[str] = Counter()
    seen: set[str] = set()
    problem: InputError | None = None
    for path in inputs:
        try:
            request = reader.read(path, path).request
        except InputError as error:
            problem = problem or error
            note(str(error))
            continue
        found = finder.find(request)
        for owner, document in enumerate(request.plain_documents):
            for index, sentence in enumerate(document.source):
                if not has_word(sentence):
                    continue
                best = found.get((owner, index))
                name = _row_of(best.match if best else None)
                key = normalized(sentence)
                if key in seen and not (best and best.match.is_taken):
                    name = _REPEATED
                seen.add(key)
                segments[name] += 1
                words[name] += count_words(sentence)
    if problem is not None and not segments:
        raise problem
    bands = [_band_name(band) for band in _BANDS if band[-1] >= 100 * threshold]
    names = [*_KINDS.values(), _REPEATED, *bands, _NEW]
    rows = [AnalysisRow(name, segments[name], words[name]) for name in names]
    return [*rows, AnalysisRow("total", segments.total(), words.total())]


def _row_of(match: SentenceMatch | None) -> str:
    """The name of the row of a match."""
    if match is None:
        return _NEW
    if match.is_taken:
        return _KINDS[match.kind]
    bands = (band for band in _BANDS if match.percent in band)
    return next(map(_band_name, bands), _NEW)


def _band_name(band: range) -> str:
    return f"{band[0]}–{band[-1]} %"


class _Unneeded(Translator):
    """A translator that is never asked, for files that are only read."""

    def __init__(self, languages: tuple[str, str]) -> None:
        self._languages = languages

    @property
    def languages(self) -> tuple[str, str]:
        return self._languages

    @property
    def gives(self) -> frozenset[Feature]:
        return frozenset({"sentences", "words"})

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        del sentence, words
        return True

    def translate(
        self, request: TranslationRequest | Plan | Sequence[Document], **_: object
    ) -> list[Translation]:
        raise NotImplementedError
