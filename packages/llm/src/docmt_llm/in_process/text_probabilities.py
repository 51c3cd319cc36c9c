"""`CausalTextModel`: the probability of texts after others, by a decoder-only model in process.

Texts are lines: the context, each of its texts on a line, and a line break before the text. A text
without context begins after a line break alone, so that its tokens are the same. The tokens that
all texts of a group begin with, the context included, are computed once (prefix cache).

Shapes: G groups, N texts of all groups, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile
from math import log
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from docmt_files.base.errors import InputError
from docmt_llm.in_process.pretrained_causal import PretrainedCausal, load_causal, model_digest
from docmt_llm.in_process.text_model import TextGroup, TextModel, TextProbabilities, TextProbability
from docmt_nmt.base.choices import Precision

if TYPE_CHECKING:
    from torch import Tensor

_MAX_LOGITS = 2**26
"""The maximum number of logits at a time."""

_MAX_PADDING = 1.3
"""In a batch, nothing is more than so many times as long as the shortest of its kind."""


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens of a group.

    Attributes:
        prefix: the context, and the tokens that all texts begin with.
        shared: the number of tokens of the texts in the prefix.
        rests: the other tokens of each text, at least one.
    """

    prefix: list[int]
    shared: int
    rests: list[list[int]]

    @property
    def lengths(self) -> tuple[int, int, int]:
        """The length of the prefix, of the longest rest, and of the shared part with a token."""
        return len(self.prefix), max(map(len, self.rests)), self.shared + 1

    @property
    def size(self) -> int:
        """Tokens to compute."""
        return len(self.prefix) + sum(map(len, self.rests))


