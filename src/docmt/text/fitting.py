"""Fitting a pipeline on a corpus: each step is learnt on the text that the steps before it give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from docmt.errors import InputError
from docmt.files import reporting_write_errors
from docmt.text.base import Side, Step, Subwords
from docmt.text.bpe import BytePairs
from docmt.text.casing import FirstWord, Learnt, LowerCase, TrueCase
from docmt.text.chinese import Segmentation, Simplified, check_languages, is_chinese
from docmt.text.normalization import Normalisation
from docmt.text.quotes import Quotes
from docmt.text.sentencepieces import SentencePieces
from docmt.text.settings import TextSettings
from docmt.text.tokenization import MosesTokenisation
from docmt.text.words import Words

Corpus = Callable[[], Iterable[str]]
"""Gives a fresh pass over the sentences of one side."""

LEARNT: dict[str, type[Learnt]] = {"truecase": TrueCase, "first-word": FirstWord}
"""The values of `case` that are learnt."""


class Kept:
    """Sentences in a temporary file, as trainers go through them several times.

    Args:
        path: the file to write.
        sentences: normalised sentences, so none has a line break. Empty ones are passed over.
    """

    def __init__(self, path: Path, sentences: Iterable[str]) -> None:
        self.path = path
        self.count = 0
        with reporting_write_errors(path), path.open("w", encoding="utf-8", newline="\n") as out:
            for sentence in sentences:
                if sentence:
                    out.write(sentence + "\n")
                    self.count += 1

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[str]:
        with self.path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                yield line.removesuffix("\n")


def fit(
    settings: TextSettings, corpora: dict[Side, Corpus], languages: dict[Side, str]
) -> tuple[dict[Side, list[Step]], dict[Side, Subwords]]:
    """Learn the steps and the subwords of both sides.

    Memory grows with the different words of the corpora and not with their length; disk space for
    a copy of them is needed meanwhile.

    Raises:
        InputError: a side has no text, or not enough for the vocabulary; there is no disk space; or
            steps for Chinese are asked for and no side is Chinese; or the subwords are not learnt
            but come with a run.
    """
    if settings.subword == "pretrained":
        raise InputError(
            "text.subword: pretrained is not learnt",
            cure="Name the imported run as initialize.run, and leave the section text out",
        )
    check_languages(settings, (languages["source"], languages["target"]))
    steps: dict[Side, list[Step]] = {}
    kept: dict[Side, Kept] = {}
    with TemporaryDirectory(prefix="docmt-text-") as folder:
        for side, corpus in corpora.items():
            steps[side] = fixed_steps(settings, languages[side])
            path = Path(folder) / side
            kept[side] = Kept(path, applied(steps[side], corpus()))
            if not kept[side]:
                raise InputError(
                    f"the training corpus has no text on the {side} side",
                    cure="Check data.train in the recipe",
                )
            if settings.case in LEARNT:
                case = LEARNT[settings.case].learn(kept[side])
                steps[side].append(case)
                kept[side] = Kept(path.with_suffix(".case"), applied([case], kept[side]))
        if settings.joint:
            joint = learn_subwords(settings, list(kept.values()))
            return steps, dict.fromkeys(kept, joint)
        return steps, {side: learn_subwords(settings, [text]) for side, text in kept.items()}


def fixed_steps(settings: TextSettings, language: str, *, escape: bool = False) -> list[Step]:
    """The steps before the subwords that are not learnt."""
    steps: list[Step] = [Normalisation(settings.normalize, language)]
    if settings.quotes == "directional":
        steps.append(Quotes())
    if settings.chinese_script == "simplified" and is_chinese(language):
        steps.append(Simplified())
    if settings.segment == "jieba" and is_chinese(language):
        steps.append(Segmentation())
    elif settings.tokenize == "moses":
        steps.append(MosesTokenisation(language, escape=escape))
    if settings.case == "lower":
        steps.append(LowerCase())
    return steps


def applied(steps: Sequence[Step], sentences: Iterable[str]) -> Iterator[str]:
    """The sentences after these steps."""
    for sentence in sentences:
        for step in steps:
            sentence = step.apply(sentence)
        yield sentence


def learn_subwords(settings: TextSettings, corpora: Sequence[Kept]) -> Subwords:
    """Learn one vocabulary on these corpora."""
    match settings.subword:
        case "unigram":
            kind: Literal["unigram", "bpe"] = "unigram"
        case "sentencepiece-bpe":
            kind = "bpe"
        case "bpe":
            return BytePairs.learn(corpora, merges=settings.merges)
        case "words":
            return Words.learn(corpora, size=settings.vocabulary_size)
        case "pretrained":
            raise AssertionError("they come with a run")
    return SentencePieces.learn(
        corpora,
        kind=kind,
        size=settings.vocabulary_size,
        coverage=settings.character_coverage,
    )
