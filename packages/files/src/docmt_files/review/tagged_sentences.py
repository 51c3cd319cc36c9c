"""`BlockTags`: the inline codes of a block as the tags of a review, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from docmt_files.core.inline import Code, InlineSentence
from docmt_files.core.sentence_writer import joined_texts
from docmt_files.review.review_units import Tag, TaggedText, TagKind, tidied

_MAX_SHOWN = 60
"""The most characters of a code that a review shows."""


@dataclass(frozen=True, slots=True)
class BlockTags:
    """The tags of a block.

    Attributes:
        tags: the tag of each code.
        codes: the code of each tag, by `Tag.key`.
        quoted: by a code in quotation marks, the code with the marks.
    """

    tags: dict[Code, Tag]
    codes: dict[tuple[str, TagKind], Code]
    quoted: dict[Code, Code]

    @classmethod
    def of(cls, sentences: Sequence[InlineSentence], file: str) -> BlockTags:
        """The tags of the sentences of a block.

        Args:
            sentences: the sentences.
            file: the text of the file.
        """
        outer = [code for each in sentences for _, code in _bare(each).codes]
        inner = [code.inner or code for code in outer]
        ends = Counter(code.pair for code in inner if code.kind in ("open", "close"))
        ids: dict[int, str] = {}
        tags: dict[Code, Tag] = {}
        for code in inner:
            is_end = code.kind in ("open", "close")
            new = str(len(set(ids.values())) + 1)
            id_ = ids.setdefault(code.pair if is_end else -2 - len(ids), new)
            shown = file[code.start : code.end]
            shown = shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"
            has_pair = is_end and ends[code.pair] == 2
            kind: TagKind = "open" if code.kind == "open" else "close"
            tags[code] = Tag(id_, kind if has_pair else "alone", shown)
        codes = {tag.key: code for code, tag in tags.items()}
        return cls(tags, codes, {code.inner: code for code in outer if code.inner})

    def source(self, sentence: InlineSentence) -> TaggedText:
        """A source sentence with its tags."""
        return self.tagged(_source_parts(_bare(sentence)))

    def tagged(self, parts: Iterable[str | Code]) -> TaggedText:
        """Texts and codes as texts and tags."""
        made: list[str | Tag] = []
        for part in parts:
            if isinstance(part, str):
                made.append(part)
            elif part.inner is not None:
                made += [part.marks[0], self.tags[part.inner], part.marks[1]]
            else:
                made.append(self.tags[part])
        return tidied(made)

    def code_of(self, tag: Tag) -> Code | None:
        """The code of a tag, also of a tag alone in place of an end; None for an unknown tag."""
        if tag.key in self.codes:
            return self.codes[tag.key]
        alone = [code for (id_, _), code in self.codes.items() if id_ == tag.id]
        return alone[0] if len(alone) == 1 else None

    def parts(self, text: TaggedText) -> list[str | Code]:
        """A text with codes in place of tags; unknown tags are left out. A code with its quotation
        marks around it is the code with the marks."""
        made: list[str | Code] = joined_texts(
            code
            for part in text
            if (code := part if isinstance(part, str) else self.code_of(part)) is not None
        )
        for index, part in enumerate(made):
            if isinstance(part, str) or part not in self.quoted:
                continue
            whole = self.quoted[part]
            before, after = made[index - 1 : index], made[index + 1 : index + 2]
            if _ends(before, whole.marks[0]) and _begins(after, whole.marks[1]):
                made[index] = whole
                made[index - 1] = str(before[0])[: -len(whole.marks[0])]
                made[index + 1] = str(after[0])[len(whole.marks[1]) :]
        return joined_texts(made)


def _ends(parts: Sequence[str | Code], mark: str) -> bool:
    return any(isinstance(part, str) and part.endswith(mark) for part in parts)


def _begins(parts: Sequence[str | Code], mark: str) -> bool:
    return any(isinstance(part, str) and part.startswith(mark) for part in parts)


def _bare(sentence: InlineSentence) -> InlineSentence:
    """A sentence with all codes taken out of the text."""
    return sentence.without_words or sentence


def _source_parts(sentence: InlineSentence) -> Iterator[str | Code]:
    """A source sentence as texts and codes, with the spaces around codes as in the file."""
    position, last = 0, ""
    stops = [*(code.start for _, code in sentence.codes), -1][1:]
    for (offset, code), around, following in zip(
        sentence.codes, sentence.neighbors, stops, strict=True
    ):
        text = sentence.text[position:offset]
        last = text[-1:] or last
        if around[0].isspace() and last and not last.isspace():
            text += " "
            last = " "
        yield text
        yield code
        position = offset
        ahead = sentence.text[position : position + 1]
        if code.text and ahead == " ":
            position += 1
            ahead = sentence.text[position : position + 1]
        if around[1].isspace() and ahead and not ahead.isspace() and following != code.end:
            yield " "
            last = " "
    yield sentence.text[position:]
