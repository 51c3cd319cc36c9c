"""Every feature once with real models: those of Firefox between English and Portuguese."""

from __future__ import annotations

import pytest

import docmt_nmt
from docmt.models import InstalledModels, PairTranslators
from docmt.translating.file_translation import translate_files
from docmt.translating.texts import TextRequest, translate_texts
from docmt_nmt.translators.checks.translation_checks import CheckThresholds, check_translation
from docmt_nmt.translators.glossary import Glossary, Term
from firefox_models import FOLDERS, needs_firefox_models
from registry_server import RegistryServer, write_registry

pytestmark = needs_firefox_models

SUBTITLES = "1\n00:00:01,000 --> 00:00:03,000\nWhere have you been?\n"
XLIFF = (
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" '
    'source-language="en" target-language="pt" datatype="plaintext"><body><trans-unit id="1">'
    "<source>The file could not be opened.</source></trans-unit></body></file></xliff>"
)
PO = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
PO += '#, kde-format\nmsgid "The file \'%1\' could not be opened."\nmsgstr ""\n'

FILES = {
    "a.md": ("# Installing the Printer\n\nPress **OK** to continue.\n", "Pressione **OK**"),
    "a.html": ("<p>We bake <b>fresh bread</b> every day.</p>", "<b>pão fresco</b>"),
    "a.srt": (SUBTITLES, "Onde você esteve?"),
    "a.xlf": (XLIFF, "O arquivo não pôde ser aberto."),
    "a.po": (PO, "O arquivo '%1' não pôde ser aberto."),
    "a.json": ('{"a": "Thank you, {user}."}', "Obrigado, {user}"),
}


def test_files_are_translated_and_keep_their_form(en_pt, tmp_path):
    for name, (text, _) in FILES.items():
        (tmp_path / name).write_text(text)
    inputs = [str(tmp_path / name) for name in FILES]
    translate_files(en_pt, inputs, [f"{path}.out" for path in inputs])
    for name, (_, expected) in FILES.items():
        assert expected in (tmp_path / f"{name}.out").read_text(), name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, {name}!", "Olá, {name}!"),
        ("Delete {count} files?", "Excluir {count} arquivos?"),
        ("The file %s could not be opened.", "O arquivo %s não pôde ser aberto."),
        ("DO NOT TOUCH THE SURFACE.", "NÃO TOQUE NA SUPERFÍCIE."),
    ],
)
def test_placeholders_and_capitals_are_those_of_the_source(en_pt, text, expected):
    (found,) = translate_texts(en_pt, TextRequest((text,), "html"))
    assert found.text == expected


def test_terms_are_written_by_greedy_search(en_pt):
    assert en_pt.search.beam_size == 1
    glossary = Glossary([Term(("printer",), ("máquina de impressão",))])
    document = docmt_nmt.Document("a", ("Turn the printer off.", "Close the door."))
    (found,) = docmt_nmt.translate(en_pt, docmt_nmt.TranslationRequest([document], glossary))
    assert found.document.target == ("Desligue a máquina de impressão.", "Feche a porta.")


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        (
            "Open Monday to Friday, 7 a.m. to 6:30 p.m.",
            "De segunda a sexta, 7 às 18:00.",
            "numbers",
        ),
        ("Estou aqui.", "Estou aqui, estou aqui, estou aqui, estou aqui.", "repetition"),
        ("Prices start at $1,299.99.", "Os preços começam em $1,299.99.", "numbers"),
    ],
)
def test_what_a_real_model_gets_wrong_is_warned_about(source, target, kind):
    thresholds = CheckThresholds.default(("en", "pt"))
    document = docmt_nmt.Document("a", (source,), (target,))
    found = check_translation(document, thresholds, ("en", "pt"))
    assert kind in {warning.kind for warning in found}


def test_models_come_from_a_registry_and_translate_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path / "models"))
    (folder := tmp_path / "served").mkdir()
    server = RegistryServer(folder)
    write_registry(folder, server.url, made={"pt-en": FOLDERS["pten"]})
    installed = InstalledModels.default()
    registry = installed.registry(server.registry)
    installed.install(registry.model("pt-en"), registry)
    server.server.shutdown()
    translator = PairTranslators(installed).translator("pt-BR", "en")
    (found,) = translator.translate([docmt_nmt.Document("a", ("Abra o arquivo.",))])
    assert found.document.target == ("Open the file.",)


def test_tags_stand_around_the_translations_of_their_words(en_pt):
    text = "<p>The <b>red car</b> is mine. Click <a href='x'>Save</a> to <i>keep</i> the file.</p>"
    (translated,) = translate_texts(en_pt, TextRequest((text,), "html"))
    assert translated.text == (
        "<p>O <b>carro vermelho</b> é meu. Clique em <a href='x'>Salvar</a> para <i>manter</i> "
        "o arquivo.</p>"
    )


def test_a_revision_warns_of_the_sentences_that_are_wanted(en_pt):
    document = docmt_nmt.Document("a", ("Close the door.", "Open the window."))
    known = document.translated(("Feche a porta.", "99"))
    revision = docmt_nmt.translators.Revision((known,), frozenset({(0, 0)}))
    request = docmt_nmt.TranslationRequest([document], revision=revision)
    (found,) = en_pt.translate(request)
    assert found.target == ("Feche a porta.", "99")
    assert found.warnings == ()
