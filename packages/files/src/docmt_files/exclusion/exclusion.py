"""Application of `ExclusionRules` to a file: a block that a rule leaves has no sentences to
translate, and a part of a block becomes a protected code. No character of the file changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, pairwise
from time import perf_counter
from typing import NamedTuple

import regex

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.messages import parted
from docmt_files.base.wording import counted
from docmt_files.core.blocks import Blocks, BlockSkeleton
from docmt_files.core.inline import Block, Code, Part, Text
from docmt_files.core.scopes import Scope, ScopeKind
from docmt_files.core.skeleton import FileSkeleton, NoTextError
from docmt_files.exclusion.exclusion_rules import ExclusionRule, ExclusionRules
from docmt_files.storage.files import PathLike

_MAX_SECONDS = 10.0
"""How long the patterns may be searched for in a file."""


def exclude(
    skeleton: FileSkeleton, rules: ExclusionRules, path: PathLike, language: str
) -> tuple[list[Document], BlockSkeleton]:
    """The document and the file without what rules leave as it is, and with notes on it.

    Args:
        skeleton: the file.
        rules: the rules.
        path: the file.
        language: the code of the language whose rules split sentences.

    Raises:
        InputError: the file is a corpus or has one sentence per line, or the rules leave all of it.
    """
    if not isinstance(skeleton, BlockSkeleton):
        raise InputError(
            "is a corpus or has one sentence per line, which `rules` and `placeholders` cannot be "
            "applied to",
            path=path,
            cure="Leave these out, or translate the file that it was made from",
            parameters=("rules", "placeholders"),
        )
    indices = [index for index, rule in enumerate(rules.rules) if rule.applies_to(path)]
    matcher = _Matcher([rules.rules[index] for index in indices], skeleton.text, path)
    left = matcher.blocks(skeleton.found.blocks)
    made = skeleton
    protected = matcher.protected(skeleton.found.blocks)
    if matcher.counts:
        find = skeleton.find and partial(_find_again, skeleton.find, matcher.for_filled_file())
        made = skeleton.with_blocks(protected, language, find)
    if any(
        "hidden" in matcher.rules[index].conditions for index in (*left.values(), *matcher.counts)
    ):
        _, kept = parted(skeleton.found.kept, "hidden")
        made = replace(made, found=made.found._replace(kept=tuple(kept)))
    rules.used.update(indices[index] for index in (*left.values(), *matcher.counts))
    made = made.leave(left, _notes(matcher, left))
    if not any(made.sentences):
        raise NoTextError(
            "has no text but what the rules leave as it is",
            path=path,
            cure="Change the rules, or copy the file",
        )
    return made.documents, made


def _find_again(find: Callable[[str], Blocks], matcher: _Matcher, text: str) -> Blocks:
    """The blocks of a filled file, with the parts protected that were in the file."""
    blocks = find(text)
    return blocks._replace(blocks=replace(matcher, text=text).protected(blocks.blocks))


class _Unit(NamedTuple):
    """A part of a block, and the text in which patterns are searched for."""

    part: Part
    text: str


@dataclass(slots=True)
class _Matcher:
    """Finds what rules leave.

    Attributes:
        rules: the rules for the file.
        text: the text of the file.
        path: the file, for messages.
        counts: for each rule with parts the number of parts.
        shared: the number of left texts that also stand where no rule leaves them.
        words: the words of the parts of the file.
        only: for a filled file, the words to protect. Default: the file itself is read.
        seconds: how long patterns have been searched for.
    """

    rules: Sequence[ExclusionRule]
    text: str
    path: PathLike
    counts: Counter[int] = field(default_factory=Counter)
    shared: int = 0
    words: set[str] = field(default_factory=set)
    only: frozenset[str] | None = None
    seconds: float = 0.0
    _known: dict[tuple[int, ScopeKind, int], bool] = field(default_factory=dict)
    _scopes: list[Scope] = field(default_factory=list)

    def for_filled_file(self) -> _Matcher:
        """A matcher that protects the words of this one alone."""
        return _Matcher(self.rules, self.text, self.path, only=frozenset(self.words))

    def blocks(self, blocks: Sequence[Block]) -> dict[int, int]:
        """The indices of the blocks that are left as a whole, with the rule of each."""
        left: dict[int, int] = {}
        for index, block in enumerate(blocks):
            for number in range(len(self.rules)):
                if fits := self._fitting(number, block):
                    left.setdefault(index, number)
                    self.shared += not all(fits)
                    break
        return left

    def _fitting(self, number: int, block: Block) -> list[bool]:
        """For each scope of a block whether a rule leaves it; nothing if none."""
        rule = self.rules[number]
        if rule.pattern is not None or not rule.conditions:
            return []
        fits = [self._fits(number, scope) for scope in block.scopes]
        return fits if any(fits) else []

    def protected(self, blocks: Sequence[Block]) -> list[Block]:
        """The blocks with protected codes for the parts that are left."""
        return [self._protected(block) for block in blocks]

    def _protected(self, block: Block) -> Block:
        if any(self._fitting(number, block) for number in range(len(self.rules))):
            return block
        parts = list(self._without_pairs(block))
        for number, rule in enumerate(self.rules):
            if rule.pattern is None:
                continue
            if rule.conditions and not any(self._fits(number, scope) for scope in block.scopes):
                continue
            parts = list(self._without_matches(parts, number, rule.pattern))
        return block if parts == list(block.parts) else replace(block, parts=tuple(parts))

    def _without_pairs(self, block: Block) -> Iterator[Part]:
        """The parts of a block with one code for each pair that a rule leaves."""
        position = 0
        while position < len(block.parts):
            part = block.parts[position]
            number = self._rule_of_pair(part, block)
            if number is None or not isinstance(part, Code):
                yield part
                position += 1
                continue
            end = next(
                i
                for i in range(position + 1, len(block.parts))
                if isinstance(other := block.parts[i], Code) and other.pair == part.pair
            )
            inside = block.parts[position + 1 : end]
            words = "".join(each.text for each in inside if isinstance(each, Text)).strip()
            words = "" if any(isinstance(each, Code) for each in inside) else words
            self.counts[number] += 1
            yield Code(part.start, block.parts[end].end, "protected", words=words)
            position = end + 1

    def _rule_of_pair(self, part: Part, block: Block) -> int | None:
        """The rule that leaves the text of a pair, given its beginning."""
        if not isinstance(part, Code) or part.kind != "open" or part.scope is None:
            return None
        for number, rule in enumerate(self.rules):
            if rule.pattern is None and rule.conditions:
                held = {kind for kind in rule.conditions if self._holds(number, kind, part.scope)}
                rest = rule.conditions.keys() - held
                around = block.scopes or ((None,) if not rest else ())
                if held and any(
                    all(scope and self._holds(number, kind, scope) for kind in rest)
                    for scope in around
                ):
                    return number
        return None

    def _without_matches(
        self, parts: Sequence[Part], number: int, pattern: regex.Pattern[str]
    ) -> Iterator[Part]:
        """The parts of a block with codes for the matches of a pattern. A match may have protected
        and void codes in it, but neither divides one nor goes over other codes."""
        run: list[_Unit] = []
        for part in (*parts, None):
            if isinstance(part, Text) and part.text:
                run.append(_Unit(part, part.text))
                continue
            if isinstance(part, Code) and _may_be_within(part):
                run.append(_Unit(part, self.text[part.start : part.end]))
                continue
            yield from self._cut(run, number, pattern)
            run = []
            if part is not None:
                yield part

    def _cut(
        self, run: Sequence[_Unit], number: int, pattern: regex.Pattern[str]
    ) -> Iterator[Part]:
        """Adjacent texts and such codes with codes for the matches of a pattern."""
        text = "".join(unit.text for unit in run)
        starts = [0, *accumulate(len(unit.text) for unit in run)]
        whole = [
            (start, end)
            for unit, (start, end) in zip(run, pairwise(starts), strict=True)
            if isinstance(unit.part, Code)
        ]
        spans = [
            (start, end)
            for start, end in self._matches(text, pattern)
            if text[start:end].strip()
            and not any(first < start < last or first < end < last for first, last in whole)
        ]
        if self.only is not None:
            spans = [span for span in spans if text[slice(*span)] in self.only]
        if not spans:
            yield from (unit.part for unit in run)
            return
        position = 0
        for start, end in spans:
            yield from _between(run, starts, position, start)
            self.counts[number] += 1
            words = text[start:end]
            self.words.add(words)
            first, last = _offset(run, starts, start), _offset(run, starts, end, at_end=True)
            yield Code(first, last, "protected", words=words)
            position = end
        yield from _between(run, starts, position, len(text))

    def _matches(self, text: str, pattern: regex.Pattern[str]) -> list[tuple[int, int]]:
        """The ranges of a text that match.

        Raises:
            InputError: the search takes too long, as `(a*)*b` does.
        """
        began = perf_counter()
        try:
            left = max(_MAX_SECONDS - self.seconds, 0.01)
            return [match.span() for match in pattern.finditer(text, timeout=left)]
        except TimeoutError:
            raise InputError(
                f"takes longer than {_MAX_SECONDS:g} seconds to search for the pattern "
                f"{pattern.pattern}",
                path=self.path,
                cure="Repeat no repetition in the pattern, as (a*)* does, and bound the others, "
                "as in {1,40}",
            ) from None
        finally:
            self.seconds += perf_counter() - began

    def _fits(self, number: int, scope: Scope) -> bool:
        """Return whether a scope, with the scopes around it, fulfills all conditions of a rule."""
        return all(self._holds(number, kind, scope) for kind in self.rules[number].conditions)

    def _holds(self, number: int, kind: ScopeKind, scope: Scope) -> bool:
        """Return whether a scope or one around it fulfills a condition. Scopes are shared, so each
        is checked once."""
        fits = self.rules[number].conditions[kind]
        passed: list[Scope] = []
        holds = False
        for each in scope.chain():
            known = self._known.get((number, kind, id(each)))
            holds = known if known is not None else each.kind == kind and fits(each)
            if known is not None or holds:
                break
            passed.append(each)
        for each in passed:
            self._known[number, kind, id(each)] = holds
        self._scopes += passed  # An id stays taken as long as its object is there.
        return holds


def _may_be_within(code: Code) -> bool:
    """Return whether a code may be a part of what a pattern leaves."""
    return code.kind in ("protected", "void") and not code.text and code.inner is None


def _offset(
    run: Sequence[_Unit], starts: Sequence[int], position: int, *, at_end: bool = False
) -> int:
    """The offset in the file of a position in the text of a run; a unit of the file, such as an
    escape, is never divided."""
    index = bisect_right(starts, position - at_end) - 1
    part, text = run[min(index, len(run) - 1)]
    inside = position - starts[min(index, len(run) - 1)]
    if len(text) == part.end - part.start:
        return part.start + inside
    return part.end if at_end else part.start


def _between(run: Sequence[_Unit], starts: Sequence[int], first: int, last: int) -> Iterator[Part]:
    """The parts of a run between two positions."""
    for (part, characters), start in zip(run, starts, strict=False):
        begin, end = max(first, start), min(last, start + len(characters))
        if begin >= end:
            continue
        if (begin, end) == (start, start + len(characters)):
            yield part
        else:
            text = characters[begin - start : end - start]
            yield Text(part.start + begin - start, part.start + end - start, text)


def _notes(matcher: _Matcher, left: dict[int, int]) -> Iterator[str]:
    """Notes on what is left."""
    blocks = Counter(left.values())
    done = [f"{counted(blocks[n], 'block')} ({matcher.rules[n].title})" for n in sorted(blocks)] + [
        f"{counted(matcher.counts[n], 'part')} of sentences ({matcher.rules[n].title})"
        for n in sorted(matcher.counts)
    ]
    if done:
        yield f"left as in the source by rules: {', '.join(done)}"
    if matcher.shared:
        yield (
            f"{counted(matcher.shared, 'text')} of these also where no rule leaves it, since the "
            "file has it once for several cells"
        )
