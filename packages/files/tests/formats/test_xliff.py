"""XLIFF: targets are written, with the codes of their sources, and everything else stays."""

from __future__ import annotations

from collections import Counter

import pytest
from lxml import etree

from docmt_files.base.errors import InputError
from docmt_files.bilingual import xliff
from formats.samples.xliff import SAMPLES
from tables import rows

STATE = 'state="needs-review-translation" state-qualifier="leveraged-mt"'
STATE_2 = 'state="translated" subState="docmt:machine-translation"'


def read(folder, text, target="de"):
    path = folder / "in.xlf"
    path.write_bytes(text.encode())
    return xliff.read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def version_1(units, attributes=""):
    return f'<xliff version="1.2"><file{attributes}><body>{units}</body></file></xliff>'


def version_2(unit, attributes=""):
    return (
        f'<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0"{attributes}>'
        f'<file id="f"><unit id="u">{unit}</unit></file></xliff>'
    )


TABLE = rows("formats/contracts/xliff.yaml")


@pytest.mark.parametrize(("unit", "sentences", "expected"), TABLE)
def test_targets_are_written_and_the_rest_stays(tmp_path, unit, sentences, expected):
    documents, skeleton = read(tmp_path, version_1(unit), target=None)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton).text == version_1(expected)


def test_prefixes_are_those_of_the_source(tmp_path):
    text = (
        '<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><x:file><x:body>'
        '<x:trans-unit id="1"><x:source>a</x:source></x:trans-unit></x:body></x:file></x:xliff>'
    )
    assert f"</x:source><x:target {STATE}>A</x:target>" in filled(*read(tmp_path, text)).text


def test_segments_of_a_source_are_segments_of_its_target(tmp_path):
    marks = (
        '<mrk mtype="seg" mid="0">One two.</mrk> <mrk mtype="seg" mid="1">Three '
        '<g id="1">four</g>.</mrk>'
    )
    unit = (
        '<trans-unit id="1"><source>One two. Three <g id="1">four</g>.</source>'
        f"<seg-source>{marks}</seg-source></trans-unit>"
    )
    documents, skeleton = read(tmp_path, version_1(unit))
    assert list(documents[0].source) == ["One two.", "Three four."]
    assert (
        f'</seg-source><target {STATE}><mrk mtype="seg" mid="0">ONE TWO.</mrk> '
        '<mrk mtype="seg" mid="1">THREE <g id="1">FOUR</g>.</mrk></target>'
    ) in filled(documents, skeleton).text


KEPT = [
    version_1('<trans-unit id="1"><source>a</source><target>b</target></trans-unit>'),
    version_1(
        '<trans-unit id="1" approved="yes"><source>a</source>'
        '<target state="needs-translation">b</target></trans-unit>'
    ),
    version_1(
        '<trans-unit id="1"><source>a</source><target state="needs-review-translation">b'
        "</target></trans-unit>"
    ),
    version_2('<segment state="translated"><source>a</source><target>b</target></segment>'),
    version_2("<segment><source>a</source><target>b</target></segment>"),
]


@pytest.mark.parametrize("text", KEPT)
def test_a_translation_is_kept_with_a_note(tmp_path, text):
    with pytest.raises(InputError, match="its only segment is translated already"):
        read(tmp_path, text)
    more = text.replace("</body>", '<trans-unit id="2"><source>c</source></trans-unit></body>')
    more = more.replace("</unit>", "<segment><source>c</source></segment></unit>")
    result = filled(*read(tmp_path, more))
    assert ">b</target>" in result.text and ">C</target>" in result.text
    assert any("1 segment kept, which is translated already" in note for note in result.notes)


@pytest.mark.parametrize(
    "unit",
    [
        "<segment><source>a</source></segment>",
        "<segment><source>a</source><target/></segment>",
        '<segment state="initial"><source>a</source><target>b</target></segment>',
        f"<segment {STATE_2}><source>a</source><target>b</target></segment>",
    ],
)
def test_segments_of_version_2_say_that_a_machine_translated_them(tmp_path, unit):
    root = etree.fromstring(filled(*read(tmp_path, version_2(unit))).data)
    assert root.get("trgLang") == "de"
    (segment,) = root.iter("{*}segment")
    assert (segment.get("state"), segment.get("subState")) == (
        "translated",
        "docmt:machine-translation",
    )
    assert [etree.QName(e).localname for e in segment] == ["source", "target"]
    assert segment[1].text == "A"


def test_the_output_names_its_language(tmp_path):
    unit = '<trans-unit id="1"><source>a</source><target xml:lang="fr"/></trans-unit>'
    for before, after in (
        ("", ' target-language="de-AT"'),
        (' target-language="fr" x="y"', ' target-language="de-AT" x="y"'),
        (' target-language="de-DE"', ' target-language="de-DE"'),
    ):
        text = filled(*read(tmp_path, version_1(unit, before), "de_AT")).text
        assert f"<file{after}>" in text
        assert f'<target {STATE} xml:lang="de-AT">A</target>' in text


