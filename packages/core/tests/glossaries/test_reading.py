"""Glossary files: tables and TBX, and what is wrong with them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt import glossaries
from docmt.glossaries.glossary_tables import read_csv, read_tsv
from docmt_files.base.errors import InputError
from docmt_nmt.translators.glossary import Term

LANGUAGES = ("en", "de")

FORM = (
    st.text("ab|ß 中\"'", min_size=1, max_size=4)
    .map(lambda text: " ".join(text.split()).strip())
    .filter(lambda text: text and text != "|")
)
FORMS = st.lists(FORM, min_size=1, max_size=3).map(tuple)


def write(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


TABLES = {
    "one.tsv": "light bulb\tGlühlampe\n",
    "heading.tsv": "Source\tTarget\tFlags\nlight bulb\tGlühlampe\t\n",
    "notes.tsv": "source\ttarget\tflags\tnote\tmore\nlight bulb\tGlühlampe\t\tsee 5\t\n",
    "notes.csv": "source;target;flags;note\nlight bulb;Glühlampe\n",
    "windows.tsv": "\ufefflight bulb\tGlühlampe\r\n\r\n",
    "commas.csv": "light bulb,Glühlampe\n",
    "semicolons.csv": "light bulb;Glühlampe\n",
    "quotes.csv": '"light bulb","Glühlampe",""\n',
}


def test_a_row_has_no_more_columns_than_the_heading(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv", "source\ttarget\tflags\tnote\na\tb\t\tx\ty\n")
    with pytest.raises(InputError, match=r"a.tsv, line 2: the row has 5 columns"):
        glossaries.read(path, LANGUAGES)


@given(
    st.lists(
        st.builds(Term, FORMS, st.just(()) | FORMS, st.booleans(), st.booleans(), st.booleans()),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_written_is_read_as_it_was(terms: list[Term]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.tsv"
        glossaries.write_tsv(path, terms, {"note": ["n"] * len(terms)})
        assert [replace(term, line=None) for term in read_tsv(path)] == terms


@pytest.mark.parametrize(("name", "text"), TABLES.items(), ids=TABLES)
def test_a_table_is_read(tmp_path: Path, name: str, text: str) -> None:
    (term,) = glossaries.read(write(tmp_path, name, text), LANGUAGES).terms
    assert (term.source, term.target) == (("light bulb",), ("Glühlampe",))
    assert (term.match_case, term.whole_words, term.every) == (False, True, False)


def test_forms_flags_and_kept_terms(tmp_path: Path) -> None:
    text = "bulb|bulbs\tLampe|Lampen\nIT\t\tcase, every\n\\|\tStrich \\| Pipe\tpart\n"
    terms = glossaries.read(write(tmp_path, "a.tsv", text), LANGUAGES).terms
    assert terms == (
        Term(("bulb", "bulbs"), ("Lampe", "Lampen"), line=1),
        Term(("IT",), (), match_case=True, every=True, line=2),
        Term(("|",), ("Strich | Pipe",), whole_words=False, line=3),
    )


def test_a_compressed_table_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv.gz", gzip.compress(b"a\tb\n"))
    assert len(glossaries.read(path, LANGUAGES)) == 1


WRONG = {
    "one column": ("a.tsv", "a\tb\nlight bulb\n", "line 2: the row has 1 column, not 2 or 3"),
    "four columns": ("a.csv", "a,b,case,d\n", "line 1: the row has 4 columns"),
    "flag": ("a.tsv", "a\tb\tbold\n", "line 1: 'bold' is not a flag. Write one or more of case"),
    "no source": ("a.tsv", "\tb\n", "line 1: the source term is empty"),
    "empty form": ("a.tsv", "a|\tb\n", "line 1: a form is empty"),
    "twice": ("a.tsv", "a\tb\nA\tc\n", "line 2: the source form 'A' is in the glossary already"),
    "long": ("a.tsv", f"{'a' * 1001}\tb\n", "line 1: the term 'aaa.*1,001 characters"),
    "quoting": ("a.csv", 'a,"b\n', "line 1: is not a valid row of CSV"),
    "nothing": ("a.tsv", "\n", "a.tsv: there are no terms"),
    "name": ("a.xls", "a\tb\n", "a.xls: is not a glossary by its name"),
    "encoding": ("a.tsv", b"a\t\xff\n", "line 1: invalid UTF-8"),
    "not xml": ("a.tbx", "light bulb", "is not valid XML"),
    "not tbx": ("a.tbx", "<tmx/>", "is not a TBX file"),
}


@pytest.mark.parametrize(("name", "text", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_an_error(
    tmp_path: Path, name: str, text: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        glossaries.read(write(tmp_path, name, text), LANGUAGES)


def test_upper_and_lower_case_are_two_terms_if_both_match_case(tmp_path: Path) -> None:
    text = "polish\tpolieren\tcase\nPolish\tpolnisch\tcase\n"
    assert len(glossaries.read(write(tmp_path, "a.tsv", text), LANGUAGES)) == 2


CELL = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=4))
def test_any_cells_come_back(tmp_path_factory: pytest.TempPathFactory, cells) -> None:
    """Where a cell holds no character that has a meaning."""
    clean = [
        [c.replace("|", "").replace("\\", "").replace('"', "") or "x" for c in row] for row in cells
    ]
    text = "".join("\t".join(row) + "\n" for row in [["source", "target"], *clean])
    path = write(tmp_path_factory.mktemp("tables"), "a.tsv", text)
    found = [(*term.source, *term.target) for term in read_tsv(path)]
    assert found == [tuple(map(str.strip, row)) for row in clean]
    quoted = text.replace("\t", '","').replace("\n", '"\n"')
    assert [
        (*t.source, *t.target)
        for t in read_csv(write(path.parent, "a.csv", '"' + quoted.removesuffix('"')))
    ] == found


VERSION_2 = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX-Basic" xml:lang="en"><text><body>
<termEntry id="c1"><descrip type="subjectField">light</descrip>
 <langSet xml:lang="en-US"><tig><term>light <hi>bulb</hi></term></tig>
  <ntig><termGrp><term>light bulbs</term></termGrp></ntig></langSet>
 <langSet xml:lang="de"><tig><term>Birne</term>
  <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
  <tig><term>Lampe</term><termNote type="partOfSpeech">noun</termNote></tig>
  <tig><term>Glühlampe</term>
  <termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig></langSet>
 <langSet xml:lang="fr"><tig><term>ampoule</term></tig></langSet>
</termEntry>
<termEntry id="c2"><langSet xml:lang="en"><tig><term>alone</term></tig></langSet></termEntry>
</body></text></martif>
"""

