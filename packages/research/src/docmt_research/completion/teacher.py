"""The teacher: documents whose last sentence was completed, with targets by a sentence-level
translator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_nmt.translators import translate
from docmt_nmt.translators.translator import ProgressCallback, Translator
from docmt_research.completion.english_ellipsis import complete_ellipsis, is_elliptical
from docmt_research.completion.english_verbs import antecedent_verb


class CompletedDocument(NamedTuple):
    """Sentences of which the last was completed.

    Attributes:
        id: the name of the document.
        source: the sentences as they are.
        completed: the last one, completed; None for an ordinary stretch, which is translated as it
            is.
    """

    id: str
    source: tuple[str, ...]
    completed: str | None = None


def completed_by_rule(documents: Iterable[Document], most: int = 4) -> Iterator[CompletedDocument]:
    """The ellipses of plain English documents, with up to so many sentences before each, completed
    by the verb that rules find there."""
    for document in documents:
        for index, sentence in enumerate(document.source):
            before = document.source[max(0, index - most) : index]
            if not is_elliptical(sentence) or (verb := antecedent_verb(before[-2:])) is None:
                continue
            completed = complete_ellipsis(sentence, verb)
            yield CompletedDocument(f"{document.id}-{index}", (*before, sentence), completed)


def teach(
    translator: Translator,
    documents: Sequence[CompletedDocument],
    *,
    progress: ProgressCallback | None = None,
) -> list[Document]:
    """Training documents: each sentence with the translation of the sentence alone, and the last
    one, where it was completed, with the translation of the completed sentence. A document is left
    out where completion changes nothing, or where a sentence has no translation.

    Args:
        translator: translates sentences alone.
        documents: the documents.
        progress: called with the sentences done so far and the sentences in all.
    """
    texts = dict.fromkeys(
        text for each in documents for text in (*each.source, each.completed) if text
    )
    alone = [Document(str(number), (text,)) for number, text in enumerate(texts)]
    made = translate(translator, alone, progress=progress)
    translations = {
        text: (each.document.target or ("",))[0] for text, each in zip(texts, made, strict=True)
    }
    taught = []
    for each in documents:
        target = [translations[text] for text in each.source]
        if each.completed is not None:
            last = translations[each.completed]
            if last == target[-1]:
                continue
            target[-1] = last
        if all(text.strip() for text in target):
            taught.append(Document(each.id, each.source, tuple(target)))
    return taught
