"""The text pipeline: it makes numbers of sentences, and sentences of numbers.

Each side of a language pair is normalised, tokenized or segmented, cased and cut into subwords, in
this order;
decoding undoes the steps in the opposite order. A pipeline is fitted on a training corpus, saved
with a run, and is all that is needed to read and write text for that run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from docmt.choices import Tokenization
from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_text
from docmt.special_tokens import SpecialTokens
from docmt.text.base import Side, Step, Subwords
from docmt.text.bpe import CONTINUED, BytePairs
from docmt.text.casing import Learnt, TrueCase
from docmt.text.fairseq import is_escaped, published_subwords
from docmt.text.fitting import LEARNT, applied, fit, fixed_steps
from docmt.text.normalization import collapse
from docmt.text.pretrained import load_pretrained
from docmt.text.sentencepieces import SentencePieces
from docmt.text.settings import TextSettings
from docmt.text.vocabulary import Vocabulary
from docmt.text.words import Words

SIDES: tuple[Side, Side] = ("source", "target")


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """A document as token numbers, without marks.

    Attributes:
        id: the document's id.
        source: its source sentences.
        target: its target sentences, or None where they are to be found.
    """

    id: str
    source: Sequence[Sequence[int]]
    target: Sequence[Sequence[int]] | None = None


class Pipeline:
    """Text to numbers and back, for both sides of a language pair.

    What comes back of a sentence that is encoded and decoded:

    - with sentencepiece on raw text, the normalised sentence, whatever its characters, also with
      `segment: jieba`; its characters are composed with `normalize: nfkd`, its quotation marks
      straight with `quotes: directional`, its Chinese simplified with `chinese_script: simplified`;
    - with `tokenize: moses`, the same up to white space and control characters;
    - with `case: truecase`, the same up to the case of words at sentence beginnings and of words
      in a case that the corpus never had; with `case: first-word`, with a capital at the beginning;
      with `case: lower`, in lower case;
    - with `subword: bpe` or `words`, the same where all characters or words are known: `unknown`
      tells which are not.

    Args:
        settings: the keys of the recipe's section `text`.
        languages: language codes of source and target.
        steps: what comes before the subwords, for each side.
        subwords: the subwords of each side, the same object where the vocabulary is joint.
        escape: whether tokenized text has XML escapes.
        special_tokens: what stands around sentences; default: `<s>` and `</s>` on both sides.
    """

    def __init__(
        self,
        settings: TextSettings,
        languages: tuple[str, str],
        steps: dict[Side, list[Step]],
        subwords: dict[Side, Subwords],
        *,
        escape: bool = False,
        special_tokens: SpecialTokens | None = None,
    ) -> None:
        self.settings, self.languages, self._special_tokens = settings, languages, special_tokens
        self._steps, self._subwords, self._escape = steps, subwords, escape

    @classmethod
    def fit(
        cls,
        settings: TextSettings,
        source: Callable[[], Iterable[str]],
        target: Callable[[], Iterable[str]],
        *,
        languages: tuple[str, str],
    ) -> Pipeline:
        """Learn a pipeline; each callable gives a fresh pass over the sentences of its side. The
        same sentences give the same pipeline.

        Raises:
            InputError: a side has no text, or not enough for the vocabulary.
        """
        steps, subwords = fit(
            settings,
            {"source": source, "target": target},
            {"source": languages[0], "target": languages[1]},
        )
        return cls(settings, languages, steps, subwords)

    @classmethod
    def from_published(
        cls,
        languages: tuple[str, str],
        dictionary: PathLike,
        codes: PathLike | None = None,
        truecase: PathLike | tuple[PathLike, PathLike] | None = None,
        tokenize: Tokenization = "none",
        extra: Sequence[str] = (),
    ) -> Pipeline:
        """The pipeline of a system that was trained with fairseq.

        Args:
            dictionary: its joint dictionary, a piece and a count a line.
            codes: its merge operations, of subword-nmt or fastBPE; none where its text comes as
                pieces between spaces.
            truecase: its Moses truecasing model, or two, for source and target.
            tokenize: `moses` where it reads tokenized text. Text is escaped as Moses does
                (`&apos;`) where the dictionary shows that the training text was.
            extra: the marks after the dictionary, such as `[en]`, `[de]`, `<mask>`.

        Raises:
            InputError: a file is missing or is not what it should be.
        """
        subwords = published_subwords(dictionary, codes, extra)
        settings = TextSettings.read(
            {
                "normalize": "none",
                "tokenize": tokenize,
                "case": "keep" if truecase is None else "truecase",
                "subword": "words" if isinstance(subwords, Words) else "bpe",
            }
        )
        escape = is_escaped(subwords.vocabulary)
        steps = {
            side: fixed_steps(settings, language, escape=escape)
            for side, language in zip(SIDES, languages, strict=True)
        }
        if truecase is not None:
            models = truecase if isinstance(truecase, tuple) else (truecase, truecase)
            for side, model in zip(SIDES, models, strict=True):
                steps[side].append(TrueCase.load(model))
        return cls(settings, languages, steps, dict.fromkeys(SIDES, subwords), escape=escape)

    @property
    def source_vocabulary(self) -> Vocabulary:
        """The vocabulary of the source side."""
        return self._subwords["source"].vocabulary

    @property
    def target_vocabulary(self) -> Vocabulary:
        """The vocabulary of the target side; the same object where it is joint."""
        return self._subwords["target"].vocabulary

    @property
    def special_tokens(self) -> SpecialTokens:
        """The tokens around sentences."""
        if self._special_tokens is not None:
            return self._special_tokens
        source, target = self.source_vocabulary, self.target_vocabulary
        return SpecialTokens((source.begin,), (source.end,), target.begin, target.end)

    def encode(self, document: Document) -> EncodedDocument:
        """The numbers of a document's sentences."""
        return EncodedDocument(
            document.id,
            self._encode(document.source, "source"),
            None if document.target is None else self._encode(document.target, "target"),
        )

    def encode_sentence(self, text: str, side: Side = "source") -> list[int]:
        """The numbers of a sentence, without marks; none of an empty one."""
        return self._encode([text], side)[0]

    def decode_sentence(self, numbers: Sequence[int], side: Side = "target") -> str:
        """The sentence that the numbers spell, on one line. SpecialTokens are no text and are left out,
        but `<unk>` stands for a word that is not known."""
        subwords = self._subwords[side]
        silent = subwords.vocabulary.special_ids - {subwords.vocabulary.unknown}
        text = subwords.invert([number for number in numbers if number not in silent])
        for step in reversed(self._steps[side]):
            text = step.invert(text)
        return collapse(text)

    def normalize(self, text: str, side: Side = "source") -> str:
        """The sentence as the first step leaves it: what comes back, as far as it can."""
        return self._steps[side][0].apply(text)

    def pieces(self, text: str, side: Side = "source") -> list[str]:
        """The pieces of a sentence, one for each number; also those that become `<unk>`."""
        (prepared,) = applied(self._steps[side], [text])
        return self._subwords[side].pieces(prepared)

    def unknown(self, document: Document, side: Side = "source") -> Counter[str]:
        """The characters (with `subword: bpe`) or words (`words`) of a document that become
        `<unk>`, and how often; sentencepiece knows all."""
        sentences = document.source if side == "source" else document.target or ()
        unknown = self._subwords[side].vocabulary.unknown
        counts: Counter[str] = Counter()
        for text, numbers in zip(sentences, self._encode(sentences, side), strict=True):
            if unknown in numbers:
                pairs = zip(self.pieces(text, side), numbers, strict=True)
                counts.update(piece for piece, number in pairs if number == unknown)
        if self.settings.subword == "bpe":
            return merged(counts)
        return counts

    def _encode(self, texts: Sequence[str], side: Side) -> list[list[int]]:
        return self._subwords[side].apply(list(applied(self._steps[side], texts)))

    def save(self, directory: PathLike) -> None:
        """Write the pipeline into a folder: its settings, and as text or in the formats of the
        tools that read them, what it learnt."""
        folder = Path(directory)
        state = {
            "languages": self.languages,
            "escape": self._escape,
            "settings": self.settings.model_dump(mode="json"),
        }
        if self._special_tokens is not None:
            state["special_tokens"] = asdict(self._special_tokens)
        for side in SIDES:
            for step in self._steps[side]:
                if isinstance(step, Learnt):
                    step.save(folder / f"{self.settings.case}.{side}.txt")
        joint = self._subwords["source"] is self._subwords["target"]
        for side, name in subword_names(joint).items():
            self._subwords[side].vocabulary.save(folder / f"{name}.vocabulary")
            self._subwords[side].save(folder / name)
        state["files"] = digests(folder)
        write_text(folder / "pipeline.json", json.dumps(state, indent=2) + "\n")

    @classmethod
    def load(cls, directory: PathLike) -> Pipeline:
        """Read what `save` wrote.

        Raises:
            InputError: a file is missing or damaged, or files do not belong together.
        """
        folder = Path(directory)
        state = read_state(folder / "pipeline.json")
        check_files(folder, state.get("files", {}))
        settings = TextSettings.read(state["settings"], path=folder / "pipeline.json")
        source, target = state["languages"]
        steps = {
            side: fixed_steps(settings, language, escape=state["escape"])
            for side, language in zip(SIDES, (source, target), strict=True)
        }
        if settings.case in LEARNT:
            for side in SIDES:
                learnt = LEARNT[settings.case].load(folder / f"{settings.case}.{side}.txt")
                steps[side].append(learnt)
        # Two pretrained models may cut text differently into pieces of one vocabulary.
        one = settings.joint and not (folder / "source.vocabulary").exists()
        loaded = {
            side: load_subwords(settings, folder / name)
            for side, name in subword_names(one).items()
        }
        subwords = {side: loaded.get(side, loaded["source"]) for side in SIDES}
        return cls(
            settings, (source, target), steps, subwords,
            escape=state["escape"], special_tokens=state.get("special_tokens"),
        )  # fmt: skip


