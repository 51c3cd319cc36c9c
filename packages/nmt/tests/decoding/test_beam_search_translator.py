"""`Translator` as it is called from Python: what is not a list of documents is an error."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import docmt_nmt
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes.search import SearchOverrides, SearchSettings
from docmt_nmt.translators.glossary import Glossary, Term


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("Good morning.", "takes a list of documents, not str 'Good morning.'"),
        (["Good morning."], "takes a list of documents, not str 'Good morning.'"),
        (docmt_nmt.Document("a", ("b",)), "takes a list of documents, not Document"),
        (iter([docmt_nmt.Document("a", ("b",))]), "takes a list of documents, not list_iterator"),
        ([docmt_nmt.Document("a", (1,))], "document 'a' has a sentence that is int '1'"),  # type: ignore[arg-type]
        ([docmt_nmt.Document("a", ())], "document 'a' has no sentences"),
    ],
)
def test_what_is_not_a_document_is_an_error(tiny_run, documents: Any, message: str) -> None:
    with pytest.raises(docmt_nmt.InputError, match=message):
        docmt_nmt.load(tiny_run.directory).translate(documents)


def test_threads_share_a_translator(tiny_run) -> None:
    translator = docmt_nmt.load(tiny_run.directory)
    documents = [[docmt_nmt.Document(str(i), ("one two", "three " * i))] for i in range(1, 9)]
    alone = list(map(translator.translate, documents))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(translator.translate, documents)) == alone


def test_threads_have_requests_of_their_own(tiny_run) -> None:
    translator = docmt_nmt.load(tiny_run.directory, beam_size=3)
    documents = [docmt_nmt.Document("d", ("one two", "three two"))]
    glossaries = [
        Glossary([Term(("two",), (form,))]) for form in ("sieben", "acht", "neun", "drei")
    ]
    requests = [docmt_nmt.TranslationRequest(documents, glossary) for glossary in glossaries]
    alone = list(map(translator.translate, requests))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(translator.translate, requests * 3)) == alone * 3
    assert len({translations[0].document.target for translations in alone}) == 4


def test_a_translator_does_not_change(tiny_run) -> None:
    translator = docmt_nmt.load(tiny_run.directory)
    with pytest.raises(AttributeError):
        translator.search = None  # type: ignore[misc, assignment]


@pytest.mark.by_default(3)
@pytest.mark.parametrize(
    "targets",
    [("eins", "zwei", "drei", "vier"), ("eins " * 200, "", "drei", "vier " * 90), ("",) * 4],
    ids=["short", "uneven", "empty"],
)
@pytest.mark.parametrize(
    "instances", [{"kind": "tokens", "max_tokens": 40}, {"kind": "window", "window": 2}]
)
def test_references_do_not_change_the_translation(
    tiny_run, instances: dict[str, Any], targets: tuple[str, ...]
) -> None:
    source = ("one two", "three " * 30, "four five six", "seven " * 25)
    translator = BeamSearchTranslator.build(
        tiny_run.system(),
        tiny_run.pipeline,
        InstanceSettings.read(instances),
        SearchSettings(beam_size=2),
    )
    without = translator.translate([docmt_nmt.Document("d", source)])
    assert translator.translate([docmt_nmt.Document("d", source, targets)]) == without


def test_more_translations_widen_the_beam(tiny_run) -> None:
    documents = [docmt_nmt.Document("d", ("one two", "three"))]
    request = docmt_nmt.TranslationRequest(documents, n_best=4)
    (translation,) = docmt_nmt.load(tiny_run.directory, beam_size=2).translate(request)
    (wide,) = docmt_nmt.load(tiny_run.directory, beam_size=4).translate(documents)
    assert translation == wide


def test_the_types_name_every_key_of_the_search() -> None:
    assert list(SearchOverrides.__annotations__) == list(SearchSettings.model_fields)


def test_a_misspelled_key_names_the_right_one(tiny_run) -> None:
    with pytest.raises(docmt_nmt.InputError, match="beam_size"):
        docmt_nmt.load(tiny_run.directory, beam_sise=3)  # type: ignore[call-arg]


def test_unknown_words_are_written_only_if_the_recipe_allows_it(tiny_run, monkeypatch):
    found = {}
    for allowed in (False, True):
        translator = docmt_nmt.load(tiny_run.directory, allow_unk=allowed)
        step, unknown = translator.system.step, tiny_run.pipeline.target_vocabulary.unk_id

        def step_with_likely_unknown(*args, step=step, unknown=unknown):
            logits = step(*args)
            logits[:, unknown] += 100
            return logits

        monkeypatch.setattr(translator.system, "step", step_with_likely_unknown)
        (translation,) = translator.translate([docmt_nmt.Document("a", ("one two three",))])
        found[allowed] = " ".join(translation.document.target or ())
    assert "<unk>" not in found[False]
    assert set(found[True].split()) == {"<unk>"}


def test_a_sentence_that_would_take_hours_is_refused_before_the_search(tiny_run) -> None:
    translator = docmt_nmt.load(tiny_run.directory, max_sentence_tokens=3)
    document = docmt_nmt.Document("d", ("", "one two three", "one two three four"))
    with pytest.raises(docmt_nmt.InputError, match="sentence 3 has 4 tokens, more than 3"):
        translator.translate([document])
    assert translator.translate([docmt_nmt.Document("d", document.source[:2])])
