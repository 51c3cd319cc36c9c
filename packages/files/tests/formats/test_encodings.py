"""The encodings of files: as declared, kept in the output, and never a question mark."""

from __future__ import annotations

import codecs
import json
import re
import shutil
import subprocess
import unicodedata
import zipfile
from html import unescape
from io import BytesIO
from xml.parsers import expat

import polib
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.core.encodings import is_really_utf_8, text_codec
from formats.every_format import write_sample
from formats.office_packages import archive
from formats.samples import android, docx, epub, odf, pptx, tmx, xliff, xlsx

LABELS = {
    "utf-8": "é ü 漢",
    "windows-1252": "é – “x”",
    "ISO-8859-1": "é ü",
    "iso-8859-2": "ő ř",
    "ISO-8859-15": "€ é",
    "windows-1251": "Файл",
    "koi8-r": "Файл",
    "Shift_JIS": "日本語",
    "gb18030": "文件 é",
    "EUC-KR": "한국어",
    "US-ASCII": "plain",
    "macintosh": "é †",
}
"""Characters of encodings, by their labels."""

BROWSERS = {"ISO-8859-1": "cp1252", "US-ASCII": "cp1252", "Shift_JIS": "cp932", "EUC-KR": "cp949"}

HTML = '<html><head><meta charset="{}"><title>The title</title></head><body><p>{} word.</p>'
XHTML = '<?xml version="1.0" encoding="{}"?>\n<html><body><p title="One title">{} word.</p></body>'
OLD = '<meta http-equiv="Content-Type" content="text/html; charset={}"><p>{} word.</p>'
ANDROID = (
    "<?xml version='1.0' encoding='{0}'?>\n<resources><string name='a'>{1} word</string>"
    "<string name='b'><![CDATA[<b>{1}</b> two words]]></string></resources>\n"
)
XLIFF = (
    '<?xml version="1.0" encoding="{}"?><xliff version="1.2"><file source-language="en">'
    '<body><trans-unit id="1"><source>A word.</source><note>{}</note></trans-unit></body></file>'
    "</xliff>"
)
PO = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n\n'
    '# {}\n#, fuzzy\nmsgid "A word."\nmsgstr "A word."\n'
)
FILES = {"a.html": HTML, "b.html": OLD, "c.xhtml": XHTML, "d.xml": ANDROID, "f.po": PO}


def read(folder, data, name, target=None):
    path = folder / name
    path.write_bytes(data)
    return Input().read(path, "en", target)


def filled(documents, skeleton, change=str):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def encoded(template, label, text):
    return template.format(label, text).encode(label)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("label", LABELS)
def test_a_file_is_read_as_it_declares_and_stays_so(tmp_path, name, label):
    data = encoded(FILES[name], label, LABELS[label])
    documents, skeleton = read(tmp_path, data, name)
    assert filled(documents, skeleton).data == data
    if name != "f.po":
        assert any(LABELS[label] in sentence for sentence in documents[0].source)
    result = filled(documents, skeleton, lambda sentence: sentence.replace("word", "mot")).data
    assert result == data.replace(b"word", b"mot").replace(b'msgid "A mot', b'msgid "A word')


@pytest.mark.parametrize("name", [name for name in FILES if name != "f.po"])
@pytest.mark.parametrize("label", LABELS)
def test_a_character_beyond_the_encoding_is_a_reference(tmp_path, name, label):
    documents, skeleton = read(tmp_path, encoded(FILES[name], label, LABELS[label]), name)
    new = "ŵ ђ 漢 “ü” 😀"
    result = filled(documents, skeleton, lambda _: new).data
    is_html = name in ("a.html", "b.html", "c.xhtml")
    text = result.decode(BROWSERS.get(label, label) if is_html else label)
    assert label in text and "?" not in text.removeprefix('<?xml version="1.0"').partition("?>")[2]
    if name == "d.xml":
        texts = list(etree.fromstring(result).itertext("string"))
        assert texts[0] == new and new in re.sub("</?b>", "", "".join(texts[1:]))
    else:
        assert new in unescape(text)
    again, _ = read(tmp_path, result, name)
    assert new in "".join(again[0].source)


def test_po_becomes_utf_8_if_its_encoding_lacks_a_character(tmp_path):
    data = encoded(PO, "CP1251", "Файл")
    result = filled(*read(tmp_path, data, "a.po"), lambda _: "Größe")
    expected = data.decode("cp1251").replace("CP1251", "UTF-8")
    expected = expected.replace('msgstr "A word."', 'msgstr "Größe"')
    assert result.data.decode() == result.text == expected
    assert any("written in UTF-8, because CP1251 lacks" in note for note in result.notes)
    assert polib.pofile(result.text)[0].msgstr == "Größe"
    if shutil.which("msgfmt"):
        (tmp_path / "out.po").write_bytes(result.data)
        subprocess.run(
            ["msgfmt", "-c", "-o", "/dev/null", "out.po"], cwd=tmp_path, check=True, timeout=60
        )


