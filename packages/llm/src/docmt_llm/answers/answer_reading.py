"""Reading of answers of large language models: tolerant of text around the requested JSON, strict
about ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from docmt_files.storage.json_files import parse_json

_MAX_CHARACTERS = 1 << 20
"""Maximum number of characters to read of an answer."""

_MAX_DAMAGED = 16
"""Maximum number of damaged objects to read in an answer."""

_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\A```[\w-]*\s*\n(.*?)\n?\s*```\Z", re.DOTALL)
_SPACE = re.compile(r"\s*")


def read_string(answer: str, *, is_complete: bool = True) -> str | None:
    """Read the answer to a request for one JSON string.

    The string may be in a code fence, after thoughts, or the only string of an object or a list. Of
    a truncated answer, the first line that is a JSON string counts: small models go on after it. A
    single line without any JSON is accepted too: with one sentence per request, there is no doubt
    about the sentence.

    Args:
        answer: the answer.
        is_complete: whether the model ended the answer. In a truncated answer only a complete JSON
            string counts.

    Returns:
        The text; None if the answer has no text, or several.

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
        return strings[0] if len(set(strings)) == 1 or not is_complete else None
    if not text or "\n" in text or not is_complete or text[0] in "{[":
        return None
    if text[0] == '"' == text[-1] and len(text) > 1:
        # A quotation mark in the text that has no backslash before it is a frequent mistake.
        text = text[1:-1].replace('\\"', '"')
        if "\\" in text:
            return None
    return None if text.count('"') % 2 else text


def read_object(answer: str, sources: Mapping[str, str]) -> dict[str, str] | None:
    """Read the answer to a request for one JSON object with a text under each id.

    The object may be in a code fence, among other text, or truncated. A list of objects with an id
    and a text each is accepted too. The order of texts never matters. An id with two different
    texts has none, unless one of the two repeats the request.

    Args:
        answer: the answer.
        sources: the texts in the request, by id.

    Returns:
        The texts found, by id; None if there is no object.

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


def read_pairs(answer: str) -> dict[str, str]:
    """Read the answer to a request for one JSON object of texts under keys of the model's choice.
    Of equal keys, the first counts.

    >>> read_pairs('Here: {"Rome": "Rom", "n": 1}')
    {'Rome': 'Rom'}
    """
    members = [member for one in _objects(_core(answer)) for member in one]
    return {key: value for key, value in reversed(members) if isinstance(value, str)}


def _core(answer: str) -> str:
    """An answer without thoughts and without the code fence around it."""
    text = _THOUGHTS.sub("", answer[:_MAX_CHARACTERS], count=1).strip()
    match = _FENCE.match(text)
    return match[1].strip() if match else text


def _only_string(value: Any) -> str | None:
    """The string itself, or the only string in an object or a list."""
    if isinstance(value, dict | list) and len(value) == 1:
        value = next(iter(value.values() if isinstance(value, dict) else value))
    return value if isinstance(value, str) else None


def _json_string(line: str) -> str | None:
    """The string on a line, if the line is a JSON string."""
    line = line.strip()
    if not line.startswith('"'):
        return None
    try:
        value = parse_json(line, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _objects(text: str) -> Iterator[_Pairs]:
    """The outermost objects of a text; a damaged object up to the damage."""
    position = damaged = 0
    while damaged < _MAX_DAMAGED and (start := text.find("{", position)) >= 0:
        members, position = _members(text, start)
        is_whole = text[position - 1] == "}"
        damaged += not is_whole
        if members or is_whole:
            yield members


def _members(text: str, start: int) -> tuple[_Pairs, int]:
    """The members of the object at an offset of a text, up to the end of valid JSON, and the next
    offset."""
    members = _Pairs()
    position = _skip_space(text, start + 1)
    while text[position : position + 1] == '"':
        try:
            key, position = _DECODER.raw_decode(text, position)
            position = _skip_space(text, position)
            if text[position : position + 1] != ":":
                break
            value, position = _DECODER.raw_decode(text, _skip_space(text, position + 1))
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
    """The members of an object, including members with equal keys."""

    def flat(self) -> Iterator[tuple[str, Any]]:
        """The members, the members of nested objects, and the ids and texts of objects in lists."""
        yield from self._with_id()
        for _, value in self:
            for item in value if isinstance(value, list) and not _is_object(value) else [value]:
                if isinstance(item, _Pairs):
                    yield from item._with_id()

    def _with_id(self) -> Iterator[tuple[str, Any]]:
        """The id and the text of an object with both as values; otherwise the members."""
        ids = [value for key, value in self if key == "id" and isinstance(value, str)]
        texts = [value for key, value in self if key != "id" and isinstance(value, str)]
        if len(ids) == len(texts) == 1:
            yield ids[0], texts[0]
        else:
            yield from self


def _is_object(value: object) -> bool:
    return isinstance(value, _Pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, strict=False)
"""Reads one JSON value at an offset."""
