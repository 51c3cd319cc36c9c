"""Words per second of search: documents and sentences, in every precision, beside other programs.

    python benchmarks/search.py [--documents 20] [--beam-size 5] [--corpus SOURCE TARGET]

The first 512 tokens of each document are translated with random weights of base size: whole, by a
G-Transformer, and sentence by sentence, by a Transformer and by the peers that are installed
(`pip install -c constraints.txt docmt[benchmark]`). Every sentence is written to the length of its
reference, so all do the same work. Words are those of the references. Each program groups
sentences of like length: docmt as its recipes do by default, peers in batches of `--peer-batches`,
of which the table has a row each. CTranslate2 works as its users tune it: a worker per thread,
asynchronously.

Ratios are to the faster row of the peer in the same precision. The operations that the matrix rate
is compared with are those that docmt's fp32 search asks for; peers are taken to need those of
docmt's sentences.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from corpus import TestCorpus, add_corpus_argument, add_size_arguments, random_system
from docmt.data import Instance
from docmt.decoding import batches_by_length, search
from docmt.nn import Precision, in_precision, prepack_weights
from docmt.recipes.search import SearchSettings
from docmt.systems import System
from measuring import (
    Report,
    Timings,
    add_arguments,
    count_operations,
    percent,
    print_table,
    take_turns,
)
from peers import CTranslate2, Generate, Sentence

PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16", "int8")


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program in a precision.

    Attributes:
        program: what it is compared as.
        work: translates everything once.
        operations: of the matrix products.
    """

    program: str
    precision: Precision
    work: Callable[[], object]
    operations: int


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser)
    add_size_arguments(parser)
    add_corpus_argument(parser, "test")
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=512, help="tokens of each document")
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=PRECISIONS)
    parser.add_argument("--peer-batches", type=int, nargs="*", default=[16, 32])
    arguments = parser.parse_args()
    report = Report(arguments, "transformers", "ctranslate2")
    corpus = TestCorpus.load(arguments.corpus, arguments.vocabulary_size)
    documents = corpus.first_chunks(arguments.documents, arguments.tokens)
    sentences = [
        Instance(document.document, document.first + i, [source], [target])
        for document in documents
        for i, (source, target) in enumerate(
            zip(document.source, document.target or (), strict=True)
        )
    ]
    words = sum(
        len(sentence.split())
        for chunk, document in zip(documents, corpus.documents, strict=False)
        for sentence in (document.target or ())[: len(chunk.source)]
    )
    print(f"{len(documents)} documents, {len(sentences)} sentences, {words} words, ", end="")
    print(f"beam {arguments.beam_size}, size {arguments.preset}\n")
    ours = {
        **own("documents", "g-transformer", documents, corpus, arguments),
        **own("sentences", "transformer", sentences, corpus, arguments),
    }
    operations = ours[f"docmt sentences {arguments.precisions[0]}"].operations
    contestants = {**ours, **peers(sentences, corpus, operations, arguments)}
    works = {name: contestant.work for name, contestant in contestants.items()}
    print_speeds(report, contestants, take_turns(works, arguments.repeats), words)
    report.finish()


def own(
    unit: str,
    kind: str,
    instances: Sequence[Instance],
    corpus: TestCorpus,
    arguments: argparse.Namespace,
) -> dict[str, Contestant]:
    """docmt in every precision."""
    work = partial(translate, instances=instances, corpus=corpus, beam_size=arguments.beam_size)
    plain = random_system(kind, arguments.preset, corpus.vocabulary_size)
    operations = count_operations(partial(work, plain))
    contestants = {}
    for precision in arguments.precisions:
        system = random_system(kind, arguments.preset, corpus.vocabulary_size)
        system = prepack_weights(in_precision(system, precision))
        contestants[f"docmt {unit} {precision}"] = Contestant(
            f"docmt {unit}", precision, partial(work, system), operations
        )
    return contestants


def translate(
    system: System, *, instances: Sequence[Instance], corpus: TestCorpus, beam_size: int
) -> None:
    """Search all instances, those of like length together."""
    for group in batches_by_length(
        instances, SearchSettings(beam_size=beam_size), corpus.special_tokens
    ):
        source, lengths = corpus.collate([instances[index] for index in group])
        search(
            system,
            source,
            corpus.special_tokens,
            beam_size=beam_size,
            max_lengths=lengths,
            banned=corpus.banned,
        )


def peers(
    sentences: Sequence[Instance],
    corpus: TestCorpus,
    operations: int,
    arguments: argparse.Namespace,
) -> dict[str, Contestant]:
    """The peers that are installed, in the precisions that they have."""
    given: list[Sentence] = [
        (instance.source[0], len((instance.target or [[]])[0]) + 1) for instance in sentences
    ]
    size, beam_size = (arguments.preset, corpus.vocabulary_size), arguments.beam_size
    models: list[tuple[str, Precision, Generate | CTranslate2]] = []
    if importlib.util.find_spec("transformers"):
        end = corpus.special_tokens.target_end
        models += [
            ("transformers", precision, Generate(*size, end, precision))
            for precision in arguments.precisions
            if precision in Generate.precisions
        ]
    if importlib.util.find_spec("ctranslate2"):
        models += [
            ("ctranslate2", precision, CTranslate2(*size, precision))
            for precision in arguments.precisions
            if precision in CTranslate2.precisions
        ]
    if not models:
        print("no peer is installed: pip install -c constraints.txt docmt[benchmark]\n")
    return {
        f"{program} {precision}, batch {batch}": Contestant(
            program, precision, partial(model.translate, given, beam_size, batch), operations
        )
        for program, precision, model in models
        for batch in arguments.peer_batches
    }


def print_speeds(
    report: Report, contestants: dict[str, Contestant], timings: dict[str, Timings], words: int
) -> None:
    """Words per second, and ratios to the peers in the same precision."""
    clock = report.clock
    fastest: dict[tuple[str, str], float] = {}
    for name, contestant in contestants.items():
        key = contestant.program, contestant.precision
        fastest[key] = min(fastest.get(key, float("inf")), timings[name].median(clock))
    rows = []
    for name, contestant in contestants.items():
        found, precision = timings[name], contestant.precision
        share = report.share(found, contestant.operations, precision)
        median = found.median(clock)
        report.add(name, found, words_per_second=words / median, matrix_share=share)
        ratios = [
            f"{fastest[program, precision] / median:.2f}" if (program, precision) in fastest else ""
            for program in ("transformers", "ctranslate2")
        ]
        rows.append(
            [
                name,
                f"{words / median:.0f}",
                f"{words / found.best(clock):.0f}",
                f"{words / found.median('cpu'):.0f}",
                *ratios,
                percent(found.system_share),
                percent(share),
            ]
        )
    print_table(
        [
            "",
            "words/s",
            "best",
            "words/core-s",
            "× transformers",
            "× CTranslate2",
            "system",
            "of matrix rate",
        ],
        rows,
    )


if __name__ == "__main__":
    with torch.inference_mode():
        main()
