"""Constrained decoding: at each step, only tokens are allowed with which the answer can still
become a JSON text of the schema.

`llguidance` finds the tokens, for any schema it supports. A string may be as long as `maxLength`,
if the schema has one. An answer ended by the model always meets the schema; an answer truncated at
the maximum number of tokens does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from docmt_files.base.errors import InputError
from docmt_files.storage.json_files import json_text

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerFast

# JSON as models have seen it most often: one line, a blank after colons and commas.
_LAYOUT = {"whitespace_flexible": False, "key_separator": ": ", "item_separator": ", "}


class TokenGrammar:
    """The tokens of a tokenizer, as constrained decoding needs them.

    Args:
        tokenizer: the tokenizer.
        vocabulary_size: the number of logits of the model, which may differ from the number of
            tokens.
        end_ids: ids of the tokens that may end an answer.

    Raises:
        InputError: `llguidance` is not installed, or does not support the tokenizer.
    """

    def __init__(
        self, tokenizer: PreTrainedTokenizerFast, vocabulary_size: int, end_ids: Sequence[int]
    ) -> None:
        try:
            self._library: Any = import_module("llguidance")
            of_tokenizer = import_module("llguidance.hf")
        except ImportError:
            raise InputError(
                "answers that meet a schema need the package llguidance",
                cure="pip install docmt[language-models], or set request.structured to none",
            ) from None
        self._size = vocabulary_size
        try:
            self._tokenizer = of_tokenizer.from_tokenizer(
                tokenizer, n_vocab=max(vocabulary_size, len(tokenizer)), eos_token=list(end_ids)
            )
        except ValueError as error:
            raise InputError(
                f"answers of this model cannot be made to meet a schema: {error}",
                cure="Set request.structured to none",
            ) from None

    def constrain(self, schema: Mapping[str, Any]) -> TokenConstraint:
        """A constraint for one answer.

        Raises:
            ValueError: the schema is not valid or not supported.
        """
        grammar = self._library.LLMatcher.grammar_from_json_schema(
            json_text(dict(schema)), overrides=_LAYOUT
        )
        matcher = self._library.LLMatcher(self._tokenizer, grammar, log_level=0)
        if problem := matcher.get_error():
            raise ValueError(problem.partition("\n")[0])
        return TokenConstraint(matcher, self._size)


class TokenConstraint:
    """The tokens allowed next in one answer, followed token by token."""

    def __init__(self, matcher: Any, vocabulary_size: int) -> None:
        self._matcher, self._size = matcher, vocabulary_size

    def follow(self, token: int) -> None:
        """Advance by the next token of the answer."""
        followed = self._matcher.consume_token(token)
        assert followed, self._matcher.get_error()

    def allowed(self) -> Tensor:
        """Whether each token may come next, (vocabulary,), on the CPU."""
        import torch

        values = bytearray(self._matcher.compute_logit_bias())
        return torch.frombuffer(values, dtype=torch.uint8)[: self._size].bool()
