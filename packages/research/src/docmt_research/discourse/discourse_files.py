"""`evaluate_discourse`: phenomena of discourse in translations in files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

from docmt.alignment.links import Alignment
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.base.wording import counted, did_you_mean
from docmt_nmt.base.choices import DiscourseMetric
from docmt_nmt.evaluation.comparison import Comparison
from docmt_nmt.evaluation.realignment_record import Realignment
from docmt_nmt.evaluation.segments import target_sentences
from docmt_research.discourse.blonde import blonde_score
from docmt_research.discourse.blonde_lists import MARKERS
from docmt_research.discourse.discourse_comparison import compare_discourse
from docmt_research.discourse.discourse_scores import DiscourseScore, NothingToMeasure
from docmt_research.discourse.discourse_settings import DiscourseOptions
from docmt_research.discourse.discourse_sides import read_sides
from docmt_research.discourse.discourse_text import Text
from docmt_research.discourse.lexical_consistency import Side, lexical_consistency, term_accuracy
from docmt_research.discourse.pronouns import pronoun_accuracy
from docmt_research.discourse.terms import Term, read_terms
from docmt_research.discourse.text_alignment import AlignDocuments, TextAlignments

METRICS: tuple[str, ...] = get_args(DiscourseMetric)
"""The metrics by the names of the command line."""

_NEED_SOURCE = METRICS[:4]
_NEED_REFERENCE = ("apt", "blonde")
_OF_REFERENCE = ("apt", "ltcr", "most-frequent", "term-accuracy")
"""The metrics with a score of the reference; for APT, the score of the reference is the maximum for
a translation."""

_COPIES = 0.2
"""From this share of copied sentences on, a translation is suspicious."""


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The scores of one translation, or of the reference.

    Attributes:
        name: the file, or `reference`.
        scores: one score for each metric of the system.
    """

    name: str
    scores: Sequence[DiscourseScore]

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain values."""
        return {"name": self.name, "scores": [score.to_dict() for score in self.scores]}


@dataclass(frozen=True, slots=True)
class DiscourseEvaluation:
    """The scores of a translation, and of others to compare it with.

    Attributes:
        systems: the translation, the baselines, and the reference if any metric applies to it.
        comparisons: for each baseline, one for each metric.
        realignments: if asked for, the alignment of each translation.
    """

    systems: Sequence[SystemScores]
    comparisons: Sequence[Comparison]
    realignments: Sequence[Realignment] = ()

    def to_dict(self) -> dict[str, Any]:
        """All scores and comparisons as plain values."""
        return {
            "systems": [system.to_dict() for system in self.systems],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "realignments": [realignment.to_dict() for realignment in self.realignments],
        }


def evaluate_discourse(
    hypothesis: str,
    references: Sequence[str],
    *,
    options: DiscourseOptions,
    source: str | None = None,
    baselines: Sequence[str] = (),
    align: AlignDocuments | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> DiscourseEvaluation:
    """Score a translation in a file by phenomena of discourse, and compare it with others.

    The score of a system does not depend on the other systems; see `TextAlignments`.

    Args:
        hypothesis: the file of the translation. One of all the files may be `-`, standard input.
        references: the files of the references, if there are any. APT compares with the first.
        options: the settings of the metrics.
        source: the file of the source. Default: the source side of the translation's file.
        baselines: the files of other systems' translations.
        align: aligns words where no file is given. Default: docmt's statistical aligner.
        note: called with each message to the user about the files.

    Raises:
        InputError: a file cannot be read, a metric is unknown or lacks a file or list, or the
            documents do not have the same sentences.
    """
    _check_alignments(options, baselines)
    sides = read_sides(
        hypothesis,
        references,
        source=source,
        baselines=baselines,
        boundaries=options.boundaries,
        docids=options.docids,
        note=note,
        realign=options.realign,
        encoder=options.encoder,
        language=options.languages[1],
    )
    shared = _Shared(
        options,
        sides.source,
        sides.references,
        _terms(options),
        TextAlignments(
            options.languages,
            options.tokenized,
            options.reference_alignment,
            options.alignment_corpus,
            note,
            align,
        ),
    )
    metrics = _metrics(shared)
    of_baselines: Sequence[str | None] = options.baseline_alignments or [None] * len(baselines)
    files = [options.alignment, *of_baselines]
    measured = [
        _Measured(shared, path, documents, file)
        for (path, documents), file in zip(sides.translated.items(), files, strict=True)
    ]
    scored = {}
    for name in metrics:
        try:
            scored[name] = sides.signed([one.score(name) for one in measured])
        except NothingToMeasure as error:
            if options.metrics is not None or len(metrics) == 1:
                raise
            note(f"{name} is left out: {error.problem}")
    if not scored:
        raise InputError("the files have nothing that a metric counts", cure="Give longer texts")
    systems = []
    for number, one in enumerate(measured):
        _note_copies(one, note)
        systems.append(SystemScores(one.path, [scores[number] for scores in scored.values()]))
    comparisons = [
        compare_discourse(ours, theirs, baseline_name=baseline.name)
        for baseline in systems[1:]
        for ours, theirs in zip(systems[0].scores, baseline.scores, strict=True)
    ]
    if sides.realigner:
        comparisons = sides.realigner.signed(comparisons)
    if also := [name for name in scored if name in _OF_REFERENCE and shared.references]:
        scores = [measured[0].score_of_reference(name) for name in also]
        systems.append(SystemScores("reference", scores))
    return DiscourseEvaluation(systems, comparisons, sides.realignments)


def _terms(options: DiscourseOptions) -> list[Term] | None:
    """The listed terms, if there is a list."""
    if options.terms is None:
        return None
    return read_terms(options.terms, options.languages, tokenized=options.tokenized)


def _check_alignments(options: DiscourseOptions, baselines: Sequence[str]) -> None:
    """Check the alignments against the translations.

    Raises:
        InputError: they do not.
    """
    given = [options.alignment, options.reference_alignment, *options.baseline_alignments]
    if options.realign and (options.alignment or any(options.baseline_alignments)):
        raise InputError(
            "an alignment file is of the sentences as they are, and `realign` makes others",
            cure="Leave out `alignment` and `baseline_alignments`, so that docmt aligns the words",
            parameters=("realign", "alignment", "baseline_alignments"),
        )
    if any(given) and not options.tokenized:
        raise InputError(
            "an alignment file counts the words between spaces, but the text is to be split into "
            "words",
            cure="Give tokenized files, the ones that were aligned, and add `tokenized`",
            parameters=("tokenized",),
        )
    if options.baseline_alignments and len(options.baseline_alignments) != len(baselines):
        raise InputError(
            f"there are {counted(len(baselines), 'baseline')} but "
            f"{counted(len(options.baseline_alignments), 'alignment')} of baselines",
            cure="Give one of `baseline_alignments` for each of `baselines`, in the same order",
            parameters=("baseline_alignments", "baselines"),
        )


@dataclass(frozen=True, slots=True)
class _Shared:
    """The texts by which all translations are measured."""

    options: DiscourseOptions
    source: Sequence[Document] | None
    references: Sequence[Sequence[Document]]
    terms: Sequence[Term] | None
    alignments: TextAlignments


@dataclass
class _Measured:
    """A translation to measure, with the file and the alignment file, if there is one."""

    shared: _Shared
    path: str
    translated: Sequence[Document]
    alignment: str | None

    @cached_property
    def text(self) -> Text:
        """The words of all sides."""
        shared = self.shared
        assert shared.source is not None, "the metrics need the source"
        return Text.of(
            shared.source,
            self.translated,
            shared.references[0] if shared.references else None,
            languages=shared.options.languages,
            tokenized=shared.options.tokenized,
            name=self.path,
        )

    @cached_property
    def links(self) -> Alignment:
        """The alignment of the translation."""
        source = self.shared.source
        assert source is not None, "the metrics need the source"
        return self.shared.alignments.of_hypothesis(
            self.text, self.alignment, source, self.translated
        )

    @property
    def reference_links(self) -> Alignment:
        """The alignment of the reference."""
        source, references = self.shared.source, self.shared.references
        assert source is not None, "the metrics need the source"
        return self.shared.alignments.of_reference(self.text, source, references[0])

    def score(self, name: str) -> DiscourseScore:
        """The score of the translation by a metric."""
        options = self.shared.options
        if name == "apt":
            return pronoun_accuracy(self.text, self.links, self.reference_links, options.pronouns)
        if name == "blonde":
            return blonde_score(
                self.translated,
                self.shared.references,
                language=options.languages[1],
                lowercase=options.lowercase,
                tokenized=options.tokenized,
                name=self.path,
            )
        return self._of_terms(name, "hypothesis")

    def score_of_reference(self, name: str) -> DiscourseScore:
        """The score of the reference by a metric of `_OF_REFERENCE`."""
        if name != "apt":
            return self._of_terms(name, "reference")
        links = self.reference_links
        same = [replace(one, hypothesis=one.reference) for one in self.text.sentences]
        text = replace(self.text, sentences=same)
        score = pronoun_accuracy(text, links, links, self.shared.options.pronouns)
        return replace(score, settings=f"{score.settings}|of:reference")

    def _of_terms(self, name: str, side: Side) -> DiscourseScore:
        """The score of a metric of terms."""
        shared = self.shared
        match, terms = shared.options.match, shared.terms
        if name == "term-accuracy":
            return term_accuracy(self.text, terms or (), match=match, side=side)
        links = self.links if side == "hypothesis" else self.reference_links
        both = lexical_consistency(self.text, links, terms=terms, match=match, side=side)
        return both[("ltcr", "most-frequent").index(name)]


def _metrics(shared: _Shared) -> list[str]:
    """The requested metrics, or all possible metrics.

    Raises:
        InputError: a metric is unknown or lacks a file, or no metric is possible.
    """
    options = shared.options
    lacks = {name: _lacking(name, shared) for name in METRICS}
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
                cure="Add `source`, `references` or both",
                parameters=("source", "references"),
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
            raise InputError(
                f"{name} needs {lacking[0]}", cure=f"Add `{lacking[1]}`", parameters=[lacking[1]]
            )
    return list(dict.fromkeys(options.metrics))


def _lacking(name: str, shared: _Shared) -> tuple[str, str] | None:
    """Return the missing requirement of a metric, and the option that provides it."""
    if name in _NEED_SOURCE and shared.source is None:
        return "the source", "source=FILE"
    if name in _NEED_REFERENCE and not shared.references:
        return "a reference", "references=FILE"
    if name == "term-accuracy" and not any(term.translations for term in shared.terms or ()):
        return "terms with their translations", "terms=FILE"
    return None


def _note_copies(measured: _Measured, note: Callable[[str], None]) -> None:
    """Say so if many sentences of a translation are copies of the source."""
    source, translated = measured.shared.source, measured.translated
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
            f"{measured.path}: {copies} of {counted(len(pairs), 'sentence')} of more than three "
            "words are copies of their source; is it a translation?"
        )
