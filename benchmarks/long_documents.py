"""How time and memory of search grow with the document, which is translated whole.

    python benchmarks/long_documents.py [--tokens 512 1024 2048 4096] [--corpus SOURCE TARGET]

The corpus is read as one document; its first so many tokens are translated in one pass by a
G-Transformer with random weights of base size, every sentence to the length of its reference. The
exponent is the slope between the shortest and the longest document on logarithmic scales: 1 is
linear growth.
"""

from __future__ import annotations

import argparse
import math
from functools import partial
from itertools import accumulate
from pathlib import Path

import torch

from corpus import TestCorpus, add_corpus_argument, add_size_arguments, random_system
from docmt_nmt.data import Instance
from docmt_nmt.decoding import search
from docmt_nmt.nn import in_precision, prepack_weights
from measuring import Report, add_arguments, count_operations, percent, print_table, take_turns

STATUS = Path("/proc/self/status")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_arguments(parser, repeats=1)
    add_size_arguments(parser)
    add_corpus_argument(parser, "test")
    parser.add_argument("--tokens", type=int, nargs="+", default=[512, 1024, 2048, 4096])
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--precision", choices=["fp32", "bf16", "int8"], default="fp32")
    arguments = parser.parse_args()
    report, precision = Report(arguments), arguments.precision
    print(f"beam {arguments.beam_size}, size {arguments.preset}, {precision}\n")
    corpus = TestCorpus.load(arguments.corpus, arguments.vocabulary_size)
    system = random_system("g-transformer", arguments.preset, corpus.vocabulary_size)
    plain = random_system("g-transformer", arguments.preset, corpus.vocabulary_size)
    system = prepack_weights(in_precision(system, precision))
    rows, curve = [], []
    peak = Peak()
    # Ascending, for a peak is only ever seen to rise.
    for tokens in sorted(arguments.tokens):
        document = beginning(corpus, tokens)
        source, lengths = corpus.collate([document])
        work = partial(
            search,
            source=source,
            special_tokens=corpus.special_tokens,
            beam_size=arguments.beam_size,
            max_lengths=lengths,
            banned=corpus.banned,
        )
        timings = take_turns({"": partial(work, system)}, arguments.repeats)[""]
        high = str(peak)
        operations = count_operations(partial(work, plain))
        share = report.share(timings, operations, precision)
        special_tokens = int(source.sentences.lengths.sum()) - sum(map(len, document.source))
        written = int(lengths.sum()) + special_tokens
        curve.append((written, timings.median("cpu")))
        report.add(f"{tokens} {precision}", timings, written=written, matrix_share=share)
        rows.append(
            [
                str(len(source.tokens)),
                str(len(lengths)),
                str(written),
                f"{timings.median():.1f}",
                timings.spread(digits=1),
                f"{1e3 * timings.median('cpu') / written:.1f}",
                high,
                percent(timings.system_share),
                percent(share),
            ]
        )
    print_table(
        [
            "source tokens",
            "sentences",
            "tokens written",
            "seconds",
            "range",
            "core-ms per token",
            "peak + MiB",
            "system",
            "of matrix rate",
        ],
        rows,
    )
    if len(curve) > 1:
        (least, fast), (most, slow) = curve[0], curve[-1]
        exponent = math.log(slow / fast) / math.log(most / least)
        print(f"\ntime grows with the tokens to the power {exponent:.2f}")
    report.finish()


def beginning(corpus: TestCorpus, tokens: int) -> Instance:
    """The sentences of the corpus, as one document, up to so many source tokens."""
    sources = [s for document in corpus.encoded for s in document.source]
    targets = [s for document in corpus.encoded for s in document.target or ()]
    special = corpus.collate([Instance("", 0, [[]], [[]])])[0]
    ends = accumulate(len(s) + len(special.tokens) for s in sources)
    count = max(1, sum(end <= tokens for end in ends))
    return Instance("corpus", 0, sources[:count], targets[:count])


class Peak:
    """The most memory that searches take beyond what the process held before; on Linux only."""

    def __init__(self) -> None:
        self.known = STATUS.exists()
        if self.known:
            (STATUS.parent / "clear_refs").write_text("5")  # forget the peak so far
            self.before = memory("VmRSS")

    def __str__(self) -> str:
        return f"{memory('VmHWM') - self.before:.0f}" if self.known else "unknown"


def memory(key: str) -> float:
    """A figure of the process' memory, in MiB."""
    line = next(line for line in STATUS.read_text("utf-8").splitlines() if line.startswith(key))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    with torch.inference_mode():
        main()
