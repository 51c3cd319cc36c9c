"""`probe`: the features of an endpoint, found by asking it: dialect, models, context size,
constrained decoding by a schema, and log-probabilities of given text. It takes two short chats at
most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from docmt_files.base.errors import InputError
from docmt_files.base.wording import did_you_mean, first_few
from docmt_files.storage.json_files import parse_json
from docmt_llm.chat_model import ChatAnswer, ChatMessage, ChatRequest
from docmt_llm.endpoints.dialects import Adjustment
from docmt_llm.endpoints.endpoint import Endpoint
from docmt_llm.language_model_settings import Dialect, LanguageModelSettings, PromptSettings

_OWNERS: dict[str, Dialect] = {
    "vllm": "vllm",
    "llamacpp": "llama.cpp",
    "me": "llama.cpp",  # llama-cpp-python
    "library": "ollama",
}
"""The owner in a list of models, with the dialect of the server."""

_PROBE = (ChatMessage("user", 'Answer with the JSON object {"answer": "yes"} and nothing else.'),)

_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}

_PROBE_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Listing:
    """The models of an endpoint.

    Attributes:
        url: the base URL of the list.
        models: the entries of the list by name; None if there is no list.
    """

    url: str
    models: dict[str, dict[str, Any]] | None

    @property
    def dialect(self) -> Dialect:
        """The dialect according to the list."""
        owners = [str(entry.get("owned_by")) for entry in (self.models or {}).values()]
        found = {_OWNERS[owner] for owner in owners if owner in _OWNERS}
        return found.pop() if len(found) == 1 else "openai"

    def check(self, model: str) -> None:
        """Check for a model in the list.

        Raises:
            InputError: the list has only other models.
        """
        names = list(self.models or ())
        if not names or model in names or f"{model}:latest" in names:
            return
        hint = did_you_mean(model, names)
        raise InputError(
            f"{self.url} has no model {model!r}",
            cure=(hint[:1].upper() + hint[1:] + " " if hint else "") + f"It has {first_few(names)}",
        )


@dataclass(frozen=True, slots=True)
class Abilities:
    """The features of an endpoint.

    Attributes:
        meets_schemas: whether an answer met a schema; None if schemas are refused.
        gives_log_probabilities: whether the endpoint gives log-probabilities of given text.
        context_tokens: the context size of the model, if known.
        adjustments: the features the endpoint rejects.
        answer: the answer to the first chat.
    """

    meets_schemas: bool | None
    gives_log_probabilities: bool
    context_tokens: int | None
    adjustments: frozenset[Adjustment]
    answer: ChatAnswer


async def list_models(system: LanguageModelSettings, request: PromptSettings) -> Listing:
    """List the models of an endpoint, below its URL or below `/v1` there.

    Raises:
        InputError: the endpoint cannot be reached, or asks for another key.
    """
    assert system.url is not None, "it is the one to ask"
    base = system.url.rstrip("/")
    endpoint = Endpoint.open(system, request)
    try:
        for url in (base, f"{base}/v1"):
            models = _models_in(await endpoint.look_up(f"{url}/models"))
            if models is not None:
                return Listing(url, models)
    finally:
        await endpoint.close()
    return Listing(base, None)


def _models_in(value: Any) -> dict[str, dict[str, Any]] | None:
    """The entries of a list of models by their names."""
    entries = value.get("data") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return None
    named = [entry for entry in entries if isinstance(entry, dict) and "id" in entry]
    return {str(entry["id"]): entry for entry in named}


async def probe(
    system: LanguageModelSettings,
    request: PromptSettings,
    listing: Listing,
    trial: ChatRequest | None = None,
) -> Abilities:
    """Find out the features of an endpoint.

    Args:
        system, request: the settings.
        listing: the models of the endpoint.
        trial: for a model that takes no instructions, the request to try.

    Raises:
        InputError: the endpoint does not answer, or has no such model.
    """
    endpoint = Endpoint.open(system, request)
    try:
        asked = trial or ChatRequest(
            _PROBE, _PROBE_TOKENS, None if request.structured == "none" else _SCHEMA
        )
        answer = await endpoint.answer(asked)
        meets = _meets_schema(answer.text)
        refused = asked.schema is None or "without schema" in endpoint.adjustments
        return Abilities(
            None if refused else meets,
            trial is None and await _gives_log_probabilities(endpoint),
            await _context_tokens(endpoint, system, listing),
            endpoint.adjustments,
            answer,
        )
    finally:
        await endpoint.close()


def _meets_schema(text: str) -> bool:
    """Return whether the answer to the probe meets the schema."""
    try:
        value = parse_json(text)
    except ValueError:
        return False
    return (
        isinstance(value, dict) and value.keys() == {"answer"} and value["answer"] in ("yes", "no")
    )


async def _gives_log_probabilities(endpoint: Endpoint) -> bool:
    """Return whether an endpoint gives log-probabilities of given text."""
    if not endpoint.gives_log_probabilities:
        return False
    try:
        await endpoint.log_probabilities(_PROBE, "yes")
    except InputError:
        return False
    return True


async def _context_tokens(
    endpoint: Endpoint, system: LanguageModelSettings, listing: Listing
) -> int | None:
    """The context size of a model, according to the server of the dialect."""
    root = listing.url.removesuffix("/v1")
    if system.dialect == "vllm":
        return _size((listing.models or {}).get(system.model), "max_model_len")
    if system.dialect == "llama.cpp":
        props = await endpoint.look_up(f"{root}/props")
        return _size(props, "default_generation_settings", "n_ctx")
    if system.dialect == "ollama":
        shown = await endpoint.send(f"{root}/api/show", {"model": system.model})
        facts = shown.get("model_info") if isinstance(shown, dict) else None
        if isinstance(facts, dict):
            for name in facts:
                if str(name).endswith(".context_length"):
                    return _size(facts, name)
    return None


def _size(value: Any, *path: str) -> int | None:
    """A number of tokens in a JSON value."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int) and value > 0 else None


def sentences(system: LanguageModelSettings, abilities: Abilities) -> Sequence[str]:
    """The features of an endpoint, as sentences for the user."""
    said = {
        True: "Answers meet a schema.",
        False: "It takes a schema, but its answer does not meet it; what it answers is checked.",
        None: "No schema is sent, so it is asked in words; what it answers is checked.",
    }
    gives = "It gives" if abilities.gives_log_probabilities else "It does not give"
    context = abilities.context_tokens
    found = [
        f"{system.model} at {system.url} speaks the dialect {system.dialect}.",
        said[abilities.meets_schemas],
        f"{gives} log-probabilities of given text, which `docmt log-probabilities` and others "
        "need.",
    ]
    if context is not None:
        found.append(f"Its context has {context:,} tokens.")
    return found
