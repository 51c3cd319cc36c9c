"""`Models`: the translators of the service, found by languages or name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from docmt.translating.regional_words import has_words, region_of, with_region
from docmt_files.base.errors import InputError
from docmt_files.base.languages import language_tag, primary_language, primary_subtag
from docmt_nmt.translators.language_set import LanguageSet
from docmt_nmt.translators.translator import Translator

_LIBRETRANSLATE = {"zh-hans": "zh", "zt": "zh-hant", "pb": "pt-br"}
"""Codes of LibreTranslate and what they are elsewhere."""


class UnknownLanguageError(InputError):
    """No model translates from or into a language.

    Attributes:
        code: code of the language.
    """

    def __init__(self, code: str | None, side: str) -> None:
        super().__init__(f"{code} is not supported as {side} language")
        self.code = code


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
    """A translator of the service, for one pair of its languages.

    Args:
        name: its name, unique in the service.
        translator: the translator.
    """

    def __init__(self, name: str, translator: Translator | DeferredTranslator) -> None:
        self.name, self._given = name, translator
        self._pairs: dict[tuple[str, str], Model] = {}
        known = LanguageSet((self.source,), (self.target,))
        if not isinstance(translator, DeferredTranslator):
            known = translator.language_set
        tags = (tuple(map(language_tag, side)) for side in (known.sources, known.targets))
        self.language_set = LanguageSet(*tags)

    @cached_property
    def translator(self) -> Translator:
        """The translator, loaded."""
        given = self._given
        return given.load() if isinstance(given, DeferredTranslator) else given

    @property
    def follows_instructions(self) -> bool:
        """True if the translator is loaded and follows instructions."""
        given = self._given
        return not isinstance(given, DeferredTranslator) and "instructions" in given.gives

    @property
    def source(self) -> str:
        """The source language as a tag, such as `zh-Hant`."""
        return language_tag(self._given.languages[0])

    @property
    def target(self) -> str:
        """The target language as a tag."""
        return language_tag(self._given.languages[1])

    def between(self, source: str, target: str) -> Model:
        """The model for another pair of its set, named `NAME/SOURCE/TARGET`."""
        pair = source, target
        if pair == (self.source, self.target):
            return self
        # Of two threads, both may make the same model.
        if pair not in self._pairs:
            translator = self.translator.between(*pair)
            self._pairs[pair] = Model(f"{self.name}/{source}/{target}", translator)
        return self._pairs[pair]

    def in_region(self, target: str) -> Model:
        """The model with the words of the region that a code names, such as `pt-br`: named
        `NAME/SOURCE/TARGET`. It is this model, where no words are known."""
        region = region_of(target)
        if region_of(self.target) or not has_words(self.target, region):
            return self
        pair = self.source, f"{self.target}-{region}"
        if pair not in self._pairs:

            def load() -> Translator:
                return with_region(self.translator, pair[1])

            name = self.name.removesuffix(f"/{self.source}/{self.target}")
            given = DeferredTranslator((self.source, self.target), load)
            self._pairs[pair] = Model(f"{name}/{'/'.join(pair)}", given)
        return self._pairs[pair]

    def pairs(self, source: str | None, target: str | None) -> list[tuple[str, str]]:
        """The pairs that two codes may mean, those of the same codes first.

        Args:
            source, target: codes; None for the languages of the model itself, where they fit.
        """
        if source is None and target is None:
            return [(self.source, self.target)]
        sources = _fitting(source, self.source, self.language_set.sources)
        targets = _fitting(target, self.target, self.language_set.targets)
        return [(s, t) for s in sources for t in targets if s != t or self.source == self.target]


class Models(Sequence[Model]):
    """The models of the service; where several translate between the same languages, the first is
    the default.

    Args:
        models: one or more.

    Raises:
        InputError: two have the same name.
    """

    def __init__(self, models: Sequence[Model]) -> None:
        counts = Counter(model.name for model in models)
        for name, count in counts.items():
            if count > 1:
                raise InputError(f"two runs are named {name!r}", cure="Rename one of them")
        self._models = tuple(models)

    def put(self, models: Iterable[Model]) -> None:
        """Add models, in place of those of the same names."""
        by_name = {model.name: model for model in (*self._models, *models)}
        self._models = tuple(by_name.values())

    def __len__(self) -> int:
        return len(self._models)

    def __getitem__(self, index: int) -> Model:  # type: ignore[override]  # no slices are needed
        return self._models[index]

    @property
    def sources(self) -> dict[str, list[str]]:
        """The target languages of each source language, by tag."""
        return _languages(self._models)[0]

    @property
    def targets(self) -> list[str]:
        """The target languages, by tag."""
        return _languages(self._models)[1]

    def choose(self, source: str | None, target: str | None, name: str | None = None) -> Model:
        """Choose the model for two languages.

        Args:
            source: code of the source language; None for that of the only model into the target.
            target: code of the target language; None with a name.
            name: the name of the model, perhaps with languages (`Model.between`).

        Raises:
            UnknownLanguageError: no model has these languages, or the model of this name has
                others.
            InputError: there is no model of this name.
        """
        models = list(self)
        if name is not None:
            models = [self._named(name)]
        pairs = [(model, *pair) for model in models for pair in model.pairs(source, target)]
        for index, code in enumerate((source, target), start=1):
            if code is not None:
                pairs = [p for p in pairs if _plain(code) == str(p[index]).lower()] or pairs
        if not pairs:
            is_read = source is None or any(model.pairs(source, None) for model in models)
            code, side = (target, "target") if is_read else (source, "source")
            raise UnknownLanguageError(code, side)
        model, first, second = pairs[0]
        chosen = model.between(first, second)
        return chosen if target is None else chosen.in_region(_plain(target))

    def _named(self, name: str) -> Model:
        """The model of a name.

        Raises:
            InputError: there is none.
        """
        run, *languages = name.rsplit("/", 2)
        for model in self:
            if model.name == name:
                return model
            if model.name == run:
                pairs = set(model.language_set.pairs())
                if tuple(languages) in pairs:
                    return model.between(*languages)
                source, target = languages
                if (source, primary_subtag(target)) in pairs and region_of(target):
                    return model.between(source, primary_subtag(target)).in_region(target)
        known = ", ".join(model.name for model in self)
        raise InputError(f"there is no model {name!r}", cure=f"Known: {known}")


@lru_cache(maxsize=1)
def _languages(models: tuple[Model, ...]) -> tuple[dict[str, list[str]], list[str]]:
    """The target languages of each source language of models, and all target languages."""
    targets: dict[str, dict[str, None]] = {}
    for model in models:
        for source, target in model.language_set.pairs():
            targets.setdefault(source, {})[target] = None
    both = {source: list(each) for source, each in targets.items()}
    return both, list(dict.fromkeys(target for each in both.values() for target in each))


def _fitting(code: str | None, own: str, languages: Sequence[str]) -> list[str]:
    """The languages of a side that a code may mean, the language of the model itself first."""
    ordered = sorted(languages, key=lambda tag: tag != own)
    return ordered if code is None else [tag for tag in ordered if _matches(code, tag)]


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
