"""`translate_texts`: texts in, texts out, with the sentences that were translated.

The texts of a request are documents of their own, as with other services, or together one document,
whose sentences are translated with each other as context. Layout and tags stay as they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice, repeat
from typing import Literal, TypeVar

from docmt.formats.core.blocks import BlockSkeleton
from docmt.formats.core.skeleton import NoTextError
from docmt.glossaries import Glossary
from docmt.ground.documents import Document, SentenceWarning, Translation
from docmt.ground.errors import InputError
from docmt.translating import translate
from docmt.translating.codes_in_place import CodesInPlace
from docmt.translating.word_aligner import code_aligner
from docmt.translators.requests import Revision, SentenceIndex, TranslationRequest, Translator

T = TypeVar("T")

TextForm = Literal["text", "html"]
"""Forms of texts: plain text, or HTML or a part of it."""


@dataclass(frozen=True, slots=True)
class TextRequest:
    """Texts that are to be translated.

    Attributes:
        texts: the texts.
        form: their form.
        document: whether they are one document.
        context: source text before them, which is read and not translated.
        glossary: terms whose translations must be written.
        consistent: translate terms that recur alike.
        alternatives: how many further translations of each text to find.
        known: translations of the first sentences of the only text, which the others go on from,
            such as ones that somebody has edited.
    """

    texts: tuple[str, ...]
    form: TextForm = "text"
    document: bool = False
    context: str = ""
    glossary: Glossary | None = None
    consistent: bool = False
    alternatives: int = 0
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and its translation.

    Attributes:
        source: the sentence.
        target: its translation.
        score: mean natural log-probability per token, 0 if the translator gives none.
        warnings: what is unusual about it.
        chunk: the number of the chunk of its document that it was translated in, from 0; the
            sentences of a chunk are context for each other.
    """

    source: str
    target: str
    score: float
    warnings: tuple[SentenceWarning, ...] = ()
    chunk: int = 0


@dataclass(frozen=True, slots=True)
class TranslatedText:
    """A text and its translation.

    Attributes:
        text: the translation.
        sentences: what was translated, in order.
        alternatives: further translations, best first; fewer where fewer were found.
        notes: what a user should know about its tags.
    """

    text: str
    sentences: tuple[SentencePair, ...] = ()
    alternatives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def translate_texts(translator: Translator, request: TextRequest) -> list[TranslatedText]:
    """Translate texts.

    Args:
        translator: translates them.
        request: the texts, and how they are translated.

    Returns:
        A translation for each text, in their order. A text without a word is as it was.

    Raises:
        InputError: the translator cannot do what is asked for.

    >>> import docmt
    >>> request = TextRequest(("Open the file.\\n\\nClose it.",))
    >>> translate_texts(docmt.load(), request)[0].text
    'Öffnen Sie die Datei.\\n\\nSchließen Sie sie.'
    """
    source, target = translator.languages
    read = [_read(text, request.form, source, target) for text in request.texts]
    if translator.requires_words:
        read = [
            skeleton and skeleton.keep_words(skeleton.documents, translator.can_keep)[1]
            for skeleton in read
        ]
    before = _context(request.context, source) if any(read) else ()
    own = [skeleton.documents[0].source if skeleton else () for skeleton in read]
    documents = _documents(own, before, one=request.document)
    if not documents:
        return [TranslatedText(text) for text in request.texts]
    firsts = list(_first_sentences(own, len(before), one=request.document))
    protected = {s: w for skeleton in read if skeleton for s, w in skeleton.kept_words.items()}
    translations = translate(
        translator,
        TranslationRequest(
            documents,
            glossary=request.glossary,
            protected=protected,
            consistent=request.consistent,
            n_best=1 + request.alternatives,
            revision=_continued(documents, before, request.known),
            headings=_of_all(read, firsts, _headings),
            codes=_of_all(read, firsts, lambda skeleton: skeleton.inline_codes),
        ),
    )
    parts = _parts(translations, own, len(before), 1 + request.alternatives)
    align = code_aligner(translator)[0]
    texts = []
    for text, skeleton, (owner, first) in zip(request.texts, read, firsts, strict=True):
        if skeleton is None:
            texts.append(TranslatedText(text))
            continue
        part = next(parts)
        codes, places = skeleton.inline_codes, translations[owner].codes
        own_places = {index: places[first + index] for index in codes if first + index in places}
        aligners = [CodesInPlace(codes, own_places, align), *(align for _ in part.targets[1:])]
        best, *others = (
            skeleton.fill_and_report([replace(part.document, target=sentences)], aligner)
            for sentences, aligner in zip(part.targets, aligners, strict=True)
        )
        alternatives = tuple(dict.fromkeys(o.text for o in others if o.text != best.text))
        texts.append(TranslatedText(best.text, part.pairs, alternatives, best.notes[1:]))
    return texts


