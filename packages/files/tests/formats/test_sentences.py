"""Running text is split into sentences, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import sentence_spans
from docmt_files.core.sentences import _segments

TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(' \n.!?。"()»«…aB1'))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Dr. Smith came. He left.", ["Dr. Smith came.", "He left."]),
        ("de-AT", "Am 3. Mai z. B. war er da. Ja!", ["Am 3. Mai z. B. war er da.", "Ja!"]),
        ("zh", "他来了。她走了！", ["他来了。", "她走了！"]),
        ("hi", "वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("ar", "ذهب إلى البيت. ثم نام؟ نعم.", ["ذهب إلى البيت.", "ثم نام؟", "نعم."]),
        ("tlh", "Mr. Smith came. He left.", ["Mr. Smith came.", "He left."]),
        ("en", "One\nsentence. Two.\n", ["One\nsentence.", "Two."]),
        ("en", " \n ", []),
        # A quotation is not split, whatever marks it is typed with.
        ("en", 'He said "Go. Now." and left.', ['He said "Go. Now." and left.']),
        ("de", 'Er rief „Geh. Jetzt." Dann ging er.', ['Er rief „Geh. Jetzt."', "Dann ging er."]),
        ("de", "Er rief »Geh. Jetzt.« Ja.", ["Er rief »Geh. Jetzt.«", "Ja."]),
        ("zh", "他说：“你好。再见。”然后走了。", ["他说：“你好。再见。”", "然后走了。"]),
        # Marks that are not a pair are no quotation.
        ("de", 'Das „Wort" fällt. Gut. Er sagt „Ja" und geht.', 3),
        ("en", 'It is 15" wide. It is old. The other has 17" and is new. Buy it.', 4),
        ("en", '"I went. I saw. "Then I slept.', ['"I went.', "I saw.", '"Then I slept.']),
        ("en", 'It was late." He slept. It rained. "Up!', 4),
        ("zh", "他说：“你好。再见。“再来。", ["他说：“你好。", "再见。", "“再来。"]),
        ("en", "It's the dogs' food. It's '68. Rock 'n' roll.", 3),
        # A quotation of many sentences is split.
        ("en", f'He said: "{"I went there. " * 40}I slept." Yes.', 42),
    ],
)
def test_a_paragraph_is_split(language, text, expected):
    found = [text[start:end] for start, end in sentence_spans(text, language)]
    assert found == expected if isinstance(expected, list) else len(found) == expected


@given(TEXT, st.sampled_from(["en", "de", "zh", "ru", "th", "xx"]))
def test_between_sentences_there_is_white_space_alone(text, language):
    last = 0
    for start, end in [*sentence_spans(text, language), (len(text), len(text))]:
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        last = end


@pytest.mark.parametrize(
    "text", ["word " * 20_000, "中" * 100_000, '"' * 30_000, "a.b" * 20_000, "“" + "Yes. " * 9000]
)
def test_a_long_text_without_ends_of_sentences_is_kept(text):
    assert "".join(_segments(text, "en")) == text