def test_po_in_its_encoding_says_nothing_of_it(tmp_path):
    result = filled(*read(tmp_path, encoded(PO, "CP1251", "Файл"), "a.po"), lambda _: "Файл")
    assert 'msgstr "Файл"'.encode("cp1251") in result.data
    assert not any("UTF-8" in note for note in result.notes)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(LABELS)), st.sampled_from(sorted(FILES)), WORDS, WORDS)
def test_any_characters_come_back(tmp_path, label, name, own, new):
    """Filled with its own sentences a file is the same; what is filled in is read again, but for
    ligatures, which are read as their letters."""
    codec = text_codec(label)
    own = "".join(c for c in own if c.isalnum()).encode(codec, "ignore").decode(codec)
    new = f"w{''.join(c for c in new if c.isalnum() and not is_ligature(c))}"
    try:
        data = encoded(FILES[name], label, own)
        documents, skeleton = read(tmp_path, data, name)
    except InputError as error:
        assume(not is_really_utf_8(data, codec))
        assert "in other forms" in str(error) or "invalid" in str(error)
        return
    assert filled(documents, skeleton).data == data
    result = filled(documents, skeleton, lambda _: new).data
    assume(not is_really_utf_8(result, codec))  # as "Â¹" in ISO-8859-1
    if name == "f.po":
        assert f'msgstr "{new}"' in re.sub('"\n"', "", result.decode(_charset(result)))
        return
    again, _ = read(tmp_path, result, name)
    assert new in "".join(again[0].source)


def is_ligature(character):
    return "LIGATURE" in unicodedata.name(character, "") and "\ufb00" <= character <= "\ufb17"


def _charset(po):
    return re.search(rb"charset=([\w-]+)", po)[1].decode()


@pytest.mark.by_default(12)
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("sample", [android, xliff, tmx, odf, docx, pptx, xlsx, epub])
def test_xml_in_utf_16_is_read_with_and_without_its_mark(tmp_path, sample, mark, codec):
    """Filled with its own sentences a file is the same; filled with others, it is XML."""
    tried = 0
    for name, content in sample.SAMPLES.items():
        path = write_sample(tmp_path, name, content)
        data = path.read_bytes()
        if name.endswith(".gz") or data.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
            continue
        if not data.startswith(b"PK"):
            recoded = _in_utf_16(data, mark, codec)
        else:
            recoded = _package_in_utf_16(data, mark, codec)
        path.write_bytes(recoded)
        file_format = sample.__name__.rpartition(".")[2]
        documents, skeleton = Input(file_format=file_format).read(path, "en")
        expected = Input(file_format=file_format).read(
            write_sample(tmp_path, f"plain-{name}", data), "en"
        )
        assert documents[0].source == expected[0][0].source
        result = filled(documents, skeleton, str.upper)
        as_before = filled(*expected, str.upper)
        assert result.kept == as_before.kept
        if data.startswith(b"PK"):
            with zipfile.ZipFile(BytesIO(result.data)) as package:
                for part in package.namelist():
                    if part.endswith((".xml", ".rels", ".opf", ".ncx")):
                        expat.ParserCreate().Parse(package.read(part), True)
        else:
            expat.ParserCreate().Parse(result.data, True)
            assert result.data == _in_utf_16(as_before.data, mark, codec)
        path.write_bytes(recoded)
        assert filled(*Input(file_format=file_format).read(path, "en")).data == recoded
        tried += 1
    assert tried


def _in_utf_16(data, mark, codec):
    text = data.decode("utf-8").removeprefix("\ufeff")
    text = re.sub(r"(<\?xml[^>]*encoding=[\"'])utf-8", r"\1UTF-16", text, flags=re.IGNORECASE)
    return f"{mark}{text}".encode(codec)


