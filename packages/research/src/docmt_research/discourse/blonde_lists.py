"""Words counted by BlonDe, by ISO 639 code: classes of pronouns, and discourse markers by relation
in the Penn Discourse Treebank. All words are in lower case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Classes = Mapping[str, Sequence[str]]
"""For each class, the words or, for discourse markers, the phrases."""

PRONOUN_CLASSES: Mapping[str, Classes] = {
    "en": {
        "masculine": ("he", "his", "him", "himself"),
        "feminine": ("she", "her", "hers", "herself"),
        "neuter": ("it", "its", "itself"),
        "epicene": ("they", "their", "them", "themselves"),
    },
    # "sie" is she or they, "ihm" and "sein" are his or its: the form determines the class.
    "de": {
        "er": ("er", "ihn"),
        "sie": ("sie", "ihr", "ihnen", "ihre", "ihren", "ihrem", "ihrer", "ihres"),
        "es": ("es",),
        "ihm": ("ihm", "sein", "seine", "seinen", "seinem", "seiner", "seines"),
    },
}
"""The classes of pronouns. The English classes are from Jiang et al. 2022."""

PRONOUN_WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "en": {"masculine": 0.5, "feminine": 0.5, "neuter": 0.0, "epicene": 0.0},
    "de": {"er": 0.25, "sie": 0.25, "es": 0.25, "ihm": 0.25},
}
"""Weights of pronouns by class. In English as in the published program, where only
masculine and feminine ones count."""

MARKERS: Mapping[str, Classes] = {
    "en": {
        "comparison": (
            "but",
            "while",
            "however",
            "although",
            "though",
            "still",
            "yet",
            "whereas",
            "on the other hand",
            "in contrast",
            "by contrast",
            "by comparison",
            "conversely",
        ),
        "cause": (
            "if",
            "because",
            "so",
            "since",
            "thus",
            "hence",
            "as a result",
            "therefore",
            "thereby",
            "accordingly",
            "consequently",
            "in consequence",
            "for this reason",
        ),
        "conjunction": ("also", "in addition", "moreover", "additionally", "besides", "plus"),
        "asynchronous": (
            "when",
            "after",
            "then",
            "before",
            "until",
            "later",
            "once",
            "afterward",
            "next",
        ),
        "synchronous": ("meantime", "meanwhile", "simultaneously"),
    },
    "de": {
        "comparison": (
            "aber",
            "jedoch",
            "doch",
            "dennoch",
            "trotzdem",
            "obwohl",
            "obgleich",
            "allerdings",
            "hingegen",
            "dagegen",
            "während",
            "wohingegen",
            "im gegensatz dazu",
            "sondern",
            "andererseits",
            "auf der anderen seite",
            "umgekehrt",
            "nichtsdestotrotz",
        ),
        "cause": (
            "wenn",
            "falls",
            "weil",
            "denn",
            "deshalb",
            "deswegen",
            "daher",
            "darum",
            "also",
            "somit",
            "folglich",
            "demnach",
            "infolgedessen",
            "so dass",
            "so daß",
            "sodass",
            "aus diesem grund",
            "aus diesem grunde",
        ),
        "conjunction": (
            "auch",
            "außerdem",
            "zudem",
            "ferner",
            "überdies",
            "darüber hinaus",
            "ebenfalls",
            "des weiteren",
            "zusätzlich",
        ),
        "asynchronous": (
            "nachdem",
            "danach",
            "dann",
            "daraufhin",
            "bevor",
            "ehe",
            "bis",
            "später",
            "sobald",
            "anschließend",
            "hierauf",
            "vorher",
            "zuvor",
        ),
        "synchronous": (
            "inzwischen",
            "währenddessen",
            "unterdessen",
            "indessen",
            "gleichzeitig",
            "zugleich",
        ),
    },
}
"""The discourse markers. The English markers are from the published program, without `else,`, which
is never a token there."""

TENSE_CLASSES: Mapping[str, Sequence[str]] = {
    "VBD": ("VVD", "VBD", "VHD", "VDD"),
    "VBN": ("VVN", "VBN", "VHN", "VDN"),
    "VBP": ("VVB", "VBB", "VHB", "VDB"),
    "VBZ": ("VVZ", "VBZ", "VHZ", "VDZ"),
    "VBG": ("VVG", "VBG", "VHG", "VDG"),
    "VB": ("VVI", "VBI", "VHI", "VDI"),
    "MD": ("VM0",),
}
"""The classes of English verbs of Jiang et al. 2022, tags of the Penn Treebank, and the
corresponding tags of the British National Corpus in the Hanover Tagger."""
