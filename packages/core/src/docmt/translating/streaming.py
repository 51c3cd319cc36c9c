"""`stream_text`: the translation of a text sentence by sentence, for clients that show it as it
comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from docmt.translating.passage import Layout, Passage
from docmt.translating.text_repairs.of_texts import repairs
from docmt.translating.texts import TextRequest, read_passage, translate_texts
from docmt_files import BlockSkeleton
from docmt_nmt.base.translations import DocumentWarning, Translation
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.requests import Revision
from docmt_nmt.translators.revisions import merge_revision
from docmt_nmt.translators.translator import Translator

_REST = "\U00010000" * 3
"""Stands for a sentence that is not translated yet: letters, which files are filled with, without
case, of a script that no text has (Linear B)."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a translated text.

    Attributes:
        text: the part.
        warnings: warnings about the sentences that end in the part; sentences of the text are
            counted from 0.
    """

    text: str
    warnings: tuple[DocumentWarning, ...] = ()


def stream_text(translator: Translator, text: str) -> Iterator[TextPart]:
    """The translation of a plain text in parts, a sentence or more each. Each sentence continues
    the translations before it; white space between sentences comes with the sentence before. A text
    with inline codes, such as addresses, and the text of a translator without revisions are one
    part.

    Args:
        translator: translates the text.
        text: the text.

    Raises:
        InputError: the translator cannot meet the request.
    """
    request = TextRequest((text,))
    passage = read_passage(translator, text, request)
    if passage is None or not _has_parts(translator, passage):
        (whole,) = translate_texts(translator, request)
        warned = (
            DocumentWarning(index, warning.kind, warning.detail)
            for index, pair in enumerate(whole.sentences)
            for warning in pair.warnings
        )
        yield TextPart(whole.text, tuple(warned))
        return
    layout = Layout.of_texts({"text": passage})
    document = layout.documents[0].plain
    size, told = len(document), ""
    found: Translation | None = None
    warnings: list[DocumentWarning] = []
    for index in range(size):
        known = () if found is None else found.target
        target = (*known[:index], *[""] * (size - index))
        revision = Revision((document.translated(target),), frozenset({(0, index)}), continued=True)
        (new,) = translate(translator, layout.request(revision=revision), repairs(consistent=False))
        found = new if found is None else merge_revision(found, new, [index])
        warnings += [warning for warning in found.warnings if warning.sentence == index]
        begun = _begun(passage, found, index + 1)
        assert begun.startswith(told), "without codes, sentences stay where they are"
        if part := begun[len(told) :]:
            yield TextPart(part, tuple(warnings))
            warnings = []
        told = begun


def _has_parts(translator: Translator, passage: Passage) -> bool:
    """Return whether the translation of a text can be told sentence by sentence."""
    skeleton = passage.skeleton
    has_codes = not isinstance(skeleton, BlockSkeleton) or skeleton.find is not None
    return (
        {"revisions", "sentences"} <= translator.gives
        and not has_codes
        and not any(each.protected for each in passage.sentences[0])
        and _REST not in "".join(passage.documents[0].source)
    )


def _begun(passage: Passage, translation: Translation, count: int) -> str:
    """The translated text up to the first sentence that is not translated yet.

    Args:
        passage: the text.
        translation: the translation, which has the first sentences.
        count: number of translated sentences.
    """
    rest = [replace(sentence, target=_REST) for sentence in translation.sentences[count:]]
    begun = translation.with_sentences((*translation.sentences[:count], *rest))
    filled = passage.filled_by([begun], None)
    assert isinstance(filled.skeleton, BlockSkeleton), "texts are read as blocks"
    targets = [each.document for each in filled.translations]
    text = filled.skeleton.fill_and_report(targets, None).text
    return text.partition(_REST)[0] if rest else text
