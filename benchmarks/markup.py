"""Inline tags put into translations, compared with four other ways, on a trained run.

    python benchmarks/markup.py RUN --corpus SOURCE TARGET [--corpus …] [--choices] [--time]
    python benchmarks/markup.py RUN --files docs/how-to/*.md

A corpus has a segment per line with XLIFF tags on both sides, such as that of Hanneman and Dinu
2020, "How Should Markup Tags Be Translated?". The reference, without tags, is forced through the
decoder; its tags are then placed by each way, and compared with those that people placed. "inner"
are tags that are not at the edges of the source sentence, where any way places most of them right.
With `--files`, whole files are translated: what aligning, placing and writing cost of the search.
"""

from __future__ import annotations

import argparse
import lzma
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from docmt.alignment.aligned_sentence import AlignedSentence, Words
from docmt.alignment.by_attention import AttentionAligner
from docmt.alignment.code_alignment import CodeAligner
from docmt.output import Output
from docmt_files import AlignSentences, Input, WordWeights, word_spans
from docmt_files.base.documents import Document
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.attention_choice import AttentionChoice
from docmt_nmt.translators import translate
from markup_placing import WAYS, Case, Score, Tagged, by_docmt, read_tagged
from measuring import Report, add_arguments, print_table, take_turns


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    parser.add_argument("run", type=Path)
    parser.add_argument(
        "--corpus",
        nargs=2,
        type=Path,
        action="append",
        default=[],
        metavar=("SOURCE", "TARGET"),
        help="files with a segment per line, also .xz; repeatable",
    )
    parser.add_argument(
        "--choices", action="store_true", help="compare all layers and steps of the decoder"
    )
    parser.add_argument("--time", action="store_true", help="compare the time with that of search")
    parser.add_argument("--sentences", type=int, default=50, help="that are translated for --time")
    parser.add_argument("--files", nargs="*", default=[], help="files to translate and time")
    arguments = parser.parse_args()
    missing = [path for pair in arguments.corpus for path in pair if not path.exists()]
    if missing:
        sys.exit(f"skipped: there is no {missing[0]}")
    report = Report(arguments)
    translator = BeamSearchTranslator.load(arguments.run, device="cpu")
    for source, target in arguments.corpus:
        cases = read_cases(source, target)
        print(f"\n{source.name}: {len(cases)} segments with tags\n")
        aligner = AttentionAligner(translator)
        chosen = aligner.choice(aligned(aligner, cases[:1]))
        chosen_cases = with_weights(cases, aligner.align(*aligner_input(cases)))
        aligner.choose(None)
        by_choice = aligned(aligner, cases)
        if arguments.choices:
            print_choices(by_choice)
        last = AttentionChoice(max(choice.layer for choice in by_choice), "output")
        cases = [
            replace(case, last_layer=other.weights)
            for case, other in zip(chosen_cases, by_choice[last], strict=True)
        ]
        cases = with_translated_parts(translator, cases)
        print(f"attention: {chosen}\n")
        print_ways(report, source.name, cases)
        if arguments.time:
            print_time(report, translator, cases, arguments.repeats, arguments.sentences)
    if arguments.files:
        print_time_of_files(report, translator, arguments.files, arguments.repeats)
    report.finish()


def read_cases(source: Path, target: Path) -> list[Case]:
    """The pairs of two files that have the same tags on both sides."""
    sides = []
    for path in (source, target):
        with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open() as f:
            sides.append([read_tagged(line.rstrip("\n")) for line in f])
    pairs = zip(*sides, strict=True)
    return [Case(a, b) for a, b in pairs if a.tags and sorted(a.tags) == sorted(b.tags)]


def aligned(aligner: AttentionAligner, cases: Sequence[Case]) -> dict[AttentionChoice, list[Case]]:
    """The cases with the weights of their words, by each choice of attention."""
    found = aligner.align_by_choice(*aligner_input(cases))
    return {choice: with_weights(cases, own) for choice, own in found.items()}


def aligner_input(cases: Sequence[Case]) -> tuple[list[Document], list[list[Words]]]:
    """The cases as documents of a sentence, with their words."""
    documents = [
        Document(str(i), (case.source.sentence.text,), (case.text,)) for i, case in enumerate(cases)
    ]
    return documents, [
        [(words_of(d.source[0]), words_of((d.target or ("",))[0]))] for d in documents
    ]


def with_weights(cases: Sequence[Case], found: Sequence[Sequence[AlignedSentence]]) -> list[Case]:
    """The cases with the weights of their words."""
    return [replace(case, weights=one[0].weights) for case, one in zip(cases, found, strict=True)]


def words_of(text: str) -> list[str]:
    """The words of a sentence as codes are placed between them."""
    return [text[start:end] for start, end in word_spans(text)]


def with_translated_parts(translator: BeamSearchTranslator, cases: Sequence[Case]) -> list[Case]:
    """The cases with the translations of the text of each tag, alone."""
    texts = [
        (index, name, part_of(case.source, name))
        for index, case in enumerate(cases)
        for name in case.source.tags
    ]
    texts = [(index, name, text) for index, name, text in texts if text.strip()]
    documents = [Document(f"{i} {name}", (text,)) for i, name, text in texts]
    parts: list[dict[str, str]] = [{} for _ in cases]
    for (index, name, _), found in zip(texts, translate(translator, documents), strict=True):
        parts[index][name] = (found.document.target or ("",))[0]
    return [replace(case, parts=own) for case, own in zip(cases, parts, strict=True)]


