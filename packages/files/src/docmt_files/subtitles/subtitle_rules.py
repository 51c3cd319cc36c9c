"""Demands of subtitles on a filled file: the same cues, lines of readable length, closed tags in
each cue, no empty cue, and a warning about text too fast to read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.core.inline import has_word
from docmt_files.core.skeleton import FileRules, separator
from docmt_files.subtitles.cue_forms import Cue, CueFile, closing_of, is_closing, tag_name
from docmt_files.subtitles.subtitle_lines import LINE_WIDTH, break_line, width
from docmt_files.subtitles.subtitle_segments import begins_line, has_sign, names_speaker

MAX_SPEED = 20
"""Highest reading speed of viewers, in characters per second."""

_NAMED = 5
"""Number of cues named by a note."""

_SOUND = re.compile(r"\W*?[\[(（［][^\])）］]*[\])）］]\s*")
_ID = re.compile(r"\sxml:id\s*=\s*(?:\"[^\"]*\"|'[^']*')")


@dataclass(frozen=True, slots=True)
class SubtitleRules(FileRules):
    """The rules for the filled forms of a file.

    Attributes:
        file: the file.
        cues: the cues of each block.
        labels: the names of speakers before their speech.
        find: finds the cues of a filled file.
    """

    file: CueFile
    cues: Sequence[range]
    labels: frozenset[str]
    find: Callable[[str], CueFile]

    def finish(self, text: str) -> str:
        """A filled file with the lines of changed cues broken anew."""
        filled = self._filled(text)
        if filled is None:
            return text
        joined = {index for cues in self.cues for index in cues[:-1]}
        parts: list[str] = []
        position = 0
        opened: list[str] = []
        before = ""
        for index, (old, new) in enumerate(zip(self.file.cues, filled.cues, strict=True)):
            start, end = new.text_range()
            written = text[start:end]
            if index - 1 not in joined:
                opened, before = [], ""
            if written == self.file.text[slice(*old.text_range())]:
                continue
            if has_word(filled.visible(start, end)):
                written, opened = _closed(filled, written, opened, index in joined)
                before = filled.visible(start, end)
            elif before and has_word(self.file.visible(*old.text_range())):
                # There are fewer words than cues.
                written += filled.form.escape(before)
            parts += [text[position:start], self._broken(filled, old, written)]
            position = end
        return "".join([*parts, text[position:]])

    def _filled(self, text: str) -> CueFile | None:
        """The cues of a filled file, or None if the cues differ from the file's."""
        try:
            filled = self.find(text)
        except InputError:
            return None
        return filled if len(filled.cues) == len(self.file.cues) else None

    def _broken(self, filled: CueFile, old: Cue, written: str) -> str:
        """The text of a cue with lines of readable length. Each speaker, sound and song has
        separate lines."""
        runs: list[list[str]] = []
        for line in filled.form.line_end.split(written):
            piece = filled._replace(text=line)
            before = filled.tag.sub("", runs[-1][-1]) if runs else ""
            begins = begins_line(piece, 0, len(line), self.labels)
            begins |= names_speaker(filled.tag.sub("", line).lstrip(), before)
            if runs and not begins and not _SOUND.fullmatch(before):
                stripped = line.lstrip()
                runs[-1] += [separator(runs[-1][-1], stripped), stripped]
            else:
                runs.append([line])
        lines = ["".join(run) for run in runs]
        widest = self._widest(self.file, old)
        most = max(2, len(old.lines)) if len(lines) == 1 else 2
        keeps = len(lines) == 1 and len(old.lines) > 1 and self._keeps_lines(old)
        fewest = most if keeps else 1
        broken = [
            part
            for line in lines
            for part in break_line(line, filled.tag, max(LINE_WIDTH, widest), most, fewest)
        ]
        start, end = old.text_range()
        line_end = "\r\n" if "\r\n" in self.file.text[max(0, start - 2) : end + 2] else "\n"
        return (filled.form.line_break or line_end).join(broken)

    def _keeps_lines(self, cue: Cue) -> bool:
        """Return whether the translation has as many lines: three, or two with tags of their own,
        are more than a text that did not fit on one."""
        tagged = all(
            self.file.text[start : start + 1] == "<" and self.file.text[end - 1 : end] == ">"
            for start, end in cue.lines
        )
        return cue.keeps_lines or len(cue.lines) > 2 or tagged

    def _widest(self, file: CueFile, cue: Cue) -> int:
        return max((width(file.visible(*line)) for line in cue.lines), default=0)

    def faulty(self, text: str) -> list[int] | None:
        """The indices of blocks with cues changed beyond their text, or None."""
        filled = self._filled(text)
        if filled is None:
            return list(range(len(self.cues)))
        bad = set()
        ends = 0, 0
        for index, (old, new) in enumerate(zip(self.file.cues, filled.cues, strict=True)):
            ranges = old.text_range(), new.text_range()
            around = self.file.text[ends[0] : ranges[0][0]], text[ends[1] : ranges[1][0]]
            ends = ranges[0][1], ranges[1][1]
            words = has_word(self.file.visible(*ranges[0])), has_word(filled.visible(*ranges[1]))
            signs = self._signs(self.file, old), self._signs(filled, new)
            times = ["".join(text.split()) for text in around]
            if times[0] != times[1] or words[0] != words[1] or signs[0] != signs[1]:
                bad.add(index)
        for cues in self._connected_cues():
            if self._tags(self.file, cues) != self._tags(filled, cues):
                bad.update(cues)
        faults = [
            number for number, cues in enumerate(self.cues) if any(index in bad for index in cues)
        ]
        return faults or None

    def _connected_cues(self) -> Iterator[range]:
        """The cues of each block or, where blocks share cues, of all these blocks together: a tag
        moved from one cue to the next is no evidence about another block in one of them."""
        if not self.cues:
            return
        start, stop = self.cues[0].start, self.cues[0].stop
        for cues in self.cues[1:]:
            if cues.start >= stop:
                yield range(start, stop)
                start = cues.start
            stop = max(stop, cues.stop)
        yield range(start, stop)

    def _signs(self, file: CueFile, cue: Cue) -> int:
        """Number of lines of a cue with a sign of another speaker or of a song at the beginning."""
        return sum(has_sign(file, *line, self.labels) for line in cue.lines)

    def _tags(self, file: CueFile, cues: range) -> Counter[str]:
        """The tags of a block, without tags ending with a cue and beginning again with the next."""
        tag_counts: Counter[str] = Counter()
        before: list[str] = []
        for index in cues:
            start, end = file.cues[index].text_range()
            tags = list(file.tag.finditer(file.text, start, end))
            tag_counts.update(tag[0] for tag in tags)
            first = _leading(start, tags)
            for closing, opening in zip(reversed(before), first, strict=False):
                if tag_name(closing) == tag_name(opening):
                    tag_counts.subtract((closing, opening))
            before = _trailing(end, tags)
        return +tag_counts

    def notes(self, text: str) -> Iterator[str]:
        """Return where viewers cannot read fast enough, and where lines are too long."""
        filled = self._filled(text)
        if filled is None:
            return
        yield f"{counted(len(filled.cues), 'cue')} with the times of the file"
        pairs = list(zip(self.file.cues, filled.cues, strict=True))
        fast = [new.name for _, new in pairs if _speed(filled, new) > MAX_SPEED]
        if fast:
            fast_before = sum(_speed(self.file, old) > MAX_SPEED for old, _ in pairs)
            yield (
                f"{counted(len(fast), 'cue')} with more than {MAX_SPEED} characters per second "
                f"({fast_before:,} in the input): {_listed(fast)}"
            )
        wide = [
            new.name
            for old, new in pairs
            if self._widest(filled, new) > max(LINE_WIDTH, self._widest(self.file, old))
        ]
        if wide:
            yield (
                f"{counted(len(wide), 'cue')} with a line of more than {LINE_WIDTH} columns (a "
                f"Chinese or Japanese character takes two): {_listed(wide)}"
            )


