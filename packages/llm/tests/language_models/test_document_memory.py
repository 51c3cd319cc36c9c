"""The memories of a document that a language model may have, each a setting."""

from __future__ import annotations

import json
import re

import pytest

import docmt_nmt
from docmt_llm.chat_model import ChatAnswer
from docmt_llm.documents.document_memory import NameRecords, most_alike
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptContextSettings, PromptSettings
from docmt_nmt import recipes
from scripted_model import ScriptedModel, as_object, data_of, translate

NAME = "Karoda"
PLACES = (0, 1, 6, 30)
"""The sentences with the name: the second has the first just before it, the third within the window
of the long-term memory, the fourth has none."""

DOCUMENT = docmt_nmt.Document(
    "d",
    tuple(
        f"Now {NAME} speaks {'w' * i} loudly." if i in PLACES else f"Somebody {'m' * i} answered."
        for i in range(31)
    ),
)
NOTHING = {
    "sentences_before": 0,
    "sentences_after": 0,
    "names": False,
    "summary": "off",
    "recalled_sentences": 0,
}


class Forgetful(ScriptedModel):
    """Translates the name as anything in the request does; otherwise in a new way each time."""

    def __init__(self):
        super().__init__()
        self.invented = 0
        self.kinds = []

    async def answer(self, request):
        self.requests.append(request)
        asked = json.JSONDecoder().raw_decode(request.messages[-1].content)[0]
        system = request.messages[0].content
        known = re.search(rf"{NAME[:4]}x+", "".join(m.content for m in request.messages))
        if "list of its proper nouns" in system:
            self.kinds.append("names")
            own = {NAME: known[0]} if known else {}
            return ChatAnswer(json.dumps({**own, "Nobody": "Niemand"}))
        if "keeping a summary" in system:
            self.kinds.append("summary")
            return ChatAnswer(json.dumps({"source": NAME, "target": known[0] if known else "-"}))
        if "choosing earlier" in system:
            self.kinds.append("recall")
            having = [key for key, text in asked["sentences"].items() if NAME in text]
            return ChatAnswer(
                json.dumps({"1": (having or [*asked["sentences"]])[-1], "2": "s1000"})
            )
        self.kinds.append("sentence")
        sentence = asked["sentence"]
        if NAME not in sentence:
            return ChatAnswer(json.dumps(translate(sentence)))
        if known is None:
            self.invented += 1
        name = known[0] if known else NAME[:4] + "x" * self.invented
        return ChatAnswer(json.dumps(translate(sentence.replace(NAME, "%")).replace("%", name)))


def translations_of_the_name(**context):
    """The model, and the translations of the name in the sentences that have it."""
    model = Forgetful()
    settings = PromptContextSettings(**{**NOTHING, **context})
    translator = LanguageModelTranslator.of(model, ("en", "de"), settings)
    (translation,) = translator.translate([DOCUMENT])
    found = [re.search(rf"{NAME[:4]}x+", translation.document.target[i]) for i in PLACES]
    return model, [len(match[0]) - 4 for match in found]


DELTA = {"names": True, "names_from": "model", "summary": "both", "summary_sentences": 20}
SHORT, LONG = {"sentences_before": 3}, {"recalled_sentences": 2, "recall_by": "model"}


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({}, [1, 2, 3, 4]),
        (SHORT, [1, 1, 2, 3]),
        ({**SHORT, "turns": True}, [1, 1, 2, 3]),
        (LONG, [1, 1, 1, 2]),
        ({**LONG, "recall_by": "words"}, [1, 1, 1, 2]),
        ({"summary": "both", "summary_sentences": 20}, [1, 2, 3, 1]),
        ({"names": True, "names_from": "model"}, [1, 1, 1, 1]),
        ({**SHORT, **LONG, **DELTA}, [1, 1, 1, 1]),
    ],
    ids=["nothing", "short", "chat", "long", "long by words", "summary", "names", "all"],
)
def test_each_memory_reaches_as_far_as_it_should(context, expected):
    """The ablation: one memory at a time, and all."""
    model, found = translations_of_the_name(**context)
    assert found == expected
    wanted = {
        "names": len(DOCUMENT) * (context.get("names_from") == "model"),
        "summary": 1 * (context.get("summary") == "both"),
        # Up to two sentences need no choice.
        "recall": (len(DOCUMENT) - 3 - context.get("sentences_before", 0))
        * (context.get("recall_by") == "model"),
    }
    assert {kind: model.kinds.count(kind) for kind in wanted} == wanted


