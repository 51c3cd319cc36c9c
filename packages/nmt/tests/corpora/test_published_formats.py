"""Corpora as they are published: evaluation sets of NIST, WMT and IWSLT, IWSLT's training data, and
translation memories."""

from __future__ import annotations

import gzip
from pathlib import Path
from time import process_time

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora import corpus_files

IWSLT = """<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<{set} setid="iwslt2014-tst2010" srclang="English"{more}>
<doc docid="767" genre="lectures">
<url>http://www.example.com/talks/one</url>
<keywords>talks, art &amp; design</keywords>
<title>{title}</title>
<seg id="1"> {a} </seg>
<seg id="2"> {b} </seg>
</doc>
<doc docid="779" genre="lectures">
<seg id="1"> {c} </seg>
</doc>
</{set}>
</mteval>
"""

TAGS = """<url>http://www.example.com/talks/one</url>
<keywords>talks, art</keywords>
<talkid>1</talkid>
<title>{title}</title>
{a}
{b}
<reviewer href="x">{title}</reviewer>
<url>http://www.example.com/talks/two</url>
<talkid>2</talkid>
<description>TED Talk Subtitles</description>
{c}
"""

NIST = """<!DOCTYPE mteval SYSTEM "ftp://example.com/mteval.dtd">
<refset setid="mt06" srclang="Chinese" trglang="English">
<DOC docid="b" sysid="ref1">
<seg id=1> B
one. </seg></DOC>
<DOC docid="a" sysid="ref1"><hl><seg id=1>A &lt;one&gt; AT&T 3 < 4 &amp;lt; &#233;.</seg>
</hl></DOC>
<DOC docid="a" sysid="ref2"><seg id=1>A two.</seg></DOC>
<DOC docid="b"
 sysid="ref2"><seg id=1>B two.</seg></DOC>
</refset>
"""
SOURCE = """<srcset setid="mt06" srclang="Chinese">
<doc docid="a"><seg id="1">甲。</seg></doc>
<doc docid="b"><seg id="1">乙。</seg></doc>
</srcset>
"""

TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="{header}" datatype="plain"/><body>
<tu><prop type="Txt::Doc. No.">one</prop>
<tuv xml:lang="EN-GB"><seg>A <bpt i="1">{{b}}</bpt><hi>bold</hi><ph/> start.</seg></tuv>
<tuv xml:lang="DE-DE"><seg>Ein
 Anfang.</seg></tuv></tu>
