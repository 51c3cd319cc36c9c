"""What attention looked at, recorded from any system while a view is in use.

    view = FullPass(batch.target, memory)
    with view.recording(weights=True) as recorder:
        system.decode(batch.target.tokens, view)
    for record in recorder.records(system):
        record.name, record.kind, record.scope, record.weights

Shapes: H heads, N tokens, D head dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from torch import Tensor, nn

from docmt.nn.batch import SOURCE

LookedScope = Literal["group", "previous", "global"]


class Looked(NamedTuple):
    """What kind of attention looked, and how far.

    Attributes:
        kind: `self`, `cross`, `previous-N` for the N-th sentence before, or the name of context
            encodings.
        scope: `group`, within the sentence; `previous`, within the sentence and the one before; or
            `global`, within the instance.
        source: for cross-attention, the name under which the source was encoded, where a system
            encodes it more than once.
    """

    kind: str
    scope: LookedScope
    source: str = SOURCE


@dataclass(frozen=True, eq=False)
class AttentionRecord:
    """The weights of one attention.

    Attributes:
        name: the attention's name in the system, such as `decoder.3.cross_attention.…`.
        layer: its layer, from 0, or None for an attention outside of the layers.
        kind, scope, source: see `Looked`; `kind` is `encoder` or `decoder` for the self-attention
            of these.
        weights: of a full pass, for each span of queries (H, queries, keys); of steps, for each
            step and each hypothesis (H, keys it sees).
    """

    name: str
    layer: int | None
    kind: str
    scope: str
    source: str
    weights: list[list[Tensor]]


class Recorder:
    """Records what attention looks at.

    Args:
        keys_values: whether keys and values of self-attention are recorded.
        weights: whether weights are recorded.

    Attributes:
        keys_values: (2, N, H, D) for each kind of attention and each attention.
    """

    def __init__(self, *, keys_values: bool, weights: bool) -> None:
        self.wants_keys_values, self.wants_weights = keys_values, weights
        self.keys_values: dict[tuple[Looked, nn.Module], Tensor] = {}
        self._weights: dict[tuple[Looked, nn.Module], list[list[Tensor]]] = {}

    def add_keys_values(self, looked: Looked, owner: nn.Module, keys_values: Tensor) -> None:
        """Record keys and values, (2, N, H, D)."""
        self.keys_values[looked, owner] = keys_values

    def add_weights(self, looked: Looked, owner: nn.Module, weights: list[Tensor]) -> None:
        """Record the weights of all spans of a full pass, or of all hypotheses in one step."""
        self._weights.setdefault((looked, owner), []).append([w.detach() for w in weights])

    def own_keys_values(self, scope: LookedScope) -> dict[nn.Module, Tensor]:
        """The keys and values, (2, N, H, D), of self-attention in this scope."""
        return {
            owner: kept
            for (looked, owner), kept in self.keys_values.items()
            if looked == Looked("self", scope)
        }

    def records(self, system: nn.Module) -> list[AttentionRecord]:
        """All weights, by the names that the attentions have in the system."""
        names = {module: name for name, module in system.named_modules()}
        records = []
        for (looked, owner), weights in self._weights.items():
            name = names.get(owner, "")
            stack, _, rest = name.partition(".")
            number = rest.partition(".")[0]
            kind = (
                stack if looked.kind == "self" and stack in ("encoder", "decoder") else looked.kind
            )
            layer = int(number) if number.isdigit() else None
            records.append(AttentionRecord(name, layer, kind, looked.scope, looked.source, weights))
        return records
