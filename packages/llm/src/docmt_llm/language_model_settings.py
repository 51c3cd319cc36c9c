"""The sections of a recipe for a large language model: model, context, requests and costs."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from docmt_files.base.errors import InputError
from docmt_files.base.languages import check_language_code
from docmt_nmt.base.settings import (
    Conditions,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Settings,
)

NAME: Literal["language-model"] = "language-model"
"""The value of `system.name` in recipes for a large language model."""

EndpointDialect = Literal["openai", "vllm", "llama.cpp", "ollama"]
"""Ways in which endpoints of large language models differ from each other."""

Dialect = Literal[EndpointDialect, "transformers"]
"""The server of a model: an endpoint with the chat-completions protocol of OpenAI, vLLM, llama.cpp
or Ollama, or the package `transformers` in this process."""


def check_url(url: str) -> None:
    """Check the base URL of an endpoint.

    Raises:
        InputError: the text is not a URL of `http` or `https`, or it holds a password or a query,
            which may be secret. The message does not repeat the URL.
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or any(ord(character) <= ord(" ") for character in url):
        raise InputError(
            "the URL is not one of an endpoint; it begins with http:// or https://, such as "
            "http://127.0.0.1:8080/v1"
        )
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise InputError(
            "the URL holds a name and password or a query, which recipes keep for all to read; "
            "leave them out, and give a key in the environment variable DOCMT_API_KEY"
        )


class LanguageModelSettings(Settings):
    """The section `system` of a recipe for a large language model."""

    name: Literal["language-model"] = NAME
    """Name of the system."""

    dialect: Dialect = "openai"
    """Server of the model. `openai`, `vllm`, `llama.cpp`, `ollama`: an endpoint of this kind.
    `transformers`: docmt's own process."""

    url: str | None = None
    """Base URL of the endpoint, such as `http://127.0.0.1:8080/v1`. Not with `dialect:
    transformers`."""

    model: str
    """Name of the model at the endpoint or, with `dialect: transformers`, its folder or its name on
    the Hugging Face hub."""

    languages: tuple[Annotated[str, AfterValidator(check_language_code)], ...] = ()
    """Languages of the run: it translates from each of them into each other. Default:
    `data.source_language` into `data.target_language` alone."""

    profile: str | None = None
    """Profile of a model that is made for translating (`docmt recipes profiles`), with its own
    prompt for one sentence at a time. Default: none, for models that follow instructions."""

    key_variable: Annotated[str, Field(pattern=r"^DOCMT_[A-Z0-9_]+$")] = "DOCMT_API_KEY"
    """Environment variable with the endpoint's key; the name begins with `DOCMT_`. The variable
    with `_FILE` after this name may give a file with the key instead, readable only by its owner
    (mode 600). The key itself never stands in a recipe."""

    max_context_tokens: PositiveInt | None = None
    """Context size: maximum number of tokens of a request and the answer. Default: the model's
    maximum or, with `dialect: ollama`, the server's setting."""

    only_with: ClassVar[Conditions] = {
        "max_context_tokens": {"dialect": ("ollama", "transformers")}
    }

    @model_validator(mode="after")
    def _check_url(self) -> LanguageModelSettings:
        """Check for a URL without secrets where one is needed."""
        if self.dialect == "transformers":
            if self.url is not None:
                raise ValueError("url has no effect with dialect: transformers; leave it out")
            return self
        if self.url is None:
            raise ValueError(
                f"url is missing, which dialect: {self.dialect} needs, such as "
                "http://127.0.0.1:8080/v1"
            )
        check_url(self.url)
        return self


class PromptContextSettings(Settings):
    """The section `context`: the context the model reads besides the sentences to translate."""

    sentences_before: NonNegativeInt = 5
    """Number of previous source sentences."""

    sentences_after: NonNegativeInt = 2
    """Number of following source sentences."""

    translations: bool = True
    """Give the translations of the previous sentences, too. Each document is then translated from
    beginning to end, one request after the other."""

    headings: bool = True
    """Give the headings above the sentences."""

    names: bool = True
    """Give names from earlier in the document, with their translations."""

    names_from: Literal["counts", "model"] = "counts"
    """Source of the names. `counts`: words with capital letters whose translations occur together
    with them. `model`: a further request after each sentence for its proper nouns, of which the
    first translation counts (DelTA's proper-noun records)."""

    summary: Literal["off", "source", "both"] = "off"
    """Give a summary of the document so far, written by the model: of the source, or of source and
    translation."""

    summary_sentences: PositiveInt = 30
    """Number of sentences between two summaries."""

    recalled_sentences: NonNegativeInt = 0
    """Number of sentences from further back than `sentences_before`, with their translations
    (DelTA's long-term memory)."""

    recall_window: PositiveInt = 20
    """Number of sentences before, from which sentences are recalled."""

    recall_by: Literal["words", "model"] = "words"
    """Choice of the recalled sentences. `words`: those that share the rarest words with the
    sentences to translate. `model`: a further request before each translation."""

    turns: bool = False
    """Give the previous sentences and their translations as earlier turns of a chat, in which the
    model was the translator."""

    only_with: ClassVar[Conditions] = {
        "names": {"translations": (True,)},
        "names_from": {"names": (True,), "translations": (True,)},
        "recalled_sentences": {"translations": (True,)},
        "turns": {"translations": (True,)},
        "summary_sentences": {"summary": ("source", "both")},
    }


