"""Messages with arguments, choices and quoted braces, drawn from the grammar of MessageFormat."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

from docmt_files import BlockSkeleton, Input

_TEXT = [
    "One file",
    "is",
    "it''s",
    "of",
    "''",
    "and",
    "Open.",
    "'{'",
    "'}'",
    "'{'x'}'",
    "'{a, b''s}'",
]
_KINDS = ["", ", number", ",number,integer", ", date, short", ", spellout"]


def message(draw: random.Random, depth: int = 0) -> str:
    """A message of MessageFormat or ICU."""
    parts = []
    for _ in range(draw.randint(1, 5)):
        kind = draw.random()
        if kind < 0.6 or depth > 2:
            parts.append(draw.choice(_TEXT))
        elif kind < 0.8:
            parts.append(f"{{{draw.choice(['0', '1', 'name'])}{draw.choice(_KINDS)}}}")
        elif kind < 0.9:
            branches = "|".join(
                f"{n}{draw.choice('#<')}{_without_bars(message(draw, depth + 1))}" for n in range(2)
            )
            parts.append(f"{{0,choice,{branches}}}")
        else:
            word = draw.choice(["plural", "select", "selectordinal"])
            branches = " ".join(
                f"{key} {{{message(draw, depth + 1)}}}"
                for key in (draw.choice(["one", "=1"]), "other")
            )
            parts.append(f"{{n, {word}, {branches}}}")
    return draw.choice([" ", " ", ""]).join(parts)


def _without_bars(text: str) -> str:
    return text.replace("|", "")


def arguments(text: str) -> tuple[Counter[str], str]:
    """The arguments of a message, as they are written but for the texts of branches, and its text
    without quotes.

    Raises:
        ValueError: it is not a message: a brace is not closed, or closes nothing.
    """
    found: Counter[str] = Counter()
    shown, at = [], 0
    while at < len(text):
        character = text[at]
        if text.startswith("''", at):
            shown.append("'")
            at += 2
        elif character == "'" and text[at + 1 : at + 2] in ("{", "}"):
            end = _end_of_quote(text, at + 1)
            shown.append(text[at + 1 : end].replace("''", "'"))
            at = end + 1
        elif character == "{":
            end = _end_of_argument(text, at)
            found[_without_words(text[at:end])] += 1
            at = end
        elif character == "}":
            raise ValueError(f"unexpected brace at {at} in {text!r}")
        else:
            shown.append(character)
            at += 1
    return found, "".join(shown)


def _without_words(argument: str) -> str:
    """An argument with the arguments of each branch in the place of the texts of branches."""
    head = re.match(r"\{n, \w+,", argument)
    if head is None:
        return argument
    made, at = [head[0]], head.end()
    while (brace := argument.find("{", at)) >= 0:
        end = _end_of_argument(argument, brace)
        inner = arguments(argument[brace + 1 : end - 1])[0]
        made.append(f"{argument[at:brace]}{sorted(inner.elements())}")
        at = end
    return "".join([*made, argument[at:]])


def _end_of_quote(text: str, at: int) -> int:
    """Where what is quoted ends: at an apostrophe that is not doubled, or with the text."""
    while at < len(text):
        if text.startswith("''", at):
            at += 2
        elif text[at] == "'":
            return at
        else:
            at += 1
    return at


def _end_of_argument(text: str, at: int) -> int:
    """Where the argument ends that begins with this brace."""
    depth = 0
    while at < len(text):
        if text.startswith("''", at):
            at += 2
            continue
        if text[at] == "'" and text[at + 1 : at + 2] in ("{", "}"):
            at = _end_of_quote(text, at + 1)
        elif text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    raise ValueError(f"an argument is not closed in {text!r}")


def fill_message(folder: Path, draw: random.Random) -> None:
    """A message that is translated is one with the same arguments, and shows the translation."""
    text = f"A {message(draw)} o''clock, '{{'end'}}'."
    arguments(text)  # It is a message.
    suffix = draw.choice([".json", ".properties"])
    path = folder / f"in{suffix}"
    written = json.dumps({"key": text}) if suffix == ".json" else f"key={text}\n"
    path.write_text(written, encoding="utf-8")
    documents, skeleton = Input().read(path, "en", "de")
    assert isinstance(skeleton, BlockSkeleton)
    if draw.random() < 0.5:
        documents, kept = skeleton.keep_words(documents, lambda *_: draw.random() < 0.9)
        assert isinstance(kept, BlockSkeleton)
        skeleton = kept
    change = draw.choice(
        [str.upper, lambda s: s[::-1], lambda s: f"l'{s}'", lambda s: f"{{{s}", lambda _: "'"]
    )
    (document,) = documents
    filled = skeleton.fill([document.translated([change(s) for s in document.source])])
    # The target language may have fewer branches.
    old, new = (
        json.loads(file)["key"]
        if suffix == ".json"
        else file.removesuffix("\n").removeprefix("key=")
        for file in (skeleton.text, filled)
    )
    assert arguments(new)[0] == arguments(old)[0], (old, new)
