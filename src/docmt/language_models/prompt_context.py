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
    """

    before: tuple[Passage, ...] = ()
    after: tuple[str, ...] = ()
    headings: tuple[Passage, ...] = ()
    names: tuple[Passage, ...] = ()
    summary: Passage | None = None

    def half(self) -> PromptContext:
        """The nearer half of the surrounding sentences, and the names."""
        before = self.before[len(self.before) - len(self.before) // 2 :]
        after = self.after[: len(self.after) // 2]
        return replace(self, before=before, after=after, headings=(), summary=None)

    @property
    def data(self) -> dict[str, Any]:
        """The context as plain values, without empty parts. Parts changing least come first."""
        values: dict[str, Any] = {
            "summary": self.summary.data if self.summary is not None else None,
            "headings": [heading.data for heading in self.headings],
            "before": [passage.data for passage in self.before],
            "after": list(self.after),
            "names": [name.data for name in self.names],
        }
        return {key: value for key, value in values.items() if value}
