"""`evaluate_discourse`: phenomena of discourse in translations in files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from docmt.corpora import read
from docmt.documents import Boundaries, Document
from docmt.errors import InputError
from docmt.evaluation.discourse.alignment import Alignment
from docmt.evaluation.discourse.blonde import blonde_score
from docmt.evaluation.discourse.blonde_lists import MARKERS
from docmt.evaluation.discourse.consistency import (
    Match,
    Side,
    lexical_consistency,
    term_accuracy,
)
from docmt.evaluation.discourse.pronouns import PronounSettings, pronoun_accuracy
from docmt.evaluation.discourse.scores import DiscourseScore
from docmt.evaluation.discourse.terms import Term, read_terms
from docmt.evaluation.discourse.text_alignment import TextAlignments
from docmt.evaluation.discourse.texts import Text
from docmt.evaluation.segments import target_sentences
from docmt.evaluation.translations import read_references, read_translations
from docmt.text import primary_language
from docmt.wording import counted, did_you_mean

METRICS = ("apt", "ltcr", "most-frequent", "term-accuracy", "blonde")
"""The metrics by the names that the command line uses."""

_NEED_SOURCE = METRICS[:4]
_NEED_REFERENCE = ("apt", "blonde")
_OF_REFERENCE = ("ltcr", "most-frequent", "term-accuracy")
"""The metrics that a reference has as well."""

_COPIES = 0.2
"""From this share of copied sentences on, a translation is suspicious."""


@dataclass(frozen=True, slots=True)
class DiscourseOptions:
    """What the metrics depend on besides the texts.

    Attributes:
        languages: the codes of the source and of the target language.
        metrics: names of `METRICS`. Default: all that the files allow.
        tokenized: whether words are what stands between spaces.
        boundaries, docids: how line files show where documents begin; see `read_translations`.
        alignments: for each translation, the file of its alignment with the source.
        reference_alignment: the file of the alignment of the reference with the source.
        alignment_corpus: a corpus of both languages from which the aligner learns as well.
        pronouns: what APT counts as what.
        terms: a file of terms; see `read_terms`. Default: the words that documents repeat.
        match: when two translations of a term are alike.
        lowercase: whether BlonDe compares n-grams without regard to case.
    """

    languages: tuple[str, str]
    metrics: Sequence[str] | None = None
    tokenized: bool = False
    boundaries: Boundaries | None = None
    docids: str | None = None
    alignments: Sequence[str] = ()
    reference_alignment: str | None = None
    alignment_corpus: str | None = None
    pronouns: PronounSettings = field(default_factory=PronounSettings)
    terms: str | None = None
    match: Match = "stem"
    lowercase: bool = False


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The scores of one translation, or of the reference.

    Attributes:
        name: the file, or `reference`.
        scores: one for each metric that it has.
    """

    name: str
    scores: Sequence[DiscourseScore]

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain values."""
        return {"name": self.name, "scores": [score.to_dict() for score in self.scores]}


def evaluate_discourse(
    hypotheses: Sequence[str],
    *,
    source: str | None,
    references: Sequence[str],
    options: DiscourseOptions,
    note: Callable[[str], None] = lambda _: None,
) -> list[SystemScores]:
    """Score translations in files by phenomena of discourse.

    What a system scores does not depend on the other systems; see `TextAlignments`.

    Args:
        hypotheses: the files of the translations.
        source: the file of the source. Default: the source side of each translation's file.
        references: the files of the references. APT compares with the first.
        options: what the metrics depend on.
        note: called with what a user should know about the files.

    Returns:
        The scores of the translations in order, then those of the first reference, if there are
        metrics that it has as well.

    Raises:
        InputError: a file cannot be read, a metric is unknown or lacks a file or list, or the
            documents do not have the same sentences.
    """
    if options.alignments and len(options.alignments) != len(hypotheses):
        raise InputError(
            f"there are {counted(len(hypotheses), 'translation')} but "
            f"{counted(len(options.alignments), 'alignment')}",
            cure="Give one --alignment for each --hypothesis, in the same order",
        )
    if [*hypotheses, source, *references].count("-") > 1:
        raise InputError("only one file can be standard input", cure="Name the others")
    _check_alignment_files(options)
    how: dict[str, Any] = {"boundaries": options.boundaries, "docids": options.docids}
    expected = read_references(references, **how)
    given = None if source is None else list(read(source, **how))
    terms = None
    if options.terms is not None:
        terms = read_terms(options.terms, options.languages, tokenized=options.tokenized)
    alignments = TextAlignments(
        options.languages,
        options.tokenized,
        options.reference_alignment,
        options.alignment_corpus,
        note,
    )
    systems: list[SystemScores] = []
    for number, path in enumerate(hypotheses):
        file = options.alignments[number] if options.alignments else None
        translated = read_translations(path, **how)
        if options.boundaries is None and len(translated) == 1:
            note(f"{path} is one document of {counted(len(translated[0]), 'sentence')}")
        original = given or _source_side(translated)
        _note_copies(path, original, translated, note)
        measured = _Measured(options, original, translated, expected, terms, alignments, file)
        metrics = _metrics(options, original, expected, terms)
        systems.append(SystemScores(path, [measured.score(name) for name in metrics]))
        also = [name for name in metrics if name in _OF_REFERENCE and expected]
        if also and number == len(hypotheses) - 1:
            scores = [measured.score_of_reference(name) for name in also]
            systems.append(SystemScores("reference", scores))
    return systems


def _check_alignment_files(options: DiscourseOptions) -> None:
    """Check that files of alignments are of text whose words are known.

    Raises:
        InputError: the text is not tokenized.
    """
    if (options.alignments or options.reference_alignment) and not options.tokenized:
        raise InputError(
            "an alignment file counts the words between spaces, but the text is to be split into "
            "words",
            cure="Give tokenized files, the ones that were aligned, and add --tokenized",
        )


@dataclass
class _Measured:
    """A translation and what it is measured by."""

    options: DiscourseOptions
    source: Sequence[Document] | None
    translated: Sequence[Document]
    references: Sequence[Sequence[Document]]
    terms: Sequence[Term] | None
    alignments: TextAlignments
    file: str | None

    @cached_property
    def text(self) -> Text:
        """The words of all sides."""
        assert self.source is not None, "the metrics need the source"
        return Text.of(
            self.source,
            self.translated,
            self.references[0] if self.references else None,
            languages=self.options.languages,
            tokenized=self.options.tokenized,
        )

    @cached_property
    def links(self) -> Alignment:
        """The alignment of the translation."""
        return self.alignments.of_hypothesis(self.text, self.file)

    def score(self, name: str) -> DiscourseScore:
        """The score of the translation by a metric."""
        if name == "apt":
            reference = self.alignments.of_reference(self.text)
            return pronoun_accuracy(self.text, self.links, reference, self.options.pronouns)
        if name == "blonde":
            return blonde_score(
                self.translated, self.references, language=self.options.languages[1],
                lowercase=self.options.lowercase, tokenized=self.options.tokenized,
            )  # fmt: skip
        return self._of_terms(name, "hypothesis")

    def score_of_reference(self, name: str) -> DiscourseScore:
        """The score of the reference by a metric of `_OF_REFERENCE`."""
        return self._of_terms(name, "reference")

    def _of_terms(self, name: str, side: Side) -> DiscourseScore:
        """The score of a metric of terms."""
        match = self.options.match
        if name == "term-accuracy":
            return term_accuracy(self.text, self.terms or (), match=match, side=side)
        links = self.links if side == "hypothesis" else self.alignments.of_reference(self.text)
        both = lexical_consistency(self.text, links, terms=self.terms, match=match, side=side)
        return both[("ltcr", "most-frequent").index(name)]


def _source_side(translated: Sequence[Document]) -> Sequence[Document] | None:
    """The documents of a translation's file as the source, or None if it has one side only."""
    # A file of one side is read with that side as both.
    return None if any(d.target is d.source for d in translated) else translated