class PromptSettings(Settings):
    """The section `request`: requests to the model."""

    shape: Literal["sentence", "batch"] = "sentence"
    """`sentence`: one sentence per request. `batch`: several sentences per request, each with an
    id."""

    batch_sentences: Annotated[int, Field(ge=2, le=1000)] = 16
    """Maximum number of sentences per request, with `shape: batch`."""

    batch_probes: Annotated[int, Field(ge=0, le=1000)] = 3
    """Number of sentences of each batch, with `shape: batch`, that are asked for again in one
    further request, to find translations under the ids of other sentences. As many as
    `batch_sentences` find all; with 0, only names, numbers and lengths can tell."""

    structured: Literal["auto", "schema", "none"] = "auto"
    """`schema`: constrained decoding forces the model to write JSON of a schema. `none`: the prompt
    asks for JSON in words. `auto`: `schema`, or `none` where the endpoint refuses a schema."""

    temperature: NonNegativeFloat = 0.0
    """Sampling temperature; 0 takes the most probable token."""

    seed: NonNegativeInt = 0
    """Sampling seed."""

    prompts: str | None = None
    """Folder with prompts (`sentence.j2`, `batch.j2`, …) to replace docmt's. docmt's own are used
    for missing files."""

    max_tokens_factor: PositiveFloat = 6.0
    """Maximum number of tokens of an answer, as a multiple of the number of source words; 64 are
    added."""

    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    """Maximum number of requests at a time."""

    timeout: PositiveFloat = 120.0
    """Seconds to wait for an answer before a request is sent again."""

    retries: Annotated[int, Field(ge=0, le=100)] = 5
    """Maximum number of times an unanswered request is sent again."""

    keep_answers: bool = True
    """Store answers in the file `answers.jsonl` of the run, so no request is sent twice. The file
    holds texts, and only its owner may read it."""

    only_with: ClassVar[Conditions] = {
        "batch_sentences": {"shape": ("batch",)},
        "batch_probes": {"shape": ("batch",)},
    }


class BudgetSettings(Settings):
    """The section `budget`: the token limit and the prices of translations."""

    max_tokens_total: PositiveInt | None = None
    """Maximum number of tokens of prompts and answers per command. The command then stops, and
    keeps all translations so far; the same command resumes there. Default: no limit."""

    input_price: NonNegativeFloat | None = None
    """Price of a million prompt tokens."""

    cached_input_price: NonNegativeFloat | None = None
    """Price of a million prompt tokens in the endpoint's cache. Default: `input_price`."""

    output_price: NonNegativeFloat | None = None
    """Price of a million answer tokens."""

    currency: str = "USD"
    """Currency of the prices."""

    @model_validator(mode="after")
    def _check_prices(self) -> BudgetSettings:
        """Check that prices are given together."""
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("input_price and output_price are given together or not at all")
        if self.input_price is None and self.cached_input_price is not None:
            raise ValueError("cached_input_price has no effect without input_price")
        if self.input_price is None and self.currency != "USD":
            raise ValueError("currency has no effect without input_price")
        return self

    def price_of(self, prompt: int, cached: int, completion: int) -> float | None:
        """The price of tokens; None without prices.

        Args:
            prompt: prompt tokens, cached tokens included.
            cached: cached prompt tokens.
            completion: answer tokens.
        """
        if self.input_price is None or self.output_price is None:
            return None
        of_cached = self.input_price
        if self.cached_input_price is not None:
            of_cached = self.cached_input_price
        millionths = (
            (prompt - cached) * self.input_price
            + cached * of_cached
            + completion * self.output_price
        )
        return millionths / 1_000_000
