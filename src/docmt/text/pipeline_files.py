"""The files of a saved pipeline: what `pipeline.json` says, and whether the others are as they were
written."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from docmt.errors import InputError
from docmt.files import is_special, read_lines
from docmt.json_files import parse_json
from docmt.special_tokens import SpecialTokens


def read_state(path: Path) -> dict[str, Any]:
    """Read and check `pipeline.json`.

    Raises:
        InputError: it is missing, or does not describe a pipeline.
    """
    files = TypeAdapter(dict[str, str])
    try:
        state = parse_json("\n".join(read_lines(path)))
        languages, escape = state["languages"], state["escape"]
        if isinstance(state["settings"], dict) and isinstance(escape, bool):
            source, target = languages
            other = state.get("source", state)
            if not isinstance(other["settings"], dict) or not isinstance(other["escape"], bool):
                raise TypeError
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
    """The SHA-256 of each file in a folder, by name, except for `pipeline.json`."""
    files = (path for path in sorted(folder.iterdir()) if path.name != "pipeline.json")
    return {path.name: _digest(path) for path in files if path.is_file()}


def _digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def check_files(folder: Path, expected: Mapping[str, str]) -> None:
    """Check that files are as they were written: many could be read without an error if they were
    cut short.

    Raises:
        InputError: a file is missing, cannot be read, has changed, or is not a file of the folder
            itself; or the folder holds a pipe or a device, which may have no end.
    """
    if special := [path for path in folder.iterdir() if is_special(path)]:
        raise InputError(
            "is not a regular file", path=special[0], cure="Copy the run directory again"
        )
    for name, written in expected.items():
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise InputError(
                f"names {name!r}, which is not a file of its own folder",
                path=folder / "pipeline.json",
                cure="Copy the run directory again",
            )
        path = folder / name
        try:
            problem = "" if _digest(path) == written else "has changed since it was written"
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
        if problem:
            raise InputError(problem, path=path, cure="Copy the run directory again")
