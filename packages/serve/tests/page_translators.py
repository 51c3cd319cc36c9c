"""Translators and models for tests of the page."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from docmt.models import InstalledModel, Registry
from docmt_files.base.documents import SentenceWarning
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import Candidate, TranslatedSentence, Translation
from docmt_nmt.translators import request_of
from docmt_nmt.translators.translator import Translator
from docmt_serve.models.further_models import FurtherModels
from docmt_serve.models.models import Model
from shouting_translator import Shouting

HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


def others(sentence):
    """Other wordings of a sentence."""
    return Candidate(f"[{sentence}]", -1.0), Candidate(f"{{{sentence}}}", -2.0)


class Marking(Translator):
    """Translates a sentence into itself in parentheses, in chunks of two sentences; one with FAIL
    fails, and one with WARN has a warning. Other wordings have square brackets and braces."""

    gives = frozenset(("sentences", "words", "revisions", "alternatives"))

    def __init__(self, source="en", target="de"):
        self._languages = source, target

    @property
    def languages(self):
        return self._languages

    def translate(self, request, **_):
        request = request_of(request)
        translations = []
        for owner, document in enumerate(request.documents):
            revision = request.revision
            target = [f"({sentence})" for sentence in document.source]
            if any("FAIL" in sentence for sentence in document.source):
                raise ValueError("a secret")
            if revision is not None:
                known = revision.known[owner].target
                first = min(index for _, index in revision.sentences)
                after = [f"({s}, after {known[first - 1]})" for s in document.source[first:]]
                target = [*known[:first], *after]
            size = len(target)
            chunks = (*[2] * (size // 2), *[1] * (size % 2))
            warning = SentenceWarning("too-short", f"<b>{HOSTILE}</b>")
            sentences = tuple(
                TranslatedSentence(
                    s,
                    t,
                    warnings=(warning,) if "WARN" in s else (),
                    others=others(s) if revision is None else (),
                )
                for s, t in zip(document.source, target, strict=True)
            )
            translations.append(Translation(document.id, sentences, chunks))
        return translations


class Getting(FurtherModels):
    """Gets the model of a pair in two steps; that of one pair cannot be got."""

    def __init__(self, failing, here=("en-de",)):
        self.failing, self.may_go_on = failing, threading.Event()
        self.here, sizes = set(here), {"uncompressedSize": 17_000_000, "path": "a"}
        entry = {"files": {"model": sizes, "vocab": {"path": "b"}}}
        models = {pair: [entry] for pair in ("en-de", "en-fr", "en-pt")}
        registry = Registry.parse(json.dumps({"models": models}).encode(), "a")
        super().__init__(self, registry, lambda pair: Model("-".join(pair), Shouting(*pair)))

    @property
    def models(self):
        return self

    def all(self):
        return [
            InstalledModel(Path(pair), "", "", "", tuple(pair.split("-"))) for pair in self.here
        ]

    def pairs(self):
        return [model.languages for model in self.all()]

    def install(self, model, _, count):
        if model.pair == self.failing:
            raise InputError("the network is down")
        count(8_500_000)
        assert self.may_go_on.wait(20)
        self.here.add(model.pair)
        return InstalledModel(Path(model.pair), "", "", "", tuple(model.pair.split("-")))
