"""Blocks in another language than the rest of a file, such as a quotation or filler text, are left
as they are: a system that reads another language writes nonsense in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docmt_files import BlockSkeleton, ExclusionRules, FileSkeleton
from docmt_files.base.documents import Document
from docmt_files.base.languages import primary_language
from docmt_files.base.wording import counted
from docmt_nmt.text.language_detection import language_name, parts_in_other_languages

_SHOWN = 40
"""The most characters of a block in the note."""


def without_foreign_blocks(
    documents: Sequence[Document],
    skeleton: FileSkeleton,
    language: str,
    *,
    every_language: bool = False,
    rules: ExclusionRules | None = None,
) -> tuple[Sequence[Document], FileSkeleton]:
    """The documents and the file without the sentences of blocks in another language, and with a
    note on these blocks.

    Args:
        documents: the documents of the file.
        skeleton: the file without its sentences.
        language: the code of the source language.
        every_language: whether to leave blocks in the languages named by rules only.
        rules: may name languages.
    """
    named = {} if rules is None else rules.languages
    if every_language and not named:
        return documents, skeleton
    if not isinstance(skeleton, BlockSkeleton):
        return documents, skeleton
    texts = [" ".join(sentence.text for sentence in block) for block in skeleton.sentences]
    foreign = parts_in_other_languages(texts, language)
    if rules is not None:
        wanted = {index: primary_language(code) for index, code in named.items()}
        rules.used.update(i for i, code in wanted.items() if code in foreign.values())
        if every_language:
            foreign = {i: code for i, code in foreign.items() if code in wanted.values()}
    if not foreign:
        return documents, skeleton
    numbers = Counter(language_name(code) for code in foreign.values())
    listed = ", ".join(f"{name} ({number:,})" for name, number in numbers.most_common())
    first = texts[min(foreign)]
    shown = first if len(first) <= _SHOWN else f"{first[:_SHOWN].rstrip()}…"
    note = (
        f"{counted(len(foreign), 'block')} left as in the source, in other languages than "
        f"{language_name(language)}, it seems: {listed}; the first begins {shown!r}"
    )
    made = skeleton.leave(foreign, [note])
    return made.documents, made
