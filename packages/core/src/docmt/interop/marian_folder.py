"""The folder of a model of Marian: the files, the vocabularies, the languages and the search.

Firefox     model.enpt.intgemm.alphas.bin  vocab.enpt.spm  or  srcvocab.enja.spm trgvocab.enja.spm
OPUS-MT     *.npz  *.vocab.yml  source.spm  target.spm  decoder.yml
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt_files.base.errors import InputError, naming_file
from docmt_files.base.wording import did_you_mean
from docmt_files.storage.files import COPY_AGAIN
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.recipes.yaml_source import parse, parse_value
from docmt_nmt.text import SIDES, Side, Subwords
from docmt_nmt.text.pretrained import PretrainedSentencePiece, PretrainedVocabulary
from docmt_nmt.text.sentencepiece import load_sentencepiece

_PAIR = re.compile(r"(?:^|\.)([a-z]{2})-?([a-z]{2})(?:\.|$)")
"""The languages in the name of a file of Firefox, such as `model.enpt.intgemm.alphas.bin`."""

_LANGUAGE_TOKEN = re.compile(r">>(.+)<<")

_VOCABULARIES = ("vocab.spm", "vocab.*.spm", "*.vocab.spm", "*.vocab.yml", "vocab.yml")
_OF_SIDES: dict[Side, tuple[str, ...]] = {
    "source": ("srcvocab.*spm", "*.src.vocab.yml", "*.src.yml"),
    "target": ("trgvocab.*spm", "*.trg.vocab.yml", "*.trg.yml"),
}


_EOS, _UNK = "</s>", "<unk>"

_MAX_UNUSED = 64
"""Maximum number of rows of embeddings without a token; their number may be rounded up."""


@dataclass(frozen=True, slots=True)
class MarianFolder:
    """The files of a model.

    Attributes:
        model: the weights.
        vocabularies: the vocabulary of each side; the same file for both if they share one.
        options: the settings of the decoder, from the `.yml` file beside the model.
    """

    model: Path
    vocabularies: Mapping[Side, Path]
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> MarianFolder:
        """Find the files in a folder.

        Raises:
            InputError: a file is missing, or there are several and no `.yml` file names one.
        """
        if not folder.is_dir():
            raise InputError(
                "is not a folder", path=folder, cure="Name the folder with the files of the model"
            )
        options = _options(folder)
        models = _named(folder, options.get("models")) or _found(folder, ("*.npz", "*.bin"))
        models = [path for path in models if not path.name.startswith(("lex.", "quality"))]
        model = _only(models, folder, "a model (.bin or .npz)")
        named = _named(folder, options.get("vocabs"))
        if len(named) == 2:
            return cls(model, dict(zip(SIDES, named, strict=True)), options)
        sides = {side: _found(folder, patterns) for side, patterns in _OF_SIDES.items()}
        if any(sides.values()):
            both = {
                side: _only(files, folder, f"a {side} vocabulary") for side, files in sides.items()
            }
            return cls(model, both, options)
        one = _only(_found(folder, _VOCABULARIES), folder, "a vocabulary (.spm or .vocab.yml)")
        return cls(model, dict.fromkeys(SIDES, one), options)

    def languages(self) -> tuple[str | None, str | None]:
        """The source and the target language in the names of the files; None where there are
        none."""
        for path in (self.model, *self.vocabularies.values()):
            if match := _PAIR.search(path.name):
                return match[1], match[2]
        return None, None

    def search(self) -> dict[str, Any]:
        """The settings of the search, where the `.yml` file has them."""
        names = {
            "beam_size": "beam-size",
            "length_penalty": "normalize",
            "max_length_factor": "max-length-factor",
        }
        return {ours: self.options[name] for ours, name in names.items() if name in self.options}

    def subwords(self, rows: Mapping[Side, int], *, shared: bool) -> dict[Side, Subwords]:
        """The subwords of each side, the same object if both sides share one model of them.

        Args:
            rows: number of rows of the embeddings of each side.
            shared: whether both sides share their embeddings. Shared embeddings and those of the
                target end with the vector of zeros.

        Raises:
            InputError: a file is missing or damaged, or does not fit the embeddings.
        """
        of_target = self._subwords("target", rows["target"], zeros=1)
        path = self.vocabularies["target"]
        if shared and path == self.vocabularies["source"] and path.suffix == ".spm":
            return dict.fromkeys(SIDES, of_target)
        of_source = self._subwords("source", rows["source"], zeros=int(shared))
        return {"source": of_source, "target": of_target}

    def _subwords(self, side: Side, rows: int, *, zeros: int) -> Subwords:
        """The subwords of a side, for embeddings with so many rows, of which `zeros` are the vector
        of zeros."""
        path = self.vocabularies[side]
        with naming_file(path):
            if path.suffix == ".spm":
                model = read_stored(path)
                processor = load_sentencepiece(model)
                tokens = processor.id_to_piece(list(range(processor.vocab_size())))
            else:
                tokens = _tokens_of_yaml(path)
                model = read_stored(path.parent / f"{side}.spm")
        unused = rows - zeros - len(tokens)
        if unused < 0 or unused > _MAX_UNUSED:
            raise InputError(
                f"has {len(tokens):,} tokens, but {self.model.name} has embeddings of "
                f"{rows - zeros:,}",
                path=path,
                cure="Use the vocabulary that the model was trained with",
            )
        if tokens[:2] != [_EOS, _UNK]:
            raise InputError(
                f"begins with {tokens[:2]}, not with {_EOS} and {_UNK}",
                path=path,
                cure="Use the vocabulary that the model was trained with",
            )
        names = [f"<unused {index}>" for index in range(unused)] + ["<zeros>"] * zeros
        tokens = [*tokens, *names]
        languages = [i for i, token in enumerate(tokens) if _LANGUAGE_TOKEN.fullmatch(token)]
        added = range(len(tokens) - len(names), len(tokens))
        return PretrainedSentencePiece(
            model, PretrainedVocabulary(tokens, {0, *languages, *added}, unk_id=1)
        )


def special_tokens(
    subwords: Mapping[Side, Subwords], target_language: str, path: Path
) -> SpecialTokens:
    """The special tokens around sentences. A model of several target languages is told the language
    by a token before the source sentence.

    Raises:
        InputError: the model has several target languages, and not this one.
    """
    source = subwords["source"].vocabulary
    languages = {
        match[1]: i
        for i, token in enumerate(source.tokens)
        if (match := _LANGUAGE_TOKEN.fullmatch(token))
    }
    begin: tuple[int, ...] = ()
    if languages:
        if target_language not in languages:
            meant = did_you_mean(target_language, languages)
            raise InputError(
                f"the model does not translate into {target_language!r}"
                f"{f': {meant}' if meant else ''}",
                path=path,
                cure=f"Known are {', '.join(sorted(languages)[:20])}",
                parameters=("target_language",),
            )
        begin = (languages[target_language],)
    zeros = len(subwords["target"].vocabulary.tokens) - 1
    return SpecialTokens(begin, (0,), zeros, 0)


def _options(folder: Path) -> dict[str, Any]:
    """The settings in the `.yml` file of a decoder; empty if there is none."""
    for pattern in ("decoder.yml", "config*.yml", "*.decoder.yml"):
        for path in _found(folder, (pattern,)):
            values, _ = parse(read_stored(path).decode("utf-8", "replace"), str(path))
            if "models" in values or "vocabs" in values:
                return values
    return {}


def _named(folder: Path, names: Any) -> list[Path]:
    """The files of these names, in the folder itself; none if one of them is missing."""
    if not isinstance(names, list):
        return []
    files = {path.name: path for path in folder.iterdir() if path.is_file()}
    found = [files.get(str(name).rpartition("/")[2]) for name in names]
    return [path for path in found if path is not None] if None not in found else []


def _found(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The files in a folder with names of these patterns."""
    return sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})


