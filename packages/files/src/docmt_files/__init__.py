"""Users' files: text is replaced by its translation, and everything else in a file stays as it was.

`read(path, language)` gives the documents of a file and a skeleton, the file without sentences;
`skeleton.write` puts the translated documents in. Each format is a module with such a `read`,
imported on first use, because splitting sentences takes long to load. `FORMATS` lists the formats
of files with more than text in them, and `Input` chooses among all formats. `place_codes` puts the
inline codes of a sentence into a translation.

Other packages import from here and from `docmt_files.review` alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docmt_files.bilingual.bilingual_blocks import read_bilingual_blocks
    from docmt_files.bilingual.bilingual_texts import BILINGUAL_FORMATS, read_bilingual
    from docmt_files.bilingual.tmx_files import write_tmx
    from docmt_files.core.block_texts import STAND_IN, BlockText, block_texts
    from docmt_files.core.blocks import BlockSkeleton
    from docmt_files.core.inline import (
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
    from docmt_files.core.patches import apply_patches
    from docmt_files.core.placement.placing import place_codes
    from docmt_files.core.placement.words import word_spans, words_pattern
    from docmt_files.core.protection.masking import mask, unmask
    from docmt_files.core.protection.placeholders import placeholder_words
    from docmt_files.core.scopes import key_path, value_in_scopes
    from docmt_files.core.sentence_cutting import Splitting, without_line_ends
    from docmt_files.core.sentences import sentence_spans
    from docmt_files.core.skeleton import (
        FileSkeleton,
        NoTextError,
        Skeleton,
        Written,
        with_writable,
    )
    from docmt_files.exclusion.exclusion_rules import ExclusionRules, read_exclusion_rules
    from docmt_files.format_registry import (
        FORMATS,
        PLAIN_TEXT,
        Format,
        format_named,
        format_names,
        format_of,
        plain_suffix,
    )
    from docmt_files.markup.html import read_html
    from docmt_files.reading.external import FORMAT_PLUGINS, OWN_SUFFIXES, external_reader
    from docmt_files.reading.input import Input, read
    from docmt_files.storage.shards import EmptyShardError, Shard
    from docmt_files.text.columns import Columns
    from docmt_files.text.running import read_text
    from docmt_files.tree import Reason, Tree, TreeOptions, find_tree

__version__ = "0.1.0"

__all__ = [
    "BILINGUAL_FORMATS",
    "FORMATS",
    "FORMAT_PLUGINS",
    "OWN_SUFFIXES",
    "PLAIN_TEXT",
    "STAND_IN",
    "AlignSentences",
    "Alignment",
    "Block",
    "BlockSkeleton",
    "BlockText",
    "Code",
    "Columns",
    "EmptyShardError",
    "ExclusionRules",
    "FileSkeleton",
    "Format",
    "InlineSentence",
    "Input",
    "NoTextError",
    "Reason",
    "Shard",
    "Skeleton",
    "Splitting",
    "Text",
    "Tree",
    "TreeOptions",
    "WordWeights",
    "Written",
    "__version__",
    "apply_patches",
    "block_texts",
    "external_reader",
    "find_tree",
    "format_named",
    "format_names",
    "format_of",
    "has_letter",
    "has_word",
    "key_path",
    "mask",
    "place_codes",
    "placeholder_words",
    "plain_suffix",
    "read",
    "read_bilingual",
    "read_bilingual_blocks",
    "read_exclusion_rules",
    "read_html",
    "read_text",
    "sentence_spans",
    "unmask",
    "value_in_scopes",
    "with_writable",
    "without_line_ends",
    "word_spans",
    "words_pattern",
    "write_tmx",
]

_MODULES = {
    "AlignSentences": "core.inline",
    "Alignment": "core.inline",
    "BILINGUAL_FORMATS": "bilingual.bilingual_texts",
    "Block": "core.inline",
    "BlockSkeleton": "core.blocks",
    "BlockText": "core.block_texts",
    "STAND_IN": "core.block_texts",
    "Code": "core.inline",
    "Columns": "text.columns",
    "EmptyShardError": "storage.shards",
    "ExclusionRules": "exclusion.exclusion_rules",
    "FORMATS": "format_registry",
    "FORMAT_PLUGINS": "reading.external",
    "FileSkeleton": "core.skeleton",
    "Format": "format_registry",
    "InlineSentence": "core.inline",
    "Input": "reading.input",
    "NoTextError": "core.skeleton",
    "OWN_SUFFIXES": "reading.external",
    "PLAIN_TEXT": "format_registry",
    "Reason": "tree",
    "Shard": "storage.shards",
    "Skeleton": "core.skeleton",
    "Splitting": "core.sentence_cutting",
    "Text": "core.inline",
    "Tree": "tree",
    "TreeOptions": "tree",
    "WordWeights": "core.inline",
    "Written": "core.skeleton",
    "apply_patches": "core.patches",
    "block_texts": "core.block_texts",
    "external_reader": "reading.external",
    "find_tree": "tree",
    "format_named": "format_registry",
    "format_names": "format_registry",
    "format_of": "format_registry",
    "has_letter": "core.inline",
    "has_word": "core.inline",
    "key_path": "core.scopes",
    "mask": "core.protection.masking",
    "place_codes": "core.placement.placing",
    "placeholder_words": "core.protection.placeholders",
    "plain_suffix": "format_registry",
    "read": "reading.input",
    "read_bilingual": "bilingual.bilingual_texts",
    "read_bilingual_blocks": "bilingual.bilingual_blocks",
    "read_exclusion_rules": "exclusion.exclusion_rules",
    "read_html": "markup.html",
    "read_text": "text.running",
    "sentence_spans": "core.sentences",
    "unmask": "core.protection.masking",
    "value_in_scopes": "core.scopes",
    "with_writable": "core.skeleton",
    "without_line_ends": "core.sentence_cutting",
    "word_spans": "core.placement.words",
    "words_pattern": "core.placement.words",
    "write_tmx": "bilingual.tmx_files",
}
"""The module of each name, which is loaded on first use."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
