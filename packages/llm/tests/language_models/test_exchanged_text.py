"""Translations of a batch under the ids of other sentences."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

import docmt_nmt
from docmt_llm.answers.exchanged_text import belongs_elsewhere, sentences_in_doubt
from language_models.stories import target, translator
from scripted_model import ScriptedModel, sentences_of

GERMAN = {
    "The door is open.": "Die Tür ist offen.",
    "The window is closed now.": "Das Fenster ist jetzt geschlossen.",
    "Please call the manager tomorrow morning.": "Bitte rufen Sie morgen früh den Leiter an.",
    "We have no more time.": "Wir haben keine Zeit mehr.",
    "The children are sleeping in the garden.": "Die Kinder schlafen im Garten.",
    "He lost his keys again.": "Er hat wieder seine Schlüssel verloren.",
    "Nobody answered the phone.": "Niemand ging ans Telefon.",
    "It will rain in the evening.": "Es wird am Abend regnen.",
}
PARAPHRASES = {
    "The door is open.": "Die Türe steht auf.",
    "The window is closed now.": "Nun ist das Fenster zu.",
    "Please call the manager tomorrow morning.": "Rufen Sie bitte den Chef morgen an.",
    "We have no more time.": "Uns fehlt die Zeit.",
    "The children are sleeping in the garden.": "Im Garten schlafen die Kleinen.",
    "He lost his keys again.": "Schon wieder sind ihm die Schlüssel abhandengekommen.",
    "Nobody answered the phone.": "Keiner hat den Anruf angenommen.",
    "It will rain in the evening.": "Am Abend gibt es Regen.",
}
DOCUMENT = docmt_nmt.Document("d", tuple(GERMAN))


def answering(order):
    """A model that gives the translations of a batch in another order."""

    def behavior(sentences, _):
        texts = [GERMAN[text] for text in sentences.values()]
        ordered = order(texts) if len(texts) > 1 else texts
        return json.dumps(dict(zip(sentences, ordered, strict=False)))

    return ScriptedModel(behavior)


def exchange(i, j):
    def order(texts):
        texts = list(texts)
        if j < len(texts):
            texts[i], texts[j] = texts[j], texts[i]
        return texts

    return order


ORDERS = {
    "rotate": lambda texts: texts[1:] + texts[:1],
    "rotate back": lambda texts: texts[-1:] + texts[:-1],
    "reverse": lambda texts: texts[::-1],
    "shift": lambda texts: [*texts[1:], texts[-1]],
    "merge": lambda texts: [" ".join(texts[:2]), *texts[2:], texts[-1]],
    "drop": lambda texts: texts[1:],
    "swap the first": exchange(0, 1),
    "swap in the middle": exchange(2, 3),
    "swap far": exchange(1, 6),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_translations_in_another_order_are_found(order):
    (translation,) = translator(answering(order), shape="batch").translate([DOCUMENT])
    assert target(translation) == tuple(GERMAN.values())
    assert not translation.warnings


@pytest.mark.parametrize("pair", list(combinations(range(8), 2)))
def test_every_exchange_is_found(pair):
    (translation,) = translator(answering(exchange(*pair)), shape="batch").translate([DOCUMENT])
    assert target(translation) == tuple(GERMAN.values())


@pytest.mark.parametrize("probes", [0, 1, 3])
@pytest.mark.parametrize("again", [GERMAN, PARAPHRASES], ids=["the same", "paraphrases"])
def test_a_good_batch_takes_one_further_request_and_no_more(again, probes):
    def behavior(sentences, request):
        answers = GERMAN if len(sentences) == len(GERMAN) else again
        return json.dumps({key: answers[text] for key, text in sentences.items()})

    model = ScriptedModel(behavior)
    made = translator(model, shape="batch", batch_probes=probes)
    (translation,) = made.translate([DOCUMENT])
    assert target(translation) == tuple(GERMAN.values())
    assert list(map(len, map(sentences_of, model.requests))) == ([8, probes] if probes else [8])
    assert made.counts.take().retry_steps["compared"] == bool(probes)


def test_the_sentence_in_doubt_is_the_one_that_fits_another():
    texts = list(GERMAN.values())
    found = sentences_in_doubt(dict(enumerate(GERMAN)), dict(enumerate(exchange(0, 4)(texts))))
    assert next(found) in (0, 4)
    assert not list(sentences_in_doubt({3: "Yes."}, {3: "Ja."}))
    assert not list(sentences_in_doubt({}, {}))


def test_a_paraphrase_belongs_nowhere_else():
    targets = dict(enumerate(GERMAN.values()))
    assert not any(
        belongs_elsewhere(i, text, targets) for i, text in enumerate(PARAPHRASES.values())
    )
    assert belongs_elsewhere(0, targets[3], targets)
