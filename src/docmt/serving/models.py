"""`Models`: the translators of the service, found by languages or name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from docmt.ground.errors import InputError
from docmt.ground.languages import language_tag, primary_language
from docmt.translators.translator import Translator

_LIBRETRANSLATE = {"zh-hans": "zh", "zt": "zh-hant", "pb": "pt-br"}
"""Codes of LibreTranslate and what they are elsewhere."""


class UnknownLanguageError(InputError):
    """No model translates from or into a language."""


@dataclass(frozen=True, slots=True)
class DeferredTranslator:
    """A translator that is loaded when it is first used.

    Attributes:
        languages: source and target language.
        load: loads the translator.
    """

    languages: tuple[str, str]
    load: Callable[[], Translator]


class Model:
    """A translator of the service.

    Args:
        name: its name, unique in the service.
        translator: the translator.
    """

    def __init__(self, name: str, translator: Translator | DeferredTranslator) -> None:
        self.name, self._given = name, translator

    @cached_property
    def translator(self) -> Translator:
        """The translator, loaded."""
        given = self._given
        return given.load() if isinstance(given, DeferredTranslator) else given

    @property
    def source(self) -> str:
        """The source language as a tag, such as `zh-Hant`."""
        return language_tag(self._given.languages[0])

    @property
    def target(self) -> str:
        """The target language as a tag."""
        return language_tag(self._given.languages[1])


class Models(Sequence[Model]):
    """The models of the service; where several translate between the same languages, the first is
    the default.

    Args:
        models: one or more.

    Raises:
        InputError: two have the same name.
    """

    def __init__(self, models: Sequence[Model]) -> None:
        names = [model.name for model in models]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two runs are named {name!r}", cure="Rename one of them")
        self._models = tuple(models)

    def __len__(self) -> int:
        return len(self._models)

    def __getitem__(self, index: int) -> Model:  # type: ignore[override]  # no slices are needed
        return self._models[index]

    @property
    def sources(self) -> dict[str, list[str]]:
        """The target languages of each source language, by tag."""
        targets: dict[str, list[str]] = {}
        for model in self:
            known = targets.setdefault(model.source, [])
            if model.target not in known:
                known.append(model.target)
        return targets

    @property
    def targets(self) -> list[str]:
        """The target languages, by tag."""
        return list(dict.fromkeys(model.target for model in self))

    def choose(self, source: str | None, target: str | None, name: str | None = None) -> Model:
        """Choose the model for two languages.

        Args:
            source: code of the source language; None for that of the only model into the target.
            target: code of the target language; None with a name.
            name: the name of the model.

        Raises:
            UnknownLanguageError: no model has these languages, or the model of this name has
                others.
            InputError: there is no model of this name.
        """
        models = list(self)
        if name is not None:
            models = [model for model in models if model.name == name]
            if not models:
                known = ", ".join(model.name for model in self)
                raise InputError(f"there is no model {name!r}", cure=f"Known: {known}")
        for code, side in ((source, "source"), (target, "target")):
            if code is None:
                continue
            fitting = [model for model in models if _matches(code, getattr(model, side))]
            exact = [m for m in fitting if _plain(code) == getattr(m, side).lower()]
            models = exact or fitting
            if not models:
                raise UnknownLanguageError(f"{code} is not supported as {side} language")
        return models[0]


def _plain(code: str) -> str:
    """A code as a tag in lower case."""
    tag = language_tag(code.strip()).lower()
    return _LIBRETRANSLATE.get(tag, tag)


def _matches(code: str, tag: str) -> bool:
    """Return whether a code means the language of a model: the same, or one of both is wider."""
    plain = _plain(code)
    try:
        alike = primary_language(plain) == primary_language(tag)
    except InputError:
        return False
    parts, others = plain.split("-")[1:], tag.lower().split("-")[1:]
    return alike and (not parts or not others or parts == others)
