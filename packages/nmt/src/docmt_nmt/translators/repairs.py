"""`translate`: documents are translated, and faulty sentences are repaired by asking again.

Each repair looks at the translations and may want sentences again (`docmt_nmt.translators.repair`).
This is the one loop that asks. It stands above all translators: beam search, language models and
the translators of other packages are repaired alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import overload

from docmt_files.base.documents import Document
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.left_out_terms import LeftOutTerms
from docmt_nmt.translators.lost_words import LostWords
from docmt_nmt.translators.repair import Repair, Retry
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.revisions import merge_revision
from docmt_nmt.translators.translator import Journal, Plan, ProgressCallback, Translator, request_of

STANDARD: tuple[Repair, ...] = (LostWords(), LeftOutTerms())
"""The repairs of every translation, also of those that are scored. Other repairs are added where
they are asked for, as for texts and files that somebody reads: `docmt.translating.text_repairs`."""


def translate(
    translator: Translator,
    request: TranslationRequest | Plan | Sequence[Document],
    repairs: Sequence[Repair] = STANDARD,
    *,
    progress: ProgressCallback | None = None,
    journal: Journal | None = None,
) -> list[Translation]:
    """Translate documents, and repair their translations.

    Args:
        translator: translates the documents.
        request: a request, a plan of the translator, or documents alone.
        repairs: the repairs, in the order in which they look at the translations. The sentences
            that a repair has wanted again are repaired by the repairs before it, too.
        progress: called with the sentences translated so far and the sentences in all.
        journal: keeps results, and gives the results of an interrupted translation of the same
            request with the same repairs.

    Returns:
        The translations of the documents, in their order.

    Raises:
        InputError: the request cannot be met, or a repair needs what the translator does not give.

    >>> import docmt_nmt
    >>> documents = [docmt_nmt.Document("d", ("Open the file.",))]
    >>> (translation,) = docmt_nmt.translate(docmt_nmt.load(), documents)
    >>> translation.document.target
    ('Öffnen Sie die Datei.',)
    """
    for repair in repairs:
        repair.check(translator)
    translations = translator.translate(request, progress=progress, journal=journal)
    if "revisions" not in translator.gives:
        return translations
    for number, repair in enumerate(repairs):
        retry = repair.retry(translator, request_of(request), translations)
        if retry is not None:
            again = partial(
                translate, translator, repairs=repairs[:number], progress=progress, journal=journal
            )
            translations = _retried(retry, translations, again)
    return translations


def _retried(
    retry: Retry,
    translations: Sequence[Translation],
    translate_again: Callable[[TranslationRequest], list[Translation]],
) -> list[Translation]:
    """Translations with the accepted sentences of a retry."""
    if not retry.sentences:
        return retry.concluded(translations, ())
    again = translate_again(retry.request)
    accepted: list[SentenceIndex] = []
    taken: dict[int, list[int]] = defaultdict(list)
    for owner, index in sorted(retry.sentences):
        if retry.accepts((owner, index), translations[owner], again[owner]):
            accepted.append((owner, index))
            taken[owner].append(index)
    merged = [
        merge_revision(old, new, taken[owner]) if taken[owner] else old
        for owner, (old, new) in enumerate(zip(translations, again, strict=True))
    ]
    return retry.concluded(merged, accepted)


@overload
def translate_text(translator: Translator, text: str) -> str: ...  # type: ignore[overload-overlap]
@overload
def translate_text(translator: Translator, text: Sequence[str]) -> list[str]: ...
def translate_text(translator: Translator, text: str | Sequence[str]) -> str | list[str]:
    """Translate a sentence, or the sentences of one document in the context of each other.

    Args:
        translator: translates the text.
        text: a sentence, or a list of sentences.

    Returns:
        The translation of the sentence, or a list of the translations of all sentences.

    Raises:
        InputError: as `translate`.

    >>> import docmt_nmt
    >>> docmt_nmt.translate_text(docmt_nmt.load(), "Open the file.")
    'Öffnen Sie die Datei.'
    """
    sentences = (text,) if isinstance(text, str) else tuple(text)
    if not sentences:
        return []
    (translation,) = translate(translator, [Document("text", sentences)])
    target = list(translation.document.target or ())
    return target[0] if isinstance(text, str) else target


def fingerprint(
    translator: Translator, request: TranslationRequest, repairs: Sequence[Repair] = STANDARD
) -> str | None:
    """Return a digest of all that a repaired translation depends on; None if the translator does
    not say what its translations depend on."""
    digest = translator.fingerprint(request)
    if digest is None:
        return None
    return sha256(repr((digest, *repairs)).encode()).hexdigest()
