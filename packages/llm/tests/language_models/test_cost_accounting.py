"""Accounts of a language model: what is asked once, what it costs, and where it ends."""

from __future__ import annotations

import asyncio

import pytest

from docmt_files.base.errors import InputError
from docmt_llm.answers.answer_store import AnswerStore
from docmt_llm.chat_model import ChatAnswer, ChatModel, TokenUsage
from docmt_llm.endpoints.cost_accounting import AccountedModel, BudgetSpentError
from docmt_llm.endpoints.event_loop import run as run_coroutine
from docmt_llm.language_model_settings import BudgetSettings
from language_models.endpoints import request


class Counting(ChatModel):
    """Answers with the number of the request, which took ten tokens and four of the answer."""

    def __init__(self) -> None:
        self.asked = 0
        self.ended = 0

    @property
    def identity(self):
        return {"model": "counting"}

    async def answer(self, _):
        self.asked += 1
        text = str(self.asked)
        await asyncio.sleep(0.001)
        self.ended += 1
        return ChatAnswer(text, "stop", TokenUsage(10, 2, 4), attempts=2)


async def answers(model, *texts):
    return [(await model.answer(request(text))).text for text in texts]


def test_a_request_whose_answer_is_known_is_not_sent(tmp_path):
    def model():
        store = AnswerStore(tmp_path / "answers.jsonl")
        return AccountedModel(Counting(), BudgetSettings(), store)

    first = model()
    assert run_coroutine(answers(first, "a", "b", "a")) == ["1", "2", "1"]
    second = model()
    assert run_coroutine(answers(second, "b", "c")) == ["2", "1"]
    assert (first.model.asked, second.model.asked) == (2, 1)
    assert (first.account.requests, first.account.known) == (2, 1)
    assert (second.account.requests, second.account.known) == (1, 1)


def test_without_a_store_every_request_is_sent():
    model = AccountedModel(Counting(), BudgetSettings())
    assert run_coroutine(answers(model, "a", "a")) == ["1", "2"]
    assert model.costs()[0].startswith("2 requests (2 sent again), 20 prompt tokens (4 cached), 8 ")


def test_nothing_asked_costs_nothing():
    assert AccountedModel(Counting(), BudgetSettings()).costs() == []


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        ({"input_price": 1.0, "output_price": 3.0}, "0.0220 USD"),
        ({"input_price": 1.0, "output_price": 3.0, "cached_input_price": 0.5}, "0.0210 USD"),
        ({"input_price": 2.0, "output_price": 0.0, "currency": "EUR"}, "0.0200 EUR"),
        ({"input_price": 0.0, "output_price": 0.0}, "0.0000 USD"),
    ],
)
def test_prices_are_for_a_million_tokens(prices, cost):
    """Of 1,000 requests: 10,000 prompt tokens, of which 2,000 cached, and 4,000 of answers."""
    scaled = {k: v if k == "currency" else v * 1000 for k, v in prices.items()}
    model = AccountedModel(Counting(), BudgetSettings.read(scaled))
    run_coroutine(answers(model, "a"))
    assert model.costs()[0].endswith(cost)


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ({"input_price": 1.0}, "input_price and output_price are given together"),
        ({"output_price": 1.0}, "input_price and output_price are given together"),
        ({"cached_input_price": 1.0}, "cached_input_price has no effect without input_price"),
        ({"currency": "EUR"}, "currency has no effect without input_price"),
        ({"input_price": -1.0, "output_price": 1.0}, "greater than or equal to 0"),
    ],
)
def test_prices_without_effect_are_refused(prices, message):
    with pytest.raises(InputError, match=message):
        BudgetSettings.read(prices)


def test_no_request_is_sent_beyond_the_budget_and_what_was_sent_is_kept(tmp_path):
    """Each answer takes 14 tokens, so three take 42, whether they are open or answered."""
    store = AnswerStore(tmp_path / "answers.jsonl")
    model = AccountedModel(Counting(), BudgetSettings(max_tokens_total=40), store)

    async def ask_all():
        async def work(name):
            for number in range(10):
                await model.answer(request(f"{name} {number}"))

        return await asyncio.gather(*map(work, "abc"), return_exceptions=True)

    errors = run_coroutine(ask_all())
    assert all(isinstance(error, BudgetSpentError) for error in errors)
    assert "42 tokens are spent, and no more than 40 may be" in str(errors[0])
    assert model.model.asked == model.model.ended == len(store) == 3


def test_the_budget_ends_only_when_requests_that_are_open_have_been_answered():
    model = AccountedModel(Counting(), BudgetSettings(max_tokens_total=14))
    ended_at = []

    async def ask_all():
        async def late():
            while model.account.requests == 0:
                await asyncio.sleep(0)
            try:
                await model.answer(request("late"))
            except BudgetSpentError:
                ended_at.append(model.model.ended)

        slow = [model.answer(request(str(number))) for number in range(5)]
        await asyncio.gather(*slow, late())

    run_coroutine(ask_all())
    assert ended_at == [5]


def test_known_answers_are_given_even_if_the_budget_is_spent(tmp_path):
    path = tmp_path / "answers.jsonl"
    run_coroutine(answers(AccountedModel(Counting(), BudgetSettings(), AnswerStore(path)), "a"))
    model = AccountedModel(
        Counting(), BudgetSettings(max_tokens_total=1), AnswerStore(path), lambda: ["a note"]
    )
    assert run_coroutine(answers(model, "b", "a")) == ["1", "1"]
    assert model.costs()[0].startswith("1 request (1 sent again), 1 answer known from before, ")
    assert model.costs()[1] == "a note"
