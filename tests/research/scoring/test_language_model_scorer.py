"""Given translations are scored as answers to the messages with which they are asked for."""

from __future__ import annotations

import json

import pytest

from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.language_models.chat_model import ChatAnswer, ChatModel, ContextTooLongError, TokenScore
from docmt.language_models.language_model import LanguageModelTranslator
from docmt.recipes.language_model_settings import PromptContextSettings, PromptSettings
from docmt_research.scoring.language_model_scorer import LanguageModelScorer
from docmt_research.scoring.scorer import Candidates

SOURCE = ("The printer is old.", "It prints.", "", "Mary has bought it.", "She is glad.")
TARGET = ("Der Drucker ist alt.", "Er druckt.", "", "Mary hat ihn gekauft.", "Sie ist froh.")
DOCUMENT = Document("letter", SOURCE, TARGET)


class FakeModel(ChatModel):
    """Knows the translations, and finds each character as improbable as it is rare in the chat.

    Attributes:
        asked, scored: the messages of all requests, and those of all scores with their answers.
    """

    def __init__(self, *, scores: bool = True) -> None:
        self._scores = scores
        self.asked, self.scored = [], []

    @property
    def identity(self):
        return {"model": "fake"}

    @property
    def scores_given_text(self):
        return self._scores

    async def answer(self, request):
        self.asked.append(request.messages)
        data = json.loads(request.messages[-1].content.partition("\n")[0])
        return ChatAnswer(json.dumps(TARGET[SOURCE.index(data["sentence"])]))

    async def score(self, messages, answer):
        self.scored.append((tuple(messages), answer))
        if "too long" in answer:
            raise ContextTooLongError("9 tokens are more than 8")
        text = "".join(message.content for message in messages)
        return [TokenScore(c, -1 / (1 + text.count(c))) for c in answer]


def scorer_of(model=None, *, context=None, **request):
    """A scorer that is asked one thing at a time, in order."""
    translator = LanguageModelTranslator.of(
        model or FakeModel(),
        ("en", "de"),
        PromptContextSettings(**(context or {})),
        PromptSettings(concurrency=1, **request),
    )
    return LanguageModelScorer(translator)


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"sentences_before": 1, "sentences_after": 0},
        {"translations": False},
        {"sentences_before": 0, "sentences_after": 3, "names": False},
    ],
)
def test_a_translation_is_scored_with_the_messages_that_ask_for_it(context):
    model = FakeModel()
    scorer = scorer_of(model, context=context)
    (translation,) = scorer.translator.translate([Document("letter", SOURCE)])
    assert translation.document.target == TARGET
    (scores,) = scorer.score([translation.document])
    assert [messages for messages, _ in model.scored] == model.asked
    assert [answer for _, answer in model.scored] == [f'"{t}"' for t in TARGET if t]
    assert [score is None for score in scores] == [False, False, True, False, False]
    assert scores[1].tokens == tuple('"Er druckt."')
    assert scores[1].log_probability == pytest.approx(sum(scores[1].log_probabilities))


def test_the_last_sentence_of_a_document_is_scored_like_a_candidate():
    scorer = scorer_of()
    (scores,) = scorer.score([DOCUMENT])
    cases = [Candidates(DOCUMENT, ("Sie ist froh.", "Er ist froh."))]
    ((same, other),) = scorer.score_candidates(cases)
    assert same == scores[-1]
    assert other != same


def test_what_the_model_is_given_of_the_context_is_what_changes_scores():
    other = Document("letter", SOURCE, ("Die Druckerin ist alt.", *TARGET[1:]))
    for context, reads in (({}, True), ({"translations": False}, False)):
        scorer = scorer_of(context=context)
        assert scorer.reads_target is reads
        scores = [scorer.score([document])[0][1] for document in (DOCUMENT, other)]
        assert (scores[0] != scores[1]) is reads
    assert scorer_of(context={"sentences_before": 3}).max_context == 3
    assert not scorer_of(context={"sentences_before": 0}).reads_target


def test_candidates_need_the_translations_that_are_read():
    case = Candidates(Document("letter", SOURCE), ("Sie ist froh.",))
    with pytest.raises(InputError, match="no translation of the context"):
        scorer_of().score_candidates([case])
    assert scorer_of(context={"translations": False}).score_candidates([case])
    with pytest.raises(InputError, match="no translation to score"):
        scorer_of().score([Document("letter", SOURCE)])


def test_progress_counts_sentences():
    seen = []
    scorer_of().score([DOCUMENT], lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_sentence_that_is_too_long_is_named_by_its_document():
    document = Document("book", ("Long.",), ("This is too long.",))
    with pytest.raises(
        InputError, match=r"document 'book'.*9 tokens are more than 8.*less context"
    ):
        scorer_of().score([document])


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"model": FakeModel(scores=False)}, "log-probabilities of given text"),
        ({"shape": "batch"}, "one by one"),
        ({"context": {"summary": "source"}}, "summaries"),
    ],
)
def test_what_cannot_be_scored_exactly_is_refused(changes, problem):
    with pytest.raises(InputError, match=problem) as error:
        scorer_of(**changes)
    assert error.value.cure
