"""Apple's strings with plural forms. What others lose: the types of values, variables in the joined
string, categories of the target language, and `zero`."""

from __future__ import annotations

import plistlib

import pytest

from docmt_files.base.errors import InputError
from docmt_files.strings import stringsdict
from docmt_files.strings.plural_branches import CATEGORIES, branches_for, examples
from formats.every_format import translated, write_sample
from formats.samples.stringsdict import SAMPLES

SAMPLE = SAMPLES["Localizable.stringsdict"]


def read(folder, target, text=SAMPLE):
    path = write_sample(folder, "a.stringsdict", text)
    documents, skeleton = stringsdict.read(path, "en", target)
    return skeleton.keep_words(documents, lambda *_: True)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("de", {"zero": "NO FILES & FOLDERS", "one": "%d FILE", "other": "%d FILES"}),
        ("ja", {"zero": "NO FILES & FOLDERS", "other": "%d FILES"}),
        (
            "ru",
            {
                "zero": "NO FILES & FOLDERS",
                "one": "%d FILE",
                **dict.fromkeys(("few", "many", "other"), "%d FILES"),
            },
        ),
    ],
)
def test_a_rule_has_the_categories_of_the_target_language(tmp_path, target, expected):
    filled = plistlib.loads(skeleton_filled(*read(tmp_path, target)).encode())
    rule = filled["%d files copied"]["files"]
    assert rule.pop("NSStringFormatSpecTypeKey") == "NSStringPluralRuleType"
    assert rule.pop("NSStringFormatValueTypeKey") == "d"
    assert rule == expected
    joined = filled["%d files copied"]["NSStringLocalizedFormatKey"]
    assert joined == "YOUR %1$@ FOLDER HAS %2$#@files@ NOW."


def skeleton_filled(documents, skeleton):
    return skeleton.fill(translated(documents, lambda s: s.upper().replace("FILES@", "files@")))


def test_a_form_is_translated_with_a_number_of_its_category(tmp_path):
    documents, skeleton = read(tmp_path, "ru")
    assert documents[0].source[2:6] == ("1 file", "2 files", "5 files", "1.5 files")
    russian = {"1 file": "1 файл", "2 files": "2 файла", "5 files": "5 файлов"}
    filled = skeleton.fill(translated(documents, lambda s: russian.get(s, s)))
    rule = plistlib.loads(filled.encode())["%d files copied"]["files"]
    assert (rule["one"], rule["few"], rule["many"]) == ("%d файл", "%d файла", "%d файлов")


def test_a_form_with_two_numbers_keeps_both(tmp_path):
    documents, skeleton = read(tmp_path, "de")
    filled = skeleton.fill(translated(documents, lambda s: s.upper().replace("LU", "lu")))
    assert "%lu PAGES OF %lu ARE HERE" in filled


def test_new_forms_stand_in_lines_like_their_neighbors(tmp_path):
    _, skeleton = read(tmp_path, "ru")
    assert "\t\t\t<key>few</key>\n\t\t\t<string>%d files</string>\n\t\t\t<key>" in skeleton.text


def test_a_binary_list_is_refused_with_a_cure(tmp_path):
    with pytest.raises(InputError, match="plutil -convert xml1"):
        read(tmp_path, "de", b"bplist00\xd1")


@pytest.mark.parametrize("language", ["ar", "cs", "de", "ja", "lv", "pl", "zh_Hant", "tlh"])
def test_each_category_has_an_example_of_itself(language):
    from babel import Locale

    found = examples(language)
    assert list(found) == [name for name in CATEGORIES if name in found]
    if language != "tlh":
        rule = Locale.parse(language).plural_form
        assert {rule(float(number)) for number in found.values()} == set(found)


def test_what_the_author_left_out_stays_out_where_the_target_needs_no_more():
    assert branches_for(["=1", "other"], "en", "de") == [("=1", "=1"), ("other", "other")]
    assert branches_for(["one", "few"], "en", "ru") == [("one", "one"), ("few", "few")]
