"""Subtitles: sentences over several cues are translated whole and divided among the same cues."""

from __future__ import annotations

import re

import pysubs2
import pytest

from docmt_files.base.errors import InputError
from docmt_files.subtitles import subtitle_files as subtitles
from docmt_files.subtitles.subtitle_lines import break_line, width
from formats.samples import subrip, webvtt
from tables import rows


def read(folder, text, name="in.srt"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return subtitles.read(path, "en")


def srt(*cues, step=2000, gap=0):
    """A file with these texts, each shown for two seconds."""

    def time(ms):
        return f"00:{ms // 60_000:02}:{ms // 1000 % 60:02},{ms % 1000:03}"

    return "".join(
        f"{n}\n{time(n * step)} --> {time((n + 1) * step - gap)}\n{text}\n\n"
        for n, text in enumerate(cues, start=1)
    )


def texts(file):
    """The texts of the cues of a file."""
    found = re.split(r"(?:\A|\n)\d+\n[^\n]* --> [^\n]*\n", file)[1:]
    return [text.strip("\n") for text in found]


def translate(folder, cues, translations, **options):
    documents, skeleton = read(folder, srt(*cues, **options))
    (document,) = documents
    assert len(document.source) == len(translations), document.source
    filled = skeleton.fill_and_report([document.translated(translations)])
    return texts(filled.text), filled.notes


SENTENCES = rows("formats/contracts/subtitles.sentences.yaml")


@pytest.mark.parametrize(("cues", "sentences"), SENTENCES)
def test_cues_that_hold_a_sentence_are_joined(tmp_path, cues, sentences):
    # A last cue that ends with a full stop tells that the file has such.
    (document,), _ = read(tmp_path, srt(*cues, "The end."))
    assert list(document.source) == [*sentences, "The end."]


def test_a_sentence_ends_with_a_long_pause(tmp_path):
    for gap, count in ((2000, 2), (4000, 3)):
        (document,), _ = read(tmp_path, srt("One two", "three.", "Four.", step=6000, gap=gap))
        assert len(document.source) == count


def test_texts_that_are_shown_together_are_not_joined(tmp_path):
    text = (
        "00:01 --> 00:05\nOne two\n\n00:02 --> 00:04\nthree four\n\n00:05 --> 00:07\nfive six.\n\n"
    )
    (document,), _ = read(tmp_path, text)
    assert list(document.source) == ["One two", "three four five six."]


def test_cues_are_not_joined_where_no_sentence_ends_with_a_full_stop(tmp_path):
    (document,), _ = read(tmp_path, srt("one two", "three four", "is it?", "five"))
    assert len(document.source) == 4


TRANSLATIONS = rows("formats/contracts/subtitles.translations.yaml")


@pytest.mark.parametrize(("cues", "translations", "expected"), TRANSLATIONS)
def test_a_translation_is_divided_among_the_cues(tmp_path, cues, translations, expected):
    filled, _ = translate(tmp_path, [*cues, "The end."], [*translations, "Ende."])
    assert filled == [*expected, "Ende."]


def test_notes_name_cues_that_nobody_can_read(tmp_path):
    cues = ["Yes.", "It is what I have always said to all of you here."]
    _, notes = translate(tmp_path, cues, ["Wort " * 20, "Ja."])
    assert "1 cue with more than 20 characters per second (1 in the input): 1" in notes
    columns = "42 columns (a Chinese or Japanese character takes two)"
    assert f"1 cue with a line of more than {columns}: 1" in notes
    assert "2 cues with the times of the file" in notes


ERRORS = [
    (
        "1\n00:00:01,000 --> 00:00:0x,000\nOne.\n",
        "in.srt",
        "in.srt, line 2: the times cannot be read",
    ),
    (
        "Hello.\n\n00:00:01,000 --> 00:00:02,000\nOne.\n",
        "in.srt",
        "in.srt, line 1: text without times",
    ),
    ("Hello.\n", "in.srt", "text without times"),
    ("1\n", "in.srt", "has no subtitles"),
    ("00:01.000 --> 00:02.000\nOne.\n", "in.vtt", "does not begin with the line WEBVTT"),
]


@pytest.mark.parametrize(("text", "name", "message"), ERRORS)
def test_a_malformed_file_is_refused_with_the_cure(tmp_path, text, name, message):
    with pytest.raises(InputError, match=re.escape(message)) as found:
        read(tmp_path, text, name)
    assert found.value.cure


def test_webvtt_keeps_voices_classes_and_moments(tmp_path):
    text = (
        "WEBVTT\n\n1\n00:01.000 --> 00:02.000 align:start\n"
        "<v Ann>One &amp; two, <c.red>three</c>\n\n"
        "00:02.000 --> 00:03.000\n<v Ann>four <00:02.500>five.\n"
    )
    (document,), skeleton = read(tmp_path, text, "in.vtt")
    assert document.source == ("One & two, three four five.",)
    filled = skeleton.fill([document.translated(["Eins & zwei drei vier <fünf."])])
    assert filled == (
        "WEBVTT\n\n1\n00:01.000 --> 00:02.000 align:start\n"
        "<v Ann>Eins &amp; zwei drei\n\n"
        "00:02.000 --> 00:03.000\n<v Ann><c.red>vier</c> <00:02.500>&lt;fünf.\n"
    )


def test_captions_of_single_words_keep_their_order(tmp_path):
    text = (
        "WEBVTT\n\n00:01.000 --> 00:03.000\n"
        "one<00:01.500><c> two</c><00:02.000><c> three</c><00:02.500><c> four</c>\n"
    )
    (document,), skeleton = read(tmp_path, text, "in.vtt")
    assert document.source == ("one two three four",)
    filled = skeleton.fill([document.translated(["vier drei zwei eins"])])
    moments = re.findall(r"<[\d:.]+>", text)
    assert re.findall(r"<[\d:.]+>", filled) == moments
    assert filled.count("<c>") == filled.count("</c>") == 3


@pytest.mark.parametrize(("name", "text"), [*subrip.SAMPLES.items(), *webvtt.SAMPLES.items()])
def test_another_reader_sees_the_same_cues_and_times(tmp_path, name, text):
    (document,), skeleton = read(tmp_path, text, name)
    filled = skeleton.fill([document.translated([f"{s} {s}" for s in document.source])])
    kind = {"format_": name[-3:]}
    before, after = (
        # It takes a moment for a cue.
        pysubs2.SSAFile.from_string(re.sub(r"<\d[^>]*>", "", t.lstrip("\ufeff")), **kind)
        for t in (text, filled)
    )
    assert [(e.start, e.end) for e in after] == [(e.start, e.end) for e in before]
    assert all(event.plaintext.strip() for event in after)
    assert len(before)


def test_a_line_is_as_short_as_it_may_be():
    tag = re.compile("<[^>]*>")
    words = "one two three four five six seven eight nine ten eleven twelve"
    assert break_line(words, tag, 42, 2) == [
        "one two three four five six seven",
        "eight nine ten eleven twelve",
    ]
    assert break_line("<i>one</i> two", tag, 7, 2) == ["<i>one</i> two"]
    assert len(break_line("中" * 40, tag, 42, 2)) == 2
    assert width("中a\u0301") == 3
    assert break_line("one " * 9 + "ten", tag, 10, 2)[0].count("one") == 5


def test_a_tag_that_moves_to_the_next_cue_says_nothing_about_another_speaker(tmp_path):
    cues = ["- Now.\n- Oh <i>we</i> go", "to <u>that</u>."]
    translations = ["Jetzt.", "That is where go we."]
    expected = ["- Jetzt.\n- <u>That</u> is <i>where</i> go", "we."]
    found, notes = translate(tmp_path, cues, translations)
    assert found == expected
    assert not any("not translated" in note for note in notes)


@pytest.mark.parametrize(
    ("cue", "sentences", "translations", "expected"),
    [
        (
            "Pinky: What do we do tonight?\nBrain: The same thing.",
            ["Pinky: What do we do tonight?", "Brain: The same thing."],
            ["Pinky: Hoje?", "Cérebro: A mesma coisa de sempre."],
            "Pinky: Hoje?\nCérebro: A mesma coisa de sempre.",
        ),
        (
            "- Yes?\nLEO [OVER PHONE]: It's me.",
            ["Yes?", "LEO [OVER PHONE]: It's me."],
            ["Sim?", "LEO [AO TELEFONE]: Sou eu."],
            "- Sim?\nLEO [AO TELEFONE]: Sou eu.",
        ),
        (
            "I tell you this and only\nMonday: never again.",
            ["I tell you this and only Monday: never again."],
            ["Digo isto e só segunda: nunca mais."],
            "Digo isto e só segunda: nunca mais.",
        ),
        (
            "First\nSecond\nThird.",
            ["First Second Third."],
            ["Primeiro Segundo Terceiro."],
            "Primeiro\nSegundo\nTerceiro.",
        ),
        (
            "<i>I never thought</i>\n<i>of it.</i>",
            ["I never thought of it."],
            ["Nunca pensei nisso."],
            None,
        ),
    ],
)
def test_speakers_and_lines_stay(tmp_path, cue, sentences, translations, expected):
    (document,), _ = read(tmp_path, srt(cue, "The end."))
    assert list(document.source) == [*sentences, "The end."]
    (text, _), _ = translate(tmp_path, [cue, "The end."], [*translations, "Fim."])
    if expected is None:
        assert len(text.splitlines()) == 2
    else:
        assert text == expected
