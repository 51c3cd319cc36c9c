"""`Profile`: a model family that is made for translating, with its prompt, its languages and what
else a request needs; `profile_of` finds one by the name of a model. The rows are in
`profiles.toml`, from the models' own cards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from docmt_files.base.errors import InputError
from docmt_files.base.packaged_tables import read_table
from docmt_files.base.wording import did_you_mean


@dataclass(frozen=True, slots=True)
class Profile:
    """A model family that is made for translating. It gets one message with one sentence, and
    answers with the translation alone.

    Attributes:
        name: the name.
        matches: parts of the names of models.
        languages: codes of the languages; none where the files of the model have them.
        prompt: the template of the message; without one, the sentence alone.
        languages_in: where else a request has the languages.
        codes: codes of the model where they are other than docmt's.
        terms: whether the prompt names the terms of a glossary.
        context: tokens of a request and the answer; None where the card does not say.
        license: license of the weights, or of the service.
        note: advice for the user.
    """

    name: str
    matches: tuple[str, ...]
    license: str
    languages: tuple[str, ...] = ()
    prompt: str = ""
    languages_in: Literal["", "content", "translation_options"] = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    terms: bool = False
    context: int | None = None
    note: str = ""

    @property
    def is_asked(self) -> bool:
        """True for a language model, which is asked by messages."""
        return bool(self.languages)

    def keys(self) -> list[tuple[str, object]]:
        """The keys of the recipe of a run, which reads no context and has no schema."""
        return [
            ("system.profile", self.name),
            ("system.languages", list(self.languages)),
            ("request.structured", "none"),
            ("context.sentences_before", 0),
            ("context.sentences_after", 0),
            ("context.translations", False),
            ("context.headings", False),
        ]

    def code(self, language: str) -> str:
        """The model's code of a language."""
        return self.codes.get(language, language)

    def facts(self) -> list[str]:
        """The row as sentences for the user."""
        found = [f"{self.name}: license {self.license}."]
        if self.languages:
            found.append(f"Languages: {', '.join(self.languages)}.")
        if self.is_asked:
            found.append("It is asked for one sentence at a time, without the sentences around it.")
        if self.context is not None:
            found.append(f"Context: {self.context:,} tokens.")
        return [*found, self.note] if self.note else found


@cache
def profiles() -> dict[str, Profile]:
    """All profiles by name."""
    made = {}
    for name, row in read_table(__package__, "profiles.toml").items():
        values: dict[str, Any] = {**row, "languages": tuple(row.get("languages", "").split())}
        values["matches"] = tuple(row["matches"])
        made[name] = Profile(name, **{**values, "prompt": row.get("prompt", "").lstrip("\n")})
    return made


def profile_of(model: str) -> Profile | None:
    """The profile of a model by its name; None for other models.

    >>> profile_of("google/translategemma-4b-it").name, profile_of("tencent/HY-MT1.5-7B").name
    ('TranslateGemma', 'Hunyuan-MT')
    """
    plain = re.sub("[-_ ]", "", model.rstrip("/").rpartition("/")[2].lower())
    found = [p for p in profiles().values() if any(part in plain for part in p.matches)]
    return found[0] if found else None


def profile_named(name: str) -> Profile:
    """The profile of a name.

    Raises:
        InputError: there is none.
    """
    found = profiles().get(name)
    if found is None or not found.is_asked:
        known = [each for each, profile in profiles().items() if profile.is_asked]
        hint = did_you_mean(name, known)
        raise InputError(
            f"system.profile: there is no profile {name!r}" + (f", {hint}" if hint else ""),
            cure=f"Choose one of {', '.join(known)}, or leave the key out",
        )
    return found
