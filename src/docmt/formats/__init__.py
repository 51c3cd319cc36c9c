"""Users' files: text is replaced by its translation, and everything else in a file stays as it was.

`read(path, language)` gives the documents of a file and a skeleton, the file without sentences;
`skeleton.write` puts the translated documents in. Each format is a module with such a `read`,
imported on first use, because splitting sentences takes long to load. `FORMATS` lists the formats
of files with more than text in them, and `Input` chooses among all formats. `place_codes` puts the
inline codes of a sentence into a translation.

Other packages import from here and from `docmt.formats.review` alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt.formats.bilingual.bilingual_blocks import read_bilingual_blocks
    from docmt.formats.bilingual.bilingual_texts import BILINGUAL_FORMATS, read_bilingual
    from docmt.formats.bilingual.tmx_files import write_tmx
    from docmt.formats.core.block_texts import BlockText, block_texts
    from docmt.formats.core.blocks import BlockSkeleton
    from docmt.formats.core.inline import (
        Alignment,
        AlignSentences,
        Block,
        Code,
        InlineSentence,
        Text,
        WordWeights,
        has_letter,
        has_word,
    )
    from docmt.formats.core.patches import apply_patches
    from docmt.formats.core.placing import place_codes, word_spans
    from docmt.formats.core.protected import words_of
    from docmt.formats.core.scopes import key_path, value_of
    from docmt.formats.core.sentence_cutting import Splitting, closed_up
    from docmt.formats.core.sentences import sentence_spans
    from docmt.formats.core.skeleton import (
        NOT_TEXT,
        FileSkeleton,
        NoTextError,
        Skeleton,
        Written,
        no_text,
        with_writable,
    )
    from docmt.formats.core.stand_ins import any_of, put_back, taken_out
    from docmt.formats.core.xml_events import NO_CHARACTER, escape_attribute, escape_text
    from docmt.formats.external import FORMAT_PLUGINS, OWN_SUFFIXES, external_reader
    from docmt.formats.format_registry import (
        FORMATS,
        PLAIN_TEXT,
        Format,
        format_named,
        format_names,
        format_of,
        plain_suffix,
    )
    from docmt.formats.input import CorpusReader, Input, read
    from docmt.formats.leaving_rules import LeavingRules, read_rules
    from docmt.formats.markup.html import read_html
    from docmt.formats.shards import EmptyShardError, Shard
    from docmt.formats.text.columns import Columns
    from docmt.formats.text.running import read_text
    from docmt.formats.tree import OtherFiles, Reason, Tree, TreeOptions, find_tree

__all__ = [
    "BILINGUAL_FORMATS",
    "FORMATS",
    "FORMAT_PLUGINS",
    "NOT_TEXT",
    "NO_CHARACTER",
    "OWN_SUFFIXES",
    "PLAIN_TEXT",
    "AlignSentences",
    "Alignment",
    "Block",
    "BlockSkeleton",
    "BlockText",
    "Code",
    "Columns",
    "CorpusReader",
    "EmptyShardError",
    "FileSkeleton",
    "Format",
    "InlineSentence",
    "Input",
    "LeavingRules",
    "NoTextError",
    "OtherFiles",
    "Reason",
    "Shard",
    "Skeleton",
    "Splitting",
    "Text",
    "Tree",
    "TreeOptions",
    "WordWeights",
    "Written",
    "any_of",
    "apply_patches",
    "block_texts",
    "closed_up",
    "escape_attribute",
    "escape_text",
    "external_reader",
    "find_tree",
    "format_named",
    "format_names",
    "format_of",
    "has_letter",
    "has_word",
    "key_path",
    "no_text",
    "place_codes",
    "plain_suffix",
    "put_back",
    "read",
    "read_bilingual",
    "read_bilingual_blocks",
    "read_html",
    "read_rules",
    "read_text",
    "sentence_spans",
    "taken_out",
    "value_of",
    "with_writable",
    "word_spans",
    "words_of",
    "write_tmx",
]

_MODULES = {
    "AlignSentences": "core.inline",
    "Alignment": "core.inline",
    "BILINGUAL_FORMATS": "bilingual.bilingual_texts",
    "Block": "core.inline",
    "BlockSkeleton": "core.blocks",
    "BlockText": "core.block_texts",
    "Code": "core.inline",
    "Columns": "text.columns",
    "CorpusReader": "input",
    "EmptyShardError": "shards",
    "FORMATS": "format_registry",
    "FORMAT_PLUGINS": "external",
    "FileSkeleton": "core.skeleton",
    "Format": "format_registry",
    "InlineSentence": "core.inline",
    "Input": "input",
    "LeavingRules": "leaving_rules",
    "NOT_TEXT": "core.skeleton",
    "NO_CHARACTER": "core.xml_events",
    "NoTextError": "core.skeleton",
    "OWN_SUFFIXES": "external",
    "OtherFiles": "tree",
    "PLAIN_TEXT": "format_registry",
    "Reason": "tree",
    "Shard": "shards",
    "Skeleton": "core.skeleton",
    "Splitting": "core.sentence_cutting",
    "Text": "core.inline",
    "Tree": "tree",
    "TreeOptions": "tree",
    "WordWeights": "core.inline",
    "Written": "core.skeleton",
    "any_of": "core.stand_ins",
    "apply_patches": "core.patches",
    "block_texts": "core.block_texts",
    "closed_up": "core.sentence_cutting",
    "escape_attribute": "core.xml_events",
    "escape_text": "core.xml_events",
    "external_reader": "external",
    "find_tree": "tree",
    "format_named": "format_registry",
    "format_names": "format_registry",
    "format_of": "format_registry",
    "has_letter": "core.inline",
    "has_word": "core.inline",
    "key_path": "core.scopes",
    "no_text": "core.skeleton",
    "place_codes": "core.placing",
    "plain_suffix": "format_registry",
    "put_back": "core.stand_ins",
    "read": "input",
    "read_bilingual": "bilingual.bilingual_texts",
    "read_bilingual_blocks": "bilingual.bilingual_blocks",
    "read_html": "markup.html",
    "read_rules": "leaving_rules",
    "read_text": "text.running",
    "sentence_spans": "core.sentences",
    "taken_out": "core.stand_ins",
    "value_of": "core.scopes",
    "with_writable": "core.skeleton",
    "word_spans": "core.placing",
    "words_of": "core.protected",
    "write_tmx": "bilingual.tmx_files",
}
"""The module of each name, which is loaded on first use."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
