"""`PairTranslators`: the translator of a pair of languages, by the installed models."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from docmt.models.installed import InstalledModel, InstalledModels
from docmt.models.registry import LICENSE
from docmt.translating.pivot import Pivot
from docmt_files.base.errors import InputError
from docmt_files.base.languages import check_language_code, language_tag, primary_subtag
from docmt_files.base.wording import megabytes
from docmt_nmt.translators.translator import Translator

_BETWEEN = "en"
"""Language between two others: all models of Firefox translate into it or from it."""

Pair = tuple[str, str]
"""Source and target language."""


@dataclass(frozen=True)
class PairTranslators:
    """Translators by language: of the installed models and, where two of them meet in English, of
    both. The bundled model is a sample, and translates only where it is named as a run. Each is
    loaded when it is first asked for.

    Attributes:
        models: the installed models.
        options: options of each translator, as of `docmt.load`.
    """

    models: InstalledModels
    options: Mapping[str, Any] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _loaded: dict[str, Translator] = field(default_factory=dict)

    def runs(self) -> dict[Pair, str]:
        """The run directory of each pair that one model translates."""
        of_pairs = (model for model in self.models.all() if model.is_of_pair)
        return {model.languages: str(model.directory) for model in of_pairs}

    def further(self) -> list[InstalledModel]:
        """The installed models that translate only where they are named, such as adapted ones."""
        return [model for model in self.models.all() if not model.is_of_pair]

    def named(self, name: str) -> Translator:
        """The translator of an installed model.

        Raises:
            InputError: there is none of this name.
        """
        return self._load(str(self.models.named(name).directory))

    def pairs(self) -> list[Pair]:
        """All pairs: those that one model translates first, then those that two do."""
        direct = list(self.runs())
        into = [source for source, target in direct if target == _BETWEEN]
        out = [target for source, target in direct if source == _BETWEEN]
        both = [(source, target) for source in into for target in out if source != target]
        return list(dict.fromkeys([*direct, *both]))

    def translator(self, source: str, target: str) -> Translator:
        """The translator of a pair.

        Args:
            source, target: language codes; of a code with a region the language is enough.

        Raises:
            InputError: no installed model translates between these languages; the message names the
                command that gets them.
        """
        for language in (source, target):
            check_language_code(language)
        runs = self.runs()
        if run := _find(runs, source, target):
            return self._load(runs[run])
        first, second = _find(runs, source, _BETWEEN), _find(runs, _BETWEEN, target)
        if first and second:
            return Pivot(self._load(runs[first]), self._load(runs[second]))
        raise self._missing(source, target, [pair for pair in (first, second) if pair])

    def _load(self, run: str) -> Translator:
        from docmt_nmt.runs.open_run import load  # It takes long.

        with self._lock:
            if run not in self._loaded:
                self._loaded[run] = load(run, **self.options)
            return self._loaded[run]

    def _missing(self, source: str, target: str, found: Iterable[Pair]) -> InputError:
        """The error about a pair that no installed model translates, with the command that gets
        one."""
        problem = f"no installed model translates from {source} into {target}"
        steps = [(source, target)]
        if _BETWEEN not in (primary_subtag(source), primary_subtag(target)):
            steps = [(source, _BETWEEN), (_BETWEEN, target)]
        wanted = [
            "-".join(map(primary_subtag, step))
            for step in steps
            if not any(_matches(pair, *step) for pair in found)
        ]
        registry, details = self.models.known_registry(), ""
        if registry is not None:
            if missing := [pair for pair in wanted if pair not in registry.models]:
                return InputError(
                    f"{problem}, and {registry.place} has no model {', '.join(missing)}",
                    cure="Name a `run`; `docmt models` lists what can be had",
                    parameters=("run",),
                )
            size = sum(registry.model(pair).size for pair in wanted)
            details = f" ({megabytes(size)}, {LICENSE})"
        return InputError(
            problem,
            cure=f"Run `docmt models get {' '.join(wanted)}`{details}, or name a `run`",
            parameters=("run",),
        )


def _matches(pair: Pair, source: str, target: str) -> bool:
    """Return whether a pair is of these languages, of any region."""
    return tuple(map(primary_subtag, pair)) == (primary_subtag(source), primary_subtag(target))


def _find(runs: Iterable[Pair], source: str, target: str) -> Pair | None:
    """The pair of these languages: with the same regions, or else with any."""
    fitting = [pair for pair in runs if _matches(pair, source, target)]
    wanted = language_tag(source).lower(), language_tag(target).lower()
    exact = [pair for pair in fitting if tuple(language_tag(p).lower() for p in pair) == wanted]
    return next(iter(exact or fitting), None)
