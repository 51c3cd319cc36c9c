"""Glossaries in TSV, CSV and TBX that are damaged before they are read."""

from __future__ import annotations

import gzip
import random
from html import escape
from itertools import pairwise
from pathlib import Path

from docmt import glossaries
from fuzz.mutations import insert, mutate_file

_TERMS = [
    ("mendicant|mendicants", "Bettelmönch|Bettelmönche", ""),
    ("Jeta’s Grove", "Jetahain", "case"),
    ("a\\|b", "c", "part"),
    ("%s", "", "every part"),
    ("IT", "", "case every"),
    ("中。", "Mitte", ""),
    ("& <b>", "und", ""),
    ("n't", "nicht", "part"),
]

_TOKENS = [
    "|",
    "\\|",
    "\t",
    ";",
    ",",
    '"',
    '""',
    "case",
    "every part",
    "<term>",
    "</termSec>",
    "<termSec>",
    "]]>",
    "&lt;",
    "<!ENTITY a 'b'>",
    "&a;",
    "\u0301",
    "İ",
    "ﬀ",
    "\x1c",
]


def write_glossaries(folder: Path) -> None:
    """The same terms in every format."""
    rows = [("source", "target", "flags"), *_TERMS]
    texts = {
        "terms.tsv": "".join("\t".join(row) + "\n" for row in rows),
        "commas.csv": "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows),
        "semicolons.csv": "".join(";".join(row) + "\n" for row in rows),
        "version-2.tbx": _tbx("martif", "termEntry", "langSet", "tig"),
        "version-3.tbx": _tbx("tbx", "conceptEntry", "langSec", "termSec"),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        glossaries.read(folder / name, ("en", "de"))


def _tbx(root: str, concept: str, language: str, term: str) -> str:
    """The terms with a target, in TBX."""

    def forms(cell: str, code: str) -> str:
        own = "".join(
            f"<{term}><term>{escape(form)}</term>"
            f'<termNote type="administrativeStatus">preferredTerm</termNote></{term}>'
            for form in cell.split("|")
        )
        return f'<{language} xml:lang="{code}">{own}</{language}>\n'

    concepts = "".join(
        f"<{concept}>\n{forms(source, 'en')}{forms(target, 'de')}</{concept}>\n"
        for source, target, _ in _TERMS
        if target
    )
    return f'<?xml version="1.0"?>\n<{root}><text><body>{concepts}</body></text></{root}>\n'


def read_glossary(folder: Path, draw: random.Random) -> None:
    """Read a damaged glossary, and find its terms in strange text."""
    file = draw.choice(sorted(folder.iterdir()))
    if draw.random() < 0.5:
        text = file.read_text(encoding="utf-8")
        at = draw.randrange(len(text) + 1)
        file.unlink()
        file.write_text(text[:at] + draw.choice(_TOKENS) + text[at:], encoding="utf-8")
    else:
        mutate_file(file, draw)
    if file.is_file() and draw.random() < 0.1:
        packed = file.with_name(f"{file.name}.gz")
        packed.write_bytes(gzip.compress(file.read_bytes()))
        file = packed
    glossary = glossaries.read(file, ("en", "de"))
    assert len(glossary) > 0
    forms = [form for term in glossary.terms for form in term.source]
    for form in draw.choices(forms, k=3):
        sentence = f"{form} {draw.choice(_TOKENS)}{form.upper()}, ".join(draw.choices(forms, k=3))
        sentence = insert(sentence.encode(), draw).decode("utf-8", "replace")
        text = glossary.normalize(sentence)
        found = glossary.find(sentence)
        assert all(text[m.start :].startswith(m.text) for m in found)
        assert all(a.start + len(a.text) <= b.start for a, b in pairwise(found))
    glossary.find((draw.choice(forms) + " ") * (5_000 // (len(forms[0]) + 1)))