def _package_in_utf_16(data, mark, codec):
    with zipfile.ZipFile(BytesIO(data)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    for name, content in parts.items():
        if name.endswith((".xml", ".rels", ".opf", ".ncx", ".xhtml")):
            parts[name] = _in_utf_16(content, mark, codec)
    return archive(parts)


REFUSED = [
    # name, file, what the error says
    ("a.xml", "<resources/>".encode("utf-32"), "UTF-32, which is not read"),
    ("a.xml", "<resources/>".encode("utf-32-be"), "UTF-32, which is not read"),
    ("a.xml", "<?xml version='1.0'?><a/>".encode("cp037"), "EBCDIC, which is not read"),
    ("a.xml", b"<?xml version='1.0' encoding='utf-7'?><resources/>", "utf-7, which is not read"),
    ("a.xml", b"<?xml version='1.0' encoding='punycode'?><resources/>", "punycode, which"),
    ("a.xml", b"<?xml version='1.0' encoding='zip'?><resources/>", "zip, which is not read"),
    ("a.xml", b"<?xml version='1.0' encoding='idna'?><resources/>", "idna, which is not read"),
    ("a.xml", b"<?xml version='1.0' encoding='utf-16'?><a/>", "declares the encoding utf-16"),
    ("a.xml", b"\xef\xbb\xbf<?xml version='1.0' encoding='latin1'?><a/>", "read as UTF-8 but"),
    ("a.xml", "<?xml version='1.0' encoding='latin1'?><a>é</a>".encode(), "read as UTF-8 but"),
    ("a.xml", b"<?xml version='1.0' encoding='latin1'?><resources>\0</resources>", "a NUL"),
    ("a.html", b"<meta charset=utf-7><p>+AGE-", "utf-7, which is not read"),
    ("a.html", b"<meta charset=rot13><p>a", "rot13, which is not read"),
    ("a.html", b"<meta charset=windows-1252><p>a\x81", r"invalid CP1252 \(byte 0x81 at column 32"),
    ("a.html", b"<p>a\n\xe9", r"line 2: invalid UTF-8 \(byte 0xe9 at column 1\)"),
    ("a.po", b'msgid ""\nmsgstr "charset=utf-7\\n"\nmsgid "\xe9"\nmsgstr ""', "utf-7, which is"),
    ("a.properties", b"k = a\nb = a\x93b\x94\n", "line 2: invalid UTF-8"),
    ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\né\n".encode("cp1252"), "line 3: invalid UTF-8"),
]


@pytest.mark.parametrize(("name", "data", "problem"), REFUSED)
def test_other_encodings_are_refused_by_name(tmp_path, name, data, problem):
    with pytest.raises(InputError, match=problem):
        file_format = "android" if name == "a.xml" else None
        path = tmp_path / name
        path.write_bytes(data)
        Input(file_format=file_format).read(path, "en")


def test_only_encodings_of_text_are_known():
    for label in ("punycode", "idna", "rot13", "zip", "bz2", "hex", "base64", "uu", "utf-7"):
        assert text_codec(label) is None
    for label in ("unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "cp037", "x" * 99):
        assert text_codec(label) is None
    for label in (" Latin1 ", "x-sjis", "windows-874", "iso-8859-8-i", "x-cp1250"):
        codec = text_codec(label)
        assert codec is not None and bytes(range(128)).decode(codec).isascii()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # Browsers read ISO-8859-1 as windows-1252.
        (b"<meta charset=iso-8859-1><p>\x93a\x94 b", "“a” b"),
        # A declaration in a comment is none; the first one counts.
        ("<!-- <meta charset=koi8-r> --><meta charset=utf-8><p>é a".encode(), "é a"),
        # A mark is more than a declaration.
        ("\ufeff<meta charset=koi8-r><p>é a".encode(), "é a"),
        ("\ufeff<meta charset=koi8-r><p>é a".encode("utf-16-le"), "é a"),
        # A page in UTF-8 whose server says so may declare another encoding in vain.
        ("<meta charset=windows-1252><p>é a".encode(), "é a"),
        # What UTF-16 has been declared in is not UTF-16.
        ("<meta charset=utf-16><p>é a".encode(), "é a"),
        # far behind the beginning
        (b"<script>" + b" " * 5000 + b"</script><meta charset=latin1><p>\xe9 a", "é a"),
    ],
)
def test_pages_are_read_as_by_browsers(tmp_path, data, expected):
    documents, skeleton = read(tmp_path, data, "a.html")
    assert documents[0].source == (expected,)
    assert filled(documents, skeleton).data == data


def test_a_wrong_declaration_of_a_page_is_set_right(tmp_path):
    data = "<meta charset=windows-1252><p>é a".encode()
    result = filled(*read(tmp_path, data, "a.html", "de"), str.upper)
    assert result.data.decode() == "<meta charset=utf-8><p>É A"


def test_json_and_po_in_utf_16_stay_so(tmp_path):
    for codec in ("utf-16-le", "utf-16-be"):
        text = '\ufeff{"a": "Größe word"}'
        documents, skeleton = read(tmp_path, text.encode(codec), "a.json")
        assert filled(documents, skeleton).data == text.encode(codec)
        result = filled(documents, skeleton, lambda _: "Öl 漢").data
        assert json.loads(result.decode("utf-16")) == {"a": "Öl 漢"}
        text = "\ufeff" + PO.format("UTF-16", "Файл")
        result = filled(*read(tmp_path, text.encode(codec), "a.po", "de"), lambda _: "Öl 漢").data
        expected = text.replace('msgstr "A word."', 'msgstr "Öl 漢"')
        assert result.decode(codec).replace('"Language: de\\n"\n', "") == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"k = caf\xe9 word\n", b"k = \xd6l \\u0151 \\uD83D\\uDE00\n"),
        ("k = café word\n".encode(), "k = Öl ő 😀\n".encode()),
        (b"k = word\n", b"k = \\u00D6l \\u0151 \\uD83D\\uDE00\n"),
        ("\ufeffk = word é\n".encode("utf-16-be"), "\ufeffk = Öl ő 😀\n".encode("utf-16-be")),
    ],
)
def test_properties_are_utf_8_or_iso_8859_1(tmp_path, data, expected):
    documents, skeleton = read(tmp_path, data, "a.properties")
    assert filled(documents, skeleton).data == data
    assert filled(documents, skeleton, lambda _: "Öl ő 😀").data == expected
