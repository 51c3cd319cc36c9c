"""Checks of a compiled form, however it was made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import read_lines
from docmt_nmt.base.translations import Translation
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator

_SENTENCES = 20
"""The number of sentences that are checked."""


def documents_to_check(language: str) -> list[Document]:
    """Documents of the bundled corpus, in the language if the corpus has it, else in English:
    whatever the language, the same tokens must come out."""
    side = "de" if language == "de" else "en"
    lines = read_lines(corpus_file(f"manuals.{side}.xz"))
    sentences = [line for line in islice(lines, 4 * _SENTENCES) if line][:_SENTENCES]
    half = _SENTENCES // 2
    return [Document("one", tuple(sentences[:half])), Document("two", tuple(sentences[half:]))]


def check_alone(
    compiled: BeamSearchTranslator, documents: Sequence[Document], directory: Path
) -> list[Translation]:
    """Check that documents are translated alike alone and together.

    Returns:
        The translations.

    Raises:
        InputError: they are not; naming the run directory.
    """
    together = compiled.translate(documents)
    for document, translation in zip(documents, together, strict=True):
        (alone,) = compiled.translate([document])
        if alone.document.target != translation.document.target:
            raise InputError(
                f"the compiled form translates {document.id!r} alone in another way than with "
                "other documents; it is not kept",
                path=directory,
                cure="Compile the run in fp32",
            )
    return together
