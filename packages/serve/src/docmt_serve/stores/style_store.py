"""`StyleStore`: the style rules of accounts, on disk. As in DeepL's API, a list of rules is for a
target language, and has rules by name and instructions in words.

    FOLDER/styles/ID.json
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docmt_files.base.languages import primary_language
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.stores.account_store import AccountStore, now

Rules = Mapping[str, Mapping[str, str]]
"""Choices by the name of a rule, by the name of a group of rules."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction in words.

    Attributes:
        id: random id.
        label: name for people.
        prompt: the words.
        source_language: code of the only source language it is for; None for any.
    """

    id: str
    label: str
    prompt: str
    source_language: str | None = None


@dataclass(frozen=True, slots=True)
class StoredStyle:
    """A list of style rules of an account.

    Attributes:
        id: random id.
        account: account of the owner.
        name: name for people.
        language: code of the target language, without region, in lower case.
        created, updated: times (ISO 8601).
        version: number of the state, from 1.
        rules: rules by name.
        instructions: instructions in words.
    """

    id: str
    account: str
    name: str
    language: str
    created: str
    updated: str
    version: int = 1
    rules: Rules = field(default_factory=dict)
    instructions: tuple[Instruction, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the rules and instructions, about."""
        return len(repr((self.rules, self.instructions)).encode())

    def changed(self, **values: Any) -> StoredStyle:
        """The next state."""
        return replace(self, version=self.version + 1, updated=now(), **values)

    def instruction(self, instruction_id: str) -> Instruction:
        """An instruction.

        Raises:
            ServiceError: there is none with this id.
        """
        for each in self.instructions:
            if each.id == instruction_id:
                return each
        raise ServiceError(404, "Custom instruction not found")

    def text(self, sources: Sequence[str], target: str) -> str:
        """What a language model reads: a rule or an instruction a line.

        Args:
            sources: the source languages.
            target: the target language.

        Raises:
            ServiceError: the list is for another target language.
        """
        if primary_language(target) != self.language:
            raise ServiceError(400, "The target language must match the language of the style rule")
        own = [
            f"{group}, {rule}: {choice}".replace("_", " ")
            for group, rules in self.rules.items()
            for rule, choice in rules.items()
        ]
        languages = set(map(primary_language, sources))
        for each in self.instructions:
            of = each.source_language
            if of is None or languages == {primary_language(of)}:
                own.append(each.prompt)
        return "\n".join(own)


class StyleStore(AccountStore[StoredStyle]):
    """The style rules of a service. Threads may share it."""

    kind, noun = StoredStyle, "Style rule"

    def _size(self, entry: StoredStyle) -> int:
        return entry.size