def _listed(names: Sequence[str]) -> str:
    """The first names of a list."""
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def _speed(file: CueFile, cue: Cue) -> float:
    """Reading speed of a cue, in characters per second."""
    if cue.start < 0:
        return 0.0
    shown = sum(len(file.visible(*line).strip()) for line in cue.lines)
    return shown * 1000 / max(1, cue.end - cue.start)


def _leading(start: int, tags: Sequence[re.Match[str]]) -> list[str]:
    """The opening tags of pairs at the beginning of a text."""
    leading = []
    for tag in tags:
        if tag.start() != start or is_closing(tag[0]) or not tag_name(tag[0]):
            break
        leading.append(tag[0])
        start = tag.end()
    return leading


def _trailing(end: int, tags: Sequence[re.Match[str]]) -> list[str]:
    """The closing tags of pairs at the end of a text."""
    trailing: list[str] = []
    for tag in reversed(tags):
        if tag.end() != end or not is_closing(tag[0]):
            break
        trailing.insert(0, tag[0])
        end = tag.start()
    return trailing


def _closed(
    file: CueFile, written: str, opened: Sequence[str], goes_on: bool
) -> tuple[str, list[str]]:
    """The text of a cue with the tags open before it; and the tags open at the end. If the sentence
    goes on in the next cue, the open tags are closed."""
    stack = list(opened)
    for tag in file.tag.finditer(written):
        name = tag_name(tag[0])
        if not name or name == "v":
            continue
        if not is_closing(tag[0]):
            stack.append(tag[0])
        elif any(tag_name(other) == name for other in stack):
            while tag_name(stack.pop()) != name:
                pass
    # A pair that ends where the cue begins has nothing in this cue.
    prefix, position = list(opened), 0
    while prefix and written.startswith(closing := closing_of(prefix[-1]), position):
        position += len(closing)
        prefix.pop()
    written = "".join(prefix) + (written[position:].lstrip() if position else written)
    if not goes_on:
        return written, []
    return written + "".join(map(closing_of, reversed(stack))), [_ID.sub("", tag) for tag in stack]
