"""The tokenizers of Hugging Face models: subwords and token ids, the ids of languages, and the
special tokens of each family around sentences.

    family      source sentence       target sentence (the first token is given, not predicted)
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

from docmt.interop.model_formats import MODEL_FORMATS
from docmt_files.base.errors import InputError, naming_file
from docmt_files.base.languages import primary_subtag
from docmt_files.base.wording import did_you_mean
from docmt_files.storage.json_files import read_json
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.text import SIDES, Side, Subwords
from docmt_nmt.text.pretrained import (
    PretrainedSentencePiece,
    PretrainedTokenizer,
    PretrainedVocabulary,
    load_tokenizer,
)
from docmt_nmt.text.sentencepiece import load_sentencepiece
from docmt_nmt.text.vocabulary import SPECIAL_TOKENS, UNK

Family = Literal["Marian", "BART", "mBART-25", "mBART-50", "M2M100", "NLLB"]

_LANGUAGE_TOKENS: dict[Family, str] = MODEL_FORMATS["huggingface"]["language_tokens"]
"""The form of language tokens; the group is the language code."""

_LANGUAGE_CODES: dict[str, list[str]] = {
    family: codes.split()
    for family, codes in MODEL_FORMATS["huggingface"]["language_codes"].items()
}
"""Language codes in the order of the models' numbering, for files without the codes."""

_CURE = "Copy the folder again, with all files of the tokenizer"


@dataclass(frozen=True, slots=True)
class ModelTokenizer:
    """The tokenizer of a model.

    Attributes:
        family: the family, which determines the special tokens around sentences.
        subwords: of each side; the same object if both sides share one vocabulary.
        languages: the id of each language token, by code; empty if there are none.
        named: the source and the target language named in the files.
        bos_id, eos_id: the ids of `<s>` and `</s>`.
        decoder_start_id: the first token of the decoder, unless it is a language.
        legacy: whether NLLB's language token follows a source sentence instead of preceding it.
    """

    family: Family
    subwords: dict[Side, Subwords]
    languages: dict[str, int]
    named: tuple[str | None, str | None]
    bos_id: int
    eos_id: int
    decoder_start_id: int
    legacy: bool

    def special_tokens(
        self, languages: tuple[str | None, str | None]
    ) -> tuple[SpecialTokens, tuple[str, str]]:
        """The special tokens of a language pair, and the full codes of the languages.

        Args:
            languages: source and target; None for the language named in the files.

        Raises:
            InputError: a language is missing, or the tokenizer does not have it, or the files of a
                model of two languages name another.
        """
        source, target = (
            mine or theirs for mine, theirs in zip(languages, self.named, strict=True)
        )
        if source is None or target is None:
            raise InputError(
                "the tokenizer's files do not name the source and target language",
                cure=f"Give `source_language` and `target_language`{self._known()}",
                parameters=("source_language", "target_language"),
            )
        if not self.languages:
            for side, given, named in zip(SIDES, languages, self.named, strict=True):
                _check_not_contradicted(side, given, named)
        begin: tuple[int, ...] = ()
        end: tuple[int, ...] = (self.eos_id,)
        prefix: tuple[int, ...] = ()
        start_id = self.decoder_start_id
        if self.family == "BART":
            begin = prefix = (self.bos_id,)
        elif self.languages:
            target, target_id = self._language(target)
            if self.family == "Marian":
                begin = (target_id,)
            else:
                source, source_id = self._language(source)
                if self.family == "mBART-25":
                    end, start_id = (self.eos_id, source_id), target_id
                elif self.legacy:
                    end, prefix = (self.eos_id, source_id), (target_id,)
                else:
                    begin, prefix = (source_id,), (target_id,)
        return SpecialTokens(begin, end, start_id, self.eos_id, prefix), (source, target)

    def _language(self, code: str) -> tuple[str, int]:
        """The full code and the id of a language, given the code or the code's first part."""
        code = code.removeprefix(">>").removesuffix("<<")
        short = [known for known in self.languages if re.split("[-_]", known)[0] == code]
        if code in self.languages or len(short) == 1:
            full = code if code in self.languages else short[0]
            return full, self.languages[full]
        if short:
            raise InputError(
                f"{code!r} is ambiguous: {' or '.join(short)}", cure="Name one of these"
            )
        hint = did_you_mean(code, self.languages, most=3)
        raise InputError(
            f"the tokenizer has no language {code!r}" + (f", {hint}" if hint else ""),
            cure=f"Choose one that it has{self._known()}",
        )

    def _known(self) -> str:
        """All languages, for an error message."""
        return f" ({', '.join(sorted(self.languages))})" if self.languages else ""


