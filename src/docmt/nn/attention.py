"""Mixers: what stands between two feed-forward layers and moves information between tokens.

A mixer is multi-head attention (Vaswani et al. 2017; Bao et al. 2021, Eq. 5 and 8) over sentences
(`group`), over instances (`global`), or both joined by a gate (`combined`, Eq. 10); or over
instances in one stream of states and over sentences in another (`two-stream`, Zhang et al. 2020,
section 2.1). The same class serves the encoder's and the decoder's self-attention and the
cross-attention.

Shapes: N_q queries, N_k keys, W d_model, H heads, D head dimension; in steps R rows, I instances.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from docmt.nn.batch import Packed
from docmt.nn.incremental.source_sharing import SourceSharing
from docmt.nn.incremental.state import SOURCE, DecodingState
from docmt.nn.incremental.token_tree import TokenTree, bias
from docmt.nn.kernels.attend import attend
from docmt.nn.spans import Spans

Scope = Literal["group", "global", "combined", "two-stream"]

SHORT = "short"
"""The name under which the source is encoded for the short stream of two."""


class Read(NamedTuple):
    """The keys and values, (2, N, H, D), that attentions have made of a row.

    Attributes:
        sentences: those of attention within sentences.
        instances: those of attention over instances.
    """

    sentences: dict[nn.Module, Tensor]
    instances: dict[nn.Module, Tensor]


class MultiHeadAttention(nn.Module):
    """Multi-head attention with its four projections.

    Args:
        d_model: W.
        heads: H.
        over: the d_model of what keys and values are made of; default: W.
    """

    def __init__(self, d_model: int, heads: int, *, over: int | None = None) -> None:
        super().__init__()
        self.heads = heads
        #: The number format of cached keys and values; None for that of the states.
        self.kv_dtype: torch.dtype | None = None
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(over or d_model, d_model)
        self.value = nn.Linear(over or d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        for projection in (self.query, self.key, self.value):
            # As if the three were one matrix.
            nn.init.xavier_uniform_(projection.weight, gain=2**-0.5)
        nn.init.xavier_uniform_(self.output.weight)
        for projection in (self.query, self.key, self.value, self.output):
            nn.init.zeros_(projection.bias)

    def split(self, x: Tensor) -> Tensor:
        """(N, W) as (N, H, D)"""
        return x.view(len(x), self.heads, x.shape[1] // self.heads)

    def forward(
        self,
        x: Tensor,
        y: Tensor,
        query_spans: Spans,
        key_spans: Spans,
        *,
        causal: bool = False,
        read: dict[nn.Module, Tensor] | None = None,
    ) -> Tensor:
        """Queries x, (N_q, W), over keys and values y, (N_k, W): (N_q, W). The keys and values are
        put into `read`."""
        q = self.split(self.query(x))
        k, v = keys_values = self.keys_values(y)
        if read is not None:
            read[self] = keys_values
        return self.output(attend(q, k, v, query_spans, key_spans, causal=causal).flatten(1))

    def keys_values(self, y: Tensor) -> Tensor:
        """Keys and values of y, (N_k, W): (2, N_k, H, D)."""
        return torch.stack((self.split(self.key(y)), self.split(self.value(y))))

    def step_written(self, x: Tensor, written: TokenTree) -> Tensor:
        """One new token a row, x (R, W), over what the row has written."""
        (keys, values), bias = written.extend(self, self.to_remember(x))
        return self.step_over(x, keys.transpose(2, 3), values, bias)

    def step_source_sentence(self, x: Tensor, cache: DecodingState, name: str = SOURCE) -> Tensor:
        """One new token a row, x (R, W), over the source sentence the row is translating, as it was
        encoded under this name."""
        (keys, values), bias = cache.window.gather((self, name), self.memory(cache, name))
        return self.step_over(x, keys.transpose(2, 3), values, bias)

    def step_instance(self, x: Tensor, cache: DecodingState, name: str = SOURCE) -> Tensor:
        """One new token a row, x (R, W), over all that was encoded under this name for the row's
        instance: its source or what stands beside it. A row for which that is nothing gets the
        output's bias."""
        owner = self, name
        if owner not in cache.padded:
            cache.padded[owner] = self.spread(cache, name)
        return self.step_over(x, *cache.padded[owner], readers=cache.readers)

    def step_over(
        self,
        x: Tensor,
        keys: Tensor,
        values: Tensor,
        bias: Tensor,
        some: Tensor | None = None,
        readers: SourceSharing | None = None,
    ) -> Tensor:
        """One new token a row, x (R, W), over keys, (I, H, D, L), and values, (I, H, L, D), that
        the rows of a unit share, or by `readers` those of all units of an instance; the bias,
        (I, 1, 1 or beam, L), says which. Where `some`, (I, 1, 1, 1), is 0 there are none.

        For so few queries two products are faster than PyTorch's kernel, in 16 bits twice.
        """
        units = len(keys) if readers is None else len(readers.place)
        q = self.query(x) * (self.heads / x.shape[1]) ** 0.5
        q = q.to(keys.dtype).view(units, -1, self.heads, values.shape[-1])  # (units, beam, H, D)
        beam = q.shape[1]
        q = q.transpose(1, 2) if readers is None else readers.seated(q)
        scores = products(q, keys).add_(bias)  # (I, H, beam, L)
        output = torch.matmul(scores.softmax(-1), values)  # (I, H, beam, D)
        if some is not None:
            output = output * some
        y = output.transpose(1, 2) if readers is None else readers.unseated(output, beam)
        return self.output(y.reshape(x.shape).to(x.dtype))

    def to_remember(self, y: Tensor) -> Tensor:
        """Keys and values of y, (N, W), in the format that steps remember: (2, N, H, D)."""
        return self.keys_values(y).to(self.kv_dtype or y.dtype)

    def memory(self, cache: DecodingState, name: str) -> Tensor:
        """The keys and values of what was encoded under this name, made once: (2, N, H, D)."""
        projected = cache.memory.projected
        if (self, name) not in projected:
            projected[self, name] = self.to_remember(cache.memory.encoded(name).states)
        return projected[self, name]

    def spread(self, cache: DecodingState, name: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The same by instance that is read, padded: what the cache keeps of them."""
        spans, read = cache.memory.encoded(name).spans, cache.readers.instances
        lengths, starts = spans.lengths[read, None], spans.offsets[read, None]
        # What no row sees is filled with an entry that is there, or with zeros.
        steps = torch.arange(max(int(lengths.max()), 1), device=starts.device)
        projected = self.memory(cache, name)
        if not projected.shape[1]:
            projected = nn.functional.pad(projected, (0, 0, 0, 0, 0, 1))
        places = starts + torch.minimum(steps, lengths - 1)
        places = places.clamp(0, projected.shape[1] - 1)
        keys, values = projected[:, places]  # (I, L, H, D)
        keys, values = keys.permute(0, 2, 3, 1).contiguous(), values.transpose(1, 2).contiguous()
        some = (lengths > 0)[..., None, None]  # (I, 1, 1, 1)
        real = (steps < lengths.clamp_min(1))[:, None]  # (I, 1, L)
        return keys, values, bias(real, keys.shape[3], keys.dtype), some.to(keys.dtype)


def products(q: Tensor, keys: Tensor) -> Tensor:
    """The products of few queries, (I, H, Q, D), with all keys, (I, H, D, L), which may be a
    transposed view: (I, H, Q, L)."""
    if keys.is_contiguous() or keys.dtype == torch.float32:
        return torch.matmul(q, keys)
    # In 16 bits the view would be copied, and it is much larger than what comes of it.
    return torch.matmul(keys.transpose(2, 3), q.transpose(2, 3)).transpose(2, 3).contiguous()


class ScopedAttention(nn.Module):
    """Attention over sentences, instances, or both.

    The attention over sentences and, where there is only one, the attention over instances is
    called `attention`, so that the weights of a Transformer are those of a G-Transformer's group
    attention; what the combined mixer adds is called `context` and `gate`.

    Args:
        d_model: W.
        heads: H.
        scope: `group`, `global`, `combined` or `two-stream`. With `two-stream` a row holds the
            long stream and after it the short one, each with all its tokens: the instances of the
            row are those of the long stream, then the sentences of the short one.
    """

    def __init__(self, d_model: int, heads: int, scope: Scope) -> None:
        super().__init__()
        self.scope = scope
        self.attention = MultiHeadAttention(d_model, heads)
        if scope == "combined":
            self.context = MultiHeadAttention(d_model, heads)
            self.gate = nn.Linear(2 * d_model, d_model)
            nn.init.xavier_uniform_(self.gate.weight)
            nn.init.zeros_(self.gate.bias)

    def forward(
        self,
        x: Tensor,
        y: Tensor,
        queries: Packed,
        keys: Packed,
        *,
        causal: bool = False,
        read: Read | None = None,
    ) -> Tensor:
        """Mix y, (N_k, W), packed as `keys`, into x, (N_q, W), packed as `queries`: (N_q, W). The
        keys and values are put into `read`."""
        instances = queries.instances, keys.instances
        sentences = queries.sentences, keys.sentences
        by_sentence, by_instance = (None, None) if read is None else read
        if self.scope == "two-stream":
            mixed = self.attention(x, y, *instances, causal=causal, read=by_instance)
            if read is not None:
                both = read.instances[self.attention]
                long, short = both.chunk(2, dim=1)
                read.instances[self.attention], read.sentences[self.attention] = long, short
            return mixed
        if self.scope == "global":
            return self.attention(x, y, *instances, causal=causal, read=by_instance)
        local = self.attention(x, y, *sentences, causal=causal, read=by_sentence)
        if self.scope == "group":
            return local
        return self.join(local, self.context(x, y, *instances, causal=causal, read=by_instance))

    def join(self, local: Tensor, context: Tensor) -> Tensor:
        """The gate-sum of Bao et al. 2021, Eq. 10: all (N, W)."""
        gate = torch.sigmoid(self.gate(torch.cat([local, context], dim=-1)))
        return local * gate + context * (1 - gate)

    def step_self(self, x: Tensor, cache: DecodingState) -> Tensor:
        """Causal self-attention of one new token a row: (R, W) to (R, W), or of two streams, one
        after the other, (2R, W) to (2R, W)."""
        if self.scope == "two-stream":
            long, short = x.chunk(2)
            return torch.cat(
                [
                    self.attention.step_written(long, cache.instances),
                    self.attention.step_written(short, cache.sentences),
                ]
            )
        if self.scope == "global":
            return self.attention.step_written(x, cache.instances)
        local = self.attention.step_written(x, cache.sentences)
        if self.scope == "group":
            return local
        return self.join(local, self.context.step_written(x, cache.instances))

    def step_cross(self, x: Tensor, cache: DecodingState) -> Tensor:
        """Cross-attention of one new token a row: (R, W) to (R, W), or of two streams, one after
        the other, (2R, W) to (2R, W)."""
        if self.scope == "two-stream":
            long, short = x.chunk(2)
            return torch.cat(
                [
                    self.attention.step_instance(long, cache),
                    self.attention.step_source_sentence(short, cache, SHORT),
                ]
            )
        if self.scope == "global":
            return self.attention.step_instance(x, cache)
        local = self.attention.step_source_sentence(x, cache)
        if self.scope == "group":
            return local
        return self.join(local, self.context.step_instance(x, cache))
