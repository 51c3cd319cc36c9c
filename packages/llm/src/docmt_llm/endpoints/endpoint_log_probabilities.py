"""Log-probabilities of given text from an endpoint of vLLM.

vLLM gives the log-probability of each token of a prompt (`prompt_logprobs`) and the token ids of a
chat (`/tokenize`). A chat is tokenized three times: up to the answer, with the answer, and with the
answer ended. The last of these is sent as a prompt. Each token sequence must begin with the
previous one; otherwise one token would cover both chat and answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from docmt_files.base.errors import InputError
from docmt_llm.chat_model import ChatMessage, TokenProbability
from docmt_llm.endpoints.dialects import plain_messages
from docmt_llm.endpoints.http_client import HttpClient


async def answer_log_probabilities(
    client: HttpClient, model: str, messages: Sequence[ChatMessage], answer: str
) -> list[TokenProbability]:
    """The log-probabilities of the tokens of an answer and of the end token.

    Raises:
        RefusedError: the endpoint refuses a request.
        InputError: one token covers both chat and answer, or the endpoint gives no
            log-probabilities.
    """
    chat = plain_messages(messages)
    answered = [*chat, {"role": "assistant", "content": answer}]
    before = await _token_ids(client, model, chat, add_generation_prompt=True)
    opened = await _token_ids(client, model, answered, continue_final_message=True)
    closed = await _token_ids(client, model, answered)
    if opened[: len(before)] != before or closed[: len(opened)] != opened:
        raise InputError(
            f"the chat template of {model} does not separate the messages from the answer "
            f"{answer[:20]!r} between tokens, so its log-probability is not known",
            cure="Give text that does not begin or end with a blank, or use another model",
        )
    if len(closed) == len(opened):
        raise InputError(
            f"the chat template of {model} does not end answers with a token",
            cure="Use another model",
        )
    return await _tokens_from(client, model, closed[: len(opened) + 1], len(before))


async def _token_ids(
    client: HttpClient, model: str, messages: Sequence[dict[str, Any]], **form: bool
) -> list[int]:
    """The token ids of a chat."""
    forms = {"add_generation_prompt": False, "continue_final_message": False} | form
    body: dict[str, Any] = {"model": model, "messages": list(messages), **forms}
    body["chat_template_kwargs"] = {"enable_thinking": False}
    url = client.url.removesuffix("/v1") + "/tokenize"
    value = (await client.post(url, body)).value
    ids = value.get("tokens") if isinstance(value, dict) else None
    if not isinstance(ids, list) or not all(isinstance(token, int) for token in ids):
        raise _without_log_probabilities(client)
    return ids


async def _tokens_from(
    client: HttpClient, model: str, ids: Sequence[int], first: int
) -> list[TokenProbability]:
    """The log-probabilities of the token ids from index `first` on."""
    body = {
        "model": model,
        "prompt": list(ids),
        "max_tokens": 1,
        "temperature": 0,
        "prompt_logprobs": 0,
    }
    value = (await client.post("completions", body)).value
    try:
        entries = value["choices"][0]["prompt_logprobs"]
        assert len(entries) == len(ids)
        tokens = []
        for token, entry in list(zip(ids, entries, strict=True))[first:]:
            found = entry[str(token)]
            value = float(found["logprob"])
            assert isfinite(value) and value <= 1e-6
            text = str(found.get("decoded_token") or "")
            tokens.append(TokenProbability(text, min(value, 0.0)))
    except (AssertionError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise _without_log_probabilities(client) from None
    return tokens


def _without_log_probabilities(client: HttpClient) -> InputError:
    return InputError(
        f"{client.host} does not give log-probabilities of given text",
        cure="Serve the model with vLLM, or run it in this process (dialect: transformers)",
    )
