"""The way back of a review: an edited XLIFF or JSON file into the translated file, and into a
translation memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from docmt.memory import TranslationMemory, Unit
from docmt_files import (
    Code,
    Columns,
    ExclusionRules,
    InlineSentence,
    Input,
    placeholder_words,
    without_line_ends,
)
from docmt_files.base.errors import InputError, name_of
from docmt_files.base.languages import primary_subtag
from docmt_files.review import (
    MergedSentence,
    Merger,
    Review,
    TaggedText,
    digest,
    file_digest,
    read_review_json,
    read_xliff,
    rules_digest,
)
from docmt_files.storage.files import PathLike, check_not_an_input
from docmt_nmt.corpora import corpus_files

REVIEW_SUFFIXES = (".xlf", ".xliff", ".json")
"""Suffixes of the files that a person edits."""


class MergeCounts(NamedTuple):
    """What a merge has found.

    Attributes:
        problems: the number of units that do not fit; notes name them.
        remembered: the number of units new or changed in the memory; None without one.
    """

    problems: int
    remembered: int | None = None


def read_review(path: PathLike) -> Review:
    """The review in a file: JSON by its name, or else XLIFF.

    Raises:
        InputError: the file cannot be read.
    """
    return read_review_json(path) if Path(path).suffix.lower() == ".json" else read_xliff(path)


def is_review(path: PathLike) -> bool:
    """Return whether a file is a review of docmt."""
    if Path(path).suffix.lower() not in REVIEW_SUFFIXES:
        return False
    try:
        return bool(read_review(path).written)
    except InputError:  # of another tool, or damaged
        return False


def merge_review(
    edited: PathLike,
    output: PathLike,
    *,
    source: PathLike | None = None,
    memory: PathLike | None = None,
    rules: ExclusionRules | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> MergeCounts:
    """Put the translations of a review into the file that was translated.

    Args:
        edited: the edited XLIFF or JSON file.
        output: the path of the translated file.
        source: the translated file. Default: by its name, beside the review.
        memory: a translation memory, which takes the edited and the approved sentences; it is made
            if there is none.
        rules: the rules of the review, by which parts of the file are left.
        note: called with each note for the user.

    Raises:
        InputError: a file cannot be read or written, the file has other sentences than the review,
            or a unit has several translations.
    """
    review = read_review(edited)
    # The name is from elsewhere: a path must not lead to another folder.
    name = Path(review.original.replace("\\", "/")).name
    original = Path(source) if source is not None else Path(edited).parent / name
    if not original.is_file():
        raise InputError(
            f"its source file {name!r} is not beside it",
            path=edited,
            cure="Name the file that was translated as `source`",
            parameters=("source",),
        )
    check_not_an_input(output, [edited, original])
    language, target = review.languages
    documents, skeleton = _input_of(review, rules, edited).read(
        original, review.reading.get("language", language), target, read_corpus=corpus_files.read
    )
    merger = Merger(review, edited, review.sha256 == file_digest(original))
    for text in merger.merge(documents, skeleton, output):
        note(f"{name_of(output)}: {text}")
    if memory is None:
        return MergeCounts(len(merger.problems))
    with TranslationMemory(memory, review.languages, create=True) as opened:
        units = units_of_sentences(merger.sentences, Path(original).name)
        return MergeCounts(len(merger.problems), opened.add(units))


def _input_of(review: Review, rules: ExclusionRules | None, path: PathLike) -> Input:
    """The settings with which the file of a review is read. Rules are not in a review: a pattern
    from elsewhere could take hours."""
    settings = {name: value for name, value in review.reading.items() if name != "language"}
    if settings.pop("rules", "") != rules_digest(rules) and review.sha256:
        raise InputError(
            "was made with other `rules` or `skip_hidden`",
            path=path,
            cure="Name those with which the review was made",
            parameters=("rules", "skip_hidden"),
        )
    if columns := settings.pop("columns", None):
        settings["columns"] = Columns(tuple(columns["names"]), columns.get("new", False))
    return Input(**settings, rules=rules)


def units_of_sentences(sentences: Sequence[MergedSentence], origin: str) -> Iterator[Unit]:
    """The units of the edited and the approved sentences of a file.

    Args:
        sentences: the sentences of the file.
        origin: the name of the file.
    """
    for index, each in enumerate(sentences):
        if each.is_by_person:
            before = sentences[index - 1].source if index else ""
            after = sentences[index + 1].source if index + 1 < len(sentences) else ""
            yield Unit(each.source, each.target, before, after, codes=each.codes, origin=origin)


def units_of_review(path: PathLike, languages: tuple[str, str]) -> Iterator[Unit]:
    """The units of the edited and the approved sentences of a review.

    Raises:
        InputError: the file cannot be read, or is of other languages.
    """
    review = read_review(path)
    if list(map(primary_subtag, review.languages)) != list(map(primary_subtag, languages)):
        raise InputError(
            f"is of {' → '.join(review.languages)}, not of {' → '.join(languages)}",
            path=path,
            cure="Add it to a memory of these languages",
        )
    sentences = []
    for unit in review.units:
        written = review.written.get(unit.id, ())
        known = dict(zip((f"s{i + 1}" for i in range(len(written))), written, strict=True))
        for segment in unit.segments:
            source, target = _sentence(segment.source), _sentence(segment.target or ())
            is_new = digest(segment.target) != known.get(segment.id)
            offsets = tuple(tuple(offset for offset, _ in side.codes) for side in (source, target))
            codes = offsets if len(offsets[0]) == len(offsets[1]) else ((), ())
            sentences.append(
                MergedSentence(
                    source.text,
                    target.text,
                    (codes[0], codes[1]),
                    is_edited=is_new,
                    is_approved=segment.approved,
                )
            )
    yield from units_of_sentences(sentences, Path(path).name)


def _sentence(text: TaggedText) -> InlineSentence:
    """A sentence without tags, but with the words of placeholders."""
    plain, codes = "", []
    for index, part in enumerate(text):
        if isinstance(part, str):
            plain += part
        elif words := part.kind == "alone" and placeholder_words(part.shown):
            plain += words
        else:
            codes.append((len(plain), Code(index, index + 1, "void")))
    return without_line_ends(plain, codes)
