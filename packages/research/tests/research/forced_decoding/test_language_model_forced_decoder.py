"""Given translations are decoded as answers to the messages with which they are asked for."""

from __future__ import annotations

import json

import pytest

from causal_models import save_causal
from docmt.interop import import_huggingface
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_llm.chat_model import ChatAnswer, ChatModel, ContextTooLongError, TokenProbability
from docmt_llm.language_model.language_model import LanguageModelTranslator
from docmt_llm.language_model_settings import PromptContextSettings, PromptSettings
from docmt_research.forced_decoding.forced_decoder import Candidates
from docmt_research.forced_decoding.language_model_forced_decoder import LanguageModelForcedDecoder
from docmt_research.forced_decoding.loading import load_forced_decoder
from gguf_models import write_gguf

SOURCE = ("The printer is old.", "It prints.", "", "Mary has bought it.", "She is glad.")
TARGET = ("Der Drucker ist alt.", "Er druckt.", "", "Mary hat ihn gekauft.", "Sie ist froh.")
DOCUMENT = Document("letter", SOURCE, TARGET)


class FakeModel(ChatModel):
    """Knows the translations, and finds each character as improbable as it is rare in the chat.

    Attributes:
        asked, given: the messages of all requests, and those of given answers, with them.
    """

    def __init__(self, *, log_probabilities: bool = True) -> None:
        self._log_probabilities = log_probabilities
        self.asked, self.given = [], []

    @property
    def identity(self):
        return {"model": "fake"}

    @property
    def gives_log_probabilities(self):
        return self._log_probabilities

    async def answer(self, request):
        self.asked.append(request.messages)
        data = json.loads(request.messages[-1].content.partition("\n")[0])
        return ChatAnswer(json.dumps(TARGET[SOURCE.index(data["sentence"])]))

    async def log_probabilities(self, messages, answer):
        self.given.append((tuple(messages), answer))
        if "too long" in answer:
            raise ContextTooLongError("9 tokens are more than 8")
        text = "".join(message.content for message in messages)
        return [TokenProbability(c, -1 / (1 + text.count(c))) for c in answer]


def forced_decoder_of(model=None, *, context=None, **request):
    """A forced decoder that is asked one thing at a time, in order."""
    translator = LanguageModelTranslator.of(
        model or FakeModel(),
        ("en", "de"),
        PromptContextSettings(**(context or {})),
        PromptSettings(concurrency=1, **request),
    )
    return LanguageModelForcedDecoder(translator)


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"sentences_before": 1, "sentences_after": 0},
        {"translations": False},
        {"sentences_before": 0, "sentences_after": 3, "names": False},
    ],
)
def test_a_translation_is_decoded_with_the_messages_that_ask_for_it(context):
    model = FakeModel()
    forced_decoder = forced_decoder_of(model, context=context)
    (translation,) = forced_decoder.translator.translate([Document("letter", SOURCE)])
    assert translation.document.target == TARGET
    (found,) = forced_decoder.log_probabilities([translation.document])
    assert [messages for messages, _ in model.given] == model.asked
    assert [answer for _, answer in model.given] == [f'"{t}"' for t in TARGET if t]
    assert [sentence is None for sentence in found] == [False, False, True, False, False]
    assert found[1].tokens == tuple('"Er druckt."')
    assert found[1].log_probability == pytest.approx(sum(found[1].log_probabilities))


def test_the_last_sentence_of_a_document_is_as_probable_as_the_same_candidate():
    forced_decoder = forced_decoder_of()
    (found,) = forced_decoder.log_probabilities([DOCUMENT])
    cases = [Candidates(DOCUMENT, ("Sie ist froh.", "Er ist froh."))]
    ((same, other),) = forced_decoder.candidate_log_probabilities(cases)
    assert same == found[-1]
    assert other != same


def test_what_the_model_is_given_of_the_context_is_what_changes_probabilities():
    other = Document("letter", SOURCE, ("Die Druckerin ist alt.", *TARGET[1:]))
    for context, reads in (({}, True), ({"translations": False}, False)):
        forced_decoder = forced_decoder_of(context=context)
        assert forced_decoder.reads_target is reads
        found = [
            forced_decoder.log_probabilities([document])[0][1] for document in (DOCUMENT, other)
        ]
        assert (found[0] != found[1]) is reads
    assert forced_decoder_of(context={"sentences_before": 3}).max_context == 3
    assert not forced_decoder_of(context={"sentences_before": 0}).reads_target


def test_candidates_need_the_translations_that_are_read():
    case = Candidates(Document("letter", SOURCE), ("Sie ist froh.",))
    with pytest.raises(InputError, match="no translation of the context"):
        forced_decoder_of().candidate_log_probabilities([case])
    assert forced_decoder_of(context={"translations": False}).candidate_log_probabilities([case])
    with pytest.raises(InputError, match="has no translation"):
        forced_decoder_of().log_probabilities([Document("letter", SOURCE)])


def test_progress_counts_sentences():
    seen = []
    forced_decoder_of().log_probabilities(
        [DOCUMENT], lambda done, total: seen.append((done, total))
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_sentence_that_is_too_long_is_named_by_its_document():
    document = Document("book", ("Long.",), ("This is too long.",))
    with pytest.raises(
        InputError, match=r"document 'book'.*9 tokens are more than 8.*less context"
    ):
        forced_decoder_of().log_probabilities([document])


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"model": FakeModel(log_probabilities=False)}, "log-probabilities of given text"),
        ({"shape": "batch"}, "one translation at a time"),
        ({"context": {"names_from": "model"}}, "context.names_from: counts"),
        ({"context": {"recalled_sentences": 2}}, "context.recalled_sentences: 0"),
        ({"context": {"summary": "source"}}, "summaries"),
    ],
)
def test_what_has_no_exact_log_probability_is_refused(changes, problem):
    with pytest.raises(InputError, match=problem) as error:
        forced_decoder_of(**changes)
    assert error.value.cure


@pytest.mark.slow
def test_a_gguf_file_gives_the_log_probabilities_of_the_folder_it_was_made_of(tmp_path):
    pytest.importorskip("gguf")
    folder = save_causal(tmp_path / "llama")
    write_gguf(folder, tmp_path / "a.gguf")
    found = []
    for name in (folder, tmp_path / "a.gguf"):
        run = tmp_path / f"run-{name.suffix}"
        import_huggingface(str(name), run, languages=("en", "de"))
        decoder = load_forced_decoder(run, precision="fp32")
        ((probability,),) = decoder.log_probabilities([Document("d", ("one two",), ("three",))])
        found.append(probability.log_probabilities)
    assert found[0] == pytest.approx(found[1], abs=1e-3)
