"""Words per second of search: documents and sentences, in every precision, beside other programs.

    python benchmarks/search.py [--documents 20] [--beam-size 5] [--corpus SOURCE TARGET]
    python benchmarks/search.py --published CHECKOUT

Chunks of 512 tokens, the first ones of all documents first, are translated with random weights of
base size: whole, by a G-Transformer, and sentence by sentence, by a Transformer and by the peers
that are installed (`pip install -c constraints.txt docmt[benchmark]`). With `--published` the
published G-Transformer code translates the documents too. Lengths are forced, so all do the same
work: every sentence is written to the length of its reference, by peers to the mean of those of its
batch, and the table has the tokens that each wrote, EOS included. Words are those of the
references. Each program groups sentences of like length: docmt as its recipes do by default, peers
in batches of `--peer-batches`, of which the table has a row each. docmt searches as `docmt
translate` does by default, with a process per thread where there are batches enough, in eight bits
also without what was compiled (`docmt_nmt.nn.native`); CTranslate2 as its users tune it, with a
worker per thread, asynchronously. OMP_NUM_THREADS=1 gives all one thread.

Ratios are to the fastest row of the peer in the same precision; those of documents to the published
code, which has fp32 only, in every precision. The ratios below the table are medians over the
rounds, in each of which all take turns: they depend less on what else the machine does. The
operations that the matrix rate is compared with are those that docmt's fp32 search asks for; peers
are taken to need those of docmt.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from pathlib import Path

import torch

from corpus import TestCorpus, add_corpus_argument, add_size_arguments, random_system
from docmt_nmt.data import Instance
from docmt_nmt.decoding import Hypothesis, batches_by_length, search
from docmt_nmt.decoding.batches import batches_to_refill, open_at_once
from docmt_nmt.decoding.processes import SearchProcesses, process_count
from docmt_nmt.nn import Precision, in_precision, prepack_weights
from docmt_nmt.nn.native import choice
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.systems import System
from docmt_nmt.systems.g_transformer_settings import GTransformerSettings
from measuring import (
    Clock,
    Report,
    Timings,
    add_arguments,
    count_operations,
    percent,
    print_table,
    take_turns,
)
from peers import CTranslate2, Generate, Sentence
from published import Published

PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16", "int8")
UNITS = "documents", "sentences"
PEERS = {"transformers": "transformers", "ctranslate2": "CTranslate2", "published": "published"}
"""Programs that docmt is compared with, and what the table calls them."""

WITHOUT = " without C"
"""The end of the name of docmt without what was compiled."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program in a precision.

    Attributes:
        program: what it is compared as.
        work: translates everything once, and returns the number of tokens written.
        operations: of the matrix products.
    """

    program: str
    precision: Precision
    work: Callable[[], int]
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
    parser.add_argument("--peer-batches", type=int, nargs="*", default=[16, 32, 64])
    parser.add_argument(
        "--published", type=Path, metavar="CHECKOUT", help="of the published G-Transformer code"
    )
    arguments = parser.parse_args()
    report = Report(arguments, "transformers", "ctranslate2")
    corpus = TestCorpus.load(arguments.corpus, arguments.vocabulary_size)
    documents = corpus.chunks(arguments.documents, arguments.tokens)
    sentences = [
        Instance(document.document, document.first + i, [source], [target])
        for document in documents
        for i, (source, target) in enumerate(
            zip(document.source, document.target or (), strict=True)
        )
    ]
    words = sum(map(corpus.words, documents))
    print(f"{len(documents)} documents, {len(sentences)} sentences, {words} words, ", end="")
    print(f"beam {arguments.beam_size}, size {arguments.preset}")
    ours = {
        **own("documents", "g-transformer", documents, corpus, arguments),
        **own("sentences", "transformer", sentences, corpus, arguments),
    }
    first = arguments.precisions[0]
    operations = {unit: ours[f"docmt {unit} {first}"].operations for unit in UNITS}
    contestants = {
        **ours,
        **published(documents, corpus, operations["documents"], arguments),
        **peers(sentences, corpus, operations["sentences"], arguments),
    }
    print()
    written: dict[str, int] = {}

    def work(name: str) -> None:
        written[name] = contestants[name].work()

    timings = take_turns({name: partial(work, name) for name in contestants}, arguments.repeats)
    print_speeds(report, contestants, timings, words, written)
    print_ratios(contestants, timings, report.clock)
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
    # Operations are counted in this process.
    operations = count_operations(partial(work, plain, processes=1))
    contestants = {}
    for precision in arguments.precisions:
        system = random_system(kind, arguments.preset, corpus.vocabulary_size)
        system = prepack_weights(in_precision(system, precision))
        native = choice.library_name() if precision == "int8" else choice.NONE
        contestants[f"docmt {unit} {precision}"] = Contestant(
            f"docmt {unit}", precision, partial(work, system, native=native), operations
        )
        if native != choice.NONE:
            contestants[f"docmt {unit} {precision}{WITHOUT}"] = Contestant(
                f"docmt {unit}{WITHOUT}", precision, partial(work, system), operations
            )
    return contestants


def translate(
    system: System,
    *,
    instances: Sequence[Instance],
    corpus: TestCorpus,
    beam_size: int,
    processes: int | None = None,
    native: str = choice.NONE,
) -> int:
    """Search all instances, those of like length together, by so many processes or as many as
    `docmt translate` takes, with this compiled library; the number of tokens written."""
    settings, threads = SearchSettings(beam_size=beam_size), torch.get_num_threads()
    refills = native != choice.NONE
    cut = batches_to_refill if refills else batches_by_length
    groups = list(cut(instances, settings, corpus.special_tokens, threads=threads))

    def search_group(number: int, _: None) -> list[list[Hypothesis]]:
        """The hypotheses of a batch."""
        source, lengths = corpus.collate([instances[index] for index in groups[number]])
        return search(
            system,
            source,
            corpus.special_tokens,
            beam_size=beam_size,
            max_lengths=lengths,
            banned=corpus.banned,
            at_once=open_at_once(settings) if refills else None,
        )

    batches: list[tuple[int, None]] = [(number, None) for number in range(len(groups))]
    count = process_count(processes, len(groups))
    with choice.using(native), SearchProcesses(search_group, count) as forked:
        found = forked.run(batches) if count > 1 else starmap(search_group, batches)
        return sum(
            len(sentence) + 1
            for group in found
            for best, *_ in group
            for sentence in best.sentences
        )


def published(
    documents: Sequence[Instance],
    corpus: TestCorpus,
    operations: int,
    arguments: argparse.Namespace,
) -> dict[str, Contestant]:
    """The published code, if a checkout was named."""
    if arguments.published is None:
        print("not measured: the published G-Transformer code (--published CHECKOUT)")
        return {}
    if "fp32" not in arguments.precisions:
        return {}
    settings = GTransformerSettings.read({"preset": arguments.preset})
    code = Published(arguments.published, settings, corpus.vocabulary_size)
    sources = [document.source for document in documents]
    lengths = [[len(s) for s in document.target or ()] for document in documents]
    work = partial(code.translate, sources, lengths, arguments.beam_size)
    return {"published documents fp32": Contestant("published", "fp32", work, operations)}


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
    for name in ("transformers", "ctranslate2"):
        if not importlib.util.find_spec(name):
            print(f"not measured: {PEERS[name]} (pip install -c constraints.txt docmt[benchmark])")
    return {
        f"{program} {precision}, batch {batch}": Contestant(
            program, precision, partial(model.translate, given, beam_size, batch), operations
        )
        for program, precision, model in models
        for batch in arguments.peer_batches
    }


def print_ratios(
    contestants: dict[str, Contestant], timings: dict[str, Timings], clock: Clock
) -> None:
    """How many times as fast docmt is as without what was compiled, as CTranslate2 and, for
    documents, as its own sentences."""
    for name in (name for name in contestants if name.startswith("docmt") and WITHOUT not in name):
        precision, found = contestants[name].precision, []
        if (without := f"{name}{WITHOUT}") in timings:
            found.append(
                f"{timings[name].against(timings[without], clock):.2f} times docmt{WITHOUT}"
            )
        theirs = {
            other: timings[other].median(clock)
            for other, contestant in contestants.items()
            if (contestant.program, contestant.precision) == ("ctranslate2", precision)
        }
        if theirs:
            fastest = timings[min(theirs, key=theirs.__getitem__)]
            found.append(f"{timings[name].against(fastest, clock):.2f} of CTranslate2")
        own = timings[f"docmt sentences {precision}"]
        if "documents" in name:
            found.append(f"{timings[name].against(own, clock):.2f} of own sentences")
        if found:
            print(f"{name}: {', '.join(found)}")


def print_speeds(
    report: Report,
    contestants: dict[str, Contestant],
    timings: dict[str, Timings],
    words: int,
    written: dict[str, int],
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
        report.add(
            name,
            found,
            words_per_second=words / median,
            matrix_share=share,
            tokens_written=written[name],
        )
        ratios = []
        for peer in PEERS:
            key = peer, "fp32" if peer == "published" else precision
            fair = key in fastest and (peer != "published" or "documents" in name)
            ratios.append(f"{fastest[key] / median:.2f}" if fair else "")
        rows.append(
            [
                name,
                f"{words / median:.0f}",
                found.rates(words, clock),
                f"{words / found.median('cpu'):.0f}",
                str(written[name]),
                *ratios,
                percent(found.system_share),
                percent(share),
            ]
        )
    print_table(
        [
            "",
            "words/s",
            "range",
            "words/core-s",
            "tokens",
            *(f"× {name}" for name in PEERS.values()),
            "system",
            "of matrix rate",
        ],
        rows,
    )


if __name__ == "__main__":
    with torch.inference_mode():
        main()
