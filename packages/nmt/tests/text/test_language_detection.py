"""A text in the wrong language is found; a short one, or one in no language, is not judged."""

from __future__ import annotations

from importlib.resources import files

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.text.language_detection import language_name, other_language

FRENCH = (
    "Bonjour. Ouvrez le fichier dans lequel vous avez écrit votre lettre.",
    "Cliquez ensuite sur le bouton pour envoyer la lettre à vos collègues.",
)
RUSSIAN = ("Откройте файл, в котором вы написали письмо, и нажмите на кнопку «Отправить».",)
CHINESE = (
    "请打开您写信的文件，然后点击按钮把信发送给您的同事，完成之后关闭窗口并保存所有更改，谢谢。",
)
SERBIAN = (
    "Отворите датотеку у којој сте написали писмо, затим кликните на дугме да бисте га послали.",
)


def demo_documents(language):
    folder = files("docmt_nmt.corpora.demo") / "corpus"
    for split in ("dev", "test"):
        source = folder / f"{split}.{language}.xz"
        yield from corpora.read(str(source), docids=str(folder / f"{split}.docids.xz"))


@pytest.mark.parametrize(("own", "other"), [("en", "de"), ("de", "en")])
def test_real_documents_are_known_by_their_language(own, other):
    documents = list(demo_documents(own))
    assert len(documents) == 50
    assert [d.id for d in documents if other_language(d.source, own)] == []
    assert {other_language(d.source, other) for d in documents} == {own}


@pytest.mark.parametrize(
    ("sentences", "language"), [(FRENCH, "fr"), (RUSSIAN, "ru"), (CHINESE, "zh"), (SERBIAN, "sr")]
)
def test_a_few_sentences_are_enough_in_any_script(sentences, language):
    assert other_language(sentences, "en") == language
    assert other_language(sentences, language) is None


def test_a_short_text_is_not_judged():
    assert (
        other_language(["Bonjour, Madame Dupont. Merci beaucoup pour votre lettre."], "en") is None
    )
    assert other_language([], "en") is None


@pytest.mark.parametrize("own", ["eng", "en_XX", "eng_Latn", "en-GB"])
def test_a_language_has_many_codes(own):
    text = ["Open the file in which you wrote the letter, and then click the button that sends it."]
    assert (
        other_language(text * 2 + ["Close the window when you have saved all changes."], own)
        is None
    )
    assert other_language(FRENCH, own) == "fr"


@pytest.mark.parametrize("own", ["yue", "zh_Hant", "zho_Hans", "zh-TW"])
def test_languages_that_are_alike_are_one(own):
    assert other_language(CHINESE, own) is None


@pytest.mark.parametrize("own", ["nds", "chr", "uz_Cyrl", "sr_Latn"])
def test_a_language_or_script_that_the_detector_does_not_know_is_not_judged(own):
    assert other_language(FRENCH, own) is None


def test_code_and_names_are_in_no_language():
    code = [
        f"std::vector<int64_t> kMaxBuf{n} = foo_bar{n}(ptr->x{n}, &cfg[{n}]);" for n in range(40)
    ]
    assert other_language(code, "en") is None
    assert other_language([f"0x{n:08x} {n * n}" for n in range(400)], "en") is None


def test_a_long_text_is_judged_by_sentences_from_all_over_it():
    english = [sentence for d in demo_documents("en") for sentence in d.source]
    german = [sentence for d in demo_documents("de") for sentence in d.source]
    assert len(" ".join(english)) > 90_000
    assert other_language(english, "en") is None
    assert other_language([*english[:20], *german], "en") == "de"
    assert other_language([*german[:20], *english], "en") is None
    assert other_language([" ".join(german)], "en") == "de"


def test_repeated_sentences_count_once():
    assert other_language(["Danke schön für alles."] * 1000, "en") is None


def test_what_is_no_language_code_is_an_error():
    with pytest.raises(InputError, match="not a valid language code"):
        other_language(FRENCH, "French")


def test_languages_have_names():
    names = [language_name(code) for code in ("fr", "deu_Latn", "zh", "xx")]
    assert names == ["French", "German", "Chinese", "xx"]
