"""Files of each target language, where `docmt translate` translates into several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from docmt.cli.translate_options import DestinationOptions, TermOptions
from docmt_files.base.errors import InputError

_PLACE = "{to}"
"""Where a name has the target language."""

_WITHOUT_LANGUAGES = (".tsv", ".csv", ".jsonl", ".parquet")
"""Suffixes of glossaries and memories that do not name their languages."""


def options_of_target(
    destination: DestinationOptions, terms: TermOptions, inputs: Sequence[str], target: str
) -> tuple[DestinationOptions, TermOptions]:
    """The options for one of several target languages: with the language in the names of files, and
    with a folder of the language below an output folder.

    Raises:
        InputError: a file for all languages is named where each language needs a file of its own.
    """
    output, glossary, previous = destination.output, terms.glossary, terms.previous
    if output is None or output == "-" or "-" in inputs:
        raise _needs_names("standard input and output are of one language", "output=FOLDER/")
    if _PLACE not in output:
        if Path(inputs[0]).is_file() and len(inputs) == 1 and not _is_folder(output):
            raise _needs_names("`output` is one file for several languages", "output")
        output = f"{output.rstrip('/')}/{_PLACE}/"
    if glossary is not None and _is_of_one_language(glossary):
        raise _needs_names("a glossary in this format is of one target language", "glossary")
    for path in terms.memory or ():
        if _is_of_one_language(path):
            raise _needs_names("a memory in this format is of one target language", "memory")
    if previous is not None and _PLACE not in previous[1]:
        raise _needs_names("a translation is of one target language", "previous")

    def named(path: str) -> str:
        return path.replace(_PLACE, target)

    return replace(destination, output=named(output)), replace(
        terms,
        glossary=None if glossary is None else named(glossary),
        memory=None if terms.memory is None else [named(path) for path in terms.memory],
        previous=None if previous is None else (previous[0], named(previous[1])),
    )


def _is_folder(output: str) -> bool:
    return output.endswith("/") or Path(output).is_dir()


def _is_of_one_language(path: str) -> bool:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return _PLACE not in path and any(suffix in _WITHOUT_LANGUAGES for suffix in suffixes)


def _needs_names(problem: str, parameter: str) -> InputError:
    cure = f"Write {_PLACE} in the name given as `{parameter}`, such as guide.{_PLACE}.docx"
    if parameter == "output=FOLDER/":
        cure = "Name files, and `output=FOLDER/`, or translate into one language"
    return InputError(problem, cure=cure, parameters=(parameter, "output"))
