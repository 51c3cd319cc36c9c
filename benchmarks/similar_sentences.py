"""The words of a person in similar sentences of a memory, with and without them in the search.

    python benchmarks/similar_sentences.py RUN CORPUS [--threshold 0.75]

CORPUS/train.XX.xz is the memory, and of CORPUS/dev.XX.xz each sentence of four words or more is
translated alone that the memory does not have, but a similar one. The memory's translation as it is
stands beside.
"""

from __future__ import annotations

import argparse
import lzma
import time
from pathlib import Path

import sacrebleu

from docmt.memory import TranslationMemory, Unit
from docmt.translating.from_memory import FromMemory
from docmt.translating.text_repairs.similar_words import SimilarWords
from docmt_files.base.documents import Document
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.translators import translate
from docmt_nmt.translators.repairs import STANDARD
from measuring import machine, print_table

_MIN_WORDS = 4


def main() -> None:
    """Translate, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--threshold", type=float, default=0.75)
    arguments = parser.parse_args()
    translator = BeamSearchTranslator.load(arguments.run, device="cpu")
    known = dict(pairs(arguments.corpus, "train", translator.languages))
    memory = TranslationMemory(None, translator.languages)
    memory.add(Unit(*pair) for pair in known.items())
    with_memory = FromMemory(translator, (memory,), arguments.threshold)
    new = {
        source: target
        for source, target in pairs(arguments.corpus, "dev", translator.languages)
        if source not in known and len(source.split()) >= _MIN_WORDS
    }
    similar = {
        source: (matches[0].unit.target, new[source])
        for source in new
        if (matches := memory.look_up(source, threshold=arguments.threshold))
        and matches[0].rate < 1
    }
    documents = [Document(str(index), (source,)) for index, source in enumerate(similar)]
    texts: dict[str, list[str]] = {"the memory as it is": [own for own, _ in similar.values()]}
    seconds = {"the memory as it is": 0.0}
    for name, repairs in (
        ("translated", STANDARD),
        ("with its words", (*STANDARD, SimilarWords())),
    ):
        begun = time.process_time()
        found = translate(with_memory, documents, repairs)
        seconds[name] = time.process_time() - begun
        texts[name] = [each.target[0] for each in found]
    references = [[reference for _, reference in similar.values()]]
    rows = [
        [
            name,
            f"{len(similar)}",
            f"{sum(a != b for a, b in zip(each, texts['translated'], strict=True))}",
            f"{sacrebleu.corpus_bleu(each, references).score:.1f}",
            f"{sacrebleu.corpus_chrf(each, references).score:.1f}",
            f"{seconds[name]:.1f}",
        ]
        for name, each in texts.items()
    ]
    print_table(["", "sentences", "other than translated", "BLEU", "chrF", "CPU s"], rows)
    print(machine())


def pairs(corpus: Path, split: str, languages: tuple[str, str]) -> list[tuple[str, str]]:
    """The sentences of a split with their translations."""
    files = (corpus / f"{split}.{code}.xz" for code in languages)
    sides = (lzma.decompress(file.read_bytes()).decode().splitlines() for file in files)
    return [
        (own, theirs) for own, theirs in zip(*sides, strict=True) if own != "<d>" and own and theirs
    ]


if __name__ == "__main__":
    main()
