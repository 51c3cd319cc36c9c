"""`SpecialTokens`: the tokens set around sentences (BOS, EOS, language tokens)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from docmt_files.base.languages import language_tag
from docmt_nmt.base.language_aliases import short_tag


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """The tokens set around sentences; they differ between families of pretrained models.

    Attributes:
        source_begin, source_end: the ids before and after each source sentence.
        target_begin: the id with which the decoder starts a sentence.
        target_end: the id at the end of a target sentence.
        target_prefix: the ids between `target_begin` and the first word, such as a language token;
            they are given, not predicted.
    """

    source_begin: tuple[int, ...]
    source_end: tuple[int, ...]
    target_begin: int
    target_end: int
    target_prefix: tuple[int, ...] = ()

    @property
    def target_opening(self) -> tuple[int, ...]:
        """The ids before the first word of a target sentence."""
        return self.target_begin, *self.target_prefix

    @property
    def source_overhead(self) -> int:
        """The number of special tokens of a source sentence."""
        return len(self.source_begin) + len(self.source_end)

    @property
    def target_overhead(self) -> int:
        """The number of special tokens of a target sentence, `target_end` included."""
        return len(self.target_opening) + 1

    def with_ids(self, ids: Mapping[int, int]) -> SpecialTokens:
        """The special tokens with other ids in the place of some."""

        def changed(tokens: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(ids.get(token, token) for token in tokens)

        return replace(
            self,
            source_begin=changed(self.source_begin),
            source_end=changed(self.source_end),
            target_begin=ids.get(self.target_begin, self.target_begin),
            target_prefix=changed(self.target_prefix),
        )


@dataclass(frozen=True, slots=True)
class LanguageTokens:
    """The language tokens of a pretrained model of many languages.

    Attributes:
        ids: the id of each language token, by the model's code of the language.
        source, target: the model's codes of the languages of `special_tokens`; different ones.
        special_tokens: the special tokens for this pair.
    """

    ids: dict[str, int]
    source: str
    target: str
    special_tokens: SpecialTokens

    @property
    def targets(self) -> dict[str, str]:
        """The model's codes of the target languages, by tag (`short_tag`)."""
        tags: dict[str, str] = {}
        for code in sorted(self.ids):
            short = short_tag(code)
            tags[language_tag(code) if short in tags else short] = code
        return tags

    @property
    def sources(self) -> dict[str, str]:
        """The model's codes of the source languages, by tag. Without a token before or after source
        sentences, a model reads one language."""
        special = self.special_tokens
        if self.ids.get(self.source) in (*special.source_begin, *special.source_end):
            return self.targets
        return {short_tag(self.source): self.source}

    def between(self, source: str, target: str) -> SpecialTokens:
        """The special tokens of another pair.

        Args:
            source, target: tags in `sources` and `targets`.
        """
        codes = self.sources[source], self.targets[target]
        pairs = zip((self.source, self.target), codes, strict=True)
        ids = {self.ids[old]: self.ids[new] for old, new in pairs if old in self.ids}
        return self.special_tokens.with_ids(ids)
