"""The sections of a recipe for a large language model: which model, what it reads besides a
sentence, how it is asked, and what it may cost."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from docmt.ground.choices import EndpointDialect
from docmt.ground.errors import InputError
from docmt.ground.settings import (
    Conditions,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Settings,
)

NAME: Literal["language-model"] = "language-model"
"""The value of `system.name` that says a recipe is for a large language model."""

Dialect = Literal[EndpointDialect, "transformers"]
"""Who runs a model: an endpoint that speaks the chat-completions protocol as OpenAI, vLLM,
llama.cpp or Ollama do, or the package `transformers` in this process."""


def check_url(url: str) -> None:
    """Check that a text is the base URL of an endpoint.

    Raises:
        InputError: it is not a URL of `http` or `https`, or it holds a password or a query, which
            may be secret. The message has nothing of the URL in it.
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
    """What runs the model. `openai`, `vllm`, `llama.cpp`, `ollama`: an endpoint, and how it differs
    from others. `transformers`: this process."""

    url: str | None = None
    """Base URL of the endpoint, such as `http://127.0.0.1:8080/v1`. With `dialect: transformers`
    there is none."""

    model: str
    """Name of the model at the endpoint or, with `dialect: transformers`, its folder or its name on
    the Hugging Face hub."""

    key_variable: Annotated[str, Field(pattern=r"^DOCMT_[A-Z0-9_]+$")] = "DOCMT_API_KEY"
    """Environment variable with the endpoint's key; its name begins with `DOCMT_`. Or the variable
    of this name with `_FILE` after it names a file with the key, which only its owner may read
    (mode 600). The key itself never stands in a recipe."""

    max_context_tokens: PositiveInt | None = None
    """Tokens that the model reads and writes at once. Default: as many as it can and, with
    `dialect: ollama`, as the server's setting says."""

    only_with: ClassVar[Conditions] = {
        "max_context_tokens": {"dialect": ("ollama", "transformers")}
    }

    @model_validator(mode="after")
    def _check_url(self) -> LanguageModelSettings:
        """Check that there is a URL where one is needed, and that it is one without secrets."""
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
    """The section `context`: what the model reads besides the sentences it translates."""

    sentences_before: NonNegativeInt = 5
    """Number of source sentences before."""

    sentences_after: NonNegativeInt = 2
    """Number of source sentences after."""

    translations: bool = True
    """Give the sentences before with their translations, which makes documents be translated from
    beginning to end, one request after the other."""

    headings: bool = True
    """Give the headings above the sentences, where the document has some."""

    names: bool = True
    """Give names that the document had before, with their translations."""

    summary: Literal["off", "source", "both"] = "off"
    """Give a summary of the document so far, which the model writes: of the source, or of source
    and translation."""

    summary_sentences: PositiveInt = 30
    """Number of sentences after which the summary is written anew."""

    only_with: ClassVar[Conditions] = {
        "names": {"translations": (True,)},
        "summary_sentences": {"summary": ("source", "both")},
    }


class PromptSettings(Settings):
    """The section `request`: how the model is asked."""

    shape: Literal["sentence", "batch"] = "sentence"
    """`sentence`: one request for each sentence. `batch`: one for several, each with an id."""

    batch_sentences: Annotated[int, Field(ge=2, le=1000)] = 16
    """Most sentences of a request, with `shape: batch`."""

    structured: Literal["auto", "schema", "none"] = "auto"
    """`schema`: make the model write JSON that meets a schema, by constrained decoding. `none`: ask
    for it in words. `auto`: `schema`, and `none` where the endpoint refuses it."""

    temperature: NonNegativeFloat = 0.0
    """Temperature of sampling; 0 takes the most probable token."""

    seed: NonNegativeInt = 0
    """Seed of sampling."""

    prompts: str | None = None
    """Folder with prompts (`sentence.j2`, `batch.j2`, …) that replace docmt's. Those it lacks are
    docmt's."""

    max_tokens_factor: PositiveFloat = 6.0
    """Most tokens of an answer, in multiples of the words of the source, and 64 more."""

    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    """Most requests at a time."""

    timeout: PositiveFloat = 120.0
    """Seconds after which a request that is not answered is sent again."""

    retries: Annotated[int, Field(ge=0, le=100)] = 5
    """How often a request is sent again that the endpoint does not answer."""

    keep_answers: bool = True
    """Keep answers in the file `answers.jsonl` of the run, so that no request is sent twice. The
    file holds texts, and only its owner may read it."""

    only_with: ClassVar[Conditions] = {"batch_sentences": {"shape": ("batch",)}}


class BudgetSettings(Settings):
    """The section `budget`: what translations may take, and what tokens cost."""

    max_tokens_total: PositiveInt | None = None
    """Tokens, of prompts and answers, after which a command stops; what is translated is kept, and
    the same command goes on from there. Default: no limit."""

    input_price: NonNegativeFloat | None = None
    """Price of a million prompt tokens."""

    cached_input_price: NonNegativeFloat | None = None
    """Price of a million prompt tokens that the endpoint had cached. Default: `input_price`."""

    output_price: NonNegativeFloat | None = None
    """Price of a million tokens of answers."""

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
        """The price of tokens; None if prices are not given.

        Args:
            prompt: prompt tokens, those that were cached included.
            cached: those that were cached.
            completion: tokens of answers.
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