<tu><prop type="Txt::Doc. No.">one</prop><tuv xml:lang="DE-DE"><seg>Zwei &amp; drei.</seg></tuv>
<tuv xml:lang="EN-GB"><seg>Two &amp; three.</seg></tuv></tu>
<tu><prop type="x-document">two</prop><tuv xml:lang="EN-GB"><seg>Four.</seg></tuv>
<tuv xml:lang="DE-DE"><seg>Vier.</seg></tuv></tu>
</body></tmx>
"""


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def iwslt(folder: Path) -> tuple[Path, Path]:
    """A test set of two talks, as IWSLT publishes it."""
    english = IWSLT.format(set="srcset", more="", title="A", a="One.", b="R&D &amp; two.", c="3.")
    german = IWSLT.format(
        set="refset", more=' trglang="German"', title="B", a="Eins.", b="F&E und zwei.", c="Drei."
    )
    names = [f"IWSLT14.TED.tst2010.en-de.{side}.xml" for side in ("en", "de")]
    return put(folder / names[0], english), put(folder / names[1], german)


def tags(folder: Path) -> tuple[Path, Path]:
    """Training data of two talks, as IWSLT publishes it."""
    english = TAGS.format(title="A", a="One.", b="R&D &amp; two.", c="<3 you.")
    german = TAGS.format(title="B", a="Eins.", b="F&E.", c="<3 dich.")
    german = german.replace('<reviewer href="x">B</reviewer>\n', "")
    return put(folder / "train.tags.en-de.en", english), put(folder / "train.tags.en-de.de", german)


def nist(folder: Path) -> tuple[Path, Path]:
    """A test set with two references, in another order than its source."""
    return put(folder / "mt06-src.sgm", SOURCE), put(folder / "mt06-ref.sgm", NIST)


def test_the_test_sets_of_iwslt(tmp_path):
    documents = [
        Document("767", ("One.", "R&D & two."), ("Eins.", "F&E und zwei.")),
        Document("779", ("3.",), ("Drei.",)),
    ]
    assert list(corpora.read(*iwslt(tmp_path))) == documents
    assert [d.target for d in corpora.read(iwslt(tmp_path)[0])] == [None, None]


def test_the_training_data_of_iwslt(tmp_path):
    assert list(corpora.read(*tags(tmp_path))) == [
        Document("1", ("One.", "R&D &amp; two."), ("Eins.", "F&E.")),
        Document("2", ("<3 you.",), ("<3 dich.",)),
    ]


def test_the_training_data_of_later_years_has_doc_tags(tmp_path):
    talk = '<doc docid="{0}" genre="lectures">\n<title>x</title>\n<talkid>9</talkid>\n{1}\n</doc>\n'
    path = put(tmp_path / "train.tags.en-fr.en", talk.format("a", "One.") + talk.format("b", "2."))
    assert list(corpora.read(path)) == [Document("a", ("One.",)), Document("b", ("2.",))]


def test_the_first_of_several_references_is_the_target(tmp_path):
    assert list(corpora.read(*nist(tmp_path))) == [
        Document("a", ("甲。",), ("A <one> AT&T 3 < 4 &lt; é.",)),
        Document("b", ("乙。",), ("B one.",)),
    ]


def test_every_reference_of_an_evaluation_set_is_read_in_the_order_of_the_source(tmp_path):
    source, references = nist(tmp_path)
    first, second = corpora.read_references(references, source)
    assert [d.target for d in first] == [("A <one> AT&T 3 < 4 &lt; é.",), ("B one.",)]
    assert [d.target for d in second] == [("A two.",), ("B two.",)]
    alone = corpora.read_references(references)
    assert [[d.id for d in documents] for documents in alone] == [["b", "a"]] * 2


def test_a_file_may_hold_the_source_and_its_references(tmp_path):
    path = put(tmp_path / "both.xml", f"<mteval>{SOURCE}{NIST}</mteval>")
    assert [d.target for d in corpora.read(path)] == [("A <one> AT&T 3 < 4 &lt; é.",), ("B one.",)]


def test_an_evaluation_set_is_written_as_it_is_read(tmp_path):
    documents = list(corpora.read(*nist(tmp_path)))
    files = tmp_path / "a.sgm", tmp_path / "b.sgm.gz"
    corpora.write(documents, *files)
    assert list(corpora.read(*files)) == documents
    corpora.write_translation(documents, tmp_path / "out.sgm")
    assert "<tstset" in (tmp_path / "out.sgm").read_text()
    assert [d.source for d in corpora.read(tmp_path / "out.sgm")] == [d.target for d in documents]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("B two.</seg>", "B two.", "line 10: .*before the segment is closed"),
        ('docid="a" sysid="ref2"', 'docid="c" sysid="ref2"', "document 'a' is missing"),
        ('docid="a" sysid="ref2"', 'docid="b" sysid="ref2"', "line 10: .*'b' is repeated"),
        ('docid="a" sysid="ref1"', 'sysid="ref1"', "line 6: the document has no docid"),
        ("<seg id=1>A two", "<seg id=2>A two", "line 8: segment '2' is where"),
        (">A two.</seg>", "></seg>", "ref.sgm, line 8: the target sentence is empty"),
    ],
)
def test_a_damaged_evaluation_set(tmp_path, old, new, problem):
    source, references = nist(tmp_path)
    put(references, NIST.replace(old, new))
    with pytest.raises(InputError, match=problem):
        corpora.read_references(references, source)


def test_sides_with_different_segments(tmp_path):
    source, target = tags(tmp_path)
    put(target, target.read_text().replace("F&E.\n", ""))
    with pytest.raises(InputError, match=r"'1' has 1 segment, in .*en 2"):
        list(corpora.read(source, target))
    put(target, target.read_text().replace("<talkid>1<", "<talkid>7<"))
    with pytest.raises(InputError, match=r"document '7' is where .*en has '1'"):
        list(corpora.read(source, target))
    put(target, target.read_text().split("<url>")[1])
    with pytest.raises(InputError, match="line 1: text before the first talk"):
        list(corpora.read(target))


def test_sides_in_different_formats(tmp_path):
    other = put(tmp_path / "a.en", "<d>\nOne.\n")
    with pytest.raises(InputError, match="another format"):
        corpora.read(nist(tmp_path)[0], other)
    with pytest.raises(InputError, match="another format"):
        corpora.read(other, tags(tmp_path)[1])
    with pytest.raises(InputError, match="holds the document ids itself"):
        corpora.read(*nist(tmp_path), boundaries="blank")


UNITS = [
    Document("one", ("A bold start.", "Two & three."), ("Ein Anfang.", "Zwei & drei.")),
    Document("two", ("Four.",), ("Vier.",)),
]


@pytest.mark.parametrize(
    ("header", "languages"),
    [
        ("EN-GB", (None, None)),
        ("*all*", ("en", "de")),
        ("en", ("en-GB", None)),
        ("de", ("en", "de")),
    ],
)
def test_a_translation_memory(tmp_path, header, languages):
    path = put(tmp_path / "a.tmx", TMX.format(header=header))
    assert list(corpora.read(path, languages=languages)) == UNITS
    packed = tmp_path / "a.tmx.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert list(corpora.read(packed, languages=languages)) == UNITS


def test_the_source_language_of_a_translation_memory_is_the_one_it_names(tmp_path):
    path = put(tmp_path / "a.tmx", TMX.format(header="DE-DE"))
    assert [d.source for d in corpora.read(path)] == [d.target for d in UNITS]


MANY = """\
<tmx version="1.4"><header srclang="{header}"/><body><tu>
<tuv xml:lang="x-default"><seg>x</seg></tuv><tuv xml:lang="fr-CA"><seg>Deux.</seg></tuv>
<tuv xml:lang="en-GB"><seg>Colour.</seg></tuv><tuv xml:lang="de_DE"><seg>Farbe.</seg></tuv>
<tuv xml:lang="en_US"><seg>Color.</seg></tuv><tuv xml:lang="it"><seg>1</seg></tuv>
<tuv xml:lang="fr-fr"><seg>Couleur.</seg></tuv><tuv xml:lang="it"><seg>2</seg></tuv>
</tu></body></tmx>
"""


@pytest.mark.parametrize(
    ("header", "languages", "pair"),
    [
        ("en-us", ("en", "de"), ("Color.", "Farbe.")),
        ("EN-GB", ("en", "de-AT"), ("Colour.", "Farbe.")),
        ("*all*", ("en-US", "fr-FR"), ("Color.", "Couleur.")),
        ("de-de", ("de", "en_GB"), ("Farbe.", "Colour.")),
        ("fr-FR", (None, "de"), ("Couleur.", "Farbe.")),
    ],
)
def test_the_languages_of_a_run_are_found_among_many(tmp_path, header, languages, pair):
    path = put(tmp_path / "a.tmx", MANY.format(header=header))
    (document,) = corpora.read(path, languages=languages)
    assert (*document.source, *document.target) == pair


@pytest.mark.parametrize(
    ("header", "languages", "problem"),
    [
        ("*all*", ("en", "de"), "several segments in 'en': en-gb, en-us"),
        ("en-us", ("en", "fr"), "several segments in 'fr': fr-ca, fr-fr"),
        ("en-us", ("it", "de"), "two segments in 'it'"),
        ("en-us", ("en", None), "several target languages"),
    ],
)
def test_what_is_ambiguous_is_refused(tmp_path, header, languages, problem):
    path = put(tmp_path / "a.tmx", MANY.format(header=header))
    with pytest.raises(InputError, match=problem):
        list(corpora.read(path, languages=languages))


def test_targets_that_are_translated_anew_are_not_ambiguous(tmp_path):
    path = put(tmp_path / "a.tmx", MANY.format(header="en-us"))
    (document,), _ = corpus_files.read(path, "en")
    assert document == Document("a", ("Color.",))


def test_units_without_documents_are_those_of_the_file(tmp_path):
    text = TMX.format(header="en").replace("Txt::Doc. No.", "x").replace("x-document", "x")
    path = put(tmp_path / "memory.tmx", text)
    (document,) = corpora.read(path)
    assert (document.id, len(document)) == ("memory", 3)
    assert [d.id for d in corpora.read(path, boundaries="sentences")] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("</tu>\n<tu>", "</tuv>\n<tu>", "line 7: is not valid XML"),
        ('"EN-GB"><seg>Four', '"FR"><seg>Four', "line 10: a unit has no source segment in 'en'"),
        ('"DE-DE"><seg>Vier', '"EN-US"><seg>Vier', "line 10: a unit has several segments in 'en'"),
        ('"DE-DE"><seg>Vier', '"EN-GB"><seg>Vier', "line 10: a unit has two segments in 'en-gb'"),
        ('SYSTEM "tmx14.dtd"', '[<!ENTITY x "y">]', "line 2: the file defines .* entity 'x'"),
        ('SYSTEM "tmx14.dtd"', '[<!ENTITY % p SYSTEM "/etc/passwd"> %p;]', "entity 'p'"),
        ("Four.", "&unknown;", "entity 'unknown'"),
        ("<seg>Four.</seg>", "<seg/>", "line 10: the source sentence is empty"),
        ("<tmx ", "<memory ", "is not valid XML"),
    ],
)
def test_a_damaged_translation_memory(tmp_path, old, new, problem):
    assert old in TMX
    path = put(tmp_path / "a.tmx", TMX.replace("{{b}}", "b").replace(old, new, 1))
    with pytest.raises(InputError, match=problem):
        list(corpora.read(path, languages=("en", "de")))


def test_a_translation_memory_of_empty_space_ends_quickly(tmp_path):
    path = tmp_path / "a.tmx.gz"
    path.write_bytes(gzip.compress(b"<tmx>") + gzip.compress(b" " * (1 << 20)) * 512)
    with pytest.raises(InputError, match="less than 1/200 of its size"):
        list(corpora.read(path))


def test_a_segment_without_end(tmp_path):
    path = put(tmp_path / "a.sgm", '<srcset><doc docid="a"><seg id="1">' + "x y\n" * 300_000)
    with pytest.raises(InputError, match="line 1: the segment is not closed"):
        list(corpora.read(path))
    path = put(tmp_path / "a.tmx", "<tmx><tu><tuv><seg>" + "x y\n" * 300_000)
    with pytest.raises(InputError, match="longer than 1,000,000 characters"):
        list(corpora.read(path))


def test_xml_of_another_vocabulary_is_named(tmp_path):
    docbook = '<?xml version="1.0"?>\n<!DOCTYPE book>\n<book><para>Open it.</para></book>\n'
    for name, text, problem in (
        (
            "a.xml",
            docbook,
            "begins with <book>, so it is not an evaluation set.*known by its root: DocBook",
        ),
        ("a.xml", '<mteval>\n<srcset setid="a">\n</srcset></mteval>', "has no documents"),
        ("a.xml", "no tag", "has no documents"),
    ):
        with pytest.raises(InputError, match=problem):
            list(corpora.read(put(tmp_path / name, text)))


def test_what_is_read_only_is_not_written(tmp_path):
    for name in ("a.tmx", "train.tags.en-de.en"):
        with pytest.raises(InputError, match="read but not written"):
            corpora.write([Document("a", ("b",))], tmp_path / name)
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("filling", ["a", " ", "docid ", "a ", "="])
def test_a_tag_of_a_million_characters_takes_little_time(tmp_path, filling):
    long = (filling * 900_000)[:900_000]
    start = process_time()
    for name, text in (
        ("a.sgm", f"<srcset><doc {long}><seg>x</seg>"),
        ("train.tags.en-de.en", f"<talkid>{long}\n<doc {long}>\nx\n"),
    ):
        with pytest.raises(InputError, match="line 1: "):
            list(corpora.read(put(tmp_path / name, text)))
    assert process_time() - start < 5


@pytest.mark.parametrize("between", ["", "\t", "\n\t\n"])
def test_documents_of_wmt_are_between_rows_without_text(tmp_path, between):
    path = tmp_path / "news-commentary-v15.de-en.tsv.gz"
    rows = f"{between}\nEins.\tOne.\nZwei.\tTwo.\n{between}\nDrei.\tThree.\n"
    path.write_bytes(gzip.compress(rows.encode()))
    expected = [
        Document("1", ("One.", "Two."), ("Eins.", "Zwei.")),
        Document("2", ("Three.",), ("Drei.",)),
    ]
    languages = ("en", "de")
    assert list(corpora.read(path, boundaries="blank", languages=languages)) == expected
    as_it_is = list(corpora.read(path, boundaries="blank"))
    assert [d.source for d in as_it_is] == [d.target for d in expected]


def test_a_row_of_wmt_without_translation_is_kept_where_sides_may_be_empty(tmp_path):
    path = tmp_path / "rapid.de-en.tsv"
    path.write_text("Eins.\nZwei.\tTwo.\n")
    (document,) = corpora.read(path, boundaries="blank", allow_empty=True)
    assert document.target == ("", "Two.")
