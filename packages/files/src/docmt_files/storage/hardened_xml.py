"""Parsers of XML for files of unknown origin, by expat: definitions of entities are refused, so
nothing is expanded, and no other file is opened."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from docmt_files.base.errors import InputError

Refuse = Callable[[str, str, int], InputError]
"""Makes the error about a file, of the problem, the cure and the line."""


def hardened_parser(refuse: Refuse, *, namespaces: bool = False) -> expat.XMLParserType:
    """A parser without handlers for elements and text. A `<!DOCTYPE>` without definitions has no
    effect.

    Args:
        refuse: makes the error about a file with entity definitions.
        namespaces: whether names are `NAMESPACE}LOCAL`, and are names of UTF-8 text whatever the
            declared encoding.
    """
    parser = (
        expat.ParserCreate("utf-8", namespace_separator="}") if namespaces else expat.ParserCreate()
    )

    def refuse_entity(name: str, *_: object) -> None:
        raise refuse(
            f"the file defines or uses the entity {name!r}, which is not expanded",
            "Write its text in its place",
            parser.CurrentLineNumber,
        )

    parser.EntityDeclHandler = refuse_entity
    parser.SkippedEntityHandler = refuse_entity
    return parser


def parse_block(
    parser: expat.XMLParserType, block: bytes, *, final: bool, refuse: Refuse, cure: str
) -> None:
    """Parse the next bytes of a file.

    Args:
        parser: of `hardened_parser`.
        refuse: makes the error about a file other than XML.
        cure: the cure for such a file.

    Raises:
        InputError: it is not valid XML, or a handler refuses it.
    """
    try:
        parser.Parse(block, final)
    except InputError:
        raise
    except (expat.ExpatError, ValueError, LookupError) as error:
        problem = f"is not valid XML ({error})"
        raise refuse(problem, cure, parser.CurrentLineNumber) from None