def part_of(tagged: Tagged, name: str) -> str:
    """The text in a tag."""
    start, end = tagged.tags[name]
    spans = word_spans(tagged.sentence.text)
    return tagged.sentence.text[spans[start][0] : spans[end - 1][1]] if start < end else ""


def inner_tags(case: Case) -> list[str]:
    """The tags that are not at the edges of the source sentence."""
    edges = (0, len(word_spans(case.source.sentence.text)))
    return [
        name
        for name, (start, end) in case.source.tags.items()
        if start not in edges or end not in edges
    ]


def print_choices(by_choice: dict[AttentionChoice, list[Case]]) -> None:
    """A table of layers and steps."""
    rows = []
    for choice, cases in by_choice.items():
        score = Score()
        for case in cases:
            score.add(case, by_docmt(case), inner_tags(case))
        rows.append([str(choice), percent(score.f1(score.exact)), percent(score.f1(score.near))])
    print_table(["attention", "inner tags: F1", "off by one"], rows)
    print()


def print_ways(report: Report, name: str, cases: Sequence[Case]) -> None:
    """A table of the ways to place tags."""
    rows = []
    for way, place in WAYS.items():
        whole, inner = Score(), Score()
        for case in cases:
            runs = place(case)
            whole.add(case, runs, list(case.source.tags))
            inner.add(case, runs, inner_tags(case))
        values = [
            score.f1(right) for score in (whole, inner) for right in (score.exact, score.near)
        ]
        values.append(whole.valid / whole.sentences)
        rows.append([way, *map(percent, values)])
        report.figures[f"{name} {way}"] = dict(
            zip(("f1", "near", "inner_f1", "inner_near", "valid"), values, strict=True)
        )
    head = ["", "tag F1", "off by one", "inner tags: F1", "off by one", "valid"]
    print_table(head, rows)
    print(f"\n{whole.expected} tags, {inner.expected} of them inner")


def print_time(
    report: Report,
    translator: BeamSearchTranslator,
    cases: Sequence[Case],
    repeats: int,
    sentences: int,
) -> None:
    """The time of the pass that aligns words and of placing, as a share of that of the search,
    where every sentence has codes within."""
    cases = [case for case in cases if case.source.sentence.has_inner_codes][:sentences]
    document = Document("1", tuple(case.source.sentence.text for case in cases))
    (translation,) = translate(translator, [document])
    translated = translation.document

    def place() -> None:
        weights = CodeAligner(translator)(translated, range(len(cases)))
        for index, case in enumerate(cases):
            target = case.target.sentence
            text = (translated.target or ())[index]
            by_docmt(
                replace(
                    case,
                    weights=np.asarray(weights[index]),
                    target=case.target._replace(sentence=replace(target, text=text)),
                )
            )

    timings = take_turns(
        {"search": lambda: translate(translator, [document]), "codes": place}, repeats
    )
    for name, found in timings.items():
        report.add(f"time of {name}", found)
    ratio = timings["codes"].median(report.clock) / timings["search"].median(report.clock)
    print(
        f"\ntime: {100 * ratio:.1f} % of search at beam {translator.search.beam_size}, with codes "
        f"in all of {len(cases)} sentences"
    )


def print_time_of_files(
    report: Report, translator: BeamSearchTranslator, paths: Sequence[str], repeats: int
) -> None:
    """The time of aligning words, and of that with placing codes and writing, as shares of that of
    the search, in whole files."""
    languages = (translator.pipeline.languages[0], translator.pipeline.languages[1])
    read = [Input().read(path, *languages) for path in paths]
    documents = [document for found, _ in read for document in found]
    translations = iter(translate(translator, documents))
    files = [([next(translations) for _ in found], skeleton) for found, skeleton in read]

    aligned: list[tuple[Document, Sequence[int]]] = []

    def noting(document: Document, indices: Sequence[int]) -> dict[int, WordWeights]:
        aligned.append((document, indices))
        return CodeAligner(translator)(document, indices)

    def write(align: AlignSentences) -> None:
        for translated, skeleton in files:
            Output().write(os.devnull, translated, skeleton, align, languages)

    write(noting)
    calls = tuple(aligned)
    timings = take_turns(
        {
            "search": lambda: translate(translator, documents),
            "aligning": lambda: [CodeAligner(translator)(*call) for call in calls],
            "writing": lambda: write(CodeAligner(translator)),
        },
        repeats,
    )
    for name, found in timings.items():
        report.add(f"files: time of {name}", found)
    search = timings["search"].median(report.clock)
    shares = [100 * timings[name].median(report.clock) / search for name in ("aligning", "writing")]
    sentences = [
        sentence
        for _, skeleton in read
        for block in getattr(skeleton, "sentences", ())
        for sentence in block
    ]
    inner = sum(sentence.has_inner_codes for sentence in sentences)
    print(
        f"\nfiles: {len(paths)}, {sum(map(len, documents))} sentences, {inner} of them with inner "
        f"codes; aligning took {shares[0]:.1f} % of search, with placing and writing "
        f"{shares[1]:.1f} %"
    )


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.1f}"


if __name__ == "__main__":
    main()