def _only(paths: Sequence[Path], folder: Path, what: str) -> Path:
    if len(paths) == 1:
        return paths[0]
    found = f"has several files that could be {what}: " + ", ".join(path.name for path in paths[:5])
    raise InputError(
        found if paths else f"has no file that could be {what}",
        path=folder,
        cure="Leave one of them in the folder" if paths else COPY_AGAIN,
    )


def _tokens_of_yaml(path: Path) -> list[str]:
    """The tokens of a vocabulary with a line `token: id` for each, by id."""
    ids: dict[str, int] = {}
    text = read_stored(path).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), start=1):
        key, _, index = line.rpartition(":")
        if not key or not index.strip().isdecimal():
            if line.strip() in ("", "---", "..."):
                continue
            raise InputError("is not a line `token: id`", path=path, line=number, cure=COPY_AGAIN)
        plain = re.fullmatch(r'"([^"\\]*)"|([^"\'\\\s][^"\'\\]*)', key.strip())
        token = (plain[1] or plain[2] or "") if plain else str(parse_value(key, str(path))[0])
        ids[token] = int(index)
    if sorted(ids.values()) != list(range(len(ids))):
        raise InputError("does not number its tokens from 0, each once", path=path, cure=COPY_AGAIN)
    return sorted(ids, key=ids.__getitem__)
