"""`translate_texts`: texts in, the same texts out in another language, for services and editors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from docmt.translating.passage import FilledPassage, Layout, Passage
from docmt.translating.text_repairs.of_texts import repairs
from docmt.translating.word_aligner import code_aligner
from docmt_files import AlignSentences, BlockSkeleton, NoTextError, Splitting
from docmt_files.base.documents import SentenceWarning
from docmt_files.base.errors import InputError
from docmt_files.base.messages import parted
from docmt_nmt.base.choices import Formality
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.requests import Revision, SourceDocument
from docmt_nmt.translators.translator import Translator

TextForm = Literal["text", "html"]
"""Forms of texts: plain text, or HTML or a part of it."""


@dataclass(frozen=True, slots=True)
class TextRequest:
    """Texts to translate.

    Attributes:
        texts: the texts.
        form: the form of the texts.
        document: whether the texts are one document.
        context: source text before the texts, read as context and not translated.
        glossary: terms with required translations.
        consistent: whether recurring terms get the same translation everywhere.
        alternatives: the number of further translations of each text.
        ignored: names of elements of HTML left untranslated, in lower case.
        known: given translations of the first sentences of a single text, such as edited
            translations; the other sentences continue them.
        splitting: the ends of sentences: punctuation and line ends (`lines`), punctuation alone, or
            none, so that the whole text, or each block of HTML, is one. Default: `lines` for plain
            text, `punctuation` for HTML.
        instructions, formality: what a person asks of the translation (`TranslationRequest`).
        description: what the texts are for, such as the label of a button.
    """

    texts: tuple[str, ...]
    form: TextForm = "text"
    document: bool = False
    context: str = ""
    glossary: Glossary | None = None
    consistent: bool = False
    alternatives: int = 0
    ignored: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    splitting: Splitting | None = None
    instructions: str = ""
    formality: Formality = "default"
    description: str = ""


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and its translation.

    Attributes:
        source: the sentence.
        target: the translation.
        log_probability: mean natural log-probability per token, 0 if the translator gives none.
        warnings: warnings about unusual properties of the translation.
        chunk: the index of the sentence's chunk in the document, from 0; sentences of a chunk are
            translated together and are context for each other.
    """

    source: str
    target: str
    log_probability: float
    warnings: tuple[SentenceWarning, ...] = ()
    chunk: int = 0


@dataclass(frozen=True, slots=True)
class TranslatedText:
    """A text and its translation.

    Attributes:
        text: the translation.
        sentences: the sentences, in order.
        alternatives: further translations, best first; possibly fewer than requested.
        notes: advice about the tags of the text.
    """

    text: str
    sentences: tuple[SentencePair, ...] = ()
    alternatives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def translate_texts(translator: Translator, request: TextRequest) -> list[TranslatedText]:
    """Translate texts.

    Args:
        translator: translates the texts.
        request: the texts and the settings.

    Returns:
        A translation for each text, in order. A text without a word stays as it is. A line end ends
        a sentence, unless `request.splitting` says otherwise, so the translation of a plain text
        has the lines of the text.

    Raises:
        InputError: the translator cannot meet the request.

    >>> import docmt
    >>> request = TextRequest(("Open the file.\\n\\nClose it.",))
    >>> translate_texts(docmt.load(), request)[0].text
    'Öffnen Sie die Datei.\\n\\nSchließen Sie sie.'
    """
    if "sentences" not in translator.gives:
        raise InputError(
            "texts need a translation of each sentence, and this run translates whole instances "
            "freely (instances.join_sentences)",
            cure="Choose another run",
        )
    read = [read_passage(translator, text, request) for text in request.texts]
    passages = {f"text {number}": each for number, each in enumerate(read, start=1) if each}
    if not passages:
        return [TranslatedText(text) for text in request.texts]
    before = _context(translator, request.context)
    layout = Layout.of_texts(passages, before, together=request.document)
    asked = layout.request(
        glossary=request.glossary,
        n_best=1 + request.alternatives,
        revision=_continued(layout.documents, before, request.known),
        instructions=request.instructions,
        formality=request.formality,
    )
    if request.description:
        asked = asked.with_sentences(lambda _, each: replace(each, note=request.description))
    translations = translate(translator, asked, repairs(consistent=request.consistent))
    align, _ = code_aligner(translator)
    found = zip(layout.parts(translations), layout.starts, strict=True)
    texts = []
    for text, passage in zip(request.texts, read, strict=True):
        if passage is None:
            texts.append(TranslatedText(text))
            continue
        parts, ((owner, first),) = next(found)
        done = passage.filled_by(parts, align)
        chunks = _chunk_numbers(translations[owner])[first:]
        texts.append(_translated_text(done, chunks, 1 + request.alternatives, align))
    return texts


