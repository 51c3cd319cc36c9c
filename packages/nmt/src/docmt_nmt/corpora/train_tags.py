"""The training data of IWSLT (`train.tags.en-de.en`): one sentence per line, and lines of tags
about the talks. Both files have the same talks and as many sentences in each; tags may differ.
Sentences are text, not XML, so entities stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docmt_files.base.documents import Document
from docmt_files.storage.corpus_checks import Checks
from docmt_files.storage.files import PathLike, read_lines
from docmt_nmt.corpora.sides import Side, pair

_LINE_OF_TAGS = re.compile(
    r"\s*</?(doc|url|keywords|speaker|talkid|title|description|reviewer|translator|transcript"
    r"|content|dct|refset|srcset|mteval|xml)\b[^<>]*>.*",
    re.IGNORECASE,
)
_AFTER_TALK = ("reviewer", "translator")
"""Tags after the sentences of a talk."""

_DOCUMENT_ID = re.compile(r"<doc\b[^<>]*\bdocid\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_TALK_ID = re.compile(r"<talkid>([^<]*)</talkid>", re.IGNORECASE)


def read(source: PathLike, target: PathLike | None, allow_empty: bool) -> Iterator[Document]:
    """Read the documents of training data in this form; see `docmt_nmt.corpora.read`."""
    checks = Checks(source, allow_empty)
    if target is None:
        return pair(_read_side(checks), None, checks)
    target_checks = Checks(target, allow_empty)
    return pair(_read_side(checks), _read_side(target_checks), checks, target_checks)


def _read_side(checks: Checks) -> Iterator[Side]:
    """Yield the talks of a file."""
    talk: Side | None = None
    for number, line in enumerate(read_lines(checks.path), start=1):
        match = _LINE_OF_TAGS.match(line)
        if match is None:
            if talk is None and line.strip():
                raise checks.error(
                    "text before the first talk",
                    "Check that it is the file as published, with lines such as <url> and <talkid>",
                    number,
                )
            if talk is not None:
                talk.add(line.strip(), number)
            continue
        name = match[1].lower()
        is_end = match[0].lstrip().startswith("</") or name in _AFTER_TALK
        if not is_end and (talk is None or talk.sentences or name == "doc"):
            if talk is not None:
                yield _with_id(talk, checks)
            talk = Side("", number)
        if talk is not None and (named := _DOCUMENT_ID.search(line) or _TALK_ID.search(line)):
            talk.id = talk.id or named[1].strip()
    if talk is not None:
        yield _with_id(talk, checks)


def _with_id(talk: Side, checks: Checks) -> Side:
    """Return a talk, which must have an id."""
    if not talk.id:
        problem = "the talk that begins here has neither <doc docid> nor <talkid>"
        raise checks.error(problem, "Add the line <talkid>…</talkid> on both sides", talk.line)
    return talk
