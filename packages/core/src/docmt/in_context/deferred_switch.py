"""`DeferredSwitch`: the context adapter of a compiled model, loaded with PyTorch when a sentence
has a cue, and not before: a document without cues is translated as fast as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Self

from docmt.in_context.switching import Switching
from docmt_files.base.documents import Document
from docmt_files.storage.files import read_blocks
from docmt_nmt.base.translations import Translation
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator
from docmt_nmt.runs.adapter_descriptions import read_description
from docmt_nmt.text.context_cues import has_cue
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import (
    Journal,
    Plan,
    ProgressCallback,
    Translator,
    digest_of_translation,
    request_of,
)


class _Adapter:
    """An adapter that is loaded at most once.

    Args:
        base: the translator of the run that it stands over.
        path: the file.
    """

    def __init__(self, base: BeamSearchTranslator, path: Path) -> None:
        self._base, self._path, self._lock = base, path, Lock()
        self._made: Translator | None = None
        self.cues = read_description(path).cues

    @cached_property
    def identity(self) -> str:
        """A hash of the file."""
        digest = sha256()
        for block in read_blocks(self._path):
            digest.update(block)
        return digest.hexdigest()

    def over(self, translator: Translator) -> Translator:
        """A translator with the adapter; as it is where the adapter belongs to another model."""
        # It needs torch.
        from docmt.in_context.context_switch import ContextSwitch

        with self._lock:
            if self._made is None:
                self._made = ContextSwitch.over(self._base, self._path, lenient=True)
        if isinstance(self._made, ContextSwitch):
            return replace(self._made, translator=translator)
        return translator

    def may_change(self, request: TranslationRequest) -> bool:
        """Return whether a sentence after another one has a cue."""
        return any(
            not self.cues or has_cue(sentence, self.cues)
            for document in request.sources
            for sentence in document.source[1:]
        )


@dataclass(frozen=True)
class DeferredSwitch(Switching):
    """Takes the translation in context where the context decides.

    Attributes:
        adapter: the adapter, loaded or not.
    """

    adapter: _Adapter

    @classmethod
    def over(cls, translator: BeamSearchTranslator, path: Path) -> Self:
        """Put an adapter over a translator.

        Raises:
            InputError: the file is not an adapter.
        """
        return cls(translator, _Adapter(translator, path))

    def fingerprint(self, request: TranslationRequest) -> str | None:
        known = self.translator.fingerprint(request)
        if known is None:
            return None
        return digest_of_translation(["deferred-switch", known, self.adapter.identity], [])

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        return self._of(request).notes(request, translations)

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        wanted = request_of(request)
        return self._of(wanted).translate(wanted, progress=progress, journal=journal)

    def _of(self, request: TranslationRequest) -> Translator:
        """The translator of a request, with the adapter if it may change something."""
        if self.adapter.may_change(request):
            return self.adapter.over(self.translator)
        return self.translator
