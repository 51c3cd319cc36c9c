"""A run of a model of many languages translates between all of them."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import docmt_nmt
from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.translators.requests import TranslationRequest
from docmt_serve.scheduler import _Work, next_batch
from pretrained_models import LANGUAGES, imported, make, sentences

OTHERS = {
    "mbart-50": ("fr_XX", "ja_XX"),
    "m2m-100": ("fr", "ja"),
    "nllb": ("fra_Latn", "jpn_Jpan"),
    "mbart-25": ("fr_XX", "ja_XX"),
}


@pytest.fixture(scope="module")
def run(folders, tmp_path_factory):
    """The run of an M2M100, imported for English into German."""
    return imported(folders["m2m-100"], "m2m-100", tmp_path_factory.mktemp("m2m"))


def targets(translator):
    (translation,) = translator.translate([Document("d", sentences("en")[:4])])
    return translation.document.target


@pytest.mark.parametrize(
    "family", ["m2m-100", *(pytest.param(f, marks=pytest.mark.slow) for f in OTHERS)]
)
def test_one_run_translates_as_a_run_of_each_pair_does(family, folders, tmp_path):
    folder = folders[family]
    options = {"beam_size": 2, "device": "cpu"}
    one = docmt_nmt.load(imported(folder, family, tmp_path / "one").directory, **options)
    other = imported(folder, family, tmp_path / "other", languages=OTHERS[family])
    between = one.between("fr", "ja")
    assert between.languages == ("fr", "ja")
    assert targets(between) == targets(docmt_nmt.load(other.directory, **options))
    assert targets(between) != targets(one)
    assert targets(between.between(*LANGUAGES[family])) == targets(one)
    assert between.system is one.system


@pytest.mark.slow
def test_a_marian_of_many_targets_has_one_source_language(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    make(folder, "marian-many", steps=0)
    translator = docmt_nmt.load(imported(folder, "marian-many", tmp_path).directory)
    assert translator.language_set.sources == ("en",)
    assert translator.language_set.targets == ("de", "fr")
    assert targets(translator.between("en", "fr")) != targets(translator)


def test_the_languages_of_a_run_have_the_usual_codes(run):
    translator = docmt_nmt.load(run.directory)
    assert translator.languages == ("en", "de")
    assert {"en", "de", "fr", "ja", "zh"} <= set(translator.language_set.sources)
    with pytest.raises(InputError, match=r"does not translate into 'tlh'.*`to`.* de, .*fr, "):
        translator.between("en", "tlh")


def test_translations_into_two_languages_are_different_to_a_journal_and_to_a_batch(run):
    german = docmt_nmt.load(run.directory)
    french, request = german.between("en", "fr"), TranslationRequest([Document("d", ("one",))])
    assert german.fingerprint(request) != french.fingerprint(request)
    searches = [each._searcher(each.plan(request)) for each in (german, french)]
    works = [_Work(search, (), (), interactive=True) for search in searches]
    assert next_batch(works, 0.0) == works[:1]


def test_a_file_is_translated_into_several_languages_by_one_command(run, tmp_path):
    (tmp_path / "a.md").write_text("# One file\n\nOpen **the file**.\n")
    arguments = ["translate", "--run", str(run.directory), "--from", "en", "--to", "de,fr"]
    arguments += [str(tmp_path / "a.md"), "--output", f"{tmp_path}/out/"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    written = {name: (tmp_path / "out" / name / "a.md").read_text() for name in ("de", "fr")}
    assert written["de"] != written["fr"]
