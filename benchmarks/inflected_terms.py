"""Terms of a glossary of singulars, found and written in all their forms and as they are.

    python benchmarks/inflected_terms.py RUN CORPUS [--every 5]

The terms are learned from CORPUS/train.XX.xz: nouns with a plural in -s, and the word that most
often stands in the translations of their sentences. The sentences are those of CORPUS/dev.XX.xz
that have a term in the plural alone, whose translation by a person has a form of the term, too.
"""

from __future__ import annotations

import argparse
import lzma
import time
from collections import Counter
from pathlib import Path

import regex
import sacrebleu

from docmt.glossaries import Glossary, Term, with_inflections
from docmt.translating import repairs
from docmt_files.base.documents import Document
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.translators import TranslationRequest, translate
from measuring import machine, print_table

_WORD = regex.compile(r"\p{L}{4,}")
_MIN_USES, _MAX_USES, _MIN_DICE = 60, 3000, 0.55
_MAX_PAIRS = 40_000

Pair = tuple[str, str]


def main() -> None:
    """Learn the terms, translate, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--every", type=int, default=5, help="sentences of which one is translated")
    arguments = parser.parse_args()
    translator = BeamSearchTranslator.load(arguments.run, device="cpu")
    languages = translator.languages
    plain = learned(pairs(arguments.corpus, "train", languages)[:_MAX_PAIRS])
    inflected = with_inflections(plain, languages)
    dev = dict(pairs(arguments.corpus, "dev", languages))
    uses = [sum(len(each.find(source)) for source in dev) for each in (plain, inflected)]
    print(f"{len(plain)} terms, found {uses[0]:,} times, with their forms {uses[1]:,} times")
    cases = [
        (source, target, forms)
        for source, target in dev.items()
        if not plain.find(source) and (forms := agreed(inflected, source, target))
    ][:: arguments.every]
    documents = [Document(str(index), (case[0],)) for index, case in enumerate(cases)]
    references = [[case[1] for case in cases]]
    # A glossary of singulars that also finds plurals: what a term costs that is not inflected.
    singular = Glossary(
        [
            Term(found.source, term.target)
            for found, term in zip(inflected.terms, plain.terms, strict=True)
        ]
    )
    rows = []
    glossaries = {"none": None, "plurals found": singular, "found and written": inflected}
    for name, glossary in glossaries.items():
        begun = time.process_time()
        request = TranslationRequest(documents, glossary)
        found = translate(translator, request, repairs(consistent=False))
        seconds = time.process_time() - begun
        texts = [each.target[0] for each in found]
        pairs_of = zip(texts, cases, strict=True)
        same = sum(any(form in words_of(text) for form in case[2]) for text, case in pairs_of)
        rows.append(
            [
                name,
                f"{sacrebleu.corpus_bleu(texts, references).score:.1f}",
                f"{sacrebleu.corpus_chrf(texts, references).score:.1f}",
                f"{same} of {len(cases)}",
                f"{seconds:.0f}",
            ]
        )
    print_table(["forms of the terms", "BLEU", "chrF", "the form of the person", "CPU s"], rows)
    print(machine())


def pairs(corpus: Path, split: str, languages: tuple[str, str]) -> list[Pair]:
    """The sentences of a split with their translations."""
    files = (corpus / f"{split}.{code}.xz" for code in languages)
    sides = (lzma.decompress(file.read_bytes()).decode().splitlines() for file in files)
    return [pair for pair in zip(*sides, strict=True) if pair[0] != "<d>" and all(pair)]


def words_of(text: str) -> set[str]:
    """The words of a text in lower case."""
    return set(_WORD.findall(text.lower()))


def learned(train: list[Pair]) -> Glossary:
    """Nouns in the singular with the word of their translations."""
    sides = [(words_of(source), words_of(target)) for source, target in train]
    own = Counter(word for words, _ in sides for word in words)
    theirs = Counter(word for _, words in sides for word in words)
    nouns = {
        word
        for word, count in own.items()
        if _MIN_USES <= count <= _MAX_USES and own[f"{word}s"] >= _MIN_USES / 2
    }
    both = Counter(
        (word, other) for words, others in sides for word in words & nouns for other in others
    )
    best: dict[str, tuple[float, str]] = {}
    for (word, other), count in both.items():
        dice = 2 * count / (own[word] + theirs[other])
        best[word] = max(best.get(word, (0.0, "")), (dice, other))
    chosen = sorted(word for word, (dice, _) in best.items() if dice >= _MIN_DICE)
    return Glossary([Term((word,), (best[word][1],)) for word in chosen])


def agreed(glossary: Glossary, source: str, target: str) -> set[str]:
    """The forms of the terms of a sentence that its translation has; empty if one has none."""
    words = words_of(target)
    forms = [words & set(match.term.target) for match in glossary.find(source)]
    return set().union(*forms) if all(forms) else set()


if __name__ == "__main__":
    main()