def _check_not_contradicted(side: str, given: str | None, named: str | None) -> None:
    """Check a language against the language named by the files of a model of two languages. A name
    of three letters may be the name of a language family including the language."""
    if given is None or named is None:
        return
    wanted, known = map(primary_subtag, (given, named))
    if wanted != known and len(known) == 2:
        raise InputError(
            f"the {side} language is {given!r}, but the model's files name {named!r}",
            cure=f"Leave --{side}-language out, or import a model of {given!r}",
        )


class _Side(NamedTuple):
    """One side of a tokenizer, as found in the files."""

    content: bytes
    tokens: dict[int, str]
    special_ids: frozenset[int] = frozenset()


def read_model_tokenizer(
    folder: Path, config: Mapping[str, Any], sizes: tuple[int, int]
) -> ModelTokenizer:
    """Read a model's tokenizer.

    Args:
        sizes: numbers of embeddings of the model for source and target.

    Raises:
        InputError: a file is missing or damaged, the tokenizer is not the model's, or it lacks the
            languages of the family.
    """
    path = folder / "tokenizer_config.json"
    settings = read_json(path) if path.exists() else {}
    family = _family(folder, config, settings, sizes[0])
    read = _read_tokenizer_json if (folder / "tokenizer.json").exists() else _READERS[family]
    sides = read(_Files(folder, family, settings))
    given = {config.get(f"{name}_token_id") for name in ("bos", "pad", "eos", "decoder_start")}
    special = {i for i in given if isinstance(i, int)}
    languages: dict[str, int] = {}
    subwords: list[Subwords] = []
    for side, size in zip(sides, sizes, strict=True):
        if subwords and side is sides[0] and size == sizes[0]:
            subwords.append(subwords[0])
            continue
        language_ids = _language_ids(family, side.tokens)
        if not language_ids and family in _LANGUAGE_TOKENS and family != "Marian":
            raise InputError(
                f"the tokenizer has no language tokens, which {family} models need",
                path=folder,
                cure=_CURE,
            )
        languages |= language_ids
        vocabulary = _vocabulary(folder, side, {*special, *language_ids.values()}, size)
        make = PretrainedTokenizer if read is _read_tokenizer_json else PretrainedSentencePiece
        subwords.append(make(side.content, vocabulary))
    return ModelTokenizer(
        family=family,
        subwords={"source": subwords[0], "target": subwords[1]},
        languages=languages,
        named=_named_languages(settings),
        bos_id=config["bos_token_id"] or 0,
        eos_id=config["eos_token_id"],
        decoder_start_id=config["decoder_start_token_id"],
        legacy=bool(settings.get("legacy_behaviour")),
    )


def _family(
    folder: Path, config: Mapping[str, Any], settings: Mapping[str, Any], size: int
) -> Family:
    """The family of a tokenizer. The model's type alone does not determine the special tokens; if
    no file names the tokenizer's class, the languages do."""
    tokenizer = str(settings.get("tokenizer_class") or config.get("tokenizer_class"))
    match config["model_type"]:
        case "marian":
            return "Marian"
        case "bart":
            return "BART"
        case "mbart":
            if tokenizer.startswith("MBart"):
                return "mBART-50" if tokenizer.startswith("MBart50") else "mBART-25"
            return "mBART-50" if _has_mbart_50_languages(folder, size) else "mBART-25"
    if tokenizer.startswith(("Nllb", "M2M100")):
        return "NLLB" if tokenizer.startswith("Nllb") else "M2M100"
    # Of the two, only M2M100 has a file with the token ids.
    return "M2M100" if (folder / "vocab.json").exists() else "NLLB"


def _has_mbart_50_languages(folder: Path, size: int) -> bool:
    """Return whether the tokenizer of an mBART has the languages added by mBART-50."""
    path = folder / "tokenizer.json"
    if path.exists():
        with naming_file(path):
            return load_tokenizer(read_stored(path)).token_to_id("sl_SI") is not None
    path = folder / "sentencepiece.bpe.model"
    # One embedding per subword and language, and more for special tokens.
    codes = len(_LANGUAGE_CODES["mBART-50"])
    return (
        path.exists() and size > load_sentencepiece(_read_sentencepiece(path)).vocab_size() + codes
    )


