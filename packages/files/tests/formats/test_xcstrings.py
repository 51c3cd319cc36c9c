"""Xcode's string catalogs. What others lose: the state of a translation, the form of the file as
Xcode writes it, other languages, and forms by number."""

from __future__ import annotations

import json

import pytest

from docmt_files.base.errors import InputError
from docmt_files.core.scopes import key_path, value_in_scopes
from docmt_files.strings import xcstrings
from formats.every_format import translated, write_sample
from formats.samples.xcstrings import CATALOG


def read(folder, target, text=CATALOG):
    path = write_sample(folder, "a.xcstrings", text)
    documents, skeleton = xcstrings.read(path, "en", target)
    return skeleton.keep_words(documents, lambda *_: True)


def filled(folder, target, text=CATALOG, change=str.upper):
    documents, skeleton = read(folder, target, text)
    return skeleton.fill_and_report(translated(documents, change))


def catalog(strings, **others):
    return json.dumps({"sourceLanguage": "en", "strings": strings, **others}, indent=2)


def as_xcode(value, depth=0):
    """JSON as Xcode writes it."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    line = "\n" + "  " * depth
    members = (f"{json.dumps(k)} : {as_xcode(v, depth + 1)}" for k, v in value.items())
    return "{" + f"{line}  " + f",{line}  ".join(members) + f"{line}}}"


def unit(value, state="translated"):
    return {"stringUnit": {"state": state, "value": value}}


def test_a_new_language_is_written_as_xcode_writes_it(tmp_path):
    text = filled(tmp_path, "fr").text
    after, before = json.loads(text), json.loads(CATALOG)
    added = {
        key: entry["localizations"].pop("fr")
        for key, entry in after["strings"].items()
        if "fr" in entry.get("localizations", {})
    }
    assert added["%@ is here now"] == unit("%@ IS HERE NOW", "needs_review")
    assert set(added) == {"%@ is here now", "files", "greeting", 'Is it "new"?\nYes, it is.'}
    assert after == before
    assert as_xcode(json.loads(text)).replace(f"{{\n{' ' * 6}\n", "{\n\n") == text
    assert list(json.loads(text)["strings"]["files"]["localizations"]) == ["de", "en", "fr"]


@pytest.mark.parametrize(
    ("target", "categories"),
    [("fr", ["one", "other"]), ("ja", ["other"]), ("ru", ["one", "few", "many", "other"])],
)
def test_a_number_has_the_categories_of_the_target_language(tmp_path, target, categories):
    documents, skeleton = read(tmp_path, target)
    strings = json.loads(skeleton.fill(translated(documents, str)))["strings"]
    forms = strings["files"]["localizations"][target]["variations"]["plural"]
    assert list(forms) == categories
    russian = ["1 file", "2 files", "5 files", "1.5 files"]
    assert target != "ru" or [s for s in documents[0].source if "file" in s] == russian


def test_substitutions_keep_their_arguments(tmp_path):
    source = {
        "stringUnit": {"state": "translated", "value": "Found %#@files@ today"},
        "substitutions": {
            "files": {
                "argNum": 1,
                "formatSpecifier": "lld",
                "variations": {"plural": {"other": unit("%arg files")}},
            }
        },
    }
    text = catalog({"found": {"localizations": {"en": source}}})
    added = json.loads(filled(tmp_path, "de", text, lambda s: s.replace("Found", "Fand")).text)
    german = added["strings"]["found"]["localizations"]["de"]
    assert german["stringUnit"]["value"] == "Fand %#@files@ today"
    rule = german["substitutions"]["files"]
    assert (rule["argNum"], rule["formatSpecifier"]) == (1, "lld")
    assert rule["variations"]["plural"]["other"] == unit("%arg files", "needs_review")


def test_what_a_person_has_translated_is_kept(tmp_path):
    strings = {
        "One two": {"localizations": {"de": unit("Eins zwei")}},
        "Three four": {"localizations": {"de": unit("Drei", "new")}},
        "Five six": {"localizations": {"de": unit("")}},
        "Seven": {"shouldTranslate": False},
        "Eight": {"extractionState": "stale"},
        "nine_ten": {},
    }
    report = filled(tmp_path, "de", catalog(strings))
    after = json.loads(report.text)["strings"]
    for key in ("One two", "Seven", "Eight", "nine_ten"):
        assert after[key] == strings[key]
    assert after["Three four"]["localizations"]["de"] == unit("THREE FOUR", "needs_review")
    assert after["Five six"]["localizations"]["de"] == unit("FIVE SIX", "needs_review")
    notes = " ".join(report.notes)
    assert "2 strings marked as needs_review" in notes
    assert "1 string kept, translated already" in notes
    assert "1 stale string left as before" in notes


def test_a_string_that_cannot_be_translated_is_new(tmp_path):
    report = filled(tmp_path, "de", catalog({"One two": {}}), lambda _: "")
    after = json.loads(report.text)["strings"]["One two"]["localizations"]["de"]
    assert after == unit("One two", "new")


def test_a_language_of_the_file_is_known_by_its_code(tmp_path):
    text = catalog({"One two": {"localizations": {"pt-PT": unit("", "new")}}, "Three four": {}})
    for target in ("pt_PT", "pt"):
        strings = json.loads(filled(tmp_path, target, text).text)["strings"]
        assert [list(each["localizations"]) for each in strings.values()] == [["pt-PT"]] * 2


def test_errors_say_what_is_missing(tmp_path):
    with pytest.raises(InputError, match="no sourceLanguage and strings"):
        read(tmp_path, "de", '{"a": "one two"}')
    with pytest.raises(InputError, match="does not say into which language"):
        read(tmp_path, None, catalog({"One two": {}}))
    with pytest.raises(InputError, match="its only string is translated already"):
        read(tmp_path, "de", catalog({"a b": {"localizations": {"de": unit("c")}}}))
    with pytest.raises(InputError, match="is in en, and has no strings in fr"):
        xcstrings.read(write_sample(tmp_path, "a.xcstrings", CATALOG), "fr", "de")


def test_a_string_has_its_key_and_comment(tmp_path):
    _, skeleton = read(tmp_path, "de")
    (scope,) = skeleton.found.blocks[0].scopes
    assert (key_path(scope), value_in_scopes(scope, "note")) == ("%@ is here now", "A greeting")