class CausalTextModel(TextModel):
    """The probability of texts by a decoder-only model in this process. Threads may share it; they
    compute in turn.

    Args:
        name: a folder, a GGUF file, or a name on the hub.
        pretrained: the model and the tokenizer.
    """

    def __init__(self, name: str, pretrained: PretrainedCausal) -> None:
        self.name = name
        self._model, self._tokenizer, _ = pretrained
        self._lock = Lock()
        self._max_tokens = getattr(
            self._model.config.get_text_config(), "max_position_embeddings", None
        )

    @classmethod
    def load(
        cls, name: str, *, device: str | None = None, precision: Precision | None = None
    ) -> Self:
        """Load a model from a folder or a GGUF file, or by its name on the Hugging Face hub.

        Args:
            name: the folder, file or name.
            device: the device to compute on. Default: a GPU if there is one.
            precision: the number format. Default: the format of the files.

        Raises:
            InputError: there is no such model, or it cannot be loaded.
        """
        return cls(name, load_causal(name, device=device, precision=precision))

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        return {
            "digest": model_digest(self.name, self._model.config),
            "precision": str(self._model.dtype).removeprefix("torch."),
        }

    def log_probabilities(self, groups: Sequence[TextGroup]) -> TextProbabilities:
        """The log-probabilities of the texts of each group after the context.

        Raises:
            InputError: a context with a text is longer than the model reads at once.
        """
        import torch

        tokens = [self._tokens(group) for group in groups]
        found: list[list[TextProbability]] = [[]] * len(groups)
        with self._lock, torch.inference_mode():
            for batch in self._batches(tokens):
                results = self._compute([tokens[index] for index in batch])
                for index, values in zip(batch, results, strict=True):
                    lengths = (tokens[index].shared + len(rest) for rest in tokens[index].rests)
                    found[index] = list(map(TextProbability, values, lengths))
        return TextProbabilities(found, sum(each.size for each in tokens))

    def _tokens(self, group: TextGroup) -> _Tokens:
        """The tokens of a group."""
        context = self._ids("\n".join([*group.context, ""]) or "\n")
        if self._adds_begin:
            context.insert(0, self._tokenizer.bos_token_id)
        texts = [self._ids(text) for text in group.texts]
        if not all(texts):
            raise ValueError("a text has no tokens")
        longest = len(context) + max(map(len, texts))
        if self._max_tokens is not None and longest > self._max_tokens:
            raise InputError(
                f"a sentence with its context has {longest:,} tokens, more than the "
                f"{self._max_tokens:,} that {self.name} reads at once",
                cure="Read fewer sentences as context",
            )
        columns = zip(*(text[:-1] for text in texts), strict=False)
        shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
        return _Tokens(context + texts[0][:shared], shared, [text[shared:] for text in texts])

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    @cached_property
    def _adds_begin(self) -> bool:
        """True if the tokenizer puts a token before every text."""
        ids = self._tokenizer("", verbose=False)["input_ids"]
        return bool(ids) and ids[0] == self._tokenizer.bos_token_id

    def _batches(self, tokens: Sequence[_Tokens]) -> Iterator[list[int]]:
        """Groups to compute together, by index: with prefixes and texts of about the same length,
        so that there is little padding."""
        vocabulary = self._model.get_output_embeddings().weight.shape[0]
        classes = [tuple(int(log(n, _MAX_PADDING)) for n in one.lengths) for one in tokens]
        by_class = sorted(range(len(tokens)), key=lambda index: classes[index])
        for _, alike in groupby(by_class, key=lambda index: classes[index]):
            batch: list[int] = []
            texts = width = 0
            for index in alike:
                width = max(width, *tokens[index].lengths[1:])
                texts += len(tokens[index].rests)
                if batch and texts * width * vocabulary > _MAX_LOGITS:
                    yield batch
                    batch, texts = [], len(tokens[index].rests)
                batch.append(index)
            yield batch

    def _compute(self, groups: Sequence[_Tokens]) -> list[list[float]]:
        """The log-probability of each text of some groups."""
        import torch

        device = self._model.device
        prefixes, prefix_mask = _padded([one.prefix for one in groups], device, left=True)  # (G, P)
        kept = max(one.shared for one in groups) + 1
        read = self._model(
            input_ids=prefixes,
            attention_mask=prefix_mask,
            position_ids=_positions(prefix_mask),
            use_cache=True,
            logits_to_keep=kept,
        )
        logits = read.logits  # (G, kept, V); the last ones are after the last tokens of prefixes
        labels = prefixes[:, prefixes.shape[1] - kept + 1 :]  # (G, kept - 1)
        shared = _label_log_probabilities(logits[:, :-1], labels)
        after = logits[:, -1].float().log_softmax(-1)  # (G, V)

        rests = [rest for one in groups for rest in one.rests]
        counts = torch.tensor([len(one.rests) for one in groups], device=device)
        group_of = torch.arange(len(groups), device=device).repeat_interleave(counts)  # (N,)
        tokens, mask = _padded(rests, device, left=False)  # (N, R)
        sums = after[group_of, tokens[:, 0]]  # (N,)
        if tokens.shape[1] > 1:
            read.past_key_values.batch_select_indices(group_of)
            inputs = mask[:, :-1]
            full_mask = torch.cat([prefix_mask[group_of], inputs], 1)
            logits = self._model(
                input_ids=tokens[:, :-1],
                attention_mask=full_mask,
                position_ids=_positions(full_mask)[:, -inputs.shape[1] :],
                past_key_values=read.past_key_values,
                use_cache=True,
            ).logits  # (N, R - 1, V)
            values = _label_log_probabilities(logits, tokens[:, 1:])
            sums = sums + (values * mask[:, 1:]).sum(1)
        of_prefix = [shared[row, kept - 1 - one.shared :].sum() for row, one in enumerate(groups)]
        sums = sums + torch.stack(of_prefix)[group_of]
        parts = sums.split(counts.tolist())
        return [part.tolist() for part in parts]


def _padded(rows: Sequence[Sequence[int]], device: Any, *, left: bool) -> tuple[Tensor, Tensor]:
    """Tokens in rows of the same length, and a mask with 1 for tokens and 0 for padding."""
    import torch

    width = max(map(len, rows))
    ids, mask = torch.zeros(2, len(rows), width, dtype=torch.long)
    for row, tokens in enumerate(rows):
        columns = slice(width - len(tokens), width) if left else slice(0, len(tokens))
        ids[row, columns], mask[row, columns] = torch.tensor(tokens), 1
    return ids.to(device), mask.to(device)


def _positions(mask: Tensor) -> Tensor:
    """The position of each token in the text, 0 for padding before it."""
    return (mask.cumsum(1) - 1).clamp_min(0)


def _label_log_probabilities(logits: Tensor, labels: Tensor) -> Tensor:
    """The log-probability of each label, (rows, labels), by the logits before it."""
    logits = logits.float()
    return logits.gather(2, labels[:, :, None])[:, :, 0] - logits.logsumexp(2)