@dataclass(frozen=True, slots=True)
class _Part:
    """The translation of a text: its document, its target sides, best first, and its sentences."""

    document: Document
    targets: Sequence[tuple[str, ...]]
    pairs: tuple[SentencePair, ...]


def _read(text: str, form: TextForm, language: str, target: str) -> BlockSkeleton | None:
    """A text without its sentences; None if it has no word."""
    # Splitting sentences takes long to load.
    from docmt.formats.markup.html import read_html
    from docmt.formats.text.running import read_text

    try:
        skeleton = (
            read_html(text, language, target) if form == "html" else read_text(text, language)
        )
    except NoTextError:
        return None
    return skeleton[1]


def _context(text: str, language: str) -> tuple[str, ...]:
    """The sentences of a text that is read as context."""
    skeleton = _read(text, "text", language, language) if text else None
    return skeleton.documents[0].source if skeleton else ()


def _documents(
    own: Sequence[tuple[str, ...]], before: tuple[str, ...], *, one: bool
) -> list[Document]:
    """The documents of texts: one of all, or one for each that has sentences."""
    if one:
        together = tuple(sentence for sentences in own for sentence in sentences)
        return [Document("text", (*before, *together))] if together else []
    return [
        Document(f"text {number}", (*before, *sentences))
        for number, sentences in enumerate(own, start=1)
        if sentences
    ]


def _first_sentences(
    own: Sequence[tuple[str, ...]], before: int, *, one: bool
) -> Iterator[SentenceIndex]:
    """The index of the first sentence of each text, the number of its document and its own; the
    next one's for a text without sentences."""
    owner, first = 0, before
    for sentences in own:
        yield owner, first
        if one:
            first += len(sentences)
        elif sentences:
            owner += 1


def _of_all(
    read: Sequence[BlockSkeleton | None],
    firsts: Sequence[SentenceIndex],
    values: Callable[[BlockSkeleton], Mapping[int, T]],
) -> dict[SentenceIndex, T]:
    """What some sentences of each text have, by their indices in the documents."""
    return {
        (owner, first + index): value
        for skeleton, (owner, first) in zip(read, firsts, strict=True)
        if skeleton is not None
        for index, value in values(skeleton).items()
    }


def _headings(skeleton: BlockSkeleton) -> dict[int, int]:
    """The levels of the sentences of a text that are headings."""
    sizes = skeleton.block_sizes(len(skeleton.documents[0]))
    levels = chain.from_iterable(repeat(level, size) for level, size in sizes)
    return {index: level for index, level in enumerate(levels) if level}


def _continued(
    documents: Sequence[Document], before: Sequence[str], known: Sequence[str]
) -> Revision | None:
    """What is wanted of the only document after translations that are known; None for all.

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
    return Revision((document.translated(target),), wanted, continued=True)


def _parts(
    translations: Sequence[Translation], own: Sequence[tuple[str, ...]], skipped: int, most: int
) -> Iterator[_Part]:
    """The translation of each text that has sentences, with at most so many target sides, without
    the sentences of the context."""
    sentences = _sentences(translations, skipped)
    for source in own:
        if not source:
            continue
        taken = list(islice(sentences, len(source)))
        depth = min(most, max(len(targets) for _, targets in taken))
        # The k-th alternative of a document may differ in one of its texts only.
        targets = [tuple(t[min(k, len(t) - 1)] for _, t in taken) for k in range(depth)]
        yield _Part(Document("text", source), targets, tuple(pair for pair, _ in taken))


def _sentences(
    translations: Sequence[Translation], skipped: int
) -> Iterator[tuple[SentencePair, list[str]]]:
    """The sentences of all documents, each with its translations in all alternatives."""
    for translation in translations:
        target = translation.document.target or ()
        ends = list(accumulate(translation.chunks))
        warnings: dict[int, tuple[SentenceWarning, ...]] = {}
        for warning in translation.warnings:
            warnings[warning.sentence] = (*warnings.get(warning.sentence, ()), warning)
        for index in range(skipped, len(translation.document)):
            chunk = bisect_right(ends, index)
            pair = SentencePair(
                translation.document.source[index],
                target[index],
                translation.scores[index],
                warnings.get(index, ()),
                chunk,
            )
            yield pair, [alternative.sentences[index] for alternative in translation.alternatives]
