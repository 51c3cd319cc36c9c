"""Files of a saved pipeline: the description in `pipeline.json`; the check for changed files; and
the subwords of every kind."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any

from pydantic import BaseModel, StrictBool, ValidationError

from docmt_files.base.errors import InputError
from docmt_files.storage.files import COPY_RUN_AGAIN, is_special
from docmt_files.storage.json_files import parse_json
from docmt_files.storage.stored_files import MAX_STORED_BYTES, open_stored, read_stored
from docmt_nmt.base.special_tokens import LanguageTokens, SpecialTokens
from docmt_nmt.text.pretrained import load_pretrained
from docmt_nmt.text.sentencepiece import SentencePiece
from docmt_nmt.text.text_settings import TextSettings
from docmt_nmt.text.text_step import Subwords
from docmt_nmt.text.vocabulary import Vocabulary
from docmt_nmt.text.words import Words


class SavedForm(BaseModel):
    """Settings of a side, and whether the tokenized text has XML escapes."""

    settings: dict[str, Any]
    escape: StrictBool


class SavedPipeline(SavedForm):
    """Content of `pipeline.json`.

    Attributes:
        languages: codes of source and target.
        source: the form of the source side, if it differs.
        special_tokens: the tokens around sentences, if they differ from the special tokens of the
            vocabularies.
        language_tokens: the tokens of all languages, of a pretrained model of many.
        files: the SHA-256 of each other file, by name.
    """

    languages: tuple[str, str]
    source: SavedForm | None = None
    special_tokens: SpecialTokens | None = None
    language_tokens: LanguageTokens | None = None
    files: dict[str, str] = {}


def read_saved(folder: Path) -> SavedPipeline:
    """Read `pipeline.json`, and check the files named in it.

    Raises:
        InputError: a file is missing, does not describe a pipeline, or has changed.
    """
    path = folder / "pipeline.json"
    try:
        saved = SavedPipeline.model_validate(parse_json(read_stored(path, cure=COPY_RUN_AGAIN)))
    except InputError:
        raise
    except (ValueError, ValidationError):
        problem = "does not describe a text pipeline"
        raise InputError(problem, path=path, cure=COPY_RUN_AGAIN) from None
    _check_files(folder, saved.files)
    return saved


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder, by name, except for `pipeline.json`."""
    files = (path for path in sorted(folder.iterdir()) if path.name != "pipeline.json")
    return {path.name: _digest(path) for path in files if path.is_file()}


def _digest(path: Path) -> str:
    with open_stored(path, max_bytes=MAX_STORED_BYTES, cure=COPY_RUN_AGAIN) as stream:
        return file_digest(stream, "sha256").hexdigest()


def _check_files(folder: Path, expected: Mapping[str, str]) -> None:
    """Check that the files are unchanged: many could be read without an error if they were cut
    short. A pipe or a device in the folder may have no end."""
    if special := [path for path in folder.iterdir() if is_special(path)]:
        raise InputError("is not a regular file", path=special[0], cure=COPY_RUN_AGAIN)
    for name, written in expected.items():
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            problem = f"names {name!r}, which is not a file of its own folder"
            raise InputError(problem, path=folder / "pipeline.json", cure=COPY_RUN_AGAIN)
        path = folder / name
        try:
            problem = "" if _digest(path) == written else "has changed since it was written"
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
        if problem:
            raise InputError(problem, path=path, cure=COPY_RUN_AGAIN)


def load_subwords(settings: TextSettings, path: Path) -> Subwords:
    """Read the subwords from files with names beginning with `path`."""
    if settings.subword == "pretrained":
        return load_pretrained(path)
    file = f"{path}.vocabulary"
    vocabulary = Vocabulary.load(file)
    match settings.subword:
        case "words":
            return Words(vocabulary)
        case "bpe":
            from docmt_nmt.text.bpe import BytePairEncoding

            return BytePairEncoding.load(path, vocabulary)
    subwords = SentencePiece.load(path)
    if subwords.vocabulary.tokens != vocabulary.tokens:
        raise InputError(
            f"the vocabulary is not that of {path}.model", path=file, cure=COPY_RUN_AGAIN
        )
    return subwords
