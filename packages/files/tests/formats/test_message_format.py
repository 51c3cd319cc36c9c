"""Messages for Java's MessageFormat and ICU: apostrophes that quote, and `{0,choice,…}`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import BlockSkeleton
from docmt_files.strings import java_properties, json_strings
from docmt_files.strings.message_branches import count_kept

CHOICE = "{0,choice,0#no files|1#one file|1<{0,number,integer} files}"

MESSAGES = [
    f"There are {CHOICE} in the folder.",
    f"It''s '{{'x'}}' with {CHOICE}.",
    "Open the file '{'name'}' in {0}.",
    "Open the file '{name}' in {0}, it''s new.",
    "Write '{see below, it''s easy}' for {0}.",
    "''{0}'' isn''t a '{'user'}'.",
]
"""Messages as developers write them."""

_SHOWN = re.compile(r"''|'([{}](?:[^']|'')*)'|(\{(?:[^{}]|\{[^{}]*\})*\})")


def shown(message: str) -> str:
    """A message as ICU shows it, with `«…»` for its arguments."""

    def meaning(match: re.Match[str]) -> str:
        if match[2]:
            return f"«{match[2]}»"
        return "'" if match[1] is None else match[1].replace("''", "'")

    return _SHOWN.sub(meaning, message)


def read(folder: Path, suffix: str, *messages: str) -> tuple[tuple[str, ...], BlockSkeleton]:
    """The sentences of a file with these messages, with the words of codes in them, and it."""
    path = folder / f"in{suffix}"
    entries = {f"key{number}": message for number, message in enumerate(messages)}
    lines = "".join(f"{key}={message}\n" for key, message in entries.items())
    path.write_text(json.dumps(entries) if suffix == ".json" else lines, encoding="utf-8")
    module = json_strings if suffix == ".json" else java_properties
    documents, skeleton = module.read(path, "en", "de")
    (document,), with_words = skeleton.keep_words(documents, lambda *_: True)
    assert isinstance(with_words, BlockSkeleton)
    return document.source, with_words


def filled(skeleton: BlockSkeleton, suffix: str, *sentences: str) -> list[str]:
    """The messages of a file with other sentences."""
    (document,) = skeleton.documents
    text = skeleton.fill([document.translated(sentences)])
    if suffix == ".json":
        return list(json.loads(text).values())
    return [line.partition("=")[2] for line in text.splitlines()]


@pytest.mark.parametrize("suffix", [".json", ".properties"])
@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_shows_its_arguments_and_its_braces_in_a_translation(
    tmp_path: Path, suffix: str, message: str
) -> None:
    sentences, skeleton = read(tmp_path, suffix, message)
    (new,) = filled(skeleton, suffix, *(f"l'eau {sentence}" for sentence in sentences))
    assert shown(new) == f"l'eau {shown(message)}"


def test_names_in_quoted_braces_are_words_that_a_translation_keeps(tmp_path: Path) -> None:
    (sentence,), skeleton = read(tmp_path, ".json", "Open the file '{'name'}' in {0}.")
    assert sentence == "Open the file {name} in {0}."
    assert filled(skeleton, ".json", "In {0} die Datei {name} öffnen.") == [
        "In {0} die Datei '{'name'}' öffnen."
    ]


def test_a_quoted_name_and_an_argument_of_the_same_name_do_not_change_places(
    tmp_path: Path,
) -> None:
    (sentence,), skeleton = read(tmp_path, ".json", "Write '{'0'}' or {0}, it''s the same.")
    assert sentence == "Write or, it's the same."
    (new,) = filled(skeleton, ".json", "Schreiben oder, es ist dasselbe.")
    assert new.index("'{'0'}'") < new.index(" {0}")


def test_choices_are_protected_and_counted(tmp_path: Path) -> None:
    assert count_kept(f"There are {CHOICE}.", all_kinds=False) == 1
    (sentence,), skeleton = read(tmp_path, ".properties", f"There are {CHOICE} in it.")
    assert sentence == "There are in it."
    (document,) = skeleton.documents
    report = skeleton.fill_and_report([document.translated(["Es gibt darin."])])
    assert CHOICE in report.text
    assert any("choice) not translated" in note for note in report.notes)


@pytest.mark.parametrize("suffix", [".json", ".properties"])
def test_quotation_marks_of_other_files_stay_what_they_are(tmp_path: Path, suffix: str) -> None:
    messages = ["Delete '{name}' now", "Put a '}' here, don't wait", "Vue's {'@'} sign"]
    sentences, skeleton = read(tmp_path, suffix, *messages)
    new = filled(skeleton, suffix, *(f"{sentence} d'ici" for sentence in sentences))
    assert new == [f"{message} d'ici" for message in messages]


PIECES = st.sampled_from(
    ["word", " ", "''", "'{'", "'}'", "'{x}'", "'{'y'}'", "'{a, b''s}'", "{0}", "{1,number}"]
)


@given(st.lists(PIECES, max_size=9).map("".join))
def test_any_message_with_quotes_shows_what_it_did(
    tmp_path_factory: pytest.TempPathFactory, message: str
) -> None:
    folder = tmp_path_factory.mktemp("message")
    message = f"A {message} o''clock {{0}} '{{'end'}}'."
    sentences, skeleton = read(folder, ".json", message)
    new = filled(skeleton, ".json", *(sentence.replace("o'", "l'") for sentence in sentences))
    expected = shown(message).replace("o'", "l'")
    # Alignment may move codes that are written together with words. Where quotes of a translation
    # would run together, the message stays as it was.
    same = sorted("".join(shown(new[0]).split())) == sorted("".join(expected.split()))
    assert same or new == [message]