def test_translations_into_another_language_are_refused(tmp_path):
    text = version_1(
        '<trans-unit id="1"><source>a</source></trans-unit>\n'
        '<trans-unit id="2"><source>c</source><target state="final">d</target></trans-unit>',
        ' target-language="fr-CA"',
    )
    with pytest.raises(InputError, match=r"in\.xlf, line 2: has translations into fr-CA, not de"):
        read(tmp_path, text)
    assert read(tmp_path, text, "fr")


def test_another_source_language_and_texts_in_codes_are_noted(tmp_path):
    text = version_1(
        '<trans-unit id="1"><source>a <ph id="1">&lt;img alt="<sub>b</sub>"></ph> c</source>'
        "</trans-unit>",
        ' source-language="nl"',
    )
    result = filled(*read(tmp_path, text))
    assert '<sub>b</sub>"></ph> C</target>' in result.text
    notes = " ".join(result.notes)
    assert "1 text in inline codes (<sub>) not translated" in notes
    assert "names nl as its source language" in notes
    assert "as its target language" not in notes


@pytest.mark.parametrize(
    ("source", "target", "is_noted"),
    [("en", "fr", True), ("en", "de-AT", False), ("en-US", "en-GB", False), ("en", "", False)],
)
def test_another_target_language_is_noted(tmp_path, source, target, is_noted):
    text = (
        f'<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="{source}" '
        f'trgLang="{target}"><file id="f"><unit id="u"><segment><source>One</source></segment>'
        "</unit></file></xliff>"
    )
    result = filled(*read(tmp_path, text))
    notes = " ".join(result.notes)
    assert ("named fr as its target language; it names de now" in notes) == is_noted


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("change", [str.upper, lambda s: " ".join(reversed(s.split()))])
def test_targets_have_all_elements_of_their_sources(tmp_path, name, change):
    path = tmp_path / name
    data = SAMPLES[name]
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    documents, skeleton = xliff.read(path, "en")
    before, after = (
        etree.fromstring(d) for d in (path.read_bytes(), filled(documents, skeleton, change).data)
    )
    sources = [[etree.tostring(e) for e in root.iter("{*}source")] for root in (before, after)]
    assert sources[0] == sources[1]
    count = 0
    for unit in after.iter("{*}trans-unit", "{*}segment"):
        own = {
            etree.QName(child).localname: child for child in unit.iterchildren(tag=etree.Element)
        }
        check_order(list(own))
        if "docmt" in unit.get("subState", "") or (
            "target" in own and own["target"].get("state-qualifier")
        ):
            count += 1
            source = own.get("seg-source", own["source"])
            assert elements(source) == elements(own["target"])
    assert count == len(skeleton.found.blocks) or name in (
        "preserve.xlf",
        "one.xlf",
        "dos.sdlxliff",
    )


def elements(parent):
    return Counter(
        (e.tag, *sorted(e.items()), e.text if e.tag.endswith("pt") else "")
        for e in parent.iterdescendants(tag=etree.Element)
    )


def check_order(names):
    """The order of the children of units and segments that both versions demand."""
    order = ["source", "seg-source", "target", "context-group", "note", "alt-trans"]
    assert names == sorted(names, key=order.index)


def test_targets_in_the_source_language_are_what_is_translated(tmp_path):
    """As in a developer's own file, whose sources may be keys."""
    units = (
        '<trans-unit id="1"><source>button.save</source><target>Save it.</target></trans-unit>'
        '<trans-unit id="2"><source>Open it.</source><target>Open it.</target></trans-unit>'
        '<trans-unit id="3" approved="yes"><source>Stop.</source><target state="final">Stop the '
        "<x id='1'/> pump.</target></trans-unit>"
        '<trans-unit id="4"><source>Go on.</source></trans-unit>'
    )
    text = version_1(units, ' source-language="en" target-language="en-GB"')
    documents, skeleton = read(tmp_path, text)
    assert documents[0].source == ("Save it.", "Open it.", "Stop the pump.", "Go on.")
    result = filled(documents, skeleton)
    targets = etree.fromstring(result.text).iter("target")
    assert ["".join(each.itertext()) for each in targets] == [
        "SAVE IT.",
        "OPEN IT.",
        "STOP THE  PUMP.",
        "GO ON.",
    ]
    assert 'target-language="de"' in result.text and "<source>button.save</source>" in result.text
    assert any(note.startswith("2 targets translated, not the source") for note in result.notes)
    # Without a language of the output, with another source or a translation, they are targets.
    for attributes, target in (
        (' source-language="en" target-language="en"', None),
        (' source-language="fr" target-language="en"', "en"),
        (' source-language="en" target-language="de"', "de"),
    ):
        assert read(tmp_path, version_1(units, attributes), target)[0][0].source[0] == "Open it."
    with pytest.raises(InputError, match="has translations into en, not de"):
        read(tmp_path, version_1(units, ' source-language="fr" target-language="en"'))


def test_targets_in_the_source_language_of_version_2(tmp_path):
    unit = "<segment><source>button.save</source><target>Save it.</target></segment>"
    text = version_2(unit, ' srcLang="en" trgLang="en"')
    documents, skeleton = read(tmp_path, text)
    assert documents[0].source == ("Save it.",)
    result = filled(documents, skeleton).text
    assert "<target>SAVE IT.</target>" in result and 'trgLang="de"' in result
