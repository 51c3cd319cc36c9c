"""The words by which sentences are put into categories, by ISO 639 code, in lower case."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from docmt_nmt.text.word_lists import FUNCTION_WORDS

_ENGLISH = {
    "pronouns": "it its itself they them their theirs themselves",
    "determiners": "the a an this that these those my your his her our their its every each some "
    "any no another both all many several few whose",
    "auxiliaries": "am is are was were be been do does did have has had can could may might must "
    "shall should will would ought ca wo sha 's 're 've 'll 'd 'm ’s ’re ’ve ’ll ’d ’m",
    "subjects": "i you he she it we they who there this that",
    "particles": "not n't n’t too either also",
    "connectors": "so neither nor and but or oh well yes no then",
    "infinitives": "to",
}

CATEGORY_LISTS: Mapping[str, Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "en": {
            **{name: frozenset(text.split()) for name, text in _ENGLISH.items()},
            "function_words": FUNCTION_WORDS["en"],
        },
        **{
            code: {"function_words": words}
            for code, words in FUNCTION_WORDS.items()
            if code != "en"
        },
    }
)
"""The lists of a language by their names; see `CategorySettings`."""