def _named_languages(settings: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The source and the target language named in a `tokenizer_config.json`."""
    source = settings.get("src_lang") or settings.get("source_lang")
    target = settings.get("tgt_lang") or settings.get("target_lang")
    return source and str(source), target and str(target)


def _language_ids(family: Family, tokens: Mapping[int, str]) -> dict[str, int]:
    """The id of each language token, by code."""
    if family not in _LANGUAGE_TOKENS:
        return {}
    pattern = re.compile(_LANGUAGE_TOKENS[family])
    matches = ((pattern.fullmatch(token), i) for i, token in tokens.items())
    return {match[1]: i for match, i in matches if match}


def _vocabulary(
    folder: Path, side: _Side, special_ids: set[int], size: int
) -> PretrainedVocabulary:
    """The vocabulary of one side. An id of the model without a token counts as special."""
    tokens, unused = tokens_by_id(side.tokens, size, folder)
    unk_id = next((i for i, token in side.tokens.items() if token == UNK), None)
    if unk_id is None:
        raise InputError(f"the tokenizer has no {UNK}", path=folder, cure=_CURE)
    return PretrainedVocabulary(tokens, special_ids | side.special_ids | unused, unk_id)


def tokens_by_id(tokens: Mapping[int, str], size: int, folder: Path) -> tuple[list[str], set[int]]:
    """The tokens of all ids of a model, and the ids for which the tokenizer has no token.

    Args:
        tokens: the tokenizer's tokens by their ids.
        size: number of embeddings of the model.

    Raises:
        InputError: there are more tokens than embeddings.
    """
    last = max(tokens, default=-1)
    if last >= size:
        raise InputError(
            f"the tokenizer has ids up to {last}, but the model has {size} embeddings",
            path=folder,
            cure="Take tokenizer and weights from the same model",
        )
    unused = {i for i in range(size) if i not in tokens}
    return [tokens.get(i, f"<unused {i}>") for i in range(size)], unused


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a tokenizer."""

    folder: Path
    family: Family
    settings: Mapping[str, Any]

    def require(self, name: str) -> Path:
        """The path of a file needed by the family."""
        path = self.folder / name
        if not path.is_file():
            raise InputError(
                f"lacks {name}, which the tokenizer of {self.family} models needs",
                path=self.folder,
                cure=_CURE,
            )
        return path


def _read_tokenizer_json(files: _Files) -> tuple[_Side, _Side]:
    """A `tokenizer.json`, which holds subwords, ids and languages."""
    path = files.require("tokenizer.json")
    content = read_stored(path)
    with naming_file(path):
        tokenizer = load_tokenizer(content)
    tokens = {i: token for token, i in tokenizer.get_vocab(with_added_tokens=True).items()}
    added = tokenizer.get_added_tokens_decoder()
    both = _Side(content, tokens, frozenset(i for i, token in added.items() if token.special))
    return both, both


def _read_mbart(files: _Files) -> tuple[_Side, _Side]:
    """A sentencepiece model with other ids for the subwords, followed by the languages."""
    content = _read_sentencepiece(files.require("sentencepiece.bpe.model"))
    model = load_sentencepiece(content)
    subwords = model.id_to_piece(list(range(3, model.vocab_size())))
    codes = _LANGUAGE_CODES[files.family]
    tokens = dict(enumerate([*SPECIAL_TOKENS, *subwords, *codes, "<mask>"]))
    both = _Side(content, tokens, frozenset([len(tokens) - 1]))
    return both, both


def _read_m2m_100(files: _Files) -> tuple[_Side, _Side]:
    """A sentencepiece model and the ids of the subwords, followed by the languages."""
    tokens = _read_vocab_json(files.require("vocab.json"))
    content = _read_sentencepiece(files.require("sentencepiece.bpe.model"))
    is_wmt21 = files.settings.get("language_codes") == "wmt21"
    codes = _LANGUAGE_CODES["M2M100 WMT21" if is_wmt21 else "M2M100"]
    tokens |= {len(tokens) + i: f"__{code}__" for i, code in enumerate(codes)}
    both = _Side(content, tokens)
    return both, both


def _read_marian(files: _Files) -> tuple[_Side, _Side]:
    """A sentencepiece model for each side, and the ids of their subwords."""
    separate = bool(files.settings.get("separate_vocabs"))
    vocabularies = ("vocab.json", "target_vocab.json" if separate else "vocab.json")
    source, target = (
        _Side(
            _read_sentencepiece(files.require(model)), _read_vocab_json(files.require(vocabulary))
        )
        for model, vocabulary in zip(("source.spm", "target.spm"), vocabularies, strict=True)
    )
    return source, target


_READERS: dict[Family, Callable[[_Files], tuple[_Side, _Side]]] = {
    "Marian": _read_marian,
    "BART": _read_tokenizer_json,
    "mBART-25": _read_mbart,
    "mBART-50": _read_mbart,
    "M2M100": _read_m2m_100,
    "NLLB": _read_tokenizer_json,
}
"""Readers of tokenizers by family, where there is no `tokenizer.json`."""


def _read_sentencepiece(path: Path) -> bytes:
    """The bytes of a sentencepiece model."""
    content = read_stored(path)
    with naming_file(path):
        load_sentencepiece(content)
    return content


def _read_vocab_json(path: Path) -> dict[int, str]:
    """Tokens by id, from a file with the ids by token."""
    ids = read_json(path)
    if not all(isinstance(i, int) for i in ids.values()):
        raise InputError("does not map tokens to ids", path=path, cure=_CURE)
    return {i: token for token, i in ids.items()}
