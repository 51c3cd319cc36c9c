"""`FurtherModels`: the installed models of a service, and those that people may get."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docmt.models import PairTranslators, Registry, RegistryModel
from docmt_serve.models.models import Model, Models

_FAILED = "it could not be got; the log of the service says why"

_log = logging.getLogger("docmt_serve")


@dataclass(frozen=True, slots=True)
class AvailablePair:
    """A pair whose model can be got.

    Attributes:
        pair: the languages, such as `en-pt`.
        languages: source and target language.
        size: bytes on disk; 0 if the registry does not say.
        received: bytes that have come; None unless it is being got.
        error: why it could not be got; empty if nobody has tried.
    """

    pair: str
    languages: tuple[str, str]
    size: int
    received: int | None = None
    error: str = ""


class FurtherModels(Models):
    """The installed models, to which people may add those of a registry. Threads may share it.

    Args:
        translators: the translators of installed models.
        registry: the models that can be had.
        make: makes the model of an installed pair.
        further: models that are used where they are named.
    """

    def __init__(
        self,
        translators: PairTranslators,
        registry: Registry,
        make: Callable[[tuple[str, str]], Model],
        further: Sequence[Model] = (),
    ) -> None:
        super().__init__([*(make(pair) for pair in translators.pairs()), *further])
        self._translators, self._registry, self._make = translators, registry, make
        self._received: dict[str, int] = {}
        self._errors: dict[str, str] = {}
        self._lock, self._one_at_a_time = threading.Lock(), threading.Lock()

    def available(self) -> list[AvailablePair]:
        """The pairs that are not installed, and those that are being got."""
        of_pairs = (model for model in self._translators.models.all() if model.is_of_pair)
        installed = {model.pair for model in of_pairs} - set(self._received)
        listed = (self._registry.model(pair) for pair in sorted(self._registry.models))
        return [
            AvailablePair(
                model.pair,
                model.languages,
                model.size,
                self._received.get(model.pair),
                self._errors.get(model.pair, ""),
            )
            for model in listed
            if model.pair not in installed
        ]

    def get(self, pair: str) -> None:
        """Begin to get the model of a pair, unless that has begun.

        Raises:
            InputError: the registry does not have it.
        """
        model = self._registry.model(pair)
        with self._lock:
            if model.pair in self._received:
                return
            self._received[model.pair] = 0
            self._errors.pop(model.pair, None)
        threading.Thread(target=self._install, args=[model], daemon=True).start()

    def _install(self, model: RegistryModel) -> None:
        from docmt_nmt.compiling.compile_anywhere import install_compiled  # It takes long.

        def count(size: int) -> None:
            self._received[model.pair] += size

        try:
            with self._one_at_a_time:
                run = self._translators.models.install(model, self._registry, count)
                install_compiled(run.directory)
                known = {each.name for each in self} - {model.pair}
                pairs = [pair for pair in self._translators.pairs() if "-".join(pair) not in known]
                self.put(map(self._make, pairs))
        except Exception as error:
            _log.error("%s: %s", model.pair, error)
            self._errors[model.pair] = _FAILED
        finally:
            with self._lock:
                del self._received[model.pair]