def _translated_text(
    filled: FilledPassage, chunks: Sequence[int], most: int, align: AlignSentences | None
) -> TranslatedText:
    """The text of a filled passage, with its sentences and alternatives."""
    skeleton, (translation,) = filled.skeleton, filled.translations
    assert isinstance(skeleton, BlockSkeleton), "texts are read as blocks"
    targets = [alternative.sentences for alternative in translation.alternatives[:most]]
    # Codes have places in the best translation alone.
    aligners = [filled.align, *(align for _ in targets[1:])]
    best, *others = (
        skeleton.fill_and_report([translation.document.translated(sentences)], aligner)
        for sentences, aligner in zip(targets, aligners, strict=True)
    )
    alternatives = tuple(dict.fromkeys(o.text for o in others if o.text != best.text))
    pairs = _sentence_pairs(translation, chunks)
    _, notes = parted(best.notes, "counts")
    return TranslatedText(best.text, pairs, alternatives, tuple(notes))


def read_passage(translator: Translator, text: str, request: TextRequest) -> Passage | None:
    """A passage of a text; None for a text without a word."""
    # Splitting sentences takes long to load.
    from docmt_files import read_html, read_text

    source, target = translator.languages
    try:
        documents, skeleton = (
            read_html(
                text,
                source,
                target,
                ignored=request.ignored,
                splitting=request.splitting or "punctuation",
            )
            if request.form == "html"
            else read_text(text, source, request.splitting or "lines")
        )
    except NoTextError:
        return None
    return Passage.of(documents, skeleton, translator)


def _context(translator: Translator, text: str) -> tuple[str, ...]:
    """The sentences of the context."""
    from docmt_files import read_text

    try:
        documents, _ = read_text(text, translator.languages[0])
    except NoTextError:
        return ()
    return documents[0].source


def _continued(
    documents: Sequence[SourceDocument], before: Sequence[str], known: Sequence[str]
) -> Revision | None:
    """The revision of the only document after its known translations; None without known
    translations.

    Raises:
        InputError: there is context, or there are several documents or fewer sentences.
    """
    if not known:
        return None
    document = documents[0]
    if len(documents) > 1 or before or len(known) >= len(document):
        raise InputError(
            f"{len(known)} known translations leave nothing to go on with, or it is not clear of "
            "what they are",
            cure="Give one text of more sentences, without context",
        )
    rest = range(len(known), len(document))
    target = (*known, *("" for _ in rest))
    wanted = frozenset((0, index) for index in rest)
    return Revision((document.plain.translated(target),), wanted, continued=True)


def _chunk_numbers(translation: Translation) -> list[int]:
    """The number of the chunk of each sentence of a document, from 0."""
    ends = list(accumulate(translation.chunks))
    return [bisect_right(ends, index) for index in range(len(translation))]


def _sentence_pairs(translation: Translation, chunks: Sequence[int]) -> tuple[SentencePair, ...]:
    """The sentences of a text."""
    return tuple(
        SentencePair(s.source, s.target, s.log_probability, s.warnings, chunk)
        for s, chunk in zip(translation.sentences, chunks, strict=False)
    )