def test_the_recipe_of_delta_has_its_four_memories():
    recipe = recipes.load_any("language-model-delta", ["system.model=any"])
    model, found = translations_of_the_name(**recipe.context.model_dump())
    assert found == [1, 1, 1, 1]
    assert set(model.kinds) == {"names", "summary", "recall", "sentence"}
    last = data_of(model.requests[-2])
    assert len(last["before"]) == 3
    assert {"recalled", "summary", "names", "sentence"} <= set(last)


def test_a_chat_has_the_sentences_before_as_turns():
    recipe = recipes.load_any("language-model-chat", ["system.model=any"])
    model, _ = translations_of_the_name(**recipe.context.model_dump())
    messages = model.requests[10].messages
    assert [one.role for one in messages] == ["system", *["user", "assistant"] * 5, "user"]
    first = json.JSONDecoder().raw_decode(messages[1].content)[0]
    assert first == {"sentence": DOCUMENT.source[5]}
    assert json.loads(messages[2].content) == translate(DOCUMENT.source[5])
    assert set(json.JSONDecoder().raw_decode(messages[-1].content)[0]) == {"sentence"}


def test_without_translations_nothing_is_remembered_or_asked():
    """Sentences are then translated all at once, in no order."""
    recipe = recipes.load_any(
        "language-model-delta",
        ["system.model=any", "context.translations=false", "context.summary=off"],
    )
    model, _ = translations_of_the_name(**recipe.context.model_dump())
    assert set(model.kinds) == {"sentence"}
    assert not any({"recalled", "names"} & set(data_of(one)) for one in model.requests)


class Chatting(ScriptedModel):
    """Translates the sentences of the last message."""

    async def answer(self, request):
        self.requests.append(request)
        return ChatAnswer(as_object({k: translate(v) for k, v in asked_last(request).items()}))


def asked_last(request):
    """The sentences of the last message."""
    return json.JSONDecoder().raw_decode(request.messages[-1].content)[0]["sentences"]


def test_a_chat_in_batches_has_one_earlier_turn():
    model = Chatting()
    context = PromptContextSettings(turns=True, sentences_before=2, names=False)
    shape = PromptSettings(shape="batch", batch_sentences=4, batch_probes=0)
    translator = LanguageModelTranslator.of(model, ("en", "de"), context, shape)
    (translation,) = translator.translate([docmt_nmt.Document("d", DOCUMENT.source[:8])])
    assert translation.document.target == tuple(map(translate, DOCUMENT.source[:8]))
    first, second = model.requests
    assert [one.role for one in first.messages] == ["system", "user"]
    _, user, answer, _ = second.messages
    assert user.content.startswith(json.dumps({"sentences": {"b1": DOCUMENT.source[2]}})[:-2])
    assert json.loads(answer.content)["b2"] == translate(DOCUMENT.source[3])
    assert list(asked_last(second)) == ["s5", "s6", "s7", "s8"]


def test_a_name_is_recorded_once_and_only_if_the_sentences_have_it():
    model, _ = translations_of_the_name(names=True, names_from="model")
    given = [data_of(one)["names"] for one in model.requests if "names" in data_of(one)]
    assert given == [[{"source": NAME, "translation": "Karox"}]] * 3
    records = NameRecords()
    records.add({"Rome": "Rom"})
    records.add({"Rome": "Roma"})
    assert [one.target for one in records.find("Near Rome", "now")] == ["Rom"]


def test_a_recalled_sentence_is_not_one_of_those_just_before():
    model, _ = translations_of_the_name(**SHORT, recalled_sentences=2)
    for request in model.requests:
        data = data_of(request)
        recalled = [one["source"] for one in data.get("recalled", ())]
        assert len(recalled) <= 2
        assert not set(recalled) & {one["source"] for one in data.get("before", ())}


def test_rare_words_count_more_and_the_nearer_of_two_is_chosen():
    sentences = {"s1": "A red fox.", "s2": "A red house.", "s3": "A red house.", "s4": "Green."}
    assert most_alike(sentences, "the red fox", 1, "en") == ["s1"]
    assert most_alike(sentences, "the house", 1, "en") == ["s3"]
    assert most_alike(sentences, "the red house", 2, "en") == ["s2", "s3"]
    assert most_alike(sentences, "nothing", 2, "en") == []
