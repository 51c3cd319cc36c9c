"""`detect_source_language`: the language of files to translate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.corpora import corpus_files
from docmt_nmt.text.language_detection import language_probabilities

_SAMPLE = 4000
"""Number of characters that are examined."""

_MIN_PROBABILITY = 0.5

_FILES = 20
"""Number of files of a folder that are read."""


def detect_source_language(inputs: Sequence[str], form: Input, languages: Iterable[str]) -> str:
    """The language of files.

    Args:
        inputs: the paths of files, or of one folder.
        form: the way to read files.
        languages: the languages that can be translated.

    Raises:
        InputError: the language is not clear, or the input is a stream, which can be read only
            once.
    """
    cure, parameters = "Give the language as `source_language`", ("source_language",)
    if "-" in inputs:
        raise InputError(
            "the language of standard input is not detected", cure=cure, parameters=parameters
        )
    probabilities = language_probabilities(sample_text(inputs, form))
    for language in languages:
        if probabilities.get(primary_language(language), 0.0) >= _MIN_PROBABILITY:
            return language
    best = max(probabilities, key=lambda code: probabilities[code])
    if probabilities[best] < _MIN_PROBABILITY:
        raise InputError(
            "the language is not clear", path=inputs[0], cure=cure, parameters=parameters
        )
    return best


def sample_text(inputs: Sequence[str], form: Input) -> str:
    """The beginning of the text of files, for a look at their language.

    Args:
        inputs: the paths of files, or of one folder.
        form: the way to read files.

    Raises:
        InputError: no file can be read.
    """
    files = [Path(name) for name in inputs]
    if files[0].is_dir():
        files = [path for path in sorted(files[0].rglob("*")) if path.is_file()]
    sentences: list[str] = []
    problem: InputError | None = None
    for path in islice(files, _FILES):
        try:
            # The rules of English split the text of most languages well enough to look at it.
            documents, _ = form.read(path, "en", read_corpus=corpus_files.read)
        except InputError as error:
            problem = problem or error
            continue
        sentences += [sentence for document in documents for sentence in document.source]
        if sum(map(len, sentences)) > _SAMPLE:
            break
    if not sentences and problem is not None:
        raise problem
    return " ".join(sentences)[:_SAMPLE]
