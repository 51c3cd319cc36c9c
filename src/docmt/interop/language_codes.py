"""Language codes in the order in which multilingual models number them, for tokenizers whose files
leave the languages out, and codes that contradict files."""

from __future__ import annotations

import re

from docmt.errors import InputError
from docmt.interop.model_formats import MODEL_FORMATS

LANGUAGE_CODES: dict[str, list[str]] = {
    family: " ".join(lines).split() for family, lines in MODEL_FORMATS["language_codes"].items()
}
"""The codes that files leave out, by the family; those of mBART-50 follow those of mBART-25."""


def check_not_contradicted(side: str, given: str | None, named: str | None) -> None:
    """Check that a language is not another than the one that the files of a model of two languages
    name. A name of three letters may be that of a language family that includes it.

    Args:
        side: `source` or `target`.
        given: the code that the user gave.
        named: the code in the files.

    Raises:
        InputError: it is another.
    """
    if given is None or named is None:
        return
    wanted, known = (re.split("[-_]", code)[0].lower() for code in (given, named))
    if wanted != known and len(known) == 2:
        raise InputError(
            f"the {side} language is {given!r}, but the model's files name {named!r}",
            cure=f"Leave --{side}-language out, or import a model of {given!r}",
        )
