"""`PromptContext`: the context of sentences in a request to a large language model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple


class Passage(NamedTuple):
    """A text, and its translation if there is one."""

    source: str
    target: str | None = None

    @property
    def data(self) -> dict[str, str]:
        """The passage as plain values."""
        if self.target is None:
            return {"source": self.source}
        return {"source": self.source, "translation": self.target}


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The context of sentences.

    Attributes:
        before: the previous sentences, in order.
        after: the next sentences, in order.
        headings: the headings above the sentences, the highest level first.
        names: names in the sentences with earlier translations.
        summary: a summary of the document up to `before`.
        recalled: sentences from further back, in order.
        is_chat: whether the previous sentences with translations are earlier turns of a chat.
    """

    before: tuple[Passage, ...] = ()
    after: tuple[str, ...] = ()
    headings: tuple[Passage, ...] = ()
    names: tuple[Passage, ...] = ()
    summary: Passage | None = None
    recalled: tuple[Passage, ...] = ()
    is_chat: bool = False

    def half(self) -> PromptContext:
        """The nearer half of the surrounding sentences, and the names."""
        before = self.before[len(self.before) - len(self.before) // 2 :]
        after = self.after[: len(self.after) // 2]
        return replace(self, before=before, after=after, headings=(), summary=None, recalled=())

    @property
    def turns(self) -> list[tuple[str, str]]:
        """The earlier turns of a chat: sentences, each with the translation."""
        passages = self.before if self.is_chat else ()
        return [(one.source, one.target) for one in passages if one.target is not None]

    @property
    def data(self) -> dict[str, Any]:
        """The context as plain values, without empty parts. Parts changing least come first."""
        values: dict[str, Any] = {
            "summary": self.summary.data if self.summary is not None else None,
            "headings": [heading.data for heading in self.headings],
            "recalled": [passage.data for passage in self.recalled],
            "before": [
                passage.data
                for passage in self.before
                if not self.is_chat or passage.target is None
            ],
            "after": list(self.after),
            "names": [name.data for name in self.names],
        }
        return {key: value for key, value in values.items() if value}
