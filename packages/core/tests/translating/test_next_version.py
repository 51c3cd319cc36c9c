"""The whole way of a manual: translated, reviewed, merged, and its next version translated."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

import pytest

from docmt.output import Output
from docmt.translating import translate_files
from docmt.translating.from_memory import FromMemory
from docmt.translating.memory_files import open_memories
from docmt.translating.reviews import merge_review
from docmt_files import Input
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators import Translator, request_of
from formats.office_packages import docx as word_package
from formats.office_packages import paragraph, run

VERBS = ["Open", "Close", "Lift", "Press", "Turn", "Clean", "Check", "Fill", "Drain", "Move"]
THINGS = ["the valve", "the pump", "the lid", "the left wheel", "the filter", "the tank"]
SECTIONS = [[f"{verb} {thing} slowly." for thing in THINGS] for verb in VERBS]
"""The sentences of ten sections; the second thing of each is bold."""


@dataclass
class Asking(Translator):
    """Translates word for word, and keeps what it was asked for."""

    asked: list[str] = field(default_factory=list)
    languages = ("en", "de")

    @property
    def gives(self):
        return frozenset({"sentences", "revisions"})

    def translate(self, request, **_):
        request = request_of(request)
        made = []
        for owner, document in enumerate(request.documents):
            known = request.revision and request.revision.known[owner].target
            target = list(known or document.source)
            for index, source in enumerate(document.source):
                if request.revision is None or (owner, index) in request.revision.sentences:
                    self.asked.append(source)
                    target[index] = (
                        " ".join(f"{word.strip('.')}en" for word in source.split()) + "."
                    )
            made.append(Translation.of(document.id, document.source, target))
        return made


def _word(sections, path):
    """A Word document: a heading and a paragraph of a section."""
    body = []
    for verb, sentences in sections:
        runs = []
        for sentence in sentences:
            before, bold, after = sentence.partition("the pump")
            runs += [run(before), run(bold, "<w:b/>"), run(f"{after} ")]
        body += [paragraph(run(verb)), paragraph(*runs)]
    path.write_bytes(word_package("".join(body)))


def _po(sections, path):
    entries = [f'msgid "{s}"\nmsgstr ""\n' for _, sentences in sections for s in sentences]
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    path.write_text("\n".join([head, *entries]))


def _xliff(sections, path):
    sources = [s.replace("the pump", '<g id="1">the pump</g>') for _, own in sections for s in own]
    units = "".join(
        f'<trans-unit id="{number}"><source>{source}</source></trans-unit>\n'
        for number, source in enumerate(sources)
    )
    path.write_text(
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file original="a" '
        'source-language="en" target-language="de" datatype="plaintext"><body>\n'
        f"{units}</body></file></xliff>"
    )


def _translated(path):
    """The sentences of a translated file."""
    if path.suffix == ".docx":
        return [text for document in Input().read(path, "de")[0] for text in document.source]
    pattern = r'msgstr "(.+)"' if path.suffix == ".po" else "<target[^>]*>(.*?)</target>"
    return [re.sub("<[^>]*>", "", text) for text in re.findall(pattern, path.read_text())]


@pytest.mark.parametrize(("suffix", "write"), [(".docx", _word), (".po", _po), (".xlf", _xliff)])
def test_the_next_version_keeps_every_edit_and_only_new_sentences_are_translated(
    tmp_path, suffix, write
):
    v1, v1_de, v2, v2_de = (tmp_path / f"{name}{suffix}" for name in ("v1", "v1.de", "v2", "v2.de"))
    review = tmp_path / "review.xlf"
    sections = list(zip(VERBS, SECTIONS, strict=True))
    write(sections, v1)
    translate_files(Asking(), [str(v1)], [str(review)], form=Output("xliff"))

    # A person edits twenty of sixty sentences.
    chance = random.Random(1)
    edited = chance.sample([sentence for _, section in sections for sentence in section], 20)
    text = review.read_text()
    for number, sentence in enumerate(edited):
        first, *_ = sentence.split()
        thing = sentence.split()[-2]
        same = rf"(<target>{first}en (?:(?!</target>).)*?{thing}en(?:</pc>)? )slowlyen"
        text, count = re.subn(same, rf"\1mit Gefühl {number}", text, flags=re.DOTALL)
        assert count == 1, sentence
    review.write_text(text)
    assert merge_review(review, v1_de).problems == 0
    assert sum("mit Gefühl" in sentence for sentence in _translated(v1_de)) == 20

    # In the next version sections are moved, and six sentences are new.
    moved = [(verb, list(sentences)) for verb, sentences in sections[5:] + sections[:5]]
    new = []
    for verb, sentences in moved[::2] + moved[1:2]:
        kept = [i for i, sentence in enumerate(sentences) if sentence not in edited]
        sentences[kept[0]] = f"Never {verb.lower()} anything while the machine is hot."
        new.append(sentences[kept[0]])
    write(moved, v2)
    translator = Asking()
    notes: list[str] = []
    memories = open_memories((), (v1, v1_de), translator.languages, notes.append)
    translate_files(FromMemory(translator, memories), [str(v2)], [str(v2_de)])
    assert sorted(translator.asked) == sorted(new)
    assert len(new) == 6
    found = _translated(v2_de)
    for number in range(20):
        assert sum(f"mit Gefühl {number}." in sentence for sentence in found) == 1
    assert sum("Neveren" in sentence for sentence in found) == 6
    assert not notes
