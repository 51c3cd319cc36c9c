"""One target sentence for each source sentence, whatever a model answers: thousands of scripts by
which it merges, drops, doubles, reorders, echoes, refuses, truncates and breaks sentences.
"""

from __future__ import annotations

import gc
import json
import random
import re
import tracemalloc
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

import docmt_nmt
from docmt_files.base.errors import InputError
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptContextSettings, PromptSettings
from scripted_model import KINDS, ListJournal, Misbehavior, ScriptedModel, Unreliable, translate

_WORDS = """
    the old harbour lies behind a hill and nobody knows who once built its walls of stone before
    winter came with ships from Lisbon Marbury Ashgrove carrying salt iron cloth
    """.split()  # noqa: SIM905


def draw_document(rng, number):
    """A document of different sentences; some have numbers or codes, some no words."""
    sentences = []
    for index in range(rng.randint(1, 14)):
        words = [rng.choice(_WORDS) for _ in range(rng.randint(2, 14))]
        if rng.random() < 0.3:
            words.insert(rng.randrange(len(words)), str(rng.randrange(10_000)))
        if rng.random() < 0.2:
            words.insert(rng.randrange(len(words)), "{0}")
        text = " ".join([f"Part{number}x{index}", *words]) + rng.choice(("", ".", "?", "!"))
        sentences.append(rng.choice(("", "* * *")) if rng.random() < 0.05 else text)
    return docmt_nmt.Document(f"d{number}", tuple(sentences))


def draw_translator(rng, model):
    context = PromptContextSettings(
        sentences_before=rng.randint(0, 5),
        sentences_after=rng.randint(0, 2),
        translations=rng.random() < 0.7,
    )
    request = PromptSettings(
        shape=rng.choice(("sentence", "batch")),
        structured=rng.choice(("auto", "none")),
        concurrency=rng.randint(1, 4),
    )
    if request.shape == "batch":
        request = request.model_copy(update={"batch_sentences": rng.randint(2, 16)})
    return LanguageModelTranslator.of(model, ("en", "de"), context, request)


def run_script(seed):
    """Translate a few documents by one script, and check what came of it. Returns counts."""
    rng = random.Random(seed)
    documents = [draw_document(rng, number) for number in range(rng.randint(1, 3))]
    request = docmt_nmt.TranslationRequest(documents).with_sentences(
        lambda _, each: replace(each, protected=("{0}",)) if each.text.count("{0}") == 1 else each
    )
    behavior = Misbehavior(seed)
    fails = rng.random() < 0.1
    model = Unreliable(behavior, every=rng.randint(3, 9)) if fails else ScriptedModel(behavior)
    made = draw_translator(rng, model)
    translations = _translated(made, request, with_journal=fails)
    kept = 0
    for document, translation in zip(documents, translations, strict=True):
        kept += check_one_for_one(document, translation, model)
    counts = made.counts.take()
    if not fails:
        _check_counts(counts, kept, model, documents)
    assert model.most_open <= made.request.concurrency
    return Counter(sentences=request.size, kept=kept, requests=len(model.requests)) + Counter(
        {f"kind {kind}": number for kind, number in behavior.drawn.items()}
    )


def _translated(made, request, *, with_journal):
    """The translations, at last: where the endpoint is gone, the same is tried again."""
    values = []
    for _ in range(1000):
        journal = ListJournal(values)
        try:
            return made.translate(request, journal=journal if with_journal else None)
        except InputError:
            values = [*values, *journal.values]
    raise AssertionError("it does not end")


def check_one_for_one(document, translation, model):
    """Check that each sentence has one translation, which was answered for it, or is marked.
    Returns the number of sentences that are as in the source."""
    target = translation.document.target
    assert translation.document.source == document.source
    assert len(target) == len(document.source) == len(translation.log_probabilities)
    marked = {w.sentence for w in translation.warnings if w.kind == "not-translated"}
    for index, (source, text) in enumerate(zip(document.source, target, strict=True)):
        assert not re.search(r"[\n\t\x00\x1b⟦⟧]", text)
        text.encode()
        if index in marked:
            assert text == source
        elif not any(map(str.isalnum, source)):
            assert text == source and index not in marked
        else:
            answers = model.answered[source.replace("{0}", "⟦1⟧")] | model.answered[source]
            assert any(_is_from(text, answer, source) for answer in answers), (source, text)
    return len(marked)


def _is_from(text, answer, source):
    """Return whether an answer, as JSON or as it is, has the letters of a translation."""
    inner, *outer = (
        re.sub(r"⟦\d+⟧|[^\w]", "", each.replace("⟦1⟧", "0") if "{0}" in source else each)
        for each in (text, answer, re.sub(r"\\(?:u[0-9a-fA-F]{4}|.)", _meant, answer))
    )
    return any(inner in each for each in outer)


def _meant(match):
    """What an escape in JSON stands for, if it is one."""
    with suppress(ValueError):
        return json.loads(f'"{match[0]}"')
    return match[0][1:]


def _check_counts(counts, kept, model, documents):
    """Check that all requests are counted, and that there is an end to them."""
    sentences = sum(map(len, documents))
    assert counts.retry_steps["kept"] == kept
    # Requests that are too long are not answered.
    unanswered = len(model.requests) - counts.requests
    assert (
        0
        <= unanswered
        <= counts.retry_steps["shortened"] + counts.retry_steps["halves"] + sentences * 7
    )
    again = {r: n for r, n in counts.retry_steps.items() if r not in ("kept",)}
    assert counts.requests <= sentences + sum(again.values())
    assert len(model.requests) <= 12 * sentences


@pytest.mark.by_default(20)
@pytest.mark.parametrize("seed", range(60))
def test_n_sentences_in_n_sentences_out(seed):
    assert run_script(seed)["sentences"]


@pytest.mark.slow
def test_n_sentences_in_n_sentences_out_by_ten_thousand_scripts(record_property):
    total: Counter[str] = Counter()
    for seed in range(1000, 11_000):
        total += run_script(seed)
        if seed == 2000:
            after_a_thousand = _objects()
    left = _objects() - after_a_thousand
    record_property("counts", dict(total))
    record_property("objects more than after 1,000 scripts", left)
    assert set(KINDS) == {name.removeprefix("kind ") for name in total if name.startswith("kind ")}
    assert left < 1000


def _objects():
    """The number of objects in memory."""
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.by_default(18)
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("shape", ["sentence", "batch"])
def test_a_model_that_always_does_the_same_wrong_ends(kind, shape):
    document = draw_document(random.Random(5), 0)
    model = ScriptedModel(Misbehavior(7, 1.0, [kind]))
    made = LanguageModelTranslator.of(model, ("en", "de"), request=PromptSettings(shape=shape))
    (translation,) = made.translate([document])
    check_one_for_one(document, translation, model)
    assert len(model.requests) <= 12 * len(document)


@pytest.mark.slow
def test_a_long_document_takes_little_memory():
    sentences = tuple(f"Sentence number {i} is about the harbour of Lisbon." for i in range(600))
    model = ScriptedModel()
    model.requests = _Forgetful()
    made = LanguageModelTranslator.of(
        model,
        ("en", "de"),
        PromptContextSettings(translations=False),
        PromptSettings(concurrency=8),
    )
    tracemalloc.start()
    (translation,) = made.translate([docmt_nmt.Document("long", sentences)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert translation.document.target == tuple(map(translate, sentences))
    assert model.most_open == 8
    assert peak < 4_000_000


class _Forgetful(list):
    """A list that keeps nothing."""

    def append(self, value):
        pass
