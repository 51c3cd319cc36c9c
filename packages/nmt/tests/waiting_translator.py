"""A translator that tests let go on sentence by sentence."""

from __future__ import annotations

import threading

from docmt_nmt.base.translations import Translation
from docmt_nmt.translators import request_of
from docmt_nmt.translators.translator import Translator


class Waiting(Translator):
    """Translates into capitals, a sentence whenever it may."""

    languages = ("en", "de")

    def __init__(self):
        self.may_go_on = threading.Semaphore(0)

    def translate(self, request, *, progress=None, **_):
        translations = []
        for document in request_of(request).documents:
            target = []
            for sentence in document.source:
                while not self.may_go_on.acquire(timeout=0.05):
                    progress(len(target), len(document))
                target.append(sentence.upper())
                progress(len(target), len(document))
            translations.append(Translation.of(document.id, document.source, target))
        return translations
