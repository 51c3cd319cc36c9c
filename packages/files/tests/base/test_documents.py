"""What a document may be made of."""

from __future__ import annotations

from typing import Any

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError


@pytest.mark.parametrize("sides", [("Hello there",), (("Hello",), "Hallo"), (b"Hello",)])
def test_a_single_string_is_not_a_list_of_sentences(sides: Any) -> None:
    with pytest.raises(InputError, match=r"of document 'a' is a single (str|bytes)") as caught:
        Document("a", *sides)
    assert "for one sentence" in str(caught.value)


def test_an_empty_string_is_not_an_empty_document() -> None:
    with pytest.raises(InputError, match="single str"):
        Document("a", "")  # type: ignore[arg-type]