def merged(counts: Counter[str]) -> Counter[str]:
    """Counts of characters, whether the word goes on after them or not."""
    characters: Counter[str] = Counter()
    for piece, count in counts.items():
        characters[piece.removesuffix(CONTINUED)] += count
    return characters


def subword_names(joint: bool) -> dict[Side, str]:
    """What the files of the subwords begin with; only `source` where they are joint."""
    return {"source": "joint"} if joint else {side: side for side in SIDES}


def read_state(path: Path) -> dict[str, Any]:
    """Read and check `pipeline.json`."""
    files = TypeAdapter(dict[str, str])
    try:
        state = json.loads("\n".join(read_lines(path)))
        languages, escape = state["languages"], state["escape"]
        if isinstance(state["settings"], dict) and isinstance(escape, bool):
            source, target = languages
            files.validate_python(state.get("files", {}))
            if "special_tokens" in state:
                state["special_tokens"] = TypeAdapter(SpecialTokens).validate_python(
                    state["special_tokens"]
                )
            return {**state, "languages": (str(source), str(target))}
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
    raise InputError(
        "does not describe a text pipeline", path=path, cure="Copy the run directory again"
    )


def digests(folder: Path) -> dict[str, str]:
    """Names of the files in a folder, but for `pipeline.json`, and their SHA-256."""
    files = (path for path in sorted(folder.iterdir()) if path.name != "pipeline.json")
    return {path.name: digest(path) for path in files if path.is_file()}


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def check_files(folder: Path, expected: Mapping[str, str]) -> None:
    """See that files are what was written: of most of them a part would be read without an error.

    Raises:
        InputError: one is missing, cannot be read, or is another.
    """
    for name, written in expected.items():
        path = folder / name
        try:
            problem = "" if digest(path) == written else "is not the file that was written here"
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
        if problem:
            raise InputError(problem, path=path, cure="Copy the run directory again")


def load_subwords(settings: TextSettings, path: Path) -> Subwords:
    """Read the subwords whose files begin so."""
    if settings.subword == "pretrained":
        return load_pretrained(path)
    file = f"{path}.vocabulary"
    vocabulary = Vocabulary.load(file)
    match settings.subword:
        case "words":
            return Words(vocabulary)
        case "bpe":
            return BytePairs.load(path, vocabulary)
    pieces = SentencePieces.load(path)
    if pieces.vocabulary.tokens != vocabulary.tokens:
        raise InputError(
            f"the vocabulary is not that of {path}.model",
            path=file, cure="Copy the run directory again",
        )  # fmt: skip
    return pieces