VERSION_3 = """<?xml version="1.0" encoding="UTF-8"?>
<tbx type="TBX-Basic" style="{style}" xmlns="urn:iso:std:iso:30042:ed-2"
 xmlns:min="http://www.tbxinfo.net/ns/min" xmlns:basic="http://www.tbxinfo.net/ns/basic">
<text><body><conceptEntry id="c1">
 <langSec xml:lang="en"><termSec><term>light bulb</term></termSec>
  <termSec><term>light bulbs</term></termSec></langSec>
 <langSec xml:lang="de-AT">
  <termSec><term>Birne</term>{deprecated}</termSec>
  <termSec><term>Lampe</term></termSec>
  <termSec><term>Glühlampe</term>{preferred}</termSec></langSec>
</conceptEntry></body></text></tbx>
"""


def note(style: str, value: str) -> str:
    """The status of a term."""
    if style == "dct":
        return f"<min:administrativeStatus>{value}</min:administrativeStatus>"
    return f'<termNote type="administrativeStatus">{value}</termNote>'


FILES = {"2": VERSION_2} | {
    f"3, {style}": VERSION_3.format(
        style=style,
        deprecated=note(style, "deprecatedTerm-admn-sts"),
        preferred=note(style, "preferredTerm-admn-sts"),
    )
    for style in ("dca", "dct")
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_tbx_is_read(tmp_path: Path, text: str) -> None:
    (term,) = glossaries.read(write(tmp_path, "a.tbx", text), LANGUAGES).terms
    assert term.source == ("light bulb", "light bulbs")
    assert term.target == ("Glühlampe", "Lampe")
    assert term.line and term.line > 1


def test_tbx_without_the_languages_of_the_run_names_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tbx", VERSION_2)
    with pytest.raises(InputError, match=r"no concept has terms in 'de' and in 'ja'.* de, en, en-"):
        glossaries.read(path, ("de", "ja"))


HOSTILE = {
    "external entity": '<!DOCTYPE tbx [<!ENTITY a SYSTEM "file:///etc/passwd">]><tbx>&a;</tbx>',
    "billion laughs": '<!DOCTYPE tbx [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><tbx>&c;</tbx>',
    "parameter entity": '<!DOCTYPE tbx [<!ENTITY % a SYSTEM "http://a.example/"> %a;]><tbx/>',
    "undefined entity": '<!DOCTYPE tbx SYSTEM "tbx.dtd"><tbx>&a;</tbx>',
    "long term": VERSION_2.replace("Lampe", "x" * 2_000_000),
    "long but allowed text": VERSION_2.replace("Lampe", "x" * 2000),
    "cut off": VERSION_2[:600],
    "NUL": VERSION_2.replace("Lampe", "\0"),
    "surrogate": VERSION_2.replace("Lampe", "&#xd800;"),
    "terms outside": "<tbx><term>a</term><langSec xml:lang='en'/></tbx>",
    "concepts within concepts": "<tbx>"
    + "<conceptEntry>" * 5000
    + "</conceptEntry>" * 5000
    + "</tbx>",
    "empty": "",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_errors(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"a\.tbx"):
        glossaries.read(write(tmp_path, "a.tbx", text), LANGUAGES)


MUTATED = [
    *((".tbx", text) for text in FILES.values()),
    *(
        (suffix, f"light bulb|bulb{cell}Birne|Lampe\nIT{cell}{cell}case, every\n" * 3)
        for suffix, cell in ((".tsv", "\t"), (".csv", ";"))
    ),
]


@given(st.data())
def test_a_mutated_file_is_read_or_is_an_error(tmp_path_factory, data) -> None:
    suffix, text = data.draw(st.sampled_from(MUTATED))
    raw = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(raw) - 1))
        end = min(len(raw), start + data.draw(st.integers(0, 40)))
        raw[start:end] = data.draw(st.binary(max_size=6) | st.just(bytes(raw[:30]))) or b" "
    path = write(tmp_path_factory.mktemp("mutated"), f"a{suffix}", bytes(raw))
    try:
        found = glossaries.read(path, LANGUAGES)
    except InputError as error:
        assert str(path) in str(error)
    else:
        found.find(raw.decode("utf-8", "replace"))
        assert found.terms
