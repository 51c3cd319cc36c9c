"""`Shard`: one of several equal parts of a large corpus, for separate translation, such as by tasks
of a cluster. The k-th of n shards has the documents k, k + n, k + 2n, …"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from docmt_files.base.errors import InputError

T = TypeVar("T")

_MAX_SHARDS = 1_000_000


class EmptyShardError(InputError):
    """A corpus has fewer documents than shards, so this shard has none."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a corpus.

    Attributes:
        number: the number of the part, from 1.
        count: the number of parts.
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read a shard of the form `3/64`.

        Raises:
            InputError: the text has another form.

        >>> Shard.parse("3/64")
        Shard(number=3, count=64)
        """
        match = re.fullmatch(r"(\d{1,7})/(\d{1,7})", text, re.ASCII)
        number, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= count <= _MAX_SHARDS:
            raise InputError(
                f"`shard={text}` is not one of several parts",
                cure="Write its number and that of all, such as 3/64, counted from 1",
                parameters=(f"shard={text}",),
            )
        return cls(number, count)

    def of(self, documents: Iterable[T]) -> Iterator[T]:
        """Return the documents of the shard, out of all documents."""
        return islice(documents, self.number - 1, None, self.count)

    def path(self, path: Path) -> Path:
        """Return the file of the shard's translation, given the file of the whole translation.

        >>> Shard(3, 64).path(Path("out/news.jsonl")).name
        'news.00003-of-00064.jsonl'
        """
        return path.with_name(f"{path.stem}.{self.number:05}-of-{self.count:05}{path.suffix}")
