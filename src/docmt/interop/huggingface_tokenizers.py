"""The text side of Hugging Face models: what their tokenizers' files hold, which number each
language has, and which marks each family sets around sentences.

    family      source sentence       target sentence (its first token is given, not predicted)
    Marian      words </s>            <pad> words </s>      (>>de<< words </s>, with many targets)
    BART        <s> words </s>        </s> <s> words </s>
    mBART-25    words </s> en_XX      de_DE words </s>
    mBART-50    en_XX words </s>      </s> de_DE words </s>
    M2M100      __en__ words </s>     </s> __de__ words </s>
    NLLB        eng_Latn words </s>   </s> deu_Latn words </s>
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from docmt.errors import InputError
from docmt.files import read_bytes, read_json
from docmt.interop.languages import M2M_100, M2M_WMT21, MBART_25, MBART_50_ADDS
from docmt.special_tokens import SpecialTokens
from docmt.text import Side, Subwords
from docmt.text.pretrained import (
    PretrainedSentencePiece,
    PretrainedTokenizer,
    PretrainedVocabulary,
    load_sentencepiece,
    load_tokenizer,
    naming_file,
)
from docmt.text.vocabulary import SPECIAL_TOKENS, UNK
from docmt.wording import did_you_mean

Kind = Literal["Marian", "BART", "mBART-25", "mBART-50", "M2M100", "NLLB"]

LANGUAGES: dict[Kind, str] = {
    "Marian": r">>(.+)<<",
    "mBART-25": r"([a-z]{2,3}_[A-Z]{2})",
    "mBART-50": r"([a-z]{2,3}_[A-Z]{2})",
    "M2M100": r"__([a-z]{2,3})__",
    "NLLB": r"([a-z]{3}_[A-Z][a-z]{3})",
}
"""How language tokens are spelled; the group is the code."""

DOWNLOAD = "Copy the folder again, with all files of the tokenizer"


@dataclass(frozen=True, slots=True)
class TextSide:
    """What a model's tokenizer comes to.

    Attributes:
        kind: the family, which says what stands around sentences.
        subwords: of each side; the same object where the tokenizer has but one.
        languages: the number of each language token, by its code; empty where there are none.
        named: the source and the target language that the files name.
        first, end: `<s>` and `</s>`, by number.
        begin: what the decoder starts with where that is no language.
        legacy: whether the language stands after a source sentence of NLLB.
    """

    kind: Kind
    subwords: dict[Side, Subwords]
    languages: dict[str, int]
    named: tuple[str | None, str | None]
    first: int
    end: int
    begin: int
    legacy: bool

    def special_tokens(
        self, languages: tuple[str | None, str | None]
    ) -> tuple[SpecialTokens, tuple[str, str]]:
        """The marks for a pair of languages, and the full codes of the two.

        Args:
            languages: source and target; None for the one that the files name.

        Raises:
            InputError: a language is missing, or the tokenizer does not have it.
        """
        source, target = (
            mine or theirs for mine, theirs in zip(languages, self.named, strict=True)
        )
        if source is None or target is None:
            raise InputError(
                "the tokenizer does not say from and into which language it is to translate",
                cure=f"Give --source-language and --target-language{self.known()}",
            )
        if self.kind == "BART":
            start = (self.first,)
            return SpecialTokens(start, (self.end,), self.begin, self.end, start), (source, target)
        if not self.languages:
            return SpecialTokens((), (self.end,), self.begin, self.end), (source, target)
        target, into = self.language(target)
        if self.kind == "Marian":
            return SpecialTokens((into,), (self.end,), self.begin, self.end), (source, target)
        source, of = self.language(source)
        if self.kind == "mBART-25":
            return SpecialTokens((), (self.end, of), into, self.end), (source, target)
        before, after = ((), (self.end, of)) if self.legacy else ((of,), (self.end,))
        return SpecialTokens(before, after, self.begin, self.end, (into,)), (source, target)

    def language(self, code: str) -> tuple[str, int]:
        """The full code and the number of a language, given that or its first part."""
        code = code.removeprefix(">>").removesuffix("<<")
        short = [known for known in self.languages if re.split("[-_]", known)[0] == code]
        if code in self.languages or len(short) == 1:
            full = code if code in self.languages else short[0]
            return full, self.languages[full]
        if short:
            raise InputError(f"{code!r} may be {' or '.join(short)}", cure="Name one of them")
        hint = did_you_mean(code, self.languages, most=3)
        raise InputError(
            f"the tokenizer has no language {code!r}" + (f", {hint}" if hint else ""),
            cure=f"Choose one that it has{self.known()}",
        )

    def known(self) -> str:
        """All languages, for an error."""
        return f" ({', '.join(sorted(self.languages))})" if self.languages else ""


class Numbers(NamedTuple):
    """One side of a tokenizer as its files have it.

    Attributes:
        content: a sentencepiece model, or a `tokenizer.json`.
        names: pieces and marks by number.
        special_ids: the ids that the files call special.
    """

    content: bytes
    names: dict[int, str]
    special_ids: frozenset[int] = frozenset()


def read_text_side(folder: Path, config: Mapping[str, Any], rows: tuple[int, int]) -> TextSide:
    """Read a model's tokenizer.

    Args:
        folder: where its files lie.
        config: the model's settings, with their defaults.
        rows: how many embeddings the model has for source and target.

    Raises:
        InputError: a file is missing or damaged, the tokenizer is not the model's, or it lacks the
            languages of the family.
    """
    path = folder / "tokenizer_config.json"
    settings = read_json(path) if path.exists() else {}
    kind = kind_of(folder, config, settings, rows[0])
    read = read_tokenizer_file if (folder / "tokenizer.json").exists() else READERS[kind]
    sides = read(Files(folder, kind, settings))
    given = {config.get(f"{name}_token_id") for name in ("bos", "pad", "eos", "decoder_start")}
    special = {number for number in given if isinstance(number, int)}
    languages: dict[str, int] = {}
    subwords: list[Subwords] = []
    for numbers, count in zip(sides, rows, strict=True):
        if subwords and numbers is sides[0] and count == rows[0]:
            subwords.append(subwords[0])
            continue
        found = languages_of(kind, numbers.names)
        if not found and kind in LANGUAGES and kind != "Marian":
            raise InputError(
                f"the tokenizer has no languages, as those of {kind} models have", path=folder,
                cure=DOWNLOAD,
            )  # fmt: skip
        languages |= found
        vocabulary = numbered(folder, numbers, {*special, *found.values()}, count)
        make = PretrainedTokenizer if read is read_tokenizer_file else PretrainedSentencePiece
        subwords.append(make(numbers.content, vocabulary))
    return TextSide(
        kind=kind,
        subwords={"source": subwords[0], "target": subwords[1]},
        languages=languages,
        named=named_languages(settings),
        first=config["bos_token_id"] or 0,
        end=config["eos_token_id"],
        begin=config["decoder_start_token_id"],
        legacy=bool(settings.get("legacy_behaviour")),
    )


def kind_of(
    folder: Path, config: Mapping[str, Any], settings: Mapping[str, Any], rows: int
) -> Kind:
    """The family, whose members share their model's type but not their marks. Where no file names
    the tokenizer, its languages tell."""
    tokenizer = str(settings.get("tokenizer_class") or config.get("tokenizer_class"))
    match config["model_type"]:
        case "marian":
            return "Marian"
        case "bart":
            return "BART"
        case "mbart":
            if tokenizer.startswith("MBart"):
                return "mBART-50" if tokenizer.startswith("MBart50") else "mBART-25"
            return "mBART-50" if has_fifty(folder, rows) else "mBART-25"
    if tokenizer.startswith(("Nllb", "M2M100")):
        return "NLLB" if tokenizer.startswith("Nllb") else "M2M100"
    # Of the two only M2M100 numbers its pieces in a file of their own.
    return "M2M100" if (folder / "vocab.json").exists() else "NLLB"


def has_fifty(folder: Path, rows: int) -> bool:
    """Whether the tokenizer of an mBART has the languages that mBART-50 adds."""
    path = folder / "tokenizer.json"
    if path.exists():
        with naming_file(path):
            return load_tokenizer(read_bytes(path)).token_to_id("sl_SI") is not None
    path = folder / "sentencepiece.bpe.model"
    # A row for each piece and language, and more for marks.
    codes = len((MBART_25 + MBART_50_ADDS).split())
    return path.exists() and rows > load_sentencepiece(read_spm(path)).vocab_size() + codes


def named_languages(settings: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The source and the target language that a `tokenizer_config.json` names."""
    source = settings.get("src_lang") or settings.get("source_lang")
    target = settings.get("tgt_lang") or settings.get("target_lang")
    return source and str(source), target and str(target)