def _metrics(
    options: DiscourseOptions,
    source: Sequence[Document] | None,
    references: Sequence[Sequence[Document]],
    terms: Sequence[Term] | None,
) -> list[str]:
    """The metrics that are asked for, or all that are possible.

    Raises:
        InputError: a metric is unknown or lacks a file, or no metric is possible.
    """
    lacks = {name: _lacking(name, source is not None, bool(references), terms) for name in METRICS}
    if options.metrics is None:
        possible = [
            name
            for name in METRICS
            if not lacks[name]
            and (name != "blonde" or primary_language(options.languages[1]) in MARKERS)
        ]
        if not possible:
            raise InputError(
                "there is neither a source nor a reference",
                cure="Add --source, --reference or both",
            )
        return possible
    for name in options.metrics:
        if name not in METRICS:
            hint = did_you_mean(name, METRICS)
            raise InputError(
                f"unknown metric {name!r}",
                cure=hint[0].upper() + hint[1:] if hint else f"Known: {', '.join(METRICS)}",
            )
        if (lacking := lacks[name]) is not None:
            raise InputError(f"{name} needs {lacking[0]}", cure=f"Add {lacking[1]}")
    return list(dict.fromkeys(options.metrics))


def _lacking(
    name: str, has_source: bool, has_reference: bool, terms: Sequence[Term] | None
) -> tuple[str, str] | None:
    """What a metric needs that is not there, and the option that gives it."""
    if name in _NEED_SOURCE and not has_source:
        return "the source", "--source FILE"
    if name in _NEED_REFERENCE and not has_reference:
        return "a reference", "--reference FILE"
    if name == "term-accuracy" and not any(term.translations for term in terms or ()):
        return "terms with their translations", "--terms FILE"
    return None


def _note_copies(
    path: str,
    source: Sequence[Document] | None,
    translated: Sequence[Document],
    note: Callable[[str], None],
) -> None:
    """Say so if many sentences of a translation are copies of the source."""
    if source is None or [len(d) for d in source] != [len(d) for d in translated]:
        return
    pairs = [
        pair
        for ours, theirs in zip(source, translated, strict=True)
        for pair in zip(ours.source, target_sentences(theirs), strict=True)
        if len(pair[0].split()) > 3
    ]
    copies = sum(original.strip() == target.strip() for original, target in pairs)
    if pairs and copies / len(pairs) > _COPIES:
        note(
            f"{path}: {copies} of {counted(len(pairs), 'sentence')} of more than three words are "
            "copies of their source; is it a translation?"
        )
