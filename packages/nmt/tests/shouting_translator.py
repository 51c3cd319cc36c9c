"""A translator between any languages, for tests of what stands around translators."""

from __future__ import annotations

from docmt_nmt.base.translations import Translation
from docmt_nmt.translators import request_of
from docmt_nmt.translators.translator import Translator


class Shouting(Translator):
    """Translates into capitals."""

    def __init__(self, source="fr", target="de"):
        self._languages = source, target

    @property
    def languages(self):
        return self._languages

    def translate(self, request, **_):
        translations = []
        for document in request_of(request).documents:
            target = tuple(sentence.upper() for sentence in document.source)
            if "FAIL" in target:
                raise ValueError("a secret text")
            translations.append(Translation.of(document.id, document.source, target))
        return translations
