"""`CausalModel`: a decoder-only model of `transformers` in this process as a `ChatModel`.

The chat template of the model's tokenizer turns messages into text. Base models have no template:
the text is then the messages, each followed by a blank line. With temperature T > 0, tokens are
drawn from softmax(logits / T) by the Gumbel-max trick, with a generator seeded by the request, so
answers depend on nothing else. With T = 0 the most probable token is taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from docmt_files.base.errors import InputError
from docmt_llm.chat_model import (
    ChatAnswer,
    ChatMessage,
    ChatModel,
    ChatRequest,
    ContextTooLongError,
    TokenProbability,
    TokenUsage,
)
from docmt_llm.in_process.pretrained_causal import PretrainedCausal, load_causal, model_digest
from docmt_llm.in_process.schema_constraints import TokenConstraint, TokenGrammar
from docmt_nmt.base.choices import Precision

if TYPE_CHECKING:
    from torch import Generator, LongTensor, Tensor

_PROBE = "an answer"


class CausalModel(ChatModel):
    """A decoder-only model in this process. It answers one request at a time.

    Args:
        name: a folder, or a name on the hub.
        pretrained: the model and the tokenizer.
        temperature: the sampling temperature.
        max_context_tokens: maximum number of tokens of a request and the answer. Default: the
            maximum of the model's configuration.
    """

    def __init__(
        self,
        name: str,
        pretrained: PretrainedCausal,
        *,
        temperature: float = 0.0,
        max_context_tokens: int | None = None,
    ) -> None:
        self.name, self.temperature = name, temperature
        self._model, self._tokenizer, self._end_ids = pretrained
        self._lock = Lock()
        limit = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        limits = [n for n in (limit, max_context_tokens) if n is not None]
        self.max_context_tokens: int | None = min(limits, default=None)

    @classmethod
    def load(
        cls,
        name: str,
        *,
        temperature: float = 0.0,
        max_context_tokens: int | None = None,
        device: str | None = None,
        precision: Precision | None = None,
    ) -> Self:
        """Load a model from a folder, or by its name on the Hugging Face hub.

        Only safetensors are read, and no code in the model's folder is run.

        Args:
            name: a folder, or a name on the hub.
            temperature: the sampling temperature.
            max_context_tokens: maximum number of tokens of a request and the answer.
            device: the device to compute on. Default: a GPU if there is one.
            precision: the number format. Default: the format of the files.

        Raises:
            InputError: there is no such model, it is of another kind, its files are damaged, or a
                package is not installed.
        """
        pretrained = load_causal(name, device=device, precision=precision)
        return cls(name, pretrained, temperature=temperature, max_context_tokens=max_context_tokens)

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """The digest of the model's files, the number format and the temperature."""
        return {
            "dialect": "transformers",
            "model": self.name,
            "digest": model_digest(self.name, self._model.config),
            "precision": str(self._model.dtype).removeprefix("torch."),
            "temperature": self.temperature,
            "max_context_tokens": self.max_context_tokens,
        }

    @property
    def gives_log_probabilities(self) -> bool:
        """True: the model gives a distribution after any text."""
        return True

    async def answer(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request, after those that were made before.

        Raises:
            ContextTooLongError: messages and `max_tokens` are more than the model reads.
            InputError: the answer must meet a schema, and `llguidance` is not installed.
        """
        return await asyncio.to_thread(self._locked, self._answer, request)

    async def log_probabilities(
        self, messages: Sequence[ChatMessage], answer: str
    ) -> list[TokenProbability]:
        """The log-probability of each token of a given answer, the end token included.

        Raises:
            ContextTooLongError: both together are too long for the model.
            InputError: a token has both the end of the messages and the beginning of the answer.
        """
        return await asyncio.to_thread(self._locked, self._log_probabilities, messages, answer)

    def _locked(self, function: Any, *arguments: Any) -> Any:
        """Call a function while no other thread computes."""
        import torch

        with self._lock, torch.inference_mode():
            return function(*arguments)

    def _answer(self, request: ChatRequest) -> ChatAnswer:
        import torch

        prompt = self._token_ids(self.prompt(request.messages))
        self._check_length(len(prompt), request.max_tokens)
        constraint = None if request.schema is None else self._grammar.constrain(request.schema)
        drawing = None
        if self.temperature > 0:
            drawing = torch.Generator(self._model.device).manual_seed(request.seed)
        ids = torch.tensor([prompt], device=self._model.device)
        written = self._model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=request.max_tokens,
            logits_processor=[_NextToken(len(prompt), constraint, self.temperature, drawing)],
        )[0, len(prompt) :].tolist()
        ended = written[-1] in self._end_ids
        text = self._tokenizer.decode(
            written[: len(written) - ended],
            skip_special_tokens=True,
            clean_up_tokenization_spaces=False,
        )
        usage = TokenUsage(prompt=len(prompt), completion=len(written))
        return ChatAnswer(str(text), "stop" if ended else "length", usage)

    def _log_probabilities(
        self, messages: Sequence[ChatMessage], answer: str
    ) -> list[TokenProbability]:
        import torch

        prompt = self.prompt(messages)
        begin, labels = self._split(prompt, answer)
        self._check_length(len(begin) + len(labels), 0)
        ids = torch.tensor([[*begin, *labels]], device=self._model.device)
        logits = self._model(input_ids=ids, logits_to_keep=len(labels) + 1).logits
        # (1, tokens or labels + 1, vocabulary) → (labels, vocabulary): each is predicted before it.
        log_probabilities = logits[0, -1 - len(labels) : -1].float().log_softmax(-1)
        values = log_probabilities.gather(1, ids[0, -len(labels) :, None])[:, 0].tolist()
        texts = self._tokenizer.convert_ids_to_tokens(labels)
        return [TokenProbability(text, value) for text, value in zip(texts, values, strict=True)]

    def prompt(self, messages: Sequence[ChatMessage], answer: str | None = None) -> str:
        """The text before the model's answer, or the whole text with a given answer."""
        spoken = [*messages, *([ChatMessage("assistant", answer)] if answer is not None else [])]
        if not self._tokenizer.chat_template:
            texts = [one.content for one in spoken]
            begin = self._tokenizer.bos_token if self._adds_begin else ""
            return begin + "\n\n".join([*texts, ""] if answer is None else texts)
        try:
            text = self._tokenizer.apply_chat_template(
                [{"role": one.role, "content": one.plain_content} for one in spoken],
                tokenize=False,
                add_generation_prompt=answer is None,
                enable_thinking=False,  # which templates of models that can be told so read
            )
        except Exception as error:  # templates are programs, which raise what they like
            raise InputError(
                f"the chat template of {self.name} refuses the messages "
                f"({' '.join(str(error).split())[:200]})"
            ) from None
        return str(text)

    def _split(self, prompt: str, answer: str) -> tuple[list[int], list[int]]:
        """The token ids of a prompt, and of an answer with the end token, tokenized as one text."""
        read = self._tokenizer(
            prompt + answer, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        ids, spans = list(read["input_ids"]), list(read["offset_mapping"])
        first = next((i for i, (_, end) in enumerate(spans) if end > len(prompt)), len(ids))
        if ids[:first] != self._token_ids(prompt):
            raise InputError(
                f"a token of {self.name} has both the end of the messages and the beginning of "
                f"the answer {answer[:20]!r}, which has no log-probability of its own then",
                cure="Give text that does not begin with a blank, or use another model",
            )
        return ids[:first], [*ids[first:], self._end_id]

    def _token_ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _check_length(self, tokens: int, more: int) -> None:
        limit = self.max_context_tokens
        if limit is not None and tokens + more > limit:
            raise ContextTooLongError(
                f"{tokens:,} tokens and up to {more:,} of the answer are more than the {limit:,} "
                f"that {self.name} reads at once"
            )

    @cached_property
    def _adds_begin(self) -> bool:
        """True if the tokenizer puts a token before every text."""
        ids = self._tokenizer("", verbose=False)["input_ids"]
        return bool(ids) and ids[0] == self._tokenizer.bos_token_id

    @cached_property
    def _end_id(self) -> int:
        """The token after an answer: among the end tokens, the one in the chat template."""
        if self._tokenizer.chat_template:
            asked = [ChatMessage("user", "a question")]
            answered = self.prompt(asked, _PROBE)
            after = self._token_ids(answered[answered.rindex(_PROBE) + len(_PROBE) :])
            if named := [token for token in after if token in self._end_ids]:
                return named[0]
        own = self._tokenizer.eos_token_id
        return own if own in self._end_ids else self._end_ids[0]

    @cached_property
    def _grammar(self) -> TokenGrammar:
        size = self._model.get_output_embeddings().weight.shape[0]
        return TokenGrammar(self._tokenizer, size, self._end_ids)


class _NextToken:
    """Changes logits, so that the next token has the greatest one.

    Args:
        prompt: the number of tokens before the answer.
        constraint: the tokens allowed next.
        temperature: the sampling temperature.
        generator: the source of random numbers, for temperatures above 0.
    """

    def __init__(
        self,
        prompt: int,
        constraint: TokenConstraint | None,
        temperature: float,
        generator: Generator | None,
    ) -> None:
        self._read, self._constraint = prompt, constraint
        self._temperature, self._generator = temperature, generator

    def __call__(self, tokens: LongTensor, logits: Tensor) -> Tensor:
        import torch

        logits = logits.float()  # (1, vocabulary)
        if self._constraint is not None:
            for token in tokens[0, self._read :].tolist():
                self._constraint.follow(token)
            self._read = tokens.shape[1]
            logits = logits.masked_fill(~self._constraint.allowed().to(logits.device), -torch.inf)
        if self._generator is not None:
            drawn = torch.empty_like(logits).exponential_(generator=self._generator)
            drawn = drawn.clamp_min(torch.finfo(drawn.dtype).tiny)
            logits = logits / self._temperature - drawn.log()  # -log of Exp(1) is a Gumbel variable
        return logits
