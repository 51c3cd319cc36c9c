"""Parallel document decoding beside greedy search from left to right, on a trained run.

    python benchmarks/parallel.py RUN [--kind tokens] [--passes 2 4] [--corpus SOURCE TARGET]

Documents are translated one after the other in both ways. Limited to so many passes, the result may
differ: the agreement is the share of its sentences that left-to-right search writes too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import torch

from docmt.data import InstanceSettings, cut
from docmt.data.collate import collate_source
from docmt.decoding import Hypothesis, Settled, Translator, search, search_in_parallel
from docmt.demo import corpus_file
from docmt.systems import EncoderDecoder
from material import add_arguments, machine, print_table, read, timed

Sentences = list[tuple[int, ...]]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("run", type=Path)
    add_arguments(parser)
    parser.add_argument("--kind", choices=["tokens", "whole"], default="tokens")
    parser.add_argument("--passes", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--documents", type=int, help="only the first so many")
    arguments = parser.parse_args()
    paths = arguments.corpus or [corpus_file(f"test.{language}.xz") for language in ("en", "de")]
    translator = Translator.load(arguments.run, device="cpu", beam_size=1)
    system = translator.system.eval()
    assert isinstance(system, EncoderDecoder)
    searches = list(prepared(translator, paths, arguments))
    sentences = sum(len(keys["source"].sentences) for keys in searches)
    print(machine())
    print(f"{len(searches)} instances, {sentences} sentences, cut by {arguments.kind}\n")
    greedy: list[Hypothesis] = []
    cores = timed(lambda: greedy.extend(search(system, beam_size=1, **k)[0][0] for k in searches))[
        1
    ]
    expected = written(greedy)
    rows = [["left to right", f"{cores:.1f}", "1.00", "", "1.000"]]
    for most in (None, *arguments.passes):
        found: list[Settled] = []
        taken = timed(partial(settle, system, searches, most, found))[1]
        pairs = zip(expected, written([settled.hypothesis for settled in found]), strict=True)
        agreement = mean(a == b for a, b in pairs)
        rows.append(
            [
                "parallel" if most is None else f"parallel, {most} passes", f"{taken:.1f}",
                f"{cores / taken:.2f}", f"{mean(s.passes for s in found):.1f}", f"{agreement:.3f}",
            ]
        )  # fmt: skip
    print_table(["", "core-seconds", "times as fast", "passes", "agreement"], rows)


def settle(
    system: EncoderDecoder,
    searches: Sequence[dict[str, Any]],
    most: int | None,
    found: list[Settled],
) -> None:
    """Put into `found` what parallel decoding comes to with so many passes."""
    for keys in searches:
        found += search_in_parallel(system, max_passes=most, **keys)


def prepared(
    translator: Translator, paths: Sequence[Path], arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """What search is given, for each instance."""
    special_tokens = translator.pipeline.special_tokens
    settings = InstanceSettings(kind=arguments.kind)
    banned = translator.pipeline.target_vocabulary.special_ids - {
        special_tokens.target_begin,
        special_tokens.target_end,
    }
    searches = []
    for document in read(paths)[: arguments.documents]:
        for instance in cut(translator.encode(document), settings, special_tokens):
            source = collate_source([instance], special_tokens)
            words = torch.tensor([len(sentence) for sentence in instance.source])
            longest = (
                translator.search.max_length_factor * words + translator.search.max_length_offset
            )
            searches.append(
                {"source": source, "special_tokens": special_tokens, "longest": longest.long(),
                 "banned": sorted(banned)}
            )  # fmt: skip
    return searches


def written(hypotheses: Sequence[Hypothesis]) -> Sentences:
    """All sentences, in order."""
    return [sentence for hypothesis in hypotheses for sentence in hypothesis.sentences]


if __name__ == "__main__":
    main()
