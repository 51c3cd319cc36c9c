"""Reading of answers of large language models: tolerant about what stands around the JSON that was
asked for, strict about ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from docmt.storage.json_files import parse_json

_MAX_CHARACTERS = 1 << 20
"""The most characters of an answer that are looked at."""

_MAX_DAMAGED = 16
"""The most damaged objects of an answer that are looked at."""

_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\A```[\w-]*\s*\n(.*?)\n?\s*```\Z", re.DOTALL)
_SPACE = re.compile(r"\s*")


def read_string(answer: str, *, is_complete: bool = True) -> str | None:
    """Read the answer to a request for one JSON string.

    It may be in a code fence or after thoughts, the only string of an object or of a list, or text
    of one line that is not in JSON at all: with one sentence in a request it is clear which one it
    is for.

    Args:
        answer: the answer.
        is_complete: whether the model has ended it. Of what was cut off only a whole string counts.

    Returns:
        The text; None if the answer has none, or several.

    >>> read_string('```json\\n"Guten Morgen."\\n```')
    'Guten Morgen.'
    """
    text = _core(answer)
    try:
        return _only_string(parse_json(text, strict=False))
    except ValueError:
        pass
    strings = [value for line in text.splitlines() if (value := _json_string(line)) is not None]
    if strings:
        return strings[0] if len(strings) == 1 else None
    if not text or "\n" in text or not is_complete or text[0] in "{[":
        return None
    if text[0] == '"' == text[-1] and len(text) > 1:
        # A quotation mark in the text that has no backslash before it is a frequent mistake.
        text = text[1:-1].replace('\\"', '"')
        if "\\" in text:
            return None
    return None if text.count('"') % 2 else text


def read_object(answer: str, sources: Mapping[str, str]) -> dict[str, str] | None:
    """Read the answer to a request for one JSON object with a text under each of some ids.

    It may be in a code fence, among other text, or cut off; also a list of objects that have an id
    and a text each. Nothing is taken by its order, and an id with two different texts has none,
    unless the request is repeated before the answer.

    Args:
        answer: the answer.
        sources: the ids, with what the request has under them.

    Returns:
        The texts by their ids, of those that there are; None if there is no object.

    >>> read_object('Sure: {"s1": "Guten Tag.", "s3": "Nein."}', {"s1": "Hello.", "s2": "Yes."})
    {'s1': 'Guten Tag.'}
    """
    texts: dict[str, set[str]] = {key: set() for key in sources}
    objects = list(_objects(_core(answer)))
    for key, value in chain.from_iterable(members.flat() for members in objects):
        if key in texts and isinstance(value, str):
            texts[key].add(value)
    if not objects:
        return None
    for key, values in texts.items():
        if len(values) > 1:
            values.discard(sources[key])
    return {key: values.pop() for key, values in texts.items() if len(values) == 1}


def _core(answer: str) -> str:
    """An answer without thoughts and without a code fence around it."""
    text = _THOUGHTS.sub("", answer[:_MAX_CHARACTERS], count=1).strip()
    match = _FENCE.match(text)
    return match[1].strip() if match else text


def _only_string(value: Any) -> str | None:
    """The string that a value is, or has as all that is in it."""
    if isinstance(value, dict | list) and len(value) == 1:
        value = next(iter(value.values() if isinstance(value, dict) else value))
    return value if isinstance(value, str) else None


def _json_string(line: str) -> str | None:
    """The string that a line is in JSON, if it is one."""
    line = line.strip()
    if not line.startswith('"'):
        return None
    try:
        value = parse_json(line, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _objects(text: str) -> Iterator[_Pairs]:
    """The outermost objects of a text; of damaged ones what comes before the damage."""
    position = damaged = 0
    while damaged < _MAX_DAMAGED and (start := text.find("{", position)) >= 0:
        members, position = _members(text, start)
        is_whole = text[position - 1] == "}"
        damaged += not is_whole
        if members or is_whole:
            yield members


def _members(text: str, start: int) -> tuple[_Pairs, int]:
    """The members of the object that begins at an offset of a text, up to where it is no JSON any
    more, and the offset after that."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, strict=False)
    members = _Pairs()
    position = _skip_space(text, start + 1)
    while text[position : position + 1] == '"':
        try:
            key, position = decoder.raw_decode(text, position)
            position = _skip_space(text, position)
            if text[position : position + 1] != ":":
                break
            value, position = decoder.raw_decode(text, _skip_space(text, position + 1))
        except (ValueError, RecursionError):
            break
        position = _skip_space(text, position)
        ends_with = text[position : position + 1]
        # After anything else the text has a quotation mark without a backslash, and goes on.
        if ends_with in (",", "}"):
            members.append((key, value))
        if ends_with != ",":
            break
        position = _skip_space(text, position + 1)
    return members, position + (text[position : position + 1] == "}")


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, also those with equal keys."""

    def flat(self) -> Iterator[tuple[str, Any]]:
        """The members, those of objects in them, and the ids and texts of objects in lists."""
        yield from self._with_id()
        for _, value in self:
            for item in value if isinstance(value, list) and not _is_object(value) else [value]:
                if isinstance(item, _Pairs):
                    yield from item._with_id()

    def _with_id(self) -> Iterator[tuple[str, Any]]:
        """The id and the text of an object that has both as values; else its members."""
        ids = [value for key, value in self if key == "id" and isinstance(value, str)]
        texts = [value for key, value in self if key != "id" and isinstance(value, str)]
        if len(ids) == len(texts) == 1:
            yield ids[0], texts[0]
        else:
            yield from self


def _is_object(value: object) -> bool:
    return isinstance(value, _Pairs)
