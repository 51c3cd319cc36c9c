"""Fitting a pipeline on a corpus: each step is learned from the output of the steps before it.

Steps that take long to import, or need other packages, are imported where they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from docmt_files.base.errors import InputError
from docmt_files.base.languages import is_chinese, is_english
from docmt_files.storage.files import reporting_write_errors
from docmt_nmt.text.casing import FirstWordCase, LowerCase, TrueCase
from docmt_nmt.text.normalization import EncodingRepair, Normalization
from docmt_nmt.text.quotes import DirectionalQuotes
from docmt_nmt.text.sentencepiece import SentencePiece
from docmt_nmt.text.text_settings import TextSettings
from docmt_nmt.text.text_step import LearnedStep, Side, Step, Subwords
from docmt_nmt.text.tokenization import MosesTokenization
from docmt_nmt.text.words import Words

if TYPE_CHECKING:
    from docmt_nmt.text.english import AmericanSpelling

Corpus = Callable[[], Iterable[str]]
"""Gives a new iterator over the sentences of one side."""


class SentenceFile:
    """Sentences in a temporary file, because learning iterates over them several times.

    Args:
        path: the file to write.
        sentences: normalized sentences, so none has a line break. Empty ones are skipped.
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
    """Learn the steps and the subwords of each side with a corpus.

    Memory grows with the number of different words in the corpora, not with the length of the
    corpora. Fitting needs disk space for a temporary copy of the corpora.

    Raises:
        InputError: a side has no text, or not enough for the vocabulary; the disk is full; the
            settings ask for steps for Chinese or English but no side is; for the subwords of a
            pretrained model, which cannot be learned; or for a missing list of spellings.
    """
    if settings.subword == "pretrained":
        raise InputError(
            "text.subword: pretrained cannot be learned",
            cure="Set initialize.run to the imported run, and remove the section text",
        )
    settings.check_languages((languages["source"], languages["target"]))
    spelling = None
    if settings.american_spelling is not None:
        from docmt_nmt.text.english import AmericanSpelling

        spelling = AmericanSpelling.from_varcon(settings.american_spelling)
    steps: dict[Side, list[Step]] = {}
    files: dict[Side, SentenceFile] = {}
    with TemporaryDirectory(prefix="docmt-text-") as folder:
        for side, corpus in corpora.items():
            steps[side] = fixed_steps(settings, languages[side], spelling=spelling)
            path = Path(folder) / side
            files[side] = SentenceFile(path, apply_steps(steps[side], corpus()))
            if not files[side]:
                raise InputError(
                    f"the training corpus has no text on the {side} side",
                    cure="Check data.train in the recipe",
                )
            if (kind := learned_case(settings)) is not None:
                case = kind.learn(files[side])
                steps[side].append(case)
                cased = apply_steps([case], files[side])
                files[side] = SentenceFile(path.with_suffix(".case"), cased)
        if settings.joint:
            joint = _learn_subwords(settings, list(files.values()))
            return steps, dict.fromkeys(files, joint)
        return steps, {side: _learn_subwords(settings, [file]) for side, file in files.items()}


def learned_case(settings: TextSettings) -> type[LearnedStep] | None:
    """The step for the case of words, if it is learned from a corpus."""
    return {"truecase": TrueCase, "first-word": FirstWordCase}.get(settings.case)


def fixed_steps(
    settings: TextSettings,
    language: str,
    *,
    spelling: AmericanSpelling | None = None,
    escape: bool = False,
) -> list[Step]:
    """The steps before the subwords, except learned steps.

    Args:
        settings: the section `text` of a recipe.
        language: the code of the side's language.
        spelling: the American spellings, for `american_spelling`.
        escape: whether Moses tokenization writes XML escapes.

    Raises:
        InputError: the library of a step is not installed.
    """
    steps: list[Step] = [EncodingRepair()] if settings.repair_encoding else []
    steps.append(Normalization(settings.normalize, language))
    if settings.quotes == "directional":
        steps.append(DirectionalQuotes())
    if spelling is not None and is_english(language):
        steps.append(spelling)
    if settings.chinese_script == "simplified" and is_chinese(language):
        from docmt_nmt.text.chinese import SimplifiedChinese

        steps.append(SimplifiedChinese())
    if settings.segment == "jieba" and is_chinese(language):
        from docmt_nmt.text.chinese import JiebaSegmentation

        steps.append(JiebaSegmentation())
    elif settings.english_punctuation == "separate" and is_english(language):
        from docmt_nmt.text.english import EnglishPunctuation

        steps.append(EnglishPunctuation())
    elif settings.tokenize == "moses":
        steps.append(MosesTokenization(language, escape=escape))
    if settings.case == "lower":
        steps.append(LowerCase())
    return steps


def apply_steps(steps: Sequence[Step], sentences: Iterable[str]) -> Iterator[str]:
    """The sentences after these steps."""
    for sentence in sentences:
        for step in steps:
            sentence = step.apply(sentence)
        yield sentence


def _learn_subwords(settings: TextSettings, corpora: Sequence[SentenceFile]) -> Subwords:
    """Learn one vocabulary from these corpora."""
    match settings.subword:
        case "unigram":
            kind: Literal["unigram", "bpe"] = "unigram"
        case "sentencepiece-bpe":
            kind = "bpe"
        case "bpe":
            from docmt_nmt.text.bpe import BytePairEncoding

            return BytePairEncoding.learn(corpora, merges=settings.merges)
        case "words":
            return Words.learn(corpora, size=settings.vocabulary_size)
        case "pretrained":
            raise AssertionError("`fit` refuses them")
    return SentencePiece.learn(
        corpora, kind=kind, size=settings.vocabulary_size, coverage=settings.character_coverage
    )