def languages_of(kind: Kind, names: Mapping[int, str]) -> dict[str, int]:
    """The number of each language token, by its code."""
    if kind not in LANGUAGES:
        return {}
    found = ((re.fullmatch(LANGUAGES[kind], name), number) for number, name in names.items())
    return {match[1]: number for match, number in found if match}


def numbered(folder: Path, numbers: Numbers, marks: set[int], rows: int) -> PretrainedVocabulary:
    """The vocabulary of one side; a row of the model without a piece is a mark.

    Raises:
        InputError: there are more pieces than rows, or no `<unk>`.
    """
    last = max(numbers.names, default=-1)
    if last >= rows:
        raise InputError(
            f"the tokenizer numbers pieces up to {last}, but the model has {rows} embeddings",
            path=folder, cure="Take tokenizer and weights from the same model",
        )  # fmt: skip
    unknown = next((n for n, name in numbers.names.items() if name == UNK), None)
    if unknown is None:
        raise InputError(f"the tokenizer has no {UNK}", path=folder, cure=DOWNLOAD)
    unused = {number for number in range(rows) if number not in numbers.names}
    pieces = [numbers.names.get(number, f"<unused {number}>") for number in range(rows)]
    return PretrainedVocabulary(pieces, marks | numbers.special_ids | unused, unknown)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a tokenizer.

    Attributes:
        folder: where they lie.
        kind: the family.
        settings: what `tokenizer_config.json` says.
    """

    folder: Path
    kind: Kind
    settings: Mapping[str, Any]

    def needed(self, name: str) -> Path:
        """A file that must be there.

        Raises:
            InputError: it is not.
        """
        path = self.folder / name
        if not path.is_file():
            raise InputError(
                f"lacks {name}, a file of the tokenizer of {self.kind} models",
                path=self.folder, cure=DOWNLOAD,
            )  # fmt: skip
        return path


def read_tokenizer_file(files: Files) -> tuple[Numbers, Numbers]:
    """A `tokenizer.json`, which holds all."""
    path = files.needed("tokenizer.json")
    content = read_bytes(path)
    with naming_file(path):
        tokenizer = load_tokenizer(content)
    names = {number: piece for piece, number in tokenizer.get_vocab(with_added_tokens=True).items()}
    added = tokenizer.get_added_tokens_decoder()
    both = Numbers(content, names, frozenset(n for n, token in added.items() if token.special))
    return both, both


def read_mbart(files: Files) -> tuple[Numbers, Numbers]:
    """A sentencepiece model whose pieces are numbered anew, and languages after them."""
    content = read_spm(files.needed("sentencepiece.bpe.model"))
    model = load_sentencepiece(content)
    pieces = model.id_to_piece(list(range(3, model.vocab_size())))
    codes = MBART_25 + (MBART_50_ADDS if files.kind == "mBART-50" else "")
    names = dict(enumerate([*SPECIAL_TOKENS, *pieces, *codes.split(), "<mask>"]))
    both = Numbers(content, names, frozenset([len(names) - 1]))
    return both, both


def read_m2m_100(files: Files) -> tuple[Numbers, Numbers]:
    """A sentencepiece model, the numbers of its pieces, and languages after them."""
    names = read_numbers(files.needed("vocab.json"))
    content = read_spm(files.needed("sentencepiece.bpe.model"))
    codes = M2M_WMT21 if files.settings.get("language_codes") == "wmt21" else M2M_100
    names |= {len(names) + place: f"__{code}__" for place, code in enumerate(codes.split())}
    both = Numbers(content, names)
    return both, both


def read_marian(files: Files) -> tuple[Numbers, Numbers]:
    """A sentencepiece model for each side, and the numbers of their pieces."""
    apart = bool(files.settings.get("separate_vocabs"))
    vocabularies = ("vocab.json", "target_vocab.json" if apart else "vocab.json")
    source, target = (
        Numbers(read_spm(files.needed(model)), read_numbers(files.needed(vocabulary)))
        for model, vocabulary in zip(("source.spm", "target.spm"), vocabularies, strict=True)
    )
    return source, target


READERS: dict[Kind, Callable[[Files], tuple[Numbers, Numbers]]] = {
    "Marian": read_marian,
    "BART": read_tokenizer_file,
    "mBART-25": read_mbart,
    "mBART-50": read_mbart,
    "M2M100": read_m2m_100,
    "NLLB": read_tokenizer_file,
}
"""How the tokenizers of each family are read that have no `tokenizer.json`."""


def read_spm(path: Path) -> bytes:
    """A sentencepiece model as its file holds it.

    Raises:
        InputError: it is none.
    """
    content = read_bytes(path)
    with naming_file(path):
        load_sentencepiece(content)
    return content


def read_numbers(path: Path) -> dict[int, str]:
    """Pieces by number, of a file that has numbers by piece.

    Raises:
        InputError: it holds something else.
    """
    numbers = read_json(path)
    if not all(isinstance(number, int) for number in numbers.values()):
        raise InputError("holds no numbers of pieces", path=path, cure=DOWNLOAD)
    return {number: piece for piece, number in numbers.items()}
